/*
 * MPFR evaluates the function at one anchor for each block of up to 4096 neighbouring float32 inputs. Inside
 * the block the function is its Taylor polynomial around the anchor, in 80-bit or 128-bit long double, with a
 * bound on all errors (docs/exact-transcendentals.md, section "The oracle"). Where the bound does not exclude
 * the other side of a rounding boundary, MPFR evaluates the input itself, with as many bits as that takes.
 */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if LDBL_MANT_DIG < 64
#error "the oracle needs a long double of 64 bits or more"
#endif

enum { ANCHOR_BITS = 128, DEGREE = 5 };

struct oracle {
  gw_function function;
  bool anchored;
  uint32_t anchor_bits;
  long double anchor;
  long double coefficients[DEGREE + 1];
  uint64_t anchors;
  uint64_t singles;
  mpfr_t argument;
  mpfr_t value;
};

oracle *oracle_create(gw_function function) {
  oracle *self = calloc(1, sizeof *self);
  if (self == NULL) {
    fprintf(stderr, "there is not enough memory for the oracle\n");
    exit(2);
  }
  self->function = function;
  mpfr_init2(self->argument, 24);
  mpfr_init2(self->value, ANCHOR_BITS);
  return self;
}

void oracle_destroy(oracle *self) {
  mpfr_clear(self->argument);
  mpfr_clear(self->value);
  free(self);
}

uint64_t oracle_anchors(const oracle *self) {
  return self->anchors;
}

uint64_t oracle_singles(const oracle *self) {
  return self->singles;
}

/* value = function(argument), to within some units in value's last place. */
static void evaluate(gw_function function, mpfr_t value, mpfr_t argument) {
  switch (function) {
  case GW_FUNCTION_TANH:
    mpfr_tanh(value, argument, MPFR_RNDN);
    break;
  case GW_FUNCTION_EXPM1:
    mpfr_expm1(value, argument, MPFR_RNDN);
    break;
  case GW_FUNCTION_SIGMOID: /* 1 / (1 + e^-x) */
    mpfr_neg(argument, argument, MPFR_RNDN);
    mpfr_exp(value, argument, MPFR_RNDN);
    mpfr_add_ui(value, value, 1, MPFR_RNDN);
    mpfr_ui_div(value, 1, value, MPFR_RNDN);
    mpfr_neg(argument, argument, MPFR_RNDN);
    break;
  case GW_FUNCTION_SOFTPLUS: /* log(1 + e^x) */
    mpfr_exp(value, argument, MPFR_RNDN);
    mpfr_log1p(value, value, MPFR_RNDN);
    break;
  case GW_FUNCTION_COUNT:
    break;
  }
}

/* c[1], ... from c[0] = f(anchor), by the differential equation that the function satisfies:
 * expm1' = 1 + expm1, tanh' = 1 - tanh^2, sigmoid' = sigmoid - sigmoid^2, softplus' = sigmoid. */
static void expand_expm1(long double *c) {
  c[1] = 1.0L + c[0];
  for (int n = 1; n < DEGREE; n++)
    c[n + 1] = c[n] / (n + 1);
}

static long double square_term(const long double *c, int n) {
  long double sum = 0.0L;
  for (int i = 0; i <= n; i++)
    sum += c[i] * c[n - i];
  return sum;
}

static void expand_tanh(long double *c) {
  for (int n = 0; n < DEGREE; n++)
    c[n + 1] = ((n == 0 ? 1.0L : 0.0L) - square_term(c, n)) / (n + 1);
}

static void expand_sigmoid(long double *c) {
  for (int n = 0; n < DEGREE; n++)
    c[n + 1] = (c[n] - square_term(c, n)) / (n + 1);
}

static void expand_softplus(long double *c, long double sigmoid) {
  long double derivative[DEGREE + 1] = {sigmoid};
  expand_sigmoid(derivative);
  for (int n = 0; n < DEGREE; n++)
    c[n + 1] = derivative[n] / (n + 1);
}

