/* Memory that is released all at once: that of one request. */
#ifndef RUNNER_REGION_H
#define RUNNER_REGION_H

#include <stddef.h>

/* All-zero is an empty region. */
typedef struct region {
  struct region_block *newest;
} region;

/*
 * `bytes` of memory that is not initialised, aligned for every type, until region_release. `bytes` may be 0.
 * Where there is none left the program ends with a sentence and exit code 2.
 */
void *region_allocate(region *memory, size_t bytes);

/* Copies the `count` bytes at `text`, which may be NULL where count is 0, and ends them with a NUL. */
char *region_text(region *memory, const char *text, size_t count);

/* Releases everything; the region is empty again. */
void region_release(region *memory);

#endif
