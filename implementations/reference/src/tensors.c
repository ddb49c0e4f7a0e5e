/* The input tensors: which are there, of what type and shape. */
#include "error.h"
#include "layer.h"

const char *gw_input_name(size_t input) {
  static const char *const names[GW_INPUT_COUNT] = {"X",         "W",         "R", "B", "sequence_lens",
                                                    "initial_h", "initial_c", "P"};
  return names[input];
}

static gw_status check_presence(const gw_layer_desc *desc, gw_layer *layer, gw_error *error) {
  for (size_t i = 0; i < GW_INPUT_COUNT; i++)
    layer->present[i] = desc->inputs[i].present;
  for (size_t i = GW_X; i <= GW_R; i++)
    if (!layer->present[i])
      return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_MISSING_INPUT,
                       "input %s is absent; %s requires X, W and R", gw_input_name(i),
                       gw_operator_name(layer->op));
  for (size_t i = GW_INITIAL_C; i <= GW_P; i++)
    if (layer->present[i] && layer->op != GW_LSTM)
      return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_UNKNOWN_INPUT,
                       "input %s is given; it belongs to LSTM and not to %s", gw_input_name(i),
                       gw_operator_name(layer->op));
  return GW_OK;
}

/* bfloat16 entered the operators' type constraint in opset 22. */
static bool is_element_type(gw_dtype dtype, int64_t opset) {
  return dtype == GW_FLOAT32 || dtype == GW_FLOAT16 || dtype == GW_FLOAT64 ||
         (dtype == GW_BFLOAT16 && opset >= 22);
}

static gw_status check_dtypes(const gw_layer_desc *desc, gw_error *error) {
  for (size_t i = 0; i < GW_INPUT_COUNT; i++) {
    const gw_tensor_desc *tensor = &desc->inputs[i];
    if (!tensor->present)
      continue;
    if (i == GW_SEQUENCE_LENS) {
      if (tensor->dtype != GW_INT32)
        return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_LENGTHS_DTYPE,
                         "sequence_lens has another element type than int32, the only one allowed");
      continue;
    }
    if (!is_element_type(tensor->dtype, desc->opset))
      return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_DTYPE,
                       "input %s has an element type that opset %lld does not allow; it must be float16, "
                       "float32, float64 or, from opset 22 on, bfloat16",
                       gw_input_name(i), (long long)desc->opset);
    if (tensor->dtype != desc->inputs[GW_X].dtype)
      return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_DTYPE_MISMATCH,
                       "input %s has another element type than X; they must be equal", gw_input_name(i));
  }
  return GW_OK;
}

static gw_status check_ranks(const gw_layer_desc *desc, gw_error *error) {
  static const int32_t ranks[GW_INPUT_COUNT] = {3, 3, 3, 2, 1, 3, 3, 2};
  for (size_t i = 0; i < GW_INPUT_COUNT; i++) {
    const gw_tensor_desc *tensor = &desc->inputs[i];
    if (!tensor->present)
      continue;
    if (tensor->rank != ranks[i])
      return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_RANK, "input %s has rank %d; it must have rank %d",
                       gw_input_name(i), (int)tensor->rank, (int)ranks[i]);
    for (int32_t axis = 0; axis < tensor->rank; axis++)
      if (tensor->shape[axis] < 0)
        return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_SHAPE,
                         "input %s has the dimension %lld on axis %d; a dimension must not be negative",
                         gw_input_name(i), (long long)tensor->shape[axis], (int)axis);
  }
  return GW_OK;
}

static gw_status read_sizes(const gw_layer_desc *desc, gw_layer *layer, gw_error *error) {
  const int64_t *x = desc->inputs[GW_X].shape;
  const int64_t hidden = desc->inputs[GW_R].shape[2];
  layer->seq = (size_t)x[layer->batch_first ? 1 : 0];
  layer->batch = (size_t)x[layer->batch_first ? 0 : 1];
  layer->input = (size_t)x[2];
  layer->hidden = (size_t)hidden;
  if (hidden == 0)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_HIDDEN_SIZE,
                     "the last dimension of R is 0; the hidden size must be greater than 0");
  if (desc->has_hidden_size && desc->hidden_size != hidden)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_HIDDEN_SIZE_MISMATCH,
                     "hidden_size is %lld and the last dimension of R is %lld; they must be equal",
                     (long long)desc->hidden_size, (long long)hidden);
  return GW_OK;
}

