#include "canary.h"

#include <string.h>

#include "error.h"

/* The bits of an argument and of the correctly rounded result. */
typedef struct known_result {
  uint32_t x;
  uint32_t y;
} known_result;

enum { KNOWN_RESULTS = 4 };

/* Three of the hardest to round (hard-cases/), and a subnormal result. */
static const known_result known_results[GW_FUNCTION_COUNT][KNOWN_RESULTS] = {
    [GW_FUNCTION_SIGMOID] = {{0x34000000, 0x3F000000},
                             {0xB4400000, 0x3EFFFFFF},
                             {0xBE104170, 0x3EEDFF70},
                             {0xC2C80000, 0x0000001B}},
    [GW_FUNCTION_TANH] = {{0x3AC37DE2, 0x3AC37DD9},
                          {0x3EEE0566, 0x3EDE3CBE},
                          {0x40ACB4D0, 0x3F7FFD50},
                          {0x00000123, 0x00000123}},
    [GW_FUNCTION_EXPM1] = {{0x3DC252DD, 0x3DCBD76B},
                           {0x34CA62C1, 0x34CA62C3},
                           {0xB675CBFC, 0xB675CBDF},
                           {0x80000123, 0x80000123}},
    [GW_FUNCTION_SOFTPLUS] = {{0x39EA41D0, 0x3F3180BD},
                              {0x40A3F888, 0x40A42924},
                              {0x3AD68BA7, 0x3F31A7C1},
                              {0xC2C80000, 0x0000001B}}};

static gw_status refuse(gw_error *error, const gw_kernel *kernel, const char *what, uint32_t actual,
                        uint32_t right) {
  return gw_refuse(
      error, GW_UNSUPPORTED, GW_REASON_ARITHMETIC,
      "%s on kernel path \"%s\" gives the bits %08lx and must give %08lx; this machine, or the compiler "
      "flags of this build, break IEEE arithmetic",
      what, kernel->name, (unsigned long)actual, (unsigned long)right);
}

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static gw_status check_function(const gw_kernel *kernel, gw_function function, gw_error *error) {
  float x[GW_MAX_LANES] = {0}, y[GW_MAX_LANES];
  for (size_t i = 0; i < KNOWN_RESULTS; i++) {
    const known_result *known = &known_results[function][i];
    memcpy(x, &known->x, sizeof known->x);
    kernel->functions[function](kernel->lanes, x, y);
    if (bits_of(y[0]) != known->y)
      return refuse(error, kernel, gw_function_name(function), bits_of(y[0]), known->y);
  }
  return GW_OK;
}

/* -1 + (1 + 2^-12)^2: 2^-11 where the square is rounded, 2^-11 + 2^-24 where it is fused with the sum. */
static gw_status check_product(const gw_kernel *kernel, gw_error *error) {
  static const float x[] = {-1.0f, 0x1.001p0f};
  static const float right = 0x1p-11f;
  const gw_layer layer = {.op = GW_RNN, .gates = 1, .input = 2, .hidden = 1};
  float w[2 * GW_MAX_UNITS] = {0}, xw[GW_MAX_UNITS];
  const uint32_t row = 0;
  w[0] = 1.0f;
  w[kernel->units] = x[1];
  const gw_projection projection = {.layer = &layer, .x = x, .w = w, .xw = xw, .columns = kernel->units};
  const gw_tile tile = {.rows = &row, .row_count = 1, .panel_count = 1};
  kernel->project(&projection, &tile);
  return xw[0] == right ? GW_OK : refuse(error, kernel, "a dot product", bits_of(xw[0]), bits_of(right));
}

gw_status gw_check_arithmetic(const gw_kernel *kernel, gw_error *error) {
  if (kernel->mode == GW_MODE_FAST)
    return GW_OK; /* it promises no bits */
  gw_status status = check_product(kernel, error);
  for (gw_function function = 0; status == GW_OK && function < GW_FUNCTION_COUNT; function++)
    status = check_function(kernel, function, error);
  return status;
}
