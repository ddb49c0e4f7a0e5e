#include "workspace.h"

#include <stdlib.h>

#include "error.h"
#include "memory.h"

/* How many rows of X are projected at once, if the batch is not larger: enough to read each weight for many
 * rows, few enough that the projections stay in cache until their steps. */
enum { BLOCK_ROWS = 96 };

/* Allocates a buffer of `w` where it is needed; `enough` becomes false when there is no memory for it. */
static void *take(gw_workspace *w, bool *enough, bool needed, size_t count, size_t bytes) {
  if (!needed || !*enough)
    return NULL;
  void *memory = gw_allocate(count, bytes, &w->bytes);
  *enough = memory != NULL;
  return memory;
}

static bool allocate_schedule(const gw_layer *layer, gw_workspace *w) {
  bool enough = true;
  const size_t rows = layer->seq * layer->batch, word = sizeof(uint32_t);
  const size_t steps =
      layer->batch == 0 ? 0 : layer->seq; /* an empty batch has no steps, however long it is */
  w->lengths = take(w, &enough, true, layer->batch, word);
  w->order = take(w, &enough, true, layer->batch, word);
  w->active = take(w, &enough, true, steps + 1, word);
  w->first_row = take(w, &enough, true, steps + 1, word);
  w->x_rows = take(w, &enough, true, rows, word);
  return enough;
}

static bool allocate_scratch(const gw_plan *plan, gw_workspace *w) {
  const gw_layer *layer = &plan->layer;
  const gw_columns *columns = &plan->columns;
  const bool two_products = layer->op == GW_GRU && !layer->linear_before_reset;
  bool enough = true;
  const size_t rows = layer->seq * layer->batch, number = sizeof(float);
  const size_t states = layer->batch * columns->stride,
               most = layer->batch > BLOCK_ROWS ? layer->batch : BLOCK_ROWS;
  w->block_rows = rows < most ? rows : most;
  w->x = take(w, &enough, layer->dtype == GW_FLOAT16, rows * layer->input, number);
  w->w_packed = take(w, &enough, plan->packed_w == NULL, columns->count * layer->input, number);
  w->r_packed = take(w, &enough, plan->packed_r == NULL, columns->count * layer->hidden, number);
  w->wb = take(w, &enough, true, columns->count, number);
  w->rb = take(w, &enough, true, columns->count, number);
  w->p = take(w, &enough, layer->present[GW_P], 3 * columns->stride, number);
  w->xw = take(w, &enough, true, w->block_rows * columns->count, number);
  w->h[0] = take(w, &enough, true, states, number);
  w->h[1] = take(w, &enough, true, states, number);
  w->c = take(w, &enough, layer->op == GW_LSTM, states, number);
  w->z = take(w, &enough, two_products, states, number);
  w->reset_h = take(w, &enough, two_products, states, number);
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
    atomic_flag_clear(&made->busy);
    if (allocate_schedule(&plan->layer, made) && allocate_scratch(plan, made))
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
  void *const buffers[] = {workspace->lengths, workspace->order, workspace->active,   workspace->first_row,
                           workspace->x_rows,  workspace->x,     workspace->w_packed, workspace->r_packed,
                           workspace->wb,      workspace->rb,    workspace->p,        workspace->xw,
                           workspace->h[0],    workspace->h[1],  workspace->c,        workspace->z,
                           workspace->reset_h};
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
    free(buffers[i]);
  free(workspace);
}

size_t gw_workspace_bytes(const gw_workspace *workspace) {
  return workspace->bytes;
}