/* factor * size, or -1 where that does not fit: no tensor has a negative dimension, so none will match it. */
static int64_t times(int64_t factor, size_t size) {
  int64_t product = 0;
  return __builtin_mul_overflow(factor, size, &product) ? -1 : product;
}

static gw_status check_shape(const gw_layer_desc *desc, size_t input, const int64_t *expected,
                             gw_error *error) {
  const gw_tensor_desc *tensor = &desc->inputs[input];
  for (int32_t axis = 0; tensor->present && axis < tensor->rank; axis++)
    if (tensor->shape[axis] != expected[axis])
      return gw_refuse(
          error, GW_INVALID_INPUT, GW_REASON_SHAPE,
          "input %s has the dimension %lld on axis %d; the other inputs and attributes require %lld",
          gw_input_name(input), (long long)tensor->shape[axis], (int)axis, (long long)expected[axis]);
  return GW_OK;
}

static gw_status check_shapes(const gw_layer_desc *desc, const gw_layer *layer, gw_error *error) {
  const int64_t dirs = (int64_t)layer->directions, gates = (int64_t)layer->gates;
  const int64_t seq = (int64_t)layer->seq, batch = (int64_t)layer->batch;
  const int64_t input = (int64_t)layer->input, hidden = (int64_t)layer->hidden;
  const int64_t columns = times(gates, layer->hidden);
  const int64_t first = layer->batch_first ? batch : dirs, second = layer->batch_first ? dirs : batch;
  const int64_t expected[GW_INPUT_COUNT][GW_MAX_RANK] = {
      [GW_X] = {layer->batch_first ? batch : seq, layer->batch_first ? seq : batch, input},
      [GW_W] = {dirs, columns, input},
      [GW_R] = {dirs, columns, hidden},
      [GW_B] = {dirs, times(2 * gates, layer->hidden)},
      [GW_SEQUENCE_LENS] = {batch},
      [GW_INITIAL_H] = {first, second, hidden},
      [GW_INITIAL_C] = {first, second, hidden},
      [GW_P] = {dirs, times(3, layer->hidden)}};
  gw_status status = GW_OK;
  for (size_t i = 0; i < GW_INPUT_COUNT && status == GW_OK; i++)
    status = check_shape(desc, i, expected[i], error);
  return status;
}

/* After everything else, so that an invalid layer is never called unsupported. */
static gw_status check_support(const gw_layer_desc *desc, gw_layer *layer, gw_error *error) {
  layer->dtype = desc->inputs[GW_X].dtype;
  if (layer->dtype == GW_FLOAT64)
    return gw_refuse(error, GW_UNSUPPORTED, GW_REASON_FLOAT64,
                     "the inputs are float64; float32 and float16 are supported");
  if (layer->dtype == GW_BFLOAT16)
    return gw_refuse(error, GW_UNSUPPORTED, GW_REASON_BFLOAT16,
                     "the inputs are bfloat16; float32 and float16 are supported");
  return GW_OK;
}

gw_status gw_read_tensors(const gw_layer_desc *desc, gw_layer *layer, gw_error *error) {
  gw_status status = check_presence(desc, layer, error);
  if (status == GW_OK)
    status = check_dtypes(desc, error);
  if (status == GW_OK)
    status = check_ranks(desc, error);
  if (status == GW_OK)
    status = read_sizes(desc, layer, error);
  if (status == GW_OK)
    status = check_shapes(desc, layer, error);
  return status == GW_OK ? check_support(desc, layer, error) : status;
}

size_t gw_input_elements(const gw_layer *layer, size_t input) {
  const size_t dirs = layer->directions, columns = layer->gates * layer->hidden;
  const size_t states = dirs * layer->batch * layer->hidden;
  const size_t elements[GW_INPUT_COUNT] = {[GW_X] = layer->seq * layer->batch * layer->input,
                                           [GW_W] = dirs * columns * layer->input,
                                           [GW_R] = dirs * columns * layer->hidden,
                                           [GW_B] = dirs * 2 * columns,
                                           [GW_SEQUENCE_LENS] = layer->batch,
                                           [GW_INITIAL_H] = states,
                                           [GW_INITIAL_C] = states,
                                           [GW_P] = dirs * 3 * layer->hidden};
  return elements[input];
}
