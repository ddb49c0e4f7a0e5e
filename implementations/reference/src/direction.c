/*
 * One direction after the other: prepare, project all inputs, then step by step, with a barrier after each.
 * The members of the team share tiles (see kernels/kernel.h), so no sum is ever split.
 */
#include "direction.h"

#include <string.h>

#include "element.h"
#include "pack.h"

/* The tiles of some rows that fall to one member, panel by panel, so that a panel stays in cache. */
typedef struct tiles {
  const uint32_t *rows;
  size_t row_count;
  size_t height; /* rows of a full tile */
  size_t blocks; /* tiles of a panel */
  size_t next;
  size_t end;
} tiles;

static tiles share_tiles(const gw_call *call, size_t member, const uint32_t *rows, size_t row_count) {
  const gw_plan *plan = call->plan;
  tiles shared = {.rows = rows, .row_count = row_count, .height = plan->kernel->rows};
  shared.blocks = (row_count + shared.height - 1) / shared.height;
  const size_t count = shared.blocks * gw_panel_count(&plan->layer, plan->kernel);
  gw_team_share(call->workspace->team, member, count, &shared.next, &shared.end);
  return shared;
}

static bool next_tile(tiles *shared, gw_tile *tile) {
  if (shared->next == shared->end)
    return false;
  const size_t first = shared->next % shared->blocks * shared->height;
  const size_t left = shared->row_count - first;
  tile->rows = shared->rows + first;
  tile->row_count = left < shared->height ? left : shared->height;
  tile->panel = shared->next / shared->blocks;
  shared->next++;
  return true;
}

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
  if (layer->present[input])
    gw_load(call->inputs[input], layer->dtype, state_offset(layer, direction, row), layer->hidden, state);
  else
    memset(state, 0, layer->hidden * sizeof *state);
}

/* Sets a row's states, and writes those of its outputs that no step will write. */
static void begin_row(const gw_call *call, size_t direction, size_t row) {
  const gw_layer *layer = &call->plan->layer;
  const gw_workspace *workspace = call->workspace;
  const size_t hidden = layer->hidden, length = workspace->lengths[row];
  const size_t offset = state_offset(layer, direction, row);
  for (size_t time = length; time < layer->seq; time++) /* decision D18 */
    store_zeros(call, GW_Y, y_offset(layer, direction, row, time), hidden);
  if (length == 0 && layer->present[GW_SEQUENCE_LENS]) { /* decision D14: the initial state is not read */
    store_zeros(call, GW_Y_H, offset, hidden);
    store_zeros(call, GW_Y_C, offset, hidden);
    return;
  }
  float *h = workspace->h[0] + row * hidden;
  load_initial(call, GW_INITIAL_H, direction, row, h);
  if (length == 0) /* decision D15 */
    store(call, GW_Y_H, offset, hidden, h);
  if (layer->op != GW_LSTM)
    return;
  float *c = workspace->c + row * hidden;
  load_initial(call, GW_INITIAL_C, direction, row, c);
  if (length == 0)
    store(call, GW_Y_C, offset, hidden, c);
}

/* Brings weights that are not constant into the kernels' order. */
static void pack_weights(const gw_call *call, size_t member, size_t direction) {
  const gw_plan *plan = call->plan;
  const gw_layer *layer = &plan->layer;
  size_t panel, end;
  gw_team_share(call->workspace->team, member, gw_panel_count(layer, plan->kernel), &panel, &end);
  for (; panel < end; panel++) {
    if (plan->packed_w == NULL)
      gw_pack_panel(layer, plan->kernel, call->inputs[GW_W], layer->input, direction, panel,
                    call->workspace->w_packed);
    if (plan->packed_r == NULL)
      gw_pack_panel(layer, plan->kernel, call->inputs[GW_R], layer->hidden, direction, panel,
                    call->workspace->r_packed);
  }
}

/* Widens X, all of it with the first direction, and this direction's B and P; for float16 only. */
static void widen(const gw_call *call, size_t member, size_t direction) {
  const gw_layer *layer = &call->plan->layer;
  const gw_workspace *workspace = call->workspace;
  if (layer->dtype != GW_FLOAT16)
    return;
  if (member == 0 && layer->present[GW_B]) {
    const size_t count = 2 * layer->gates * layer->hidden;
    gw_load(call->inputs[GW_B], layer->dtype, direction * count, count, workspace->b);
  }
  if (member == 0 && layer->present[GW_P]) {
    const size_t count = 3 * layer->hidden;
    gw_load(call->inputs[GW_P], layer->dtype, direction * count, count, workspace->p);
  }
  size_t i = 0, end = 0;
  if (direction == 0)
    gw_team_share(workspace->team, member, call->x_row_count, &i, &end);
  for (; i < end; i++) {
    const size_t first = workspace->x_rows[i] * layer->input;
    gw_load(call->inputs[GW_X], layer->dtype, first, layer->input, workspace->x + first);
  }
}

static void prepare(const gw_call *call, size_t member, size_t direction) {
  size_t row, end;
  pack_weights(call, member, direction);
  widen(call, member, direction);
  gw_team_share(call->workspace->team, member, call->plan->layer.batch, &row, &end);
  for (; row < end; row++)
    begin_row(call, direction, row);
}

/* This direction's packed weights: the plan's where they are constant. */
static const float *packed(const gw_call *call, const float *constant, const float *dynamic, size_t depth,
                           size_t direction) {
  if (constant == NULL)
    return dynamic;
  return constant + direction * gw_packed_floats(&call->plan->layer, call->plan->kernel, depth);
}

