/* The vocabulary of AVX2 with FMA. What each operation means stands in scalar.h. */
#ifndef GW_VOCABULARY_H
#define GW_VOCABULARY_H

#include <immintrin.h>

enum { FLOAT_LANES = 8, DOUBLE_LANES = 4 };
typedef __m256 floats;
typedef __m256d doubles;

static inline floats f_load(const float *from) {
  return _mm256_loadu_ps(from);
}
static inline void f_store(float *to, floats a) {
  _mm256_storeu_ps(to, a);
}
static inline floats f_set(float a) {
  return _mm256_set1_ps(a);
}
static inline floats f_add(floats a, floats b) {
  return _mm256_add_ps(a, b);
}
static inline floats f_mul(floats a, floats b) {
  return _mm256_mul_ps(a, b);
}
static inline floats f_sub(floats a, floats b) {
  return _mm256_sub_ps(a, b);
}
static inline floats f_div(floats a, floats b) {
  return _mm256_div_ps(a, b);
}
static inline floats f_mul_add(floats a, floats b, floats c) {
  return _mm256_fmadd_ps(a, b, c);
}
static inline floats f_neg_mul_add(floats a, floats b, floats c) {
  return _mm256_fnmadd_ps(a, b, c);
}
static inline floats f_min(floats a, floats b) {
  return _mm256_min_ps(a, b);
}
static inline floats f_max(floats a, floats b) {
  return _mm256_max_ps(a, b);
}
static inline floats f_abs(floats a) {
  return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
static inline floats f_with_sign(floats a, floats sign) {
  return _mm256_or_ps(a, _mm256_and_ps(_mm256_set1_ps(-0.0f), sign));
}
static inline floats f_power_of_2(floats a) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(a), 23));
}

static inline doubles d_widen(const float *from) {
  return _mm256_cvtps_pd(_mm_loadu_ps(from));
}
static inline void d_narrow(float *to, doubles a) {
  _mm_storeu_ps(to, _mm256_cvtpd_ps(a));
}
static inline doubles d_set(double a) {
  return _mm256_set1_pd(a);
}
static inline doubles d_add(doubles a, doubles b) {
  return _mm256_add_pd(a, b);
}
static inline doubles d_sub(doubles a, doubles b) {
  return _mm256_sub_pd(a, b);
}
static inline doubles d_mul(doubles a, doubles b) {
  return _mm256_mul_pd(a, b);
}
static inline doubles d_div(doubles a, doubles b) {
  return _mm256_div_pd(a, b);
}
static inline doubles d_mul_add(doubles a, doubles b, doubles c) {
  return _mm256_fmadd_pd(a, b, c);
}
static inline doubles d_mul_sub(doubles a, doubles b, doubles c) {
  return _mm256_fmsub_pd(a, b, c);
}
static inline doubles d_neg_mul_add(doubles a, doubles b, doubles c) {
  return _mm256_fnmadd_pd(a, b, c);
}
static inline doubles d_min(doubles a, doubles b) {
  return _mm256_min_pd(a, b);
}
static inline doubles d_max(doubles a, doubles b) {
  return _mm256_max_pd(a, b);
}

static inline __m256i d_bits(doubles a) {
  return _mm256_castpd_si256(a);
}
static inline doubles d_from_bits(__m256i bits) {
  return _mm256_castsi256_pd(bits);
}
static inline doubles d_within(doubles a, doubles limit) {
  return _mm256_max_pd(_mm256_min_pd(a, limit), _mm256_sub_pd(_mm256_setzero_pd(), limit));
}
static inline doubles d_abs(doubles a) {
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}
static inline doubles d_with_sign(doubles a, doubles sign) {
  return _mm256_or_pd(a, _mm256_and_pd(_mm256_set1_pd(-0.0), sign));
}
static inline doubles d_power_of_2(doubles a) {
  return d_from_bits(_mm256_slli_epi64(d_bits(a), 52));
}
static inline doubles d_odd_aside(doubles a, doubles b) {
  const __m256i step = d_bits(_mm256_cmp_pd(b, _mm256_setzero_pd(), _CMP_GT_OQ));
  return d_from_bits(_mm256_or_si256(_mm256_add_epi64(d_bits(a), step), _mm256_set1_epi64x(1)));
}
static inline doubles d_where_greater(doubles a, doubles b, doubles yes, doubles no) {
  return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, b, _CMP_GT_OQ));
}
static inline doubles d_where_nan(doubles a, doubles yes, doubles no) {
  return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, a, _CMP_UNORD_Q));
}

#endif
