/*
 * Sigmoid and tanh for fast mode: in float32, fused where the path can. Included once by each fast kernel,
 * after transcendental.h. docs/fast-mode.md states their largest errors over all inputs, as measured.
 */

/* 1.5 * 2^23: adding it rounds to an integer. The 127 more leave 2^k's exponent in the lowest bits. */
#define FAST_SHIFT (0x1.8p23f + 127.0f)

/* e^x as scale * (1 + rest), where scale is a power of 2. */
typedef struct fast_exponential {
  floats scale;
  floats rest;
} fast_exponential;

/* For |x| < 88: x = k ln(2) + r in two steps (Cody and Waite), then rest = r + r^2 Q(r). A NaN stays in
 * `rest`. */
static inline fast_exponential fast_exponential_of(floats x) {
  const floats shifted = f_mul_add(x, f_set((float)GW_LOG2_E), f_set(FAST_SHIFT));
  const floats k = f_sub(shifted, f_set(FAST_SHIFT));
  const floats r = f_neg_mul_add(k, f_set(GW_FAST_LN2_LOW), f_neg_mul_add(k, f_set(GW_FAST_LN2_HIGH), x));
  floats q = f_mul_add(f_set(GW_FAST_EXPM1_4), r, f_set(GW_FAST_EXPM1_3));
  q = f_mul_add(q, r, f_set(GW_FAST_EXPM1_2));
  q = f_mul_add(q, r, f_set(GW_FAST_EXPM1_1));
  q = f_mul_add(q, r, f_set(GW_FAST_EXPM1_0));
  return (fast_exponential){f_power_of_2(shifted), f_mul_add(f_mul(q, r), r, r)};
}

/* 1 / (1 + e^-x) */
static inline floats fast_sigmoid(floats x) {
  const floats within = f_max(f_set(-87.0f), f_min(f_set(87.0f), x));
  const fast_exponential e = fast_exponential_of(f_sub(f_set(0.0f), within));
  return f_div(f_set(1.0f), f_mul_add(e.scale, e.rest, f_add(e.scale, f_set(1.0f))));
}

/* With E = e^(2|x|) - 1: E / (E + 2). Outside the clamp the result rounds to 1. */
static inline floats fast_tanh(floats x) {
  const floats a = f_min(f_set(10.0f), f_abs(x));
  const fast_exponential e = fast_exponential_of(f_add(a, a));
  const floats less_1 = f_mul_add(e.scale, e.rest, f_sub(e.scale, f_set(1.0f)));
  return f_with_sign(f_div(less_1, f_add(less_1, f_set(2.0f))), x);
}

/* y[i] = the function of x[i]; count is a multiple of FLOAT_LANES. */
#define GW_ON_ROW(name, function)                                                                            \
  static void name(size_t count, const float *x, float *y) {                                                 \
    for (size_t i = 0; i < count; i += FLOAT_LANES)                                                          \
      f_store(y + i, function(f_load(x + i)));                                                               \
  }
GW_ON_ROW(fast_sigmoid_row, fast_sigmoid)
GW_ON_ROW(fast_tanh_row, fast_tanh)
#undef GW_ON_ROW
#undef FAST_SHIFT