static void project(const gw_call *call, size_t member, size_t direction) {
  const gw_plan *plan = call->plan;
  const gw_workspace *workspace = call->workspace;
  const gw_projection projection = {
      .layer = &plan->layer,
      .x = plan->layer.dtype == GW_FLOAT16 ? workspace->x : call->inputs[GW_X],
      .w_packed = packed(call, plan->packed_w, workspace->w_packed, plan->layer.input, direction),
      .xw = workspace->xw};
  tiles mine = share_tiles(call, member, workspace->x_rows, call->x_row_count);
  gw_tile tile;
  while (next_tile(&mine, &tile))
    plan->kernel->project(&projection, &tile);
}

/* One direction of B or P as floats, or NULL where it is absent. */
static const float *vector(const gw_call *call, gw_input input, const float *widened, size_t blocks,
                           size_t direction) {
  const gw_layer *layer = &call->plan->layer;
  if (!layer->present[input])
    return NULL;
  if (layer->dtype == GW_FLOAT16)
    return widened;
  return (const float *)call->inputs[input] + direction * blocks * layer->hidden;
}

static gw_step first_step(const gw_call *call, size_t direction) {
  const gw_plan *plan = call->plan;
  const gw_layer *layer = &plan->layer;
  gw_workspace *workspace = call->workspace;
  return (gw_step){.layer = layer,
                   .activations = layer->activations[direction],
                   .step = 0,
                   .reversed = layer->reversed[direction],
                   .lengths = workspace->lengths,
                   .xw = workspace->xw,
                   .r_packed = packed(call, plan->packed_r, workspace->r_packed, layer->hidden, direction),
                   .b = vector(call, GW_B, workspace->b, 2 * layer->gates, direction),
                   .p = vector(call, GW_P, workspace->p, 3, direction),
                   .h_previous = workspace->h[0],
                   .h_next = workspace->h[1],
                   .c = workspace->c,
                   .z = workspace->z,
                   .reset_h = workspace->reset_h};
}

/* Writes what a tile's step gives to the outputs. */
static void emit(const gw_call *call, const gw_step *step, const gw_tile *tile, size_t direction) {
  const gw_layer *layer = step->layer;
  const size_t unit = tile->panel * call->plan->kernel->columns;
  const size_t left = layer->hidden - unit, columns = call->plan->kernel->columns;
  const size_t units = left < columns ? left : columns;
  for (size_t i = 0; i < tile->row_count; i++) {
    const size_t row = tile->rows[i], length = step->lengths[row];
    const float *h = step->h_next + row * layer->hidden + unit;
    const size_t time = gw_time(step->reversed, length, step->step);
    store(call, GW_Y, y_offset(layer, direction, row, time) + unit, units, h);
    if (step->step + 1 < length)
      continue;
    store(call, GW_Y_H, state_offset(layer, direction, row) + unit, units, h);
    if (layer->op == GW_LSTM)
      store(call, GW_Y_C, state_offset(layer, direction, row) + unit, units,
            step->c + row * layer->hidden + unit);
  }
}

/* Runs the last, or only, part of a step. */
static void finish_step(const gw_call *call, const gw_step *step, size_t member, size_t direction,
                        gw_step_function *function) {
  const gw_workspace *workspace = call->workspace;
  tiles mine = share_tiles(call, member, workspace->order, workspace->active[step->step]);
  gw_tile tile;
  while (next_tile(&mine, &tile)) {
    function(step, &tile);
    emit(call, step, &tile, direction);
  }
  gw_team_barrier(workspace->team);
}

/* GRU with linear_before_reset = 0: the candidate's product needs r of all units. */
static void begin_gru_step(const gw_call *call, const gw_step *step, size_t member) {
  const gw_workspace *workspace = call->workspace;
  tiles mine = share_tiles(call, member, workspace->order, workspace->active[step->step]);
  gw_tile tile;
  while (next_tile(&mine, &tile))
    call->plan->kernel->gru_gates(step, &tile);
  gw_team_barrier(workspace->team);
}

static void run_step(const gw_call *call, const gw_step *step, size_t member, size_t direction) {
  const gw_kernel *kernel = call->plan->kernel;
  const gw_layer *layer = step->layer;
  if (layer->op == GW_RNN) {
    finish_step(call, step, member, direction, kernel->rnn);
  } else if (layer->op == GW_LSTM) {
    finish_step(call, step, member, direction, kernel->lstm);
  } else if (layer->linear_before_reset) {
    finish_step(call, step, member, direction, kernel->gru);
  } else {
    begin_gru_step(call, step, member);
    finish_step(call, step, member, direction, kernel->gru_candidate);
  }
}

void gw_run_directions(void *context, size_t member) {
  const gw_call *call = context;
  const gw_workspace *workspace = call->workspace;
  for (size_t direction = 0; direction < call->plan->layer.directions; direction++) {
    prepare(call, member, direction);
    gw_team_barrier(workspace->team);
    project(call, member, direction);
    gw_team_barrier(workspace->team);
    gw_step step = first_step(call, direction);
    for (; workspace->active[step.step] > 0; step.step++) {
      step.h_previous = workspace->h[step.step % 2];
      step.h_next = workspace->h[(step.step + 1) % 2];
      run_step(call, &step, member, direction);
    }
  }
}
