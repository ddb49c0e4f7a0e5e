/*
 * One direction after the other: prepare; then blocks of steps, for each of which all inputs are projected
 * before the first step, so that the projections stay in cache; a barrier after each of these. The members of
 * the team share tiles (see kernels/kernel.h), so no sum is ever split.
 */
#include "direction.h"

#include "element.h"
#include "rows.h"
#include "schedule.h"

/* The tiles of a group that fall to one member, panel by panel, so that a panel stays in cache. */
typedef struct tiles {
  const uint32_t *rows;
  size_t row_count;
  size_t blocks; /* of rows, of nearly equal height */
  size_t first;  /* row of the input projections */
  size_t next;
  size_t end;
} tiles;

static tiles share_tiles(const gw_call *call, size_t member, size_t group, const uint32_t *rows,
                         size_t row_count, size_t first) {
  const gw_group_columns *columns = &call->plan->columns.groups[group];
  tiles shared = {.rows = rows, .row_count = row_count, .first = first};
  shared.blocks = (row_count + columns->rows - 1) / columns->rows;
  gw_team_share(call->workspace->team, member, shared.blocks * columns->panels, &shared.next, &shared.end);
  return shared;
}

static bool next_tile(tiles *shared, gw_tile *tile) {
  if (shared->next == shared->end)
    return false;
  const size_t block = shared->next % shared->blocks;
  const size_t begin = block * shared->row_count / shared->blocks;
  const size_t end = (block + 1) * shared->row_count / shared->blocks;
  *tile = (gw_tile){.first = shared->first + begin,
                    .rows = shared->rows + begin,
                    .row_count = end - begin,
                    .panel = shared->next / shared->blocks};
  shared->next++;
  return true;
}

/* Brings weights that are not constant into the kernels' order. */
static void pack_weights(const gw_call *call, size_t member, size_t direction) {
  const gw_plan *plan = call->plan;
  const gw_layer *layer = &plan->layer;
  size_t panel, end;
  gw_team_share(call->workspace->team, member, plan->columns.panels, &panel, &end);
  for (; panel < end; panel++) {
    if (plan->packed_w == NULL)
      gw_pack_panel(&plan->columns, layer, call->inputs[GW_W], layer->input, direction, panel,
                    call->workspace->w_packed);
    if (plan->packed_r == NULL)
      gw_pack_panel(&plan->columns, layer, call->inputs[GW_R], layer->hidden, direction, panel,
                    call->workspace->r_packed);
  }
}

/* Likewise B's halves and P. */
static void pack_vectors(const gw_call *call, size_t direction) {
  const gw_plan *plan = call->plan;
  const gw_layer *layer = &plan->layer;
  const gw_workspace *workspace = call->workspace;
  const size_t half = layer->gates * layer->hidden;
  gw_pack_vector(&plan->columns, layer, call->inputs[GW_B], direction * 2 * half, workspace->wb);
  gw_pack_vector(&plan->columns, layer, call->inputs[GW_B], (direction * 2 + 1) * half, workspace->rb);
  if (layer->present[GW_P])
    gw_pack_peepholes(&plan->columns, layer, call->inputs[GW_P], direction * 3 * layer->hidden, workspace->p);
}

/* The rows of X in the order in which they are projected. */
static void list_x_rows(const gw_call *call, size_t member, size_t direction) {
  const gw_layer *layer = &call->plan->layer;
  const gw_workspace *workspace = call->workspace;
  size_t step, end;
  gw_team_share(workspace->team, member, workspace->steps, &step, &end);
  for (; step < end; step++)
    for (size_t i = 0; i < workspace->active[step]; i++) {
      const uint32_t row = workspace->order[i];
      const size_t time = gw_time(layer->reversed[direction], workspace->lengths[row], step);
      const size_t x_row = layer->batch_first ? row * layer->seq + time : time * layer->batch + row;
      workspace->x_rows[workspace->first_row[step] + i] = (uint32_t)x_row;
    }
}

/* Widens X, for float16 only. Padding is not read. */
static void widen(const gw_call *call, size_t member) {
  const gw_layer *layer = &call->plan->layer;
  const gw_workspace *workspace = call->workspace;
  size_t i, end;
  gw_team_share(workspace->team, member, workspace->first_row[workspace->steps], &i, &end);
  for (; i < end; i++) {
    const size_t first = workspace->x_rows[i] * layer->input;
    gw_load(call->inputs[GW_X], layer->dtype, first, layer->input, workspace->x + first);
  }
}

static void prepare(const gw_call *call, size_t member, size_t direction) {
  const gw_layer *layer = &call->plan->layer;
  size_t row, end;
  pack_weights(call, member, direction);
  if (member == 0)
    pack_vectors(call, direction);
  list_x_rows(call, member, direction);
  gw_team_share(call->workspace->team, member, layer->batch, &row, &end);
  for (; row < end; row++)
    gw_begin_row(call, direction, row);
  gw_team_barrier(call->workspace->team);
  if (layer->dtype == GW_FLOAT16 && direction == 0) {
    widen(call, member);
    gw_team_barrier(call->workspace->team);
  }
}

