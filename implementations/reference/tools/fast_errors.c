/*
 * The errors of fast mode's sigmoid and tanh, over all 2^32 inputs on every kernel path that runs here.
 *
 * fast-errors [FUNCTION]
 * One line for each function and path: the largest absolute error in units of 2^-24, its input, and the
 * largest magnitude of a result. The true value is float64's own, whose error is less than 2^-28 of these
 * units. A NaN must give a NaN, and anything else must not. Exit codes: 0 done, 1 a NaN is where none may be
 * or the reverse, 2 usage.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "gatewise.h"

enum { CHUNK = 1 << 16, MAX_PATHS = 8 };
static const gw_function functions[] = {GW_FUNCTION_SIGMOID, GW_FUNCTION_TANH};

typedef struct finding {
  double error; /* in units of 2^-24 */
  float input;
  float largest; /* magnitude of a result */
  bool nan_is_wrong;
} finding;

static double true_value(gw_function function, double x) {
  return function == GW_FUNCTION_TANH ? tanh(x) : 1.0 / (1.0 + exp(-x));
}

static void compare(const float *x, const float *y, const double *truth, finding *found) {
  for (size_t i = 0; i < CHUNK; i++) {
    if (isnan(x[i]) || isnan(y[i])) {
      found->nan_is_wrong |= isnan(x[i]) != isnan(y[i]);
      continue;
    }
    const double error = fabs((double)y[i] - truth[i]) * 0x1p24;
    if (error > found->error) {
      found->error = error;
      found->input = x[i];
    }
    found->largest = fmaxf(found->largest, fabsf(y[i]));
  }
}

/* All inputs on all paths; the inputs' bits count up, so that each true value is computed once. */
static bool measure(gw_function function) {
  static float x[CHUNK], y[CHUNK];
  static double truth[CHUNK];
  finding found[MAX_PATHS] = {0};
  const size_t paths = gw_kernel_path_count();
  for (uint64_t first = 0; first < UINT64_C(1) << 32; first += CHUNK) {
    for (uint32_t i = 0; i < CHUNK; i++) {
      const uint32_t bits = (uint32_t)first + i;
      memcpy(&x[i], &bits, sizeof bits);
      truth[i] = true_value(function, (double)x[i]);
    }
    for (size_t path = 0; path < paths; path++)
      if (gw_kernel_path_available(path) &&
          gw_evaluate(function, GW_MODE_FAST, gw_kernel_path_name(path), CHUNK, x, y, NULL) == GW_OK)
        compare(x, y, truth, &found[path]);
  }
  bool wrong = false;
  for (size_t path = 0; path < paths; path++)
    if (gw_kernel_path_available(path)) {
      printf("%s %s: error %.3f at %a, largest magnitude %.9g%s\n", gw_function_name(function),
             gw_kernel_path_name(path), found[path].error, (double)found[path].input,
             (double)found[path].largest, found[path].nan_is_wrong ? ", NaN wrong" : "");
      wrong |= found[path].nan_is_wrong;
    }
  fflush(stdout);
  return wrong;
}

int main(int argc, char **argv) {
  bool wrong = false, named = argc == 1;
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    if (argc == 1 || strcmp(argv[1], gw_function_name(functions[i])) == 0) {
      named = true;
      wrong |= measure(functions[i]);
    }
  if (named && argc <= 2 && gw_kernel_path_count() <= MAX_PATHS)
    return wrong;
  fprintf(stderr, "usage: fast-errors [sigmoid|tanh]\n");
  return 2;
}
