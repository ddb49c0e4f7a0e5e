/*
 * One direction after the other: prepare; then blocks of steps, for each of which all inputs are projected
 * before the first step, so that the projections stay in cache. The members of the team share tiles (see
 * kernels/kernel.h), with a barrier after each projection and each step, or each has rows of its own and
 * waits for no other; in both no sum is ever split.
 */
#include "direction.h"

#include "element.h"
#include "rows.h"
#include "schedule.h"

/* Fewer multiplications than these in a step take less time than a barrier. */
enum { SMALL_STEP = 1 << 14 };

/* A member of the team at its part of the batch. */
typedef struct worker {
  const gw_call *call;
  const gw_part *part;
  size_t member; /* of those that share the part */
  size_t members;
} worker;

static void share(const worker *self, size_t count, size_t *begin, size_t *end) {
  gw_team_share(self->members, self->member, count, begin, end);
}

/* Waits for those that share the part. */
static void barrier(const worker *self) {
  if (self->members > 1)
    gw_team_barrier(self->call->workspace->team, self->member);
}

/*
 * The tiles that fall to one member, panel by panel, so that a panel stays in cache. Where few rows share
 * the weights, a step waits for memory: then every second step takes the tiles from the end, so that it
 * begins with the weights that the step before has left in cache.
 */
typedef struct tiles {
  const uint32_t *rows;
  size_t row_count;
  size_t blocks; /* of rows, of nearly equal height */
  size_t first;  /* row of the input projections */
  size_t panels; /* of a tile; the last tiles may have fewer */
  size_t panel_end;
  size_t begin;
  size_t end;
  bool backwards;
} tiles;

/* `strips` of a panel run together: where it is one, a low tile takes several panels. */
static tiles share_tiles(const worker *self, const uint32_t *rows, size_t row_count, size_t first,
                         size_t strips) {
  const gw_plan *plan = self->call->plan;
  tiles shared = {.rows = rows, .row_count = row_count, .first = first, .panel_end = plan->columns.panels};
  shared.blocks = (row_count + plan->kernel->rows - 1) / plan->kernel->rows;
  const size_t each = plan->columns.panels / self->members;
  const size_t room = plan->kernel->rows / ((row_count + shared.blocks - 1) / shared.blocks);
  shared.panels = strips > 1 || room < 2 || each < 2 ? 1 : room < 4 || each < 4 ? 2 : 4;
  const size_t count = shared.blocks * ((plan->columns.panels + shared.panels - 1) / shared.panels);
  share(self, count, &shared.begin, &shared.end);
  return shared;
}

static bool next_tile(tiles *shared, gw_tile *tile) {
  if (shared->begin == shared->end)
    return false;
  const size_t next = shared->backwards ? --shared->end : shared->begin++;
  const size_t block = next % shared->blocks;
  const size_t begin = block * shared->row_count / shared->blocks;
  const size_t end = (block + 1) * shared->row_count / shared->blocks;
  const size_t panel = next / shared->blocks * shared->panels, left = shared->panel_end - panel;
  *tile = (gw_tile){.first = shared->first + begin,
                    .rows = shared->rows + begin,
                    .row_count = end - begin,
                    .panel = panel,
                    .panel_count = left < shared->panels ? left : shared->panels};
  return true;
}

/* Brings weights that are not constant into the kernels' order; the whole team shares them. */
static void pack_weights(const gw_call *call, size_t member, size_t direction) {
  const gw_plan *plan = call->plan;
  const gw_layer *layer = &plan->layer;
  size_t panel, end;
  gw_team_share(gw_team_members(call->workspace->team), member, plan->columns.panels, &panel, &end);
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
  const void *b = call->inputs[GW_B], *p = call->inputs[GW_P];
  gw_pack_vector(&plan->columns, layer, b, direction * 2 * half, layer->gates, workspace->wb);
  gw_pack_vector(&plan->columns, layer, b, (direction * 2 + 1) * half, layer->gates, workspace->rb);
  if (layer->present[GW_P])
    gw_pack_vector(&plan->columns, layer, p, direction * 3 * layer->hidden, 3, workspace->p);
}

static size_t rows_at(const gw_part *part, size_t step) {
  return part->first_row[step + 1] - part->first_row[step];
}

