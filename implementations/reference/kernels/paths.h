/*
 * The kernel paths, narrowest first: X(name, what it needs, whether this processor runs it). The one list:
 * the dispatcher, the public listing, and through it the binding, the tests and the benchmarks read it. A
 * path `name` has the kernels gw_kernel_name, exact, and gw_kernel_name_fast, both made of kernels/name.c.
 */
#ifndef GW_PATHS_H
#define GW_PATHS_H

#include "kernel.h"

#if defined(__x86_64__) || defined(__i386__)
/* The compiler's own look at cpuid, and at xgetbv for what the operating system saves of a thread. */
#define GW_RUNS(feature) (__builtin_cpu_supports(feature) != 0)
#define GW_VECTOR_PATHS(X)                                                                                   \
  X(sse2, "SSE2", GW_RUNS("sse2"))                                                                           \
  X(avx2, "AVX2 and FMA", GW_RUNS("avx2") && GW_RUNS("fma"))                                                 \
  X(avx512vl, "AVX-512 F, VL and DQ", GW_RUNS("avx512f") && GW_RUNS("avx512vl") && GW_RUNS("avx512dq"))
#elif defined(__aarch64__)
#define GW_VECTOR_PATHS(X) X(neon, "Advanced SIMD", true)
#else
#define GW_VECTOR_PATHS(X)
#endif

#define GW_KERNEL_PATHS(X) X(scalar, "nothing", true) GW_VECTOR_PATHS(X)

#define GW_DECLARE(name, needs, available) extern const gw_kernel gw_kernel_##name, gw_kernel_##name##_fast;
GW_KERNEL_PATHS(GW_DECLARE)
#undef GW_DECLARE

#endif
