/* Which rows run at which step: what the lengths of a run come to. */
#ifndef GW_SCHEDULE_H
#define GW_SCHEDULE_H

#include "workspace.h"

/* Reads sequence_lens, [batch] int32, or NULL for all rows in full, into `workspace`. Refuses a length
 * outside [0, seq] (decision D13). */
gw_status gw_read_lengths(gw_workspace *workspace, const int32_t *sequence_lens, gw_error *error);

/* Sorts the rows by their lengths: fills order, active and x_rows of `workspace`, and returns how many x_rows
 * there are. */
size_t gw_schedule(gw_workspace *workspace);

#endif
