/*
 * A host that changes its arithmetic before it uses the library: host MODE [SHARED-LIBRARY]
 *
 * MODE: none, upward, downward, toward-zero, flush, or loaded, which loads the shared library given and takes
 * whatever that does. Writes the results of all kernel paths, in this machine's byte order. Exit codes: 0
 * done, 2 refused, 3 the mode changes nothing here, 4 the library did not leave the arithmetic as it was.
 */
#include <dlfcn.h>
#include <fenv.h>
#include <gatewise.h>
#include <stdio.h>
#include <string.h>

enum { SEQ = 5, BATCH = 3, INPUT = 7, HIDDEN = 9, PROBES = 4, SAMPLES = 4096 };

/* Of the layers and of the functions; written before the mode changes, which would flush them. */
static float x[SEQ * BATCH * INPUT], subnormal_x[SEQ * BATCH * INPUT];
static float w[4 * HIDDEN * INPUT], r[4 * HIDDEN * HIDDEN], arguments[SAMPLES];

/* What tells the modes apart: 1 and -1 with something tiny added, and a product that is subnormal. */
static void probe(float results[PROBES]) {
  volatile float one = 1.0f, tiny = 0x1p-60f, subnormal = 0x1.8p-127f, scale = 0.75f;
  results[0] = one + tiny;
  results[1] = one - tiny;
  results[2] = -one - tiny;
  results[3] = subnormal * scale;
}

static void flush_subnormals(void) {
#if defined(__SSE2__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040u); /* FTZ and DAZ */
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(0x1000000ul)); /* FZ */
#elif defined(__arm__)
  __asm__ volatile("vmsr fpscr, %0" : : "r"(0x1000000u)); /* FZ */
#endif
}

static void change(const char *mode, const char *library) {
  if (strcmp(mode, "upward") == 0)
    fesetround(FE_UPWARD);
  else if (strcmp(mode, "downward") == 0)
    fesetround(FE_DOWNWARD);
  else if (strcmp(mode, "toward-zero") == 0)
    fesetround(FE_TOWARDZERO);
  else if (strcmp(mode, "flush") == 0)
    flush_subnormals();
  else if (strcmp(mode, "loaded") == 0 && dlopen(library, RTLD_NOW) == NULL)
    fprintf(stderr, "%s\n", dlerror());
}

/* Multiples of `unit` from -1024 to 1024, which no mode rounds. */
static void fill(float *values, size_t count, float unit, uint32_t seed) {
  for (size_t i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float)((int)(seed >> 21) - 1024) * unit;
  }
}

static gw_tensor_desc tensor(int64_t first, int64_t second, int64_t third) {
  return (gw_tensor_desc){true, false, GW_FLOAT32, 3, {first, second, third}, NULL};
}

static void fill_all(void) {
  fill(x, SEQ * BATCH * INPUT, 0x1p-9f, 1);
  fill(subnormal_x, SEQ * BATCH * INPUT, 0x1p-138f, 1);
  fill(w, 4 * HIDDEN * INPUT, 0x1p-10f, 2);
  fill(r, 4 * HIDDEN * HIDDEN, 0x1p-11f, 3);
  fill(arguments, SAMPLES / 2, 0x1p-9f, 4);
  fill(arguments + SAMPLES / 2, SAMPLES / 2, 0x1p-149f, 5);
}

/* gates: 1, 3 or 4. */
static gw_status run_layer(gw_layer_desc layer, int64_t gates, const float *input, int64_t threads,
                           gw_error *error) {
  static float y[SEQ * BATCH * HIDDEN];
  gw_plan *plan = NULL;
  gw_workspace *workspace = NULL;
  layer.opset = 22;
  layer.inputs[GW_X] = tensor(SEQ, BATCH, INPUT);
  layer.inputs[GW_W] = tensor(1, gates * HIDDEN, INPUT);
  layer.inputs[GW_R] = tensor(1, gates * HIDDEN, HIDDEN);
  layer.outputs[GW_Y] = true;
  gw_status status = gw_plan_create(&layer, &plan, error);
  if (status == GW_OK)
    status = gw_workspace_create(plan, threads, &workspace, error);
  if (status == GW_OK)
    status = gw_run(plan, workspace, (const void *[GW_INPUT_COUNT]){input, w, r},
                    (void *[GW_OUTPUT_COUNT]){y}, error);
  if (status == GW_OK)
    fwrite(y, sizeof y, 1, stdout);
  gw_workspace_destroy(workspace);
  gw_plan_destroy(plan);
  return status;
}

static gw_status run_functions(const char *path, gw_error *error) {
  static float y[SAMPLES];
  gw_status status = GW_OK;
  for (gw_function function = 0; status == GW_OK && function < GW_FUNCTION_COUNT; function++) {
    status = gw_evaluate(function, GW_MODE_EXACT, path, SAMPLES, arguments, y, error);
    fwrite(y, sizeof y, 1, stdout);
  }
  return status;
}

static gw_status run_path(const char *path, gw_error *error) {
  static const char *const affine[] = {"Affine"};
  static const float alpha[] = {0.75f};
  const gw_layer_desc lstm = {.op = GW_LSTM, .kernel_path = path};
  const gw_layer_desc gru = {.op = GW_GRU, .kernel_path = path};
  const gw_layer_desc rnn = {.op = GW_RNN,
                             .kernel_path = path,
                             .activation_count = 1,
                             .activations = affine,
                             .activation_alpha_count = 1,
                             .activation_alpha = alpha};
  gw_status status = run_functions(path, error);
  for (int64_t threads = 1; status == GW_OK && threads <= 3; threads += 2) {
    status = run_layer(lstm, 4, x, threads, error);
    if (status == GW_OK)
      status = run_layer(gru, 3, x, threads, error);
    if (status == GW_OK) /* subnormal sums */
      status = run_layer(rnn, 1, subnormal_x, threads, error);
  }
  return status;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "none";
  float before[PROBES], changed[PROBES], after[PROBES];
  gw_error error = {GW_OK, GW_REASON_NONE, ""};
  fill_all();
  probe(before);
  change(mode, argc > 2 ? argv[2] : "");
  probe(changed);
  if (strcmp(mode, "none") != 0 && memcmp(before, changed, sizeof before) == 0)
    return 3;
  for (size_t i = 0; error.status == GW_OK && i < gw_kernel_path_count(); i++)
    if (gw_kernel_path_available(i))
      run_path(gw_kernel_path_name(i), &error);
  probe(after);
  if (error.status != GW_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 2;
  }
  return memcmp(changed, after, sizeof after) == 0 ? 0 : 4;
}
