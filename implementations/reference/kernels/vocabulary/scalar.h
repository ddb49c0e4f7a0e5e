/*
 * The vocabulary of the scalar path: vectors of one lane. Each path has a header like this one, with the same
 * operations on its own vectors; here stands what each of them does to one lane. f_ is for `floats`, d_ for
 * `doubles`.
 *
 * The arithmetic is IEEE 754's, each operation rounded once to nearest. What d_min, d_max, d_within and
 * d_where_greater do with a NaN is open. The operations that multiply and add or subtract may round once
 * (fused) or twice; nothing else may be fused.
 */
#ifndef GW_VOCABULARY_H
#define GW_VOCABULARY_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { FLOAT_LANES = 1, DOUBLE_LANES = 1 };
typedef float floats;
typedef double doubles;

/* FLOAT_LANES floats of memory, aligned as floats. */
static inline floats f_load(const float *from) {
  return *from;
}
/* The reverse. */
static inline void f_store(float *to, floats a) {
  *to = a;
}
/* The same value in all lanes. */
static inline floats f_set(float a) {
  return a;
}
static inline floats f_add(floats a, floats b) {
  return a + b;
}
static inline floats f_mul(floats a, floats b) {
  return a * b;
}
static inline floats f_sub(floats a, floats b) {
  return a - b;
}
static inline floats f_div(floats a, floats b) {
  return a / b;
}
/* a * b + c */
static inline floats f_mul_add(floats a, floats b, floats c) {
  return a * b + c;
}
/* c - a * b */
static inline floats f_neg_mul_add(floats a, floats b, floats c) {
  return c - a * b;
}
/* a < b ? a : b; where either is a NaN, b or a NaN. */
static inline floats f_min(floats a, floats b) {
  return a < b ? a : b;
}
/* a > b ? a : b, likewise */
static inline floats f_max(floats a, floats b) {
  return a > b ? a : b;
}
static inline uint32_t f_bits(floats a) {
  uint32_t bits;
  memcpy(&bits, &a, sizeof bits);
  return bits;
}
static inline floats f_from_bits(uint32_t bits) {
  floats a;
  memcpy(&a, &bits, sizeof a);
  return a;
}
static inline floats f_abs(floats a) {
  return fabsf(a);
}
/* a, whose sign bit is clear, with the sign bit of `sign`. */
static inline floats f_with_sign(floats a, floats sign) {
  return f_from_bits(f_bits(a) | (f_bits(sign) & (UINT32_C(1) << 31)));
}
/* The number whose exponent is the lowest 8 bits of a, where the 9th is 0: 2^k for 1.5 * 2^23 + 127 + k. */
static inline floats f_power_of_2(floats a) {
  return f_from_bits(f_bits(a) << 23);
}

/* DOUBLE_LANES floats of memory, widened. */
static inline doubles d_widen(const float *from) {
  return (double)*from;
}
/* Rounds to DOUBLE_LANES floats of memory. */
static inline void d_narrow(float *to, doubles a) {
  *to = (float)a;
}
static inline doubles d_set(double a) {
  return a;
}
static inline doubles d_add(doubles a, doubles b) {
  return a + b;
}
static inline doubles d_sub(doubles a, doubles b) {
  return a - b;
}
static inline doubles d_mul(doubles a, doubles b) {
  return a * b;
}
static inline doubles d_div(doubles a, doubles b) {
  return a / b;
}
/* a * b + c */
static inline doubles d_mul_add(doubles a, doubles b, doubles c) {
  return a * b + c;
}
/* a * b - c */
static inline doubles d_mul_sub(doubles a, doubles b, doubles c) {
  return a * b - c;
}
/* c - a * b */
static inline doubles d_neg_mul_add(doubles a, doubles b, doubles c) {
  return c - a * b;
}
static inline doubles d_min(doubles a, doubles b) {
  return a < b ? a : b;
}
static inline doubles d_max(doubles a, doubles b) {
  return a > b ? a : b;
}

static inline uint64_t d_bits(doubles a) {
  uint64_t bits;
  memcpy(&bits, &a, sizeof bits);
  return bits;
}
static inline doubles d_from_bits(uint64_t bits) {
  doubles a;
  memcpy(&a, &bits, sizeof a);
  return a;
}
/* The number nearest to a in [-limit, limit]. */
static inline doubles d_within(doubles a, doubles limit) {
  return d_max(d_min(a, limit), -limit);
}
static inline doubles d_abs(doubles a) {
  return fabs(a);
}
/* a, whose sign bit is clear or that of `sign`, with the sign bit of `sign`. */
static inline doubles d_with_sign(doubles a, doubles sign) {
  return d_from_bits(d_bits(a) | (d_bits(sign) & (UINT64_C(1) << 63)));
}
/* The number whose exponent is the lowest 11 bits of a, where the 12th is 0: 2^k for 1.5 * 2^52 + 1023 + k.
 */
static inline doubles d_power_of_2(doubles a) {
  return d_from_bits(d_bits(a) << 52);
}
/* The number with an odd significand that is a itself or its neighbour: the one below where b > 0, else the
 * one above. */
static inline doubles d_odd_aside(doubles a, doubles b) {
  return d_from_bits((d_bits(a) - (b > 0.0)) | 1);
}
/* a > b ? yes : no */
static inline doubles d_where_greater(doubles a, doubles b, doubles yes, doubles no) {
  return a > b ? yes : no;
}
static inline doubles d_where_nan(doubles a, doubles yes, doubles no) {
  return isnan(a) ? yes : no;
}

#endif
