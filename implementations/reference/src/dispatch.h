/* Which kernel path runs. */
#ifndef GW_DISPATCH_H
#define GW_DISPATCH_H

#include "kernel.h"

/* Finds the kernel of a mode and of the path called `name`, or for NULL the widest that this processor runs.
 * Refuses a mode or a name outside the list (GW_INVALID_INPUT) and a path that this processor cannot run
 * (GW_UNSUPPORTED). */
gw_status gw_find_kernel(const char *name, gw_mode mode, const gw_kernel **kernel, gw_error *error);

#endif
