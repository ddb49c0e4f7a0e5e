/* The node's attributes and requested outputs. */
#include <string.h>

#include "error.h"
#include "layer.h"

const char *gw_operator_name(gw_operator op) {
  static const char *const names[] = {[GW_RNN] = "RNN", [GW_GRU] = "GRU", [GW_LSTM] = "LSTM"};
  return names[op];
}

static gw_status read_direction(const char *direction, gw_layer *layer, gw_error *error) {
  layer->directions = 1;
  if (direction == NULL || strcmp(direction, "forward") == 0)
    return GW_OK;
  if (strcmp(direction, "reverse") == 0) {
    layer->reversed[0] = true;
    return GW_OK;
  }
  if (strcmp(direction, "bidirectional") == 0) {
    layer->directions = 2;
    layer->reversed[1] = true;
    return GW_OK;
  }
  return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_DIRECTION,
                   "direction is \"%.40s\"; it must be exactly forward, reverse or bidirectional", direction);
}

static gw_status read_layout(const gw_layer_desc *desc, gw_layer *layer, gw_error *error) {
  if (!desc->has_layout)
    return GW_OK;
  if (desc->opset < 14)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_LAYOUT_OPSET,
                     "layout is given at opset %lld; it exists from opset 14 on", (long long)desc->opset);
  if (desc->layout != 0 && desc->layout != 1)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_LAYOUT, "layout is %lld; it must be 0 or 1",
                     (long long)desc->layout);
  layer->batch_first = desc->layout == 1;
  return GW_OK;
}

static gw_status read_outputs(const gw_layer_desc *desc, gw_layer *layer, gw_error *error) {
  memcpy(layer->wanted, desc->outputs, sizeof layer->wanted);
  if (layer->wanted[GW_Y_C] && layer->op != GW_LSTM)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_OUTPUT,
                     "Y_c is asked for; %s has the outputs Y and Y_h only", gw_operator_name(layer->op));
  if (!layer->wanted[GW_Y] && !layer->wanted[GW_Y_H] && !layer->wanted[GW_Y_C])
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_NO_OUTPUTS,
                     "no output is asked for; at least one must be");
  return GW_OK;
}

gw_status gw_read_attributes(const gw_layer_desc *desc, gw_layer *layer, gw_error *error) {
  static const size_t gates[] = {[GW_RNN] = 1, [GW_GRU] = 3, [GW_LSTM] = 4};
  if (desc->op != GW_RNN && desc->op != GW_GRU && desc->op != GW_LSTM)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_OPERATOR,
                     "the operator is number %d; it must be GW_RNN, GW_GRU or GW_LSTM", (int)desc->op);
  layer->op = desc->op;
  layer->gates = gates[desc->op];
  if (desc->opset < 7)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_OPSET, "opset is %lld; it must be 7 or newer",
                     (long long)desc->opset);
  if (desc->has_hidden_size && desc->hidden_size <= 0)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_HIDDEN_SIZE,
                     "hidden_size is %lld; it must be greater than 0", (long long)desc->hidden_size);
  layer->linear_before_reset = desc->op == GW_GRU && desc->linear_before_reset != 0;
  layer->input_forget = desc->op == GW_LSTM && desc->input_forget != 0;
  /* Decision D02: 0, a negative number and NaN mean no clip. */
  layer->clips = desc->clip > 0.0f;
  layer->clip = desc->clip;
  gw_status status = read_direction(desc->direction, layer, error);
  if (status == GW_OK)
    status = read_layout(desc, layer, error);
  return status == GW_OK ? read_outputs(desc, layer, error) : status;
}
