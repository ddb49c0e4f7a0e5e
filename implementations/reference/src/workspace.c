#include "workspace.h"

#include <stdlib.h>

#include "error.h"
#include "memory.h"

/* How many rows of X are projected at once, if a part is not larger: enough to read each weight for many
 * rows, few enough that the projections stay in cache until their steps. */
enum { BLOCK_ROWS = 96 };
/* Each member takes rows of its own where these are enough to read each weight for, and all weights of a step
 * stay in a core's second-level cache. */
enum { ROWS_OF_ITS_OWN = 4, CACHE_BYTES = 1 << 20 };

static size_t parts_for(const gw_plan *plan, size_t members) {
  const size_t weights = plan->columns.count * plan->layer.hidden * sizeof(float);
  return plan->layer.batch >= members * ROWS_OF_ITS_OWN && weights <= CACHE_BYTES ? members : 1;
}

/* Allocates a buffer of `w` where it is needed; `enough` becomes false when there is no memory for it. */
static void *take(gw_workspace *w, bool *enough, bool needed, size_t count, size_t bytes) {
  if (!needed || !*enough)
    return NULL;
  void *memory = gw_allocate(count, bytes, &w->bytes);
  *enough = memory != NULL;
  return memory;
}

/* Gives each part its rows' share of the memory; the batch's rows are dealt out one by one. */
static void lay_out_parts(const gw_plan *plan, size_t steps, gw_workspace *w) {
  size_t first = 0;
  for (size_t i = 0; i < w->part_count; i++) {
    gw_part *part = &w->parts[i];
    part->row_count = (plan->layer.batch + w->part_count - 1 - i) / w->part_count;
    part->rows = w->rows + first;
    part->first_row = w->first_row + i * (steps + 1);
    part->x_rows = w->x_rows + first * plan->layer.seq;
    part->xw = w->xw + i * w->block_rows * plan->columns.count;
    first += part->row_count;
  }
}

static bool allocate_schedule(const gw_plan *plan, gw_workspace *w) {
  const gw_layer *layer = &plan->layer;
  bool enough = true;
  const size_t rows = layer->seq * layer->batch, word = sizeof(uint32_t);
  const size_t steps =
      layer->batch == 0 ? 0 : layer->seq; /* an empty batch has no steps, however long it is */
  const size_t part_rows = (layer->batch + w->part_count - 1) / w->part_count;
  const size_t most = part_rows > BLOCK_ROWS ? part_rows : BLOCK_ROWS;
  w->block_rows = layer->seq * part_rows < most ? layer->seq * part_rows : most;
  w->lengths = take(w, &enough, true, layer->batch, word);
  w->active = take(w, &enough, true, steps + 1, word);
  w->parts = take(w, &enough, true, w->part_count, sizeof *w->parts);
  w->rows = take(w, &enough, true, layer->batch, word);
  w->first_row = take(w, &enough, true, w->part_count * (steps + 1), word);
  w->x_rows = take(w, &enough, true, rows, word);
  w->xw = take(w, &enough, true, w->part_count * w->block_rows, plan->columns.count * sizeof(float));
  if (enough)
    lay_out_parts(plan, steps, w);
  return enough;
}

static bool allocate_scratch(const gw_plan *plan, gw_workspace *w) {
  const gw_layer *layer = &plan->layer;
  const gw_columns *columns = &plan->columns;
  const bool two_products = layer->op == GW_GRU && !layer->linear_before_reset;
  bool enough = true;
  /* Where a size_t has 32 bits, a product of sizes may not fit: gw_allocate multiplies them. */
  const size_t number = sizeof(float), state = columns->stride * number;
  w->x = take(w, &enough, layer->dtype == GW_FLOAT16, layer->seq * layer->batch, layer->input * number);
  w->w_packed = take(w, &enough, plan->packed_w == NULL, columns->count, layer->input * number);
  w->r_packed = take(w, &enough, plan->packed_r == NULL, columns->count, layer->hidden * number);
  w->wb = take(w, &enough, true, columns->count, number);
  w->rb = take(w, &enough, true, columns->count, number);
  w->p = take(w, &enough, layer->present[GW_P], 3 * columns->stride, number);
  w->h[0] = take(w, &enough, true, layer->batch, state);
  w->h[1] = take(w, &enough, true, layer->batch, state);
  w->c = take(w, &enough, layer->op == GW_LSTM, layer->batch, state);
  w->z = take(w, &enough, two_products, layer->batch, state);
  w->reset_h = take(w, &enough, two_products, layer->batch, state);
  return enough;
}

gw_status gw_workspace_create(const gw_plan *plan, int64_t threads, gw_workspace **workspace,
                              gw_error *error) {
  gw_error_clear(error);
  if (plan == NULL || workspace == NULL)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_ARGUMENT,
                     "the plan or the place for the workspace is a null pointer; both must be given");
  *workspace = NULL;
  if (threads < 1 || threads > GW_MAX_THREADS)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_THREADS, "threads is %lld; it must be 1 to %d",
                     (long long)threads, GW_MAX_THREADS);
  gw_workspace *made = calloc(1, sizeof *made);
  if (made != NULL) {
    made->plan = plan;
    made->bytes = sizeof *made;
    made->part_count = parts_for(plan, (size_t)threads);
    atomic_flag_clear(&made->busy);
    if (allocate_schedule(plan, made) && allocate_scratch(plan, made))
      made->team = gw_team_create((size_t)threads);
  }
  if (made == NULL || made->team == NULL) {
    gw_workspace_destroy(made);
    return gw_refuse(error, GW_OUT_OF_MEMORY, GW_REASON_OUT_OF_MEMORY,
                     "there is not enough memory, or not enough threads, for the workspace");
  }
  *workspace = made;
  return GW_OK;
}

void gw_workspace_destroy(gw_workspace *workspace) {
  if (workspace == NULL)
    return;
  gw_team_destroy(workspace->team);
  void *const buffers[] = {workspace->lengths,   workspace->active,   workspace->parts, workspace->rows,
                           workspace->first_row, workspace->x_rows,   workspace->xw,    workspace->x,
                           workspace->w_packed,  workspace->r_packed, workspace->wb,    workspace->rb,
                           workspace->p,         workspace->h[0],     workspace->h[1],  workspace->c,
                           workspace->z,         workspace->reset_h};
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
    free(buffers[i]);
  free(workspace);
}

size_t gw_workspace_bytes(const gw_workspace *workspace) {
  return workspace->bytes;
}