/* This direction's packed weights of a group: the plan's where they are constant. */
static const float *packed(const gw_call *call, const float *constant, const float *dynamic, size_t depth,
                           size_t direction, size_t group) {
  const gw_columns *columns = &call->plan->columns;
  const float *weights = constant != NULL ? constant + direction * columns->count * depth : dynamic;
  return weights + columns->groups[group].first * depth;
}

/* Projects the inputs of the steps from `first` to before `end`. */
static void project(const gw_call *call, size_t member, size_t direction, size_t first, size_t end) {
  const gw_plan *plan = call->plan;
  const gw_workspace *workspace = call->workspace;
  const size_t begin = workspace->first_row[first], count = workspace->first_row[end] - begin;
  for (size_t group = 0; group < plan->columns.group_count; group++) {
    const gw_projection projection = {
        .depth = plan->layer.input,
        .gates = plan->columns.groups[group].group.gates,
        .x = plan->layer.dtype == GW_FLOAT16 ? workspace->x : call->inputs[GW_X],
        .w = packed(call, plan->packed_w, workspace->w_packed, plan->layer.input, direction, group),
        .xw = workspace->xw + plan->columns.groups[group].first,
        .stride = plan->columns.count};
    tiles mine = share_tiles(call, member, group, workspace->x_rows + begin, count, 0);
    gw_tile tile;
    while (next_tile(&mine, &tile))
      plan->kernel->project(&projection, &tile);
  }
  gw_team_barrier(workspace->team);
}

static gw_step step_of(const gw_call *call, size_t direction, size_t number, size_t group) {
  const gw_plan *plan = call->plan;
  const gw_layer *layer = &plan->layer;
  gw_workspace *workspace = call->workspace;
  const size_t first = plan->columns.groups[group].first;
  return (gw_step){.layer = layer,
                   .activations = layer->activations[direction],
                   .stride = plan->columns.stride,
                   .xw = workspace->xw + first,
                   .xw_stride = plan->columns.count,
                   .r = packed(call, plan->packed_r, workspace->r_packed, layer->hidden, direction, group),
                   .wb = workspace->wb + first,
                   .rb = workspace->rb + first,
                   .p = layer->present[GW_P] ? workspace->p : NULL,
                   .h_previous = workspace->h[number % 2],
                   .h_next = workspace->h[(number + 1) % 2],
                   .c = workspace->c,
                   .z = workspace->z,
                   .reset_h = workspace->reset_h};
}

/* Runs one group of a step; the last also writes the outputs. `first` is the step's first row of xw. */
static void run_group(const gw_call *call, size_t member, size_t direction, size_t number, size_t group,
                      size_t first, gw_step_function *function) {
  const gw_plan *plan = call->plan;
  const gw_workspace *workspace = call->workspace;
  const gw_step step = step_of(call, direction, number, group);
  const size_t units = plan->columns.groups[group].units, hidden = plan->layer.hidden;
  const bool last = group + 1 == plan->columns.group_count;
  tiles mine = share_tiles(call, member, group, workspace->order, workspace->active[number], first);
  gw_tile tile;
  while (next_tile(&mine, &tile)) {
    function(&step, &tile);
    const size_t unit = tile.panel * units, left = hidden - unit;
    for (size_t i = 0; last && i < tile.row_count; i++)
      gw_end_step(call, direction, number, tile.rows[i], unit, left < units ? left : units);
  }
  gw_team_barrier(workspace->team);
}

static void run_step(const gw_call *call, size_t member, size_t direction, size_t number, size_t first) {
  const gw_kernel *kernel = call->plan->kernel;
  const gw_layer *layer = &call->plan->layer;
  if (layer->op == GW_RNN) {
    run_group(call, member, direction, number, 0, first, kernel->rnn);
  } else if (layer->op == GW_LSTM) {
    run_group(call, member, direction, number, 0, first, kernel->lstm);
  } else if (layer->linear_before_reset) {
    run_group(call, member, direction, number, 0, first, kernel->gru);
  } else {
    run_group(call, member, direction, number, 0, first, kernel->gru_gates);
    run_group(call, member, direction, number, 1, first, kernel->gru_candidate);
  }
}

/* The step before which the block that starts with step `first` ends. */
static size_t block_end(const gw_workspace *workspace, size_t first) {
  size_t end = first + 1;
  while (end < workspace->steps &&
         workspace->first_row[end + 1] - workspace->first_row[first] <= workspace->block_rows)
    end++;
  return end;
}

void gw_run_directions(void *context, size_t member) {
  const gw_call *call = context;
  const gw_workspace *workspace = call->workspace;
  for (size_t direction = 0; direction < call->plan->layer.directions; direction++) {
    prepare(call, member, direction);
    for (size_t first = 0, end; first < workspace->steps; first = end) {
      end = block_end(workspace, first);
      project(call, member, direction, first, end);
      for (size_t number = first; number < end; number++)
        run_step(call, member, direction, number, workspace->first_row[number] - workspace->first_row[first]);
    }
  }
}
