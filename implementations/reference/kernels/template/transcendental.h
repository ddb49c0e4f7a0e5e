/*
 * The four transcendental functions, correctly rounded for every float32 (docs/exact-transcendentals.md has
 * the error analysis). Included once by each kernel path, after its vocabulary.
 *
 * Each widens to float64, evaluates there without a table and without a branch, and rounds to float32 once.
 * The results are the same whether the vocabulary's d_mul_add is fused or not: both are proven over all
 * inputs.
 */
#include <math.h>

#include "coefficients.h"

/* 1.5 * 2^52: adding it rounds to an integer. The 1023 more leave 2^k's exponent in the lowest bits. */
#define SHIFT (0x1.8p52 + 1023.0)

/* e^x as scale * (1 + rest), where scale is a power of 2. */
typedef struct exponential {
  doubles scale;
  doubles rest;
} exponential;

/* The minimax polynomial Q(r) as even(r^2) + r * odd(r^2): two short chains of operations. */
typedef struct halves {
  doubles even;
  doubles odd;
} halves;

static inline halves polynomial_halves(doubles r2) {
  doubles even = d_mul_add(d_set(GW_EXPM1_8), r2, d_set(GW_EXPM1_6));
  doubles odd = d_mul_add(d_set(GW_EXPM1_9), r2, d_set(GW_EXPM1_7));
  even = d_mul_add(even, r2, d_set(GW_EXPM1_4));
  odd = d_mul_add(odd, r2, d_set(GW_EXPM1_5));
  even = d_mul_add(even, r2, d_set(GW_EXPM1_2));
  odd = d_mul_add(odd, r2, d_set(GW_EXPM1_3));
  even = d_mul_add(even, r2, d_set(GW_EXPM1_0));
  odd = d_mul_add(odd, r2, d_set(GW_EXPM1_1));
  return (halves){even, odd};
}

/* e^x for |x| < 700: x = k ln(2) + r in two steps (Cody and Waite), then rest = r + r^2 Q(r). */
static inline exponential exponential_of(doubles x) {
  const doubles shifted = d_mul_add(x, d_set(GW_LOG2_E), d_set(SHIFT));
  const doubles k = d_sub(shifted, d_set(SHIFT));
  const doubles r = d_neg_mul_add(k, d_set(GW_LN2_LOW), d_neg_mul_add(k, d_set(GW_LN2_HIGH), x));
  const doubles r2 = d_mul(r, r);
  const halves q = polynomial_halves(r2);
  return (exponential){d_power_of_2(shifted), d_mul_add(d_mul_add(q.odd, r, q.even), r2, r)};
}

/* e^-x, with the same results as exponential_of(-x) and no operation more than that has. Here r is its -r. */
static inline exponential exponential_of_minus(doubles x) {
  const doubles shifted = d_neg_mul_add(x, d_set(GW_LOG2_E), d_set(SHIFT));
  const doubles k = d_sub(shifted, d_set(SHIFT));
  const doubles r = d_mul_add(k, d_set(GW_LN2_LOW), d_mul_add(k, d_set(GW_LN2_HIGH), x));
  const doubles r2 = d_mul(r, r);
  const halves q = polynomial_halves(r2);
  return (exponential){d_power_of_2(shifted), d_mul_sub(d_neg_mul_add(q.odd, r, q.even), r2, r)};
}

/* e^x - 1; the constant is exact for scale <= 2^53, and beyond that no bit of it counts. */
static inline doubles exponential_less_1(doubles x) {
  const exponential e = exponential_of(x);
  return d_mul_add(e.scale, e.rest, d_sub(e.scale, d_set(1.0)));
}

/* 1 / (1 + e^-x). Outside the clamp the result rounds to 0 or to 1. */
static inline doubles sigmoid(doubles x) {
  const exponential e = exponential_of_minus(d_within(x, d_set(110.0)));
  const doubles y = d_div(d_set(1.0), d_mul_add(e.scale, e.rest, d_add(e.scale, d_set(1.0))));
  /* 1/2 + x/4 - x^3/48: where x has few bits, 1/2 + x/4 lies in the middle of two float32 and x^3/48 is less
   * than float64 shows. The true value lies towards 1/2. */
  return d_odd_aside(y, x);
}

