/* Memory for plans and workspaces. */
#ifndef GW_MEMORY_H
#define GW_MEMORY_H

#include <stddef.h>

/*
 * `count` elements of `bytes` bytes, aligned to a cache line and filled with 0xFF, which is a NaN as a float,
 * so that a read of what nobody wrote shows. NULL when there is no memory, also when the size does not fit.
 * Adds the bytes taken to *total. Release it with free().
 */
void *gw_allocate(size_t count, size_t bytes, size_t *total);

#endif
