#include "run.h"

#include <stdio.h>
#include <string.h>

#include "tensor.h"

enum { GARBAGE = 0xA5 /* fills outputs before a run, so that an element which is not written shows */ };

/* Type, shape and memory of the requested outputs; the library has accepted the layer. */
static void describe_outputs(const run_case *wanted, region *memory, results *result) {
  const bool is_half = wanted->layer.inputs[GW_X].dtype == GW_FLOAT16;
  result->count = wanted->output_count;
  for (size_t i = 0; i < result->count; i++) {
    output *out = &result->outputs[i];
    out->name = case_output_name(wanted->outputs[i]);
    out->dtype = is_half ? "float16" : "float32";
    out->rank = case_output_shape(&wanted->layer, wanted->outputs[i], out->shape);
    out->bytes = is_half ? 2 : 4;
    for (size_t axis = 0; axis < out->rank; axis++)
      out->bytes *= (size_t)out->shape[axis];
    out->data = region_allocate(memory, out->bytes);
    memset(out->data, GARBAGE, out->bytes);
  }
}

static void add_output(sha256 *hash, const output *out) {
  char line[128];
  int used = snprintf(line, sizeof line, "%s %s [", out->name, out->dtype);
  for (size_t axis = 0; axis < out->rank; axis++)
    used += snprintf(line + used, sizeof line - (size_t)used, "%s%lld", axis > 0 ? ", " : "",
                     (long long)out->shape[axis]);
  used += snprintf(line + used, sizeof line - (size_t)used, "]\n");
  sha256_add(hash, line, (size_t)used);
  sha256_add(hash, out->data, out->bytes);
}

static void hash_outputs(const results *result, char hex[SHA256_HEX + 1]) {
  static const gw_output by_name[GW_OUTPUT_COUNT] = {GW_Y, GW_Y_C, GW_Y_H};
  sha256 hash;
  sha256_begin(&hash);
  for (size_t i = 0; i < GW_OUTPUT_COUNT; i++)
    for (size_t j = 0; j < result->count; j++)
      if (strcmp(result->outputs[j].name, case_output_name(by_name[i])) == 0)
        add_output(&hash, &result->outputs[j]);
  sha256_end(&hash, hex);
}

static gw_status run_plan(const run_case *wanted, const gw_plan *plan, int64_t threads, region *memory,
                          results *result, gw_error *error) {
  gw_workspace *workspace;
  void *pointers[GW_OUTPUT_COUNT] = {NULL};
  gw_status status = gw_workspace_create(plan, threads, &workspace, error);
  if (status != GW_OK)
    return status;
  describe_outputs(wanted, memory, result);
  for (size_t i = 0; i < result->count; i++)
    pointers[wanted->outputs[i]] = result->outputs[i].data;
  status = gw_run(plan, workspace, wanted->inputs, pointers, error);
  gw_workspace_destroy(workspace);
  for (size_t i = 0; i < result->count; i++) {
    const size_t element = wanted->layer.inputs[GW_X].dtype == GW_FLOAT16 ? 2 : 4;
    tensor_swap(result->outputs[i].data, result->outputs[i].bytes / element, element);
  }
  return status;
}

static gw_status run_one(const run_case *wanted, const configuration *how, region *memory, results *result,
                         digest *its, gw_error *error) {
  gw_layer_desc layer = wanted->layer;
  gw_plan *plan;
  layer.kernel_path = how->kernel_path;
  gw_status status = gw_plan_create(&layer, &plan, error);
  if (status == GW_OK)
    status = run_plan(wanted, plan, how->threads, memory, result, error);
  if (status == GW_OK) {
    configuration_name(gw_plan_kernel_path(plan), how->threads, its->configuration);
    hash_outputs(result, its->hex);
  }
  gw_plan_destroy(plan);
  return status;
}

bool run_configurations(const run_case *wanted, const configurations *all, region *memory, results *result,
                        failure *why) {
  for (size_t i = 0; i < all->count; i++) {
    results others = {.count = 0};
    gw_error error;
    if (run_one(wanted, &all->items[i], memory, i == 0 ? result : &others, &result->digests[i], &error) !=
        GW_OK)
      return fail_library(why, &error);
  }
  return true;
}
