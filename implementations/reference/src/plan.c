/* Making and releasing plans. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "canary.h"
#include "dispatch.h"
#include "element.h"
#include "error.h"
#include "float_environment.h"
#include "memory.h"

/* The scratch limit of one direction, in floats (decision D36). */
#define SCRATCH_LIMIT ((size_t)1 << 30)

/* total += a * b * c; false where that does not fit. */
static bool add_product(size_t *total, size_t a, size_t b, size_t c) {
  size_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_mul_overflow(product, c, &product) &&
         !__builtin_add_overflow(*total, product, total);
}

static gw_status check_scratch(const gw_layer_desc *desc, const gw_layer *layer, gw_error *error) {
  const size_t columns = layer->gates * layer->hidden; /* W's and R's own dimension: it fits */
  const size_t w_depth = desc->inputs[GW_W].constant ? 0 : layer->input;
  const size_t r_depth = desc->inputs[GW_R].constant ? 0 : layer->hidden;
  size_t rows, floats = 0;
  /* An empty sequence or batch has no rows, however large the other of the two is. */
  const bool fits = !__builtin_mul_overflow(layer->seq, layer->batch, &rows) &&
                    add_product(&floats, rows, columns, 1) &&
                    add_product(&floats, 4, layer->batch, layer->hidden) &&
                    add_product(&floats, columns, w_depth, 1) && add_product(&floats, columns, r_depth, 1);
  if (!fits || floats >= SCRATCH_LIMIT)
    return gw_refuse(
        error, GW_UNSUPPORTED, GW_REASON_SCRATCH_LIMIT,
        "one direction of the layer needs 2^30 or more floats of scratch memory; it must need fewer");
  return GW_OK;
}

static gw_status out_of_memory(gw_error *error) {
  return gw_refuse(error, GW_OUT_OF_MEMORY, GW_REASON_OUT_OF_MEMORY,
                   "there is not enough memory for the plan");
}

/* Packs all directions of W or R; NULL when there is no memory. */
static float *pack_constant(gw_plan *plan, const void *weights, size_t depth) {
  const gw_layer *layer = &plan->layer;
  const gw_columns *columns = &plan->columns;
  size_t floats;
  if (__builtin_mul_overflow(columns->count, depth, &floats))
    return NULL;
  float *packed = gw_allocate(floats, layer->directions * sizeof *packed, &plan->bytes);
  for (size_t d = 0; packed != NULL && d < layer->directions; d++)
    for (size_t panel = 0; panel < columns->panels; panel++)
      gw_pack_panel(columns, layer, weights, depth, d, panel, packed + d * floats);
  return packed;
}

static bool copy_constant(gw_plan *plan, size_t input, const void *data) {
  const gw_layer *layer = &plan->layer;
  const size_t bytes = gw_element_bytes(input == GW_SEQUENCE_LENS ? GW_INT32 : layer->dtype);
  const size_t elements = gw_input_elements(layer, input);
  plan->constants[input] = gw_allocate(elements, bytes, &plan->bytes);
  if (plan->constants[input] != NULL && elements > 0)
    memcpy(plan->constants[input], data, elements * bytes);
  return plan->constants[input] != NULL;
}

/* Whether the tensor's bytes can be counted; where a size is 0 they can, however large the others are. */
static bool fits_in_memory(const gw_tensor_desc *tensor) {
  size_t count = 1;
  bool fits = true, empty = false;
  for (int32_t axis = 0; axis < tensor->rank; axis++) {
    empty = empty || tensor->shape[axis] == 0;
    fits = fits && !__builtin_mul_overflow(count, (size_t)tensor->shape[axis], &count);
  }
  return empty || (fits && count <= SIZE_MAX / 16);
}

static gw_status keep_constants(const gw_layer_desc *desc, gw_plan *plan, gw_error *error) {
  const gw_layer *layer = &plan->layer;
  for (size_t i = 0; i < GW_INPUT_COUNT; i++) {
    const gw_tensor_desc *tensor = &desc->inputs[i];
    plan->is_constant[i] = tensor->present && tensor->constant;
    if (!plan->is_constant[i])
      continue;
    if (!fits_in_memory(tensor))
      return out_of_memory(error);
    if (tensor->data == NULL && gw_input_elements(layer, i) > 0)
      return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_ARGUMENT,
                       "input %s is constant and its data pointer is null; it must point to the values",
                       gw_input_name(i));
    if (i != GW_W && i != GW_R && !copy_constant(plan, i, tensor->data))
      return out_of_memory(error);
  }
  if (plan->is_constant[GW_W]) {
    plan->packed_w = pack_constant(plan, desc->inputs[GW_W].data, layer->input);
    if (plan->packed_w == NULL)
      return out_of_memory(error);
  }
  if (plan->is_constant[GW_R]) {
    plan->packed_r = pack_constant(plan, desc->inputs[GW_R].data, layer->hidden);
    if (plan->packed_r == NULL)
      return out_of_memory(error);
  }
  return GW_OK;
}

static gw_status create(const gw_layer_desc *desc, gw_plan **plan, gw_error *error) {
  gw_layer layer = {0};
  const gw_kernel *kernel = NULL;
  gw_status status = gw_read_attributes(desc, &layer, error);
  if (status == GW_OK)
    status = gw_read_activations(desc, &layer, error);
  if (status == GW_OK)
    status = gw_read_tensors(desc, &layer, error);
  if (status == GW_OK)
    status = gw_find_kernel(desc->kernel_path, desc->mode, &kernel, error);
  if (status == GW_OK)
    status = gw_check_arithmetic(kernel, error);
  if (status == GW_OK)
    status = check_scratch(desc, &layer, error);
  if (status != GW_OK)
    return status;
  gw_plan *made = calloc(1, sizeof *made);
  if (made == NULL)
    return out_of_memory(error);
  made->layer = layer;
  made->kernel = kernel;
  made->columns = gw_columns_of(&layer, kernel);
  made->bytes = sizeof *made;
  status = keep_constants(desc, made, error);
  if (status != GW_OK) {
    gw_plan_destroy(made);
    return status;
  }
  *plan = made;
  return GW_OK;
}

gw_status gw_plan_create(const gw_layer_desc *layer, gw_plan **plan, gw_error *error) {
  gw_error_clear(error);
  if (layer == NULL || plan == NULL)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_ARGUMENT,
                     "the layer or the place for the plan is a null pointer; both must be given");
  *plan = NULL;
  /* A thread that takes subnormal numbers for 0 would take a subnormal clip for none. */
  const gw_float_environment callers = gw_float_environment_enter();
  const gw_status status = create(layer, plan, error);
  gw_float_environment_leave(callers);
  return status;
}

void gw_plan_destroy(gw_plan *plan) {
  if (plan == NULL)
    return;
  for (size_t i = 0; i < GW_INPUT_COUNT; i++)
    free(plan->constants[i]);
  free(plan->packed_w);
  free(plan->packed_r);
  free(plan);
}

const char *gw_plan_kernel_path(const gw_plan *plan) {
  return plan->kernel->name;
}

size_t gw_plan_bytes(const gw_plan *plan) {
  return plan->bytes;
}