/* The rows of X in the order in which they are projected. */
static void list_x_rows(const worker *self, size_t direction) {
  const gw_layer *layer = &self->call->plan->layer;
  const gw_part *part = self->part;
  size_t step, end;
  share(self, part->steps, &step, &end);
  for (; step < end; step++)
    for (size_t i = 0; i < rows_at(part, step); i++) {
      const uint32_t row = part->rows[i];
      const size_t length = self->call->workspace->lengths[row];
      const size_t time = gw_time(layer->reversed[direction], length, step);
      const size_t x_row = layer->batch_first ? row * layer->seq + time : time * layer->batch + row;
      part->x_rows[part->first_row[step] + i] = (uint32_t)x_row;
    }
}

/* Widens X, for float16 only. Padding is not read. */
static void widen(const worker *self) {
  const gw_layer *layer = &self->call->plan->layer;
  const gw_part *part = self->part;
  size_t i, end;
  share(self, part->first_row[part->steps], &i, &end);
  for (; i < end; i++) {
    const size_t first = part->x_rows[i] * layer->input;
    gw_load(self->call->inputs[GW_X], layer->dtype, first, layer->input, self->call->workspace->x + first);
  }
}

/* `member` of the whole team. */
static void prepare(const worker *self, size_t member, size_t direction) {
  const gw_call *call = self->call;
  size_t i, end;
  if (direction > 0) /* the others may still read the weights of the direction before */
    gw_team_barrier(call->workspace->team, member);
  pack_weights(call, member, direction);
  if (member == 0)
    pack_vectors(call, direction);
  list_x_rows(self, direction);
  share(self, self->part->row_count, &i, &end);
  for (; i < end; i++)
    gw_begin_row(call, direction, self->part->rows[i]);
  gw_team_barrier(call->workspace->team, member);
  if (call->plan->layer.dtype == GW_FLOAT16 && direction == 0) {
    widen(self);
    barrier(self);
  }
}

/* This direction's packed weights: the plan's where they are constant. */
static const float *packed(const gw_call *call, const float *constant, const float *dynamic, size_t depth,
                           size_t direction) {
  return constant != NULL ? constant + direction * call->plan->columns.count * depth : dynamic;
}

/* Projects the inputs of the steps from `first` to before `end`. */
static void project(const worker *self, size_t direction, size_t first, size_t end) {
  const gw_call *call = self->call;
  const gw_plan *plan = call->plan;
  const gw_workspace *workspace = call->workspace;
  const size_t begin = self->part->first_row[first], count = self->part->first_row[end] - begin;
  const gw_projection projection = {
      .layer = &plan->layer,
      .x = plan->layer.dtype == GW_FLOAT16 ? workspace->x : call->inputs[GW_X],
      .w = packed(call, plan->packed_w, workspace->w_packed, plan->layer.input, direction),
      .xw = self->part->xw,
      .columns = plan->columns.count};
  tiles mine = share_tiles(self, self->part->x_rows + begin, count, 0, GW_MAX_GATES);
  gw_tile tile;
  while (next_tile(&mine, &tile))
    plan->kernel->project(&projection, &tile);
  barrier(self);
}

static gw_step first_step(const worker *self, size_t direction) {
  const gw_call *call = self->call;
  const gw_plan *plan = call->plan;
  const gw_layer *layer = &plan->layer;
  gw_workspace *workspace = call->workspace;
  return (gw_step){.layer = layer,
                   .activations = layer->activations[direction],
                   .stride = plan->columns.stride,
                   .columns = plan->columns.count,
                   .xw = self->part->xw,
                   .r = packed(call, plan->packed_r, workspace->r_packed, layer->hidden, direction),
                   .wb = workspace->wb,
                   .rb = workspace->rb,
                   .p = layer->present[GW_P] ? workspace->p : NULL,
                   .c = workspace->c,
                   .z = workspace->z,
                   .reset_h = workspace->reset_h};
}

/* A step in progress: its number (0 first, in processing order) and its first row of the input projections.
 */
typedef struct place {
  size_t direction;
  size_t number;
  size_t first;
} place;

