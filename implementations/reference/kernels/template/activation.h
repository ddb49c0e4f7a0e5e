/*
 * The activation functions, in place on the first lanes of a strip. Included once by each kernel.
 *
 * Elu and Softplus take the correctly rounded functions (decision D35); so do Sigmoid, Tanh and ScaledTanh in
 * exact mode, and in fast mode they take the fast ones. Everything else is float32 in the note's written
 * order. Where the note writes min and max, these are IEEE 754-2019 minimum and maximum: a NaN stays
 * (decision D05) and +0 is greater than -0.
 */

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

/* x[i] = expression, for all values of the strip. */
#define GW_EACH(expression)                                                                                  \
  for (size_t i = 0; i < count; i++)                                                                         \
  x[i] = (expression)

static void activate(const gw_activation *activation, size_t count, float *x) {
  const float alpha = activation->alpha, beta = activation->beta;
  strip_values y;
  switch (activation->kind) {
  case GW_SIGMOID:
    SIGMOID_ROW(count, x, x);
    break;
  case GW_TANH:
    TANH_ROW(count, x, x);
    break;
  case GW_RELU:
    GW_EACH(not_negative(x[i]));
    break;
  case GW_AFFINE:
    GW_EACH(alpha * x[i] + beta);
    break;
  case GW_LEAKY_RELU:
    GW_EACH(x[i] < 0.0f ? alpha * x[i] : x[i]);
    break;
  case GW_THRESHOLDED_RELU: /* decisions D05 and D06: 0 for a NaN and for alpha itself */
    GW_EACH(x[i] > alpha ? x[i] : 0.0f);
    break;
  case GW_SCALED_TANH:
    GW_EACH(beta * x[i]);
    TANH_ROW(count, x, x);
    GW_EACH(alpha * x[i]);
    break;
  case GW_HARD_SIGMOID:
    GW_EACH(hard_sigmoid(x[i], alpha, beta));
    break;
  case GW_ELU:
    expm1_row(count, x, y);
    GW_EACH(x[i] >= 0.0f ? x[i] : alpha * y[i]);
    break;
  case GW_SOFTSIGN:
    GW_EACH(x[i] / (1.0f + fabsf(x[i])));
    break;
  case GW_SOFTPLUS: /* decision D35: the argument is taken as it is above 20 */
    softplus_row(count, x, y);
    GW_EACH(x[i] > 20.0f ? x[i] : y[i]);
    break;
  case GW_ACTIVATION_COUNT:
    break;
  }
}
#undef GW_EACH