static void expand(oracle *self) {
  long double *c = self->coefficients;
  c[0] = mpfr_get_ld(self->value, MPFR_RNDN);
  switch (self->function) {
  case GW_FUNCTION_EXPM1:
    expand_expm1(c);
    break;
  case GW_FUNCTION_TANH:
    expand_tanh(c);
    break;
  case GW_FUNCTION_SIGMOID:
    expand_sigmoid(c);
    break;
  case GW_FUNCTION_SOFTPLUS:
    evaluate(GW_FUNCTION_SIGMOID, self->value, self->argument);
    expand_softplus(c, mpfr_get_ld(self->value, MPFR_RNDN));
    break;
  case GW_FUNCTION_COUNT:
    break;
  }
}

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/*
 * The lowest bits in which the inputs of one block differ: as many as keep them within 2^-11 of the anchor,
 * at most 12; or -1 beyond 256, where every function's result is near an end of its range or beyond it.
 */
static int block_bits(float x) {
  const int exponent = (int)(bits_of(x) >> 23 & 0xFF) - 127;
  if (exponent >= 8)
    return -1;
  return exponent <= 1 ? 12 : 13 - exponent;
}

/* Moves the anchor to the middle of x's block. */
static void set_anchor(oracle *self, float x, int bits) {
  const uint32_t anchor_bits = (bits_of(x) >> bits << bits) | UINT32_C(1) << (bits - 1);
  if (self->anchored && anchor_bits == self->anchor_bits)
    return;
  self->anchored = true;
  self->anchor_bits = anchor_bits;
  self->anchors++;
  mpfr_set_flt(self->argument, float_of(anchor_bits), MPFR_RNDN);
  mpfr_set_prec(self->value, ANCHOR_BITS);
  evaluate(self->function, self->value, self->argument);
  expand(self);
}

/* The boundary next to y, the one above it or below it, between the real numbers that round to y and others.
 */
static double boundary_of(float y, bool above) {
  const float other = nextafterf(y, above ? INFINITY : -INFINITY);
  if (isinf(y) || isinf(other)) /* where it would lie if the exponents went on */
    return copysign(0x1.ffffffp127, (double)y);
  return ((double)y + (double)other) / 2.0;
}

/* Evaluates x by itself, with more and more bits until the result is certain. */
static oracle_answer ask_alone(oracle *self, float x) {
  self->singles++;
  mpfr_set_flt(self->argument, x, MPFR_RNDN);
  for (mpfr_prec_t bits = 256;; bits *= 2) {
    mpfr_set_prec(self->value, bits);
    evaluate(self->function, self->value, self->argument);
    const float y = mpfr_get_flt(self->value, MPFR_RNDN);
    if (!mpfr_regular_p(self->value)) /* beyond MPFR's own exponents, so nowhere near a boundary */
      return (oracle_answer){y, 1.0};
    const mpfr_exp_t uncertain = mpfr_get_exp(self->value) - (mpfr_exp_t)bits + 16;
    const double size = mpfr_get_d(self->value, MPFR_RNDN);
    mpfr_sub_d(self->value, self->value, boundary_of(y, mpfr_cmp_d(self->value, (double)y) > 0), MPFR_RNDN);
    if (!mpfr_zero_p(self->value) && mpfr_get_exp(self->value) > uncertain)
      return (oracle_answer){y, fabs(mpfr_get_d(self->value, MPFR_RNDN) / size)};
  }
}

/* The relative error of an expansion, with room to spare. */
#define EXPANSION_ERROR 0x1p-60L

oracle_answer oracle_ask(oracle *self, float x) {
  /* 0 < log(1 + e^x) - x < e^-x < 2^-184: no boundary is so near to a float32. */
  if (self->function == GW_FUNCTION_SOFTPLUS && x >= 128.0f)
    return (oracle_answer){x, 0x1p-25};
  const int bits = block_bits(x);
  if (bits < 0)
    return ask_alone(self, x);
  set_anchor(self, x, bits);
  const long double *c = self->coefficients;
  const long double t = (long double)x - (long double)float_of(self->anchor_bits);
  const long double value = c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))));
  const float y = (float)value;
  const long double distance = fabsl(value - (long double)boundary_of(y, value > (long double)y));
  if (distance <= EXPANSION_ERROR * (fabsl(value) + fabsl(c[0])))
    return ask_alone(self, x);
  return (oracle_answer){y, (double)(distance / fabsl(value))};
}
