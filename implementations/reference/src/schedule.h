/* Which rows run at which step: what the lengths of a run come to. */
#ifndef GW_SCHEDULE_H
#define GW_SCHEDULE_H

#include "workspace.h"

/* Reads sequence_lens, [batch] int32, or NULL for all rows in full, into `workspace`. Refuses a length
 * outside [0, seq] (decision D13). */
gw_status gw_read_lengths(gw_workspace *workspace, const int32_t *sequence_lens, gw_error *error);

/* Sorts the rows by their lengths and deals them out to the parts of `workspace`: fills active, and rows,
 * steps and first_row of each part. */
void gw_schedule(gw_workspace *workspace);

/* The time index in X and Y of a row's step. */
static inline size_t gw_time(bool reversed, size_t length, size_t step) {
  return reversed ? length - 1 - step : step;
}

#endif
