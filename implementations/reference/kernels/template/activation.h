/*
 * The activation functions, in place on the first rows of a tile. Included once by each kernel path, after
 * product.h.
 *
 * Sigmoid, Tanh, Elu, ScaledTanh and Softplus evaluate the real function in float64 and round to float32
 * once; everything else is float32 in the note's written order. Where the note writes min and max, these are
 * IEEE 754-2019 minimum and maximum: a NaN stays (decision D05) and +0 is greater than -0.
 */
#include <math.h>

static float sigmoid(float x) {
  return (float)(1.0 / (1.0 + exp(-(double)x)));
}

static float tangent(float x) {
  return (float)tanh((double)x);
}

/* max(0, x) */
static float not_negative(float x) {
  return x > 0.0f || isnan(x) ? x : 0.0f;
}

/* max(-limit, min(limit, x)) for a limit greater than 0; a NaN stays (decision D03). */
static float clamp(float x, float limit) {
  return x > limit ? limit : x < -limit ? -limit : x;
}

static float hard_sigmoid(float x, float alpha, float beta) {
  const float y = not_negative(alpha * x + beta);
  return y > 1.0f ? 1.0f : y;
}

static float elu(float x, float alpha) {
  return x >= 0.0f ? x : alpha * (float)expm1((double)x);
}

/* Decision D35: the argument is taken as it is above 20. */
static float softplus(float x) {
  return x > 20.0f ? x : (float)log1p(exp((double)x));
}

#define GW_EACH(expression)                                                                                  \
  for (size_t i = 0; i < rows; i++)                                                                          \
    for (size_t j = 0; j < COLUMNS; j++) {                                                                   \
      const float x = tile[i][j];                                                                            \
      tile[i][j] = (expression);                                                                             \
    }                                                                                                        \
  break

static void activate(const gw_activation *activation, size_t rows, values tile) {
  const float alpha = activation->alpha, beta = activation->beta;
  switch (activation->kind) {
  case GW_SIGMOID:
    GW_EACH(sigmoid(x));
  case GW_TANH:
    GW_EACH(tangent(x));
  case GW_RELU:
    GW_EACH(not_negative(x));
  case GW_AFFINE:
    GW_EACH(alpha * x + beta);
  case GW_LEAKY_RELU:
    GW_EACH(x < 0.0f ? alpha * x : x);
  case GW_THRESHOLDED_RELU: /* decisions D05 and D06: 0 for a NaN and for alpha itself */
    GW_EACH(x > alpha ? x : 0.0f);
  case GW_SCALED_TANH:
    GW_EACH(alpha * tangent(beta * x));
  case GW_HARD_SIGMOID:
    GW_EACH(hard_sigmoid(x, alpha, beta));
  case GW_ELU:
    GW_EACH(elu(x, alpha));
  case GW_SOFTSIGN:
    GW_EACH(x / (1.0f + fabsf(x)));
  case GW_SOFTPLUS:
    GW_EACH(softplus(x));
  case GW_ACTIVATION_COUNT:
    break;
  }
}
#undef GW_EACH
