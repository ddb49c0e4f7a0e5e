#include "schedule.h"

#include <string.h>

#include "error.h"

gw_status gw_read_lengths(gw_workspace *workspace, const int32_t *sequence_lens, gw_error *error) {
  const gw_layer *layer = &workspace->plan->layer;
  for (size_t row = 0; row < layer->batch; row++) {
    if (sequence_lens == NULL) {
      workspace->lengths[row] = (uint32_t)layer->seq;
      continue;
    }
    const int32_t length = sequence_lens[row];
    if (length < 0 || (size_t)length > layer->seq)
      return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_LENGTHS_RANGE,
                       "sequence_lens[%zu] is %ld; it must be 0 to %zu, the length of X", row, (long)length,
                       layer->seq);
    workspace->lengths[row] = (uint32_t)length;
  }
  return GW_OK;
}

/* A counting sort, longest first. */
static void sort_rows(gw_workspace *workspace, size_t steps) {
  const size_t batch = workspace->plan->layer.batch;
  uint32_t *active = workspace->active;
  memset(active, 0, (steps + 1) * sizeof *active);
  for (size_t row = 0; row < batch; row++)
    active[workspace->lengths[row]]++;
  uint32_t longer = 0;
  for (size_t length = steps + 1; length-- > 0;) {
    const uint32_t count = active[length];
    active[length] = longer;
    longer += count;
  }
  for (uint32_t row = 0; row < batch; row++)
    workspace->order[active[workspace->lengths[row]]++] = row;
  /* active[length] now counts the rows of this length or longer; a row has step s if it is longer than s. */
  memmove(active, active + 1, steps * sizeof *active);
  active[steps] = 0;
}

void gw_schedule(gw_workspace *workspace) {
  const gw_layer *layer = &workspace->plan->layer;
  workspace->steps = 0;
  workspace->first_row[0] = 0;
  if (layer->batch == 0)
    return;
  sort_rows(workspace, layer->seq);
  for (size_t step = 0; workspace->active[step] > 0; step++) {
    workspace->first_row[step + 1] = workspace->first_row[step] + workspace->active[step];
    workspace->steps++;
  }
}
