#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

void *gw_allocate(size_t count, size_t bytes, size_t *total) {
  size_t size;
  if (__builtin_mul_overflow(count, bytes, &size) || size > SIZE_MAX / 2)
    return NULL;
  size = (size / CACHE_LINE + 1) * CACHE_LINE; /* at least one line: an empty buffer is no failure */
  void *memory = aligned_alloc(CACHE_LINE, size);
  if (memory == NULL)
    return NULL;
  memset(memory, 0xFF, size);
  *total += size;
  return memory;
}
