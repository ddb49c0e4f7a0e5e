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

/* A counting sort, longest first; the parts take turns, so that each gets as many long rows as the others. */
static void deal_rows(gw_workspace *workspace, size_t steps) {
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
  for (uint32_t row = 0; row < batch; row++) {
    const uint32_t place = active[workspace->lengths[row]]++;
    workspace->parts[place % workspace->part_count].rows[place / workspace->part_count] = row;
  }
  /* active[length] now counts the rows of this length or longer; a row has step s if it is longer than s. */
  memmove(active, active + 1, steps * sizeof *active);
  active[steps] = 0;
}

void gw_schedule(gw_workspace *workspace) {
  const gw_layer *layer = &workspace->plan->layer;
  const size_t parts = workspace->part_count;
  if (layer->batch > 0)
    deal_rows(workspace, layer->seq);
  for (size_t i = 0; i < parts; i++) {
    gw_part *part = &workspace->parts[i];
    part->steps = 0;
    part->first_row[0] = 0;
    for (size_t step = 0; layer->batch > 0 && workspace->active[step] > i; step++) {
      const size_t rows = (workspace->active[step] + parts - 1 - i) / parts;
      part->first_row[step + 1] = part->first_row[step] + (uint32_t)rows;
      part->steps++;
    }
  }
}
