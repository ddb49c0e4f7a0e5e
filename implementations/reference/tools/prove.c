/*
 * Proves that the transcendental functions are correctly rounded for all 2^32 inputs.
 *
 * prove [-h LOG2] [FUNCTION [PATH]]
 *   FUNCTION  sigmoid, tanh, expm1 or softplus; all four where it is not given
 *   PATH      a kernel path; all that this processor runs where it is not given
 *   -h LOG2   also writes each input whose result lies within 2^LOG2, relative to it, of a rounding boundary,
 * and the result, as hexadecimal bits
 *
 * A real function that only rises, rounded, only rises. So where the outputs rise with the inputs it is
 * enough to ask the oracle at both ends of each run of equal outputs. Exit codes: 0 proven, 1 wrong, 2 usage
 * or set-up.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gatewise.h"
#include "oracle.h"

enum { CHUNK = 1 << 16 };

#define SIGN UINT32_C(0x80000000)
#define INFINITE UINT32_C(0x7F800000)
#define CANONICAL_NAN UINT32_C(0x7FC00000)
/* A NaN: no result of a NaN is ever made wrong. */
#define NO_FAULT UINT32_C(0xFFFFFFFF)

typedef struct proof {
  gw_function function;
  const char *path;
  double hard;    /* write inputs nearer to a boundary than this; 0 for none */
  uint32_t fault; /* the input whose result is made wrong by one unit; NO_FAULT for none */
  oracle *oracle;
  uint64_t inputs;
  uint64_t runs;
  uint64_t wrong;
  double nearest;
} proof;

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static void report(proof *p, uint32_t input, float output, float right) {
  if (p->wrong++ < 20 && p->fault == NO_FAULT)
    fprintf(stderr, "wrong: %08x gives %08x (%a), but must give %08x (%a)\n", input, bits_of(output),
            (double)output, bits_of(right), (double)right);
}

static void evaluate(const proof *p, uint32_t first, size_t count, float *outputs) {
  static float inputs[CHUNK];
  gw_error error;
  for (size_t i = 0; i < count; i++)
    inputs[i] = float_of(first + (uint32_t)i);
  if (gw_evaluate(p->function, p->path, count, inputs, outputs, &error) != GW_OK) {
    fprintf(stderr, "%s\n", error.message);
    exit(2);
  }
  if (p->fault != NO_FAULT && p->fault >= first && p->fault - first < count)
    outputs[p->fault - first] = float_of(bits_of(outputs[p->fault - first]) + 1);
}

/* Returns whether the real result lies near to a boundary. */
static bool check(proof *p, uint32_t input, float output) {
  const oracle_answer answer = oracle_ask(p->oracle, float_of(input));
  if (bits_of(output) != bits_of(answer.value))
    report(p, input, output, answer.value);
  if (answer.distance < p->nearest)
    p->nearest = answer.distance;
  if (answer.distance >= p->hard)
    return false;
  printf("%08x %08x\n", input, bits_of(answer.value));
  return true;
}

/* A run of equal outputs. */
typedef struct run {
  uint32_t first;
  uint32_t last;
  float output;
} run;

/* The ends are enough; behind an end that is near to a boundary, others may be. */
static void check_run(proof *p, const run *r) {
  uint32_t first = r->first, last = r->last;
  p->runs++;
  while (check(p, first, r->output) && first < last)
    first++;
  while (last > first && check(p, last, r->output))
    last--;
}

/* Inputs of one sign, none of them 0, infinite or NaN; magnitudes rise. */
static void prove_range(proof *p, uint32_t first, uint32_t last) {
  static float outputs[CHUNK];
  const float direction = (first & SIGN) != 0 ? -1.0f : 1.0f;
  run current = {0};
  bool running = false;
  for (uint64_t chunk = first; chunk <= last; chunk += CHUNK) {
    const size_t count = (size_t)(last - chunk + 1 < CHUNK ? last - chunk + 1 : CHUNK);
    evaluate(p, (uint32_t)chunk, count, outputs);
    for (size_t i = 0; i < count; i++) {
      const uint32_t input = (uint32_t)chunk + (uint32_t)i;
      if (running && bits_of(outputs[i]) == bits_of(current.output)) {
        current.last = input;
        continue;
      }
      if (running)
        check_run(p, &current);
      if (running && !(direction * outputs[i] > direction * current.output))
        report(p, input, outputs[i], current.output);
      current = (run){input, input, outputs[i]};
      running = true;
    }
    p->inputs += count;
  }
  if (running)
    check_run(p, &current);
}

/* The inputs whose results are no roundings. */
static void prove_exact(proof *p, uint32_t input, float right) {
  float output;
  evaluate(p, input, 1, &output);
  p->inputs++;
  if (bits_of(output) != bits_of(right))
    report(p, input, output, right);
}

