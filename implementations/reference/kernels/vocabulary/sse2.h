/* The vocabulary of SSE2, which every x86-64 processor has. What each operation means stands in
 * scalar.h. */
#ifndef GW_VOCABULARY_H
#define GW_VOCABULARY_H

#include <emmintrin.h>

enum { FLOAT_LANES = 4, DOUBLE_LANES = 2 };
typedef __m128 floats;
typedef __m128d doubles;

static inline floats f_load(const float *from) {
  return _mm_loadu_ps(from);
}
static inline void f_store(float *to, floats a) {
  _mm_storeu_ps(to, a);
}
static inline floats f_set(float a) {
  return _mm_set1_ps(a);
}
static inline floats f_add(floats a, floats b) {
  return _mm_add_ps(a, b);
}
static inline floats f_mul(floats a, floats b) {
  return _mm_mul_ps(a, b);
}
static inline floats f_sub(floats a, floats b) {
  return _mm_sub_ps(a, b);
}
static inline floats f_div(floats a, floats b) {
  return _mm_div_ps(a, b);
}
static inline floats f_mul_add(floats a, floats b, floats c) {
  return _mm_add_ps(_mm_mul_ps(a, b), c);
}
static inline floats f_neg_mul_add(floats a, floats b, floats c) {
  return _mm_sub_ps(c, _mm_mul_ps(a, b));
}
static inline floats f_min(floats a, floats b) {
  return _mm_min_ps(a, b);
}
static inline floats f_max(floats a, floats b) {
  return _mm_max_ps(a, b);
}
static inline floats f_abs(floats a) {
  return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}
static inline floats f_with_sign(floats a, floats sign) {
  return _mm_or_ps(a, _mm_and_ps(_mm_set1_ps(-0.0f), sign));
}
static inline floats f_power_of_2(floats a) {
  return _mm_castsi128_ps(_mm_slli_epi32(_mm_castps_si128(a), 23));
}

static inline doubles d_widen(const float *from) {
  return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)from)));
}
static inline void d_narrow(float *to, doubles a) {
  _mm_storel_epi64((__m128i *)(void *)to, _mm_castps_si128(_mm_cvtpd_ps(a)));
}
static inline doubles d_set(double a) {
  return _mm_set1_pd(a);
}
static inline doubles d_add(doubles a, doubles b) {
  return _mm_add_pd(a, b);
}
static inline doubles d_sub(doubles a, doubles b) {
  return _mm_sub_pd(a, b);
}
static inline doubles d_mul(doubles a, doubles b) {
  return _mm_mul_pd(a, b);
}
static inline doubles d_div(doubles a, doubles b) {
  return _mm_div_pd(a, b);
}
static inline doubles d_mul_add(doubles a, doubles b, doubles c) {
  return _mm_add_pd(_mm_mul_pd(a, b), c);
}
static inline doubles d_mul_sub(doubles a, doubles b, doubles c) {
  return _mm_sub_pd(_mm_mul_pd(a, b), c);
}
static inline doubles d_neg_mul_add(doubles a, doubles b, doubles c) {
  return _mm_sub_pd(c, _mm_mul_pd(a, b));
}
static inline doubles d_min(doubles a, doubles b) {
  return _mm_min_pd(a, b);
}
static inline doubles d_max(doubles a, doubles b) {
  return _mm_max_pd(a, b);
}

static inline __m128i d_bits(doubles a) {
  return _mm_castpd_si128(a);
}
static inline doubles d_from_bits(__m128i bits) {
  return _mm_castsi128_pd(bits);
}
static inline doubles d_within(doubles a, doubles limit) {
  return _mm_max_pd(_mm_min_pd(a, limit), _mm_sub_pd(_mm_setzero_pd(), limit));
}
static inline doubles d_abs(doubles a) {
  return _mm_andnot_pd(_mm_set1_pd(-0.0), a);
}
static inline doubles d_with_sign(doubles a, doubles sign) {
  return _mm_or_pd(a, _mm_and_pd(_mm_set1_pd(-0.0), sign));
}
static inline doubles d_power_of_2(doubles a) {
  return d_from_bits(_mm_slli_epi64(d_bits(a), 52));
}
static inline doubles d_odd_aside(doubles a, doubles b) {
  const __m128i step = d_bits(_mm_cmpgt_pd(b, _mm_setzero_pd()));
  return d_from_bits(_mm_or_si128(_mm_add_epi64(d_bits(a), step), _mm_set1_epi64x(1)));
}
static inline doubles d_select(__m128d mask, doubles yes, doubles no) {
  return _mm_or_pd(_mm_and_pd(mask, yes), _mm_andnot_pd(mask, no));
}
static inline doubles d_where_greater(doubles a, doubles b, doubles yes, doubles no) {
  return d_select(_mm_cmpgt_pd(a, b), yes, no);
}
static inline doubles d_where_nan(doubles a, doubles yes, doubles no) {
  return d_select(_mm_cmpunord_pd(a, a), yes, no);
}

#endif
