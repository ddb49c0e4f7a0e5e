#include "case.h"

#include "attributes.h"
#include "tensor.h"

static const char *const operators[] = {[GW_RNN] = "RNN", [GW_GRU] = "GRU", [GW_LSTM] = "LSTM"};
static const char *const input_names[GW_INPUT_COUNT] = {"X",         "W",         "R", "B", "sequence_lens",
                                                        "initial_h", "initial_c", "P"};
static const char *const output_names[GW_OUTPUT_COUNT] = {"Y", "Y_h", "Y_c"};

static size_t find(const value *name, const char *const *names, size_t count) {
  size_t index = 0;
  while (index < count && !value_is_text(name, names[index]))
    index++;
  return index;
}

static bool read_operator(const value *message, gw_layer_desc *layer, failure *why) {
  const value *name = value_member(message, "operator"), *opset = value_member(message, "opset");
  if (name == NULL || name->kind != VALUE_TEXT || opset == NULL)
    return fail_protocol(why, "the request has no case with an operator and an opset");
  const size_t op = find(name, operators, sizeof operators / sizeof operators[0]);
  if (op == sizeof operators / sizeof operators[0])
    return fail_invalid(why, "operator", "operator '%.80s' is not one of RNN, GRU, LSTM", name->text);
  if (opset->kind != VALUE_INTEGER)
    return fail_invalid(why, "opset", "the opset must be an integer of at most 64 bits");
  layer->op = (gw_operator)op;
  layer->opset = opset->integer;
  return true;
}

/* initial_c and P belong to LSTM, the last two of the names. */
static size_t input_count(gw_operator op) {
  return op == GW_LSTM ? GW_INPUT_COUNT : GW_INITIAL_C;
}

static bool read_inputs(const value *inputs, region *memory, run_case *result, failure *why) {
  const size_t count = input_count(result->layer.op);
  if (inputs == NULL || inputs->kind != VALUE_LIST)
    return fail_protocol(why, "the case of the request has no list of inputs");
  for (size_t i = 0; i < inputs->count; i++) {
    const value *name = value_member(&inputs->items[i], "name");
    if (name == NULL || name->kind != VALUE_TEXT)
      return fail_protocol(why, "an input of the request has no name");
    const size_t input = find(name, input_names, count);
    if (input == count)
      return fail_invalid(why, "unknown-input",
                          "there is no input '%.40s'; %s has X, W, R, B, sequence_lens, initial_h%s",
                          attributes_string(name, memory), operators[result->layer.op],
                          result->layer.op == GW_LSTM ? ", initial_c, P" : "");
    if (!tensor_read(&inputs->items[i], memory, &result->layer.inputs[input], &result->inputs[input], why))
      return false;
  }
  return true;
}

static bool read_constants(const value *constants, region *memory, run_case *result, failure *why) {
  if (constants == NULL || constants->kind != VALUE_LIST)
    return fail_protocol(why, "the case of the request has no list of constants");
  for (size_t i = 0; i < constants->count; i++) {
    const value *name = &constants->items[i];
    if (name->kind != VALUE_TEXT)
      return fail_protocol(why, "a constant of the request is no name");
    const size_t input = find(name, input_names, GW_INPUT_COUNT);
    if (input == GW_INPUT_COUNT || !result->layer.inputs[input].present)
      return fail_invalid(why, "constant", "constant '%.80s' is not one of the case's inputs",
                          attributes_string(name, memory));
    result->layer.inputs[input].constant = true;
    result->layer.inputs[input].data = result->inputs[input];
  }
  return true;
}

static bool read_outputs(const value *outputs, region *memory, run_case *result, failure *why) {
  const size_t count = result->layer.op == GW_LSTM ? GW_OUTPUT_COUNT : GW_Y_C;
  if (outputs == NULL || outputs->kind != VALUE_LIST)
    return fail_protocol(why, "the case of the request has no list of outputs");
  for (size_t i = 0; i < outputs->count; i++) {
    const value *name = &outputs->items[i];
    if (name->kind != VALUE_TEXT)
      return fail_protocol(why, "an output of the request is no name");
    const size_t output = find(name, output_names, count);
    if (output == count || result->layer.outputs[output])
      return fail_invalid(why, "output", "output '%.40s' is not one of Y, Y_h%s, each at most once",
                          attributes_string(name, memory), result->layer.op == GW_LSTM ? ", Y_c" : "");
    result->layer.outputs[output] = true;
    result->outputs[result->output_count++] = (gw_output)output;
  }
  return true;
}

bool case_read(const value *message, region *memory, run_case *result, failure *why) {
  *result = (run_case){.output_count = 0};
  return read_operator(message, &result->layer, why) &&
         attributes_read(value_member(message, "attributes"), memory, &result->layer, why) &&
         read_inputs(value_member(message, "inputs"), memory, result, why) &&
         read_constants(value_member(message, "constants"), memory, result, why) &&
         read_outputs(value_member(message, "outputs"), memory, result, why);
}

const char *case_output_name(gw_output output) {
  return output_names[output];
}

size_t case_output_shape(const gw_layer_desc *layer, gw_output output, int64_t shape[4]) {
  const bool batch_first = layer->has_layout && layer->layout == 1;
  const int64_t *x = layer->inputs[GW_X].shape, *r = layer->inputs[GW_R].shape;
  const int64_t seq = x[batch_first ? 1 : 0], batch = x[batch_first ? 0 : 1];
  size_t rank = 0;
  if (batch_first)
    shape[rank++] = batch;
  if (output == GW_Y)
    shape[rank++] = seq;
  shape[rank++] = r[0];
  if (!batch_first)
    shape[rank++] = batch;
  shape[rank++] = r[2];
  return rank;
}
