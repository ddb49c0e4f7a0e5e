/*
 * The floating-point control word: exact mode needs round-to-nearest and subnormal numbers (decisions D26,
 * D27), and the calling thread may have anything, for instance after loading a library linked with
 * -ffast-math.
 */
#ifndef GW_FLOAT_ENVIRONMENT_H
#define GW_FLOAT_ENVIRONMENT_H

#include <float.h>

#ifdef __FAST_MATH__
#error "exact mode needs IEEE arithmetic: build without -ffast-math"
#endif
/* 16 is gcc's where the processor computes in half precision: a float is still evaluated as a float. */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error                                                                                                       \
    "exact mode needs float expressions evaluated as float: use -std=gnu11 and, on i386, -msse2 -mfpmath=sse"
#endif

#if defined(__SSE__)
#include <xmmintrin.h>

typedef unsigned int gw_float_environment;

/* Sets the default environment for this thread and returns the one to restore. */
static inline gw_float_environment gw_float_environment_enter(void) {
  const gw_float_environment saved = _mm_getcsr();
  _mm_setcsr(0x1F80); /* every exception masked, no flag raised, to nearest, neither FTZ nor DAZ */
  return saved;
}

static inline void gw_float_environment_leave(gw_float_environment saved) {
  _mm_setcsr(saved);
}

#elif defined(__aarch64__)
#include <stdint.h>

typedef uint64_t gw_float_environment;

static inline gw_float_environment gw_float_environment_enter(void) {
  gw_float_environment saved;
  const gw_float_environment defaults = 0; /* no trap, to nearest, neither FZ nor FZ16, NaN as IEEE has it */
  __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
  __asm__ volatile("msr fpcr, %0" : : "r"(defaults) : "memory");
  return saved;
}

static inline void gw_float_environment_leave(gw_float_environment saved) {
  __asm__ volatile("msr fpcr, %0" : : "r"(saved) : "memory");
}

#else
#include <fenv.h>

typedef fenv_t gw_float_environment;

static inline gw_float_environment gw_float_environment_enter(void) {
  gw_float_environment saved;
  fegetenv(&saved);
  fesetenv(FE_DFL_ENV);
  return saved;
}

static inline void gw_float_environment_leave(gw_float_environment saved) {
  fesetenv(&saved);
}
#endif

#endif
