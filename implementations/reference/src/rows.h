/* What goes into a batch row before its first step, and what comes out of a step. */
#ifndef GW_ROWS_H
#define GW_ROWS_H

#include "direction.h"

/* Sets a row's states, and writes those of its outputs that no step will write. */
void gw_begin_row(const gw_call *call, size_t direction, size_t row);

/* Writes what a step `number` (0 first, in processing order) gives for `units` units from `unit` on of a row.
 */
void gw_end_step(const gw_call *call, size_t direction, size_t number, size_t row, size_t unit, size_t units);

#endif
