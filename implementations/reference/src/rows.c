#include "rows.h"

#include <string.h>

#include "element.h"
#include "schedule.h"

/* The first element of a row's state in initial_h, initial_c, Y_h and Y_c, and of a row's step in Y. */
static size_t state_offset(const gw_layer *layer, size_t direction, size_t row) {
  const size_t place =
      layer->batch_first ? row * layer->directions + direction : direction * layer->batch + row;
  return place * layer->hidden;
}

static size_t y_offset(const gw_layer *layer, size_t direction, size_t row, size_t time) {
  const size_t place = layer->batch_first ? (row * layer->seq + time) * layer->directions + direction
                                          : (time * layer->directions + direction) * layer->batch + row;
  return place * layer->hidden;
}

static void store(const gw_call *call, gw_output output, size_t first, size_t count, const float *values) {
  if (call->outputs[output] != NULL)
    gw_store(call->outputs[output], call->plan->layer.dtype, first, count, values);
}

static void store_zeros(const gw_call *call, gw_output output, size_t first, size_t count) {
  if (call->outputs[output] != NULL)
    gw_store_zeros(call->outputs[output], call->plan->layer.dtype, first, count);
}

/* A row of initial_h or initial_c; an omitted one is zeros, and takes part like any other (decision D23). */
static void load_initial(const gw_call *call, gw_input input, size_t direction, size_t row, float *state) {
  const gw_layer *layer = &call->plan->layer;
  memset(state, 0, call->plan->columns.stride * sizeof *state);
  if (layer->present[input])
    gw_load(call->inputs[input], layer->dtype, state_offset(layer, direction, row), layer->hidden, state);
}

void gw_begin_row(const gw_call *call, size_t direction, size_t row) {
  const gw_layer *layer = &call->plan->layer;
  const gw_workspace *workspace = call->workspace;
  const size_t hidden = layer->hidden, stride = call->plan->columns.stride, length = workspace->lengths[row];
  const size_t offset = state_offset(layer, direction, row);
  for (size_t time = length; time < layer->seq; time++) /* decision D18 */
    store_zeros(call, GW_Y, y_offset(layer, direction, row, time), hidden);
  if (length == 0 && layer->present[GW_SEQUENCE_LENS]) { /* decision D14: the initial state is not read */
    store_zeros(call, GW_Y_H, offset, hidden);
    store_zeros(call, GW_Y_C, offset, hidden);
    return;
  }
  float *h = workspace->h[0] + row * stride;
  load_initial(call, GW_INITIAL_H, direction, row, h);
  if (length == 0) /* decision D15 */
    store(call, GW_Y_H, offset, hidden, h);
  if (layer->op != GW_LSTM)
    return;
  float *c = workspace->c + row * stride;
  load_initial(call, GW_INITIAL_C, direction, row, c);
  if (length == 0)
    store(call, GW_Y_C, offset, hidden, c);
}

void gw_end_step(const gw_call *call, size_t direction, size_t number, size_t row, size_t unit,
                 size_t units) {
  const gw_layer *layer = &call->plan->layer;
  const gw_workspace *workspace = call->workspace;
  const size_t length = workspace->lengths[row], place = row * call->plan->columns.stride + unit;
  const float *h = workspace->h[(number + 1) % 2] + place;
  const size_t time = gw_time(layer->reversed[direction], length, number);
  store(call, GW_Y, y_offset(layer, direction, row, time) + unit, units, h);
  if (number + 1 < length)
    return;
  store(call, GW_Y_H, state_offset(layer, direction, row) + unit, units, h);
  if (layer->op == GW_LSTM)
    store(call, GW_Y_C, state_offset(layer, direction, row) + unit, units, workspace->c + place);
}