static tiles share_step(const worker *self, place at, size_t strips) {
  tiles shared = share_tiles(self, self->part->rows, rows_at(self->part, at.number), at.first, strips);
  shared.backwards = at.number % 2 != 0 && shared.row_count <= self->call->plan->kernel->rows / 2;
  return shared;
}

/* Writes what a tile's step gives to the outputs. */
static void emit(const gw_call *call, const gw_tile *tile, place at) {
  const gw_columns *columns = &call->plan->columns;
  for (size_t panel = tile->panel; panel < tile->panel + tile->panel_count; panel++)
    for (size_t i = 0; i < tile->row_count; i++)
      gw_end_step(call, at.direction, at.number, tile->rows[i], panel * columns->units,
                  gw_units_in(columns, &call->plan->layer, panel));
}

/* Runs the last, or only, part of a step. */
static void finish_step(const worker *self, const gw_step *step, place at, size_t strips,
                        gw_step_function *function) {
  tiles mine = share_step(self, at, strips);
  gw_tile tile;
  while (next_tile(&mine, &tile)) {
    function(step, &tile);
    emit(self->call, &tile, at);
  }
  barrier(self);
}

/* GRU with linear_before_reset = 0: the candidate's product needs r of all units. */
static void begin_gru_step(const worker *self, const gw_step *step, place at) {
  tiles mine = share_step(self, at, 2);
  gw_tile tile;
  while (next_tile(&mine, &tile))
    self->call->plan->kernel->gru_gates(step, &tile);
  barrier(self);
}

static void run_step(const worker *self, const gw_step *step, place at) {
  const gw_kernel *kernel = self->call->plan->kernel;
  const gw_layer *layer = step->layer;
  if (layer->op == GW_RNN) {
    finish_step(self, step, at, 1, kernel->rnn);
  } else if (layer->op == GW_LSTM) {
    finish_step(self, step, at, 4, kernel->lstm);
  } else if (layer->linear_before_reset) {
    finish_step(self, step, at, 3, kernel->gru);
  } else {
    begin_gru_step(self, step, at);
    finish_step(self, step, at, 1, kernel->gru_candidate);
  }
}

/* The step before which the block that starts with step `first` ends. */
static size_t block_end(const worker *self, size_t first) {
  const gw_part *part = self->part;
  size_t end = first + 1;
  while (end < part->steps &&
         part->first_row[end + 1] - part->first_row[first] <= self->call->workspace->block_rows)
    end++;
  return end;
}

/* The steps of a block, whose inputs are projected. */
static void run_steps(const worker *self, size_t direction, gw_step *step, size_t first, size_t end) {
  const gw_workspace *workspace = self->call->workspace;
  const uint32_t *first_row = self->part->first_row;
  for (size_t number = first; number < end; number++) {
    step->h_previous = workspace->h[number % 2];
    step->h_next = workspace->h[(number + 1) % 2];
    run_step(self, step, (place){direction, number, first_row[number] - first_row[first]});
  }
}

/* Likewise; where the steps are small, one member runs them while the others wait for the block's end. */
static void run_block(const worker *self, size_t direction, gw_step *step, size_t first, size_t end) {
  const gw_plan *plan = self->call->plan;
  if (self->part->row_count * plan->columns.count * plan->layer.hidden >= SMALL_STEP) {
    run_steps(self, direction, step, first, end);
    return;
  }
  const worker alone = {.call = self->call, .part = self->part, .member = 0, .members = 1};
  if (self->member == 0)
    run_steps(&alone, direction, step, first, end);
  barrier(self);
}

static void run_direction(const worker *self, size_t direction) {
  gw_step step = first_step(self, direction);
  for (size_t first = 0, end; first < self->part->steps; first = end) {
    end = block_end(self, first);
    project(self, direction, first, end);
    run_block(self, direction, &step, first, end);
  }
}

void gw_run_directions(void *context, size_t member) {
  const gw_call *call = context;
  const gw_workspace *workspace = call->workspace;
  const bool shared = workspace->part_count == 1;
  const worker self = {.call = call,
                       .part = &workspace->parts[shared ? 0 : member],
                       .member = shared ? member : 0,
                       .members = shared ? gw_team_members(workspace->team) : 1};
  for (size_t direction = 0; direction < call->plan->layer.directions; direction++) {
    prepare(&self, member, direction);
    run_direction(&self, direction);
  }
}
