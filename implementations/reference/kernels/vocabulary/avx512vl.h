/* The vocabulary of AVX-512 with F, VL and DQ. What each operation means stands in scalar.h. */
#ifndef GW_VOCABULARY_H
#define GW_VOCABULARY_H

#include <immintrin.h>

enum { FLOAT_LANES = 16, DOUBLE_LANES = 8 };
typedef __m512 floats;
typedef __m512d doubles;

static inline floats f_load(const float *from) {
  return _mm512_loadu_ps(from);
}
static inline void f_store(float *to, floats a) {
  _mm512_storeu_ps(to, a);
}
static inline floats f_set(float a) {
  return _mm512_set1_ps(a);
}
static inline floats f_add(floats a, floats b) {
  return _mm512_add_ps(a, b);
}
static inline floats f_mul(floats a, floats b) {
  return _mm512_mul_ps(a, b);
}
static inline floats f_sub(floats a, floats b) {
  return _mm512_sub_ps(a, b);
}
static inline floats f_div(floats a, floats b) {
  return _mm512_div_ps(a, b);
}
static inline floats f_mul_add(floats a, floats b, floats c) {
  return _mm512_fmadd_ps(a, b, c);
}
static inline floats f_neg_mul_add(floats a, floats b, floats c) {
  return _mm512_fnmadd_ps(a, b, c);
}
static inline floats f_min(floats a, floats b) {
  return _mm512_min_ps(a, b);
}
static inline floats f_max(floats a, floats b) {
  return _mm512_max_ps(a, b);
}
static inline floats f_abs(floats a) {
  return _mm512_andnot_ps(_mm512_set1_ps(-0.0f), a);
}
static inline floats f_with_sign(floats a, floats sign) {
  return _mm512_or_ps(a, _mm512_and_ps(_mm512_set1_ps(-0.0f), sign));
}
static inline floats f_power_of_2(floats a) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(a), 23));
}

static inline doubles d_widen(const float *from) {
  return _mm512_cvtps_pd(_mm256_loadu_ps(from));
}
static inline void d_narrow(float *to, doubles a) {
  _mm256_storeu_ps(to, _mm512_cvtpd_ps(a));
}
static inline doubles d_set(double a) {
  return _mm512_set1_pd(a);
}
static inline doubles d_add(doubles a, doubles b) {
  return _mm512_add_pd(a, b);
}
static inline doubles d_sub(doubles a, doubles b) {
  return _mm512_sub_pd(a, b);
}
static inline doubles d_mul(doubles a, doubles b) {
  return _mm512_mul_pd(a, b);
}
static inline doubles d_div(doubles a, doubles b) {
  return _mm512_div_pd(a, b);
}
static inline doubles d_mul_add(doubles a, doubles b, doubles c) {
  return _mm512_fmadd_pd(a, b, c);
}
static inline doubles d_mul_sub(doubles a, doubles b, doubles c) {
  return _mm512_fmsub_pd(a, b, c);
}
static inline doubles d_neg_mul_add(doubles a, doubles b, doubles c) {
  return _mm512_fnmadd_pd(a, b, c);
}
static inline doubles d_min(doubles a, doubles b) {
  return _mm512_min_pd(a, b);
}
static inline doubles d_max(doubles a, doubles b) {
  return _mm512_max_pd(a, b);
}

static inline __m512i d_bits(doubles a) {
  return _mm512_castpd_si512(a);
}
static inline doubles d_from_bits(__m512i bits) {
  return _mm512_castsi512_pd(bits);
}
static inline doubles d_within(doubles a, doubles limit) {
  enum { SMALLER_MAGNITUDE = 2, SIGN_OF_FIRST = 0 };
  return _mm512_range_pd(a, limit, SIGN_OF_FIRST << 2 | SMALLER_MAGNITUDE);
}
static inline doubles d_abs(doubles a) {
  return _mm512_andnot_pd(_mm512_set1_pd(-0.0), a);
}
static inline doubles d_with_sign(doubles a, doubles sign) {
  return _mm512_or_pd(a, _mm512_and_pd(_mm512_set1_pd(-0.0), sign));
}
static inline doubles d_power_of_2(doubles a) {
  return d_from_bits(_mm512_slli_epi64(d_bits(a), 52));
}
static inline doubles d_odd_aside(doubles a, doubles b) {
  const __mmask8 above = _mm512_cmp_pd_mask(b, _mm512_setzero_pd(), _CMP_GT_OQ);
  const __m512i one = _mm512_set1_epi64(1);
  return d_from_bits(_mm512_or_si512(_mm512_mask_sub_epi64(d_bits(a), above, d_bits(a), one), one));
}
static inline doubles d_where_greater(doubles a, doubles b, doubles yes, doubles no) {
  return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_GT_OQ), no, yes);
}
static inline doubles d_where_nan(doubles a, doubles yes, doubles no) {
  return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q), no, yes);
}

#endif
