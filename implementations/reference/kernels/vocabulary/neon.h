/* The vocabulary of 64-bit Arm. What each operation means stands in scalar.h. 32-bit Arm has no path:
 * its vectors flush subnormal numbers. */
#ifndef GW_VOCABULARY_H
#define GW_VOCABULARY_H

#include <arm_neon.h>

enum { FLOAT_LANES = 4, DOUBLE_LANES = 2 };
typedef float32x4_t floats;
typedef float64x2_t doubles;

static inline floats f_load(const float *from) {
  return vld1q_f32(from);
}
static inline void f_store(float *to, floats a) {
  vst1q_f32(to, a);
}
static inline floats f_set(float a) {
  return vdupq_n_f32(a);
}
static inline floats f_add(floats a, floats b) {
  return vaddq_f32(a, b);
}
static inline floats f_mul(floats a, floats b) {
  return vmulq_f32(a, b);
}
static inline floats f_sub(floats a, floats b) {
  return vsubq_f32(a, b);
}
static inline floats f_div(floats a, floats b) {
  return vdivq_f32(a, b);
}
static inline floats f_mul_add(floats a, floats b, floats c) {
  return vfmaq_f32(c, a, b);
}
static inline floats f_neg_mul_add(floats a, floats b, floats c) {
  return vfmsq_f32(c, a, b);
}
static inline floats f_min(floats a, floats b) {
  return vminq_f32(a, b);
}
static inline floats f_max(floats a, floats b) {
  return vmaxq_f32(a, b);
}
static inline floats f_abs(floats a) {
  return vabsq_f32(a);
}
static inline floats f_with_sign(floats a, floats sign) {
  const uint32x4_t bit = vandq_u32(vreinterpretq_u32_f32(sign), vdupq_n_u32(UINT32_C(1) << 31));
  return vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(a), bit));
}
static inline floats f_power_of_2(floats a) {
  return vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_f32(a), 23));
}

static inline doubles d_widen(const float *from) {
  return vcvt_f64_f32(vld1_f32(from));
}
static inline void d_narrow(float *to, doubles a) {
  vst1_f32(to, vcvt_f32_f64(a));
}
static inline doubles d_set(double a) {
  return vdupq_n_f64(a);
}
static inline doubles d_add(doubles a, doubles b) {
  return vaddq_f64(a, b);
}
static inline doubles d_sub(doubles a, doubles b) {
  return vsubq_f64(a, b);
}
static inline doubles d_mul(doubles a, doubles b) {
  return vmulq_f64(a, b);
}
static inline doubles d_div(doubles a, doubles b) {
  return vdivq_f64(a, b);
}
static inline doubles d_mul_add(doubles a, doubles b, doubles c) {
  return vfmaq_f64(c, a, b);
}
static inline doubles d_mul_sub(doubles a, doubles b, doubles c) {
  return vfmaq_f64(vnegq_f64(c), a, b);
}
static inline doubles d_neg_mul_add(doubles a, doubles b, doubles c) {
  return vfmsq_f64(c, a, b);
}
static inline doubles d_min(doubles a, doubles b) {
  return vminq_f64(a, b);
}
static inline doubles d_max(doubles a, doubles b) {
  return vmaxq_f64(a, b);
}

static inline uint64x2_t d_bits(doubles a) {
  return vreinterpretq_u64_f64(a);
}
static inline doubles d_from_bits(uint64x2_t bits) {
  return vreinterpretq_f64_u64(bits);
}
static inline doubles d_within(doubles a, doubles limit) {
  return vmaxq_f64(vminq_f64(a, limit), vnegq_f64(limit));
}
static inline doubles d_abs(doubles a) {
  return vabsq_f64(a);
}
static inline doubles d_with_sign(doubles a, doubles sign) {
  return vbslq_f64(vdupq_n_u64(UINT64_C(1) << 63), sign, a);
}
static inline doubles d_power_of_2(doubles a) {
  return d_from_bits(vshlq_n_u64(d_bits(a), 52));
}
static inline doubles d_odd_aside(doubles a, doubles b) {
  return d_from_bits(vorrq_u64(vaddq_u64(d_bits(a), vcgtzq_f64(b)), vdupq_n_u64(1)));
}
static inline doubles d_where_greater(doubles a, doubles b, doubles yes, doubles no) {
  return vbslq_f64(vcgtq_f64(a, b), yes, no);
}
static inline doubles d_where_nan(doubles a, doubles yes, doubles no) {
  return vbslq_f64(vceqq_f64(a, a), no, yes);
}

#endif