/* With E = e^(2|x|) - 1: E / (E + 2). Outside the clamp the result rounds to 1. */
static inline doubles tangent(doubles x) {
  const doubles a = d_min(d_abs(x), d_set(10.0));
  const doubles e = exponential_less_1(d_add(a, a));
  return d_with_sign(d_div(e, d_add(e, d_set(2.0))), x);
}

/* e^x - 1. Outside the clamp the result rounds to -1 or to infinity. */
static inline doubles expm1_of(doubles x) {
  return d_with_sign(exponential_less_1(d_within(x, d_set(100.0))), x);
}

/*
 * log(1 + e^x) = max(x, 0) + log(1 + u), u = e^-|x|. With m = 1 + u, halved where it is greater than sqrt(2),
 * f = m - 1 and t = f / (2 + f): log(1 + f) = 2 artanh(t) = f - t * (f - R(t^2)).
 */
static inline doubles softplus_of(doubles x) {
  const doubles zero = d_set(0.0);
  const exponential e = exponential_of_minus(d_min(d_abs(x), d_set(110.0)));
  const doubles u = d_mul_add(e.scale, e.rest, e.scale);
  const doubles less_1 = d_mul_add(e.scale, e.rest, d_sub(e.scale, d_set(1.0)));
  const doubles limit = d_set(GW_SQRT2_LESS_1);
  const doubles f = d_where_greater(u, limit, d_mul(less_1, d_set(0.5)), u);
  const doubles high = d_where_greater(u, limit, d_set(GW_LN2_HIGH), zero);
  const doubles low = d_where_greater(u, limit, d_set(GW_LN2_LOW), zero);
  const doubles t = d_div(f, d_add(f, d_set(2.0)));
  const doubles w = d_mul(t, t);
  doubles log_rest = d_set(GW_LOG_7);
  log_rest = d_mul_add(log_rest, w, d_set(GW_LOG_6));
  log_rest = d_mul_add(log_rest, w, d_set(GW_LOG_5));
  log_rest = d_mul_add(log_rest, w, d_set(GW_LOG_4));
  log_rest = d_mul_add(log_rest, w, d_set(GW_LOG_3));
  log_rest = d_mul_add(log_rest, w, d_set(GW_LOG_2));
  log_rest = d_mul_add(log_rest, w, d_set(GW_LOG_1));
  log_rest = d_mul_add(log_rest, w, d_set(GW_LOG_0));
  const doubles correction = d_neg_mul_add(t, d_neg_mul_add(log_rest, w, f), low);
  const doubles base = d_add(d_min(d_max(x, zero), d_set(0x1p128)), high); /* 2^128 rounds to infinity */
  const doubles sum = d_add(base, f);
  const doubles rest = d_add(d_add(d_sub(base, sum), f), correction);
  const doubles y = d_add(sum, rest);
  /* Rounding twice would go wrong where y is in the middle of two float32 and the real value is not: make y
   * odd, on the side where the sum before its rounding lies. */
  return d_odd_aside(y, d_sub(d_sub(y, sum), rest));
}

/* y[i] = the function of x[i]; count is a multiple of DOUBLE_LANES. */
#define GW_ON_ROW(name, function)                                                                            \
  static void name(size_t count, const float *x, float *y) {                                                 \
    for (size_t i = 0; i < count; i += DOUBLE_LANES) {                                                       \
      const doubles wide = d_widen(x + i);                                                                   \
      d_narrow(y + i, d_where_nan(wide, d_set(NAN), function(wide)));                                        \
    }                                                                                                        \
  }
#ifndef GW_FAST /* fast.h has its own */
GW_ON_ROW(sigmoid_row, sigmoid)
GW_ON_ROW(tanh_row, tangent)
#endif
GW_ON_ROW(expm1_row, expm1_of)
GW_ON_ROW(softplus_row, softplus_of)
#undef GW_ON_ROW
#undef SHIFT