static void prove_nan(proof *p, uint32_t sign) {
  static float outputs[CHUNK];
  for (uint64_t chunk = INFINITE + 1; chunk < SIGN; chunk += CHUNK) {
    const size_t count = (size_t)(SIGN - chunk < CHUNK ? SIGN - chunk : CHUNK);
    evaluate(p, sign | (uint32_t)chunk, count, outputs);
    for (size_t i = 0; i < count; i++)
      if (bits_of(outputs[i]) != CANONICAL_NAN)
        report(p, (sign | (uint32_t)chunk) + (uint32_t)i, outputs[i], float_of(CANONICAL_NAN));
    p->inputs += count;
  }
}

/* The results for -infinity, -0, +0 and +infinity; softplus(0) is ln 2 and goes the way of all others. */
static void prove_ends(proof *p) {
  static const float ends[GW_FUNCTION_COUNT][4] = {
      [GW_FUNCTION_SIGMOID] = {0.0f, 0.5f, 0.5f, 1.0f},
      [GW_FUNCTION_TANH] = {-1.0f, -0.0f, 0.0f, 1.0f},
      [GW_FUNCTION_EXPM1] = {-1.0f, -0.0f, 0.0f, INFINITY},
      [GW_FUNCTION_SOFTPLUS] = {0.0f, 0x1.62e43p-1f, 0x1.62e43p-1f, INFINITY}};
  static const uint32_t inputs[4] = {SIGN | INFINITE, SIGN, 0, INFINITE};
  for (size_t i = 0; i < 4; i++)
    prove_exact(p, inputs[i], ends[p->function][i]);
}

/* Whether the proof sees a result that is wrong by one unit, wherever it stands in a run of equal ones. */
static bool sees_faults(gw_function function, const char *path) {
  static const uint32_t faults[] = {0x3D123456, 0xBF3579BD, 0x42000000, 0xC2A00000, 0x00000123};
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    proof p = {.function = function, .path = path, .fault = faults[i], .oracle = oracle_create(function)};
    prove_range(&p, faults[i] - 0x100, faults[i] + 0x100);
    oracle_destroy(p.oracle);
    if (p.wrong == 0) {
      fprintf(stderr, "%s %s: the proof does not see the fault planted at %08x\n", gw_function_name(function),
              path, faults[i]);
      return false;
    }
  }
  return true;
}

/* Returns the exit code. */
static int prove(gw_function function, const char *path, double hard) {
  const clock_t start = clock();
  if (!sees_faults(function, path))
    return 2;
  proof p = {.function = function, .path = path, .hard = hard, .fault = NO_FAULT, .nearest = 1.0};
  p.oracle = oracle_create(function);
  if (hard > 0.0)
    printf(
        "# %s: inputs whose real result lies within 2^%g, relative to it, of a boundary between two float32\n"
        "# results; columns: the bits of the input, the bits of the correctly rounded result\n",
        gw_function_name(function), log2(hard));
  prove_ends(&p);
  prove_range(&p, 1, INFINITE - 1);
  prove_range(&p, SIGN | 1, SIGN | (INFINITE - 1));
  prove_nan(&p, 0);
  prove_nan(&p, SIGN);
  fprintf(stderr,
          "%s %s: %llu inputs, %llu wrong; %llu runs, %llu anchors, %llu alone, nearest 2^%.1f; %.0f s\n",
          gw_function_name(function), path, (unsigned long long)p.inputs, (unsigned long long)p.wrong,
          (unsigned long long)p.runs, (unsigned long long)oracle_anchors(p.oracle),
          (unsigned long long)oracle_singles(p.oracle), log2(p.nearest),
          (double)(clock() - start) / CLOCKS_PER_SEC);
  oracle_destroy(p.oracle);
  return p.wrong != 0;
}

static int usage(void) {
  fprintf(stderr,
          "usage: prove [-h LOG2] [FUNCTION [PATH]]\n"
          "FUNCTION is sigmoid, tanh, expm1 or softplus; PATH is a kernel path that this processor runs\n");
  return 2;
}

static bool is_named(const char *name, const char *wanted) {
  return wanted == NULL || strcmp(name, wanted) == 0;
}

int main(int argc, char **argv) {
  double hard = 0.0;
  int option, code = -1;
  while ((option = getopt(argc, argv, "h:")) != -1) {
    if (option != 'h')
      return usage();
    hard = exp2(strtod(optarg, NULL));
  }
  const char *function = optind < argc ? argv[optind] : NULL;
  const char *path = optind + 1 < argc ? argv[optind + 1] : NULL;
  for (size_t i = 0; i < gw_kernel_path_count(); i++) {
    if (!gw_kernel_path_available(i) || !is_named(gw_kernel_path_name(i), path))
      continue;
    for (gw_function f = 0; f < GW_FUNCTION_COUNT; f++) {
      if (!is_named(gw_function_name(f), function))
        continue;
      const int its_code = prove(f, gw_kernel_path_name(i), hard);
      code = its_code > code ? its_code : code;
    }
  }
  return code < 0 ? usage() : code;
}
