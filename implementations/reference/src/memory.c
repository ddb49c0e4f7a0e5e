#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21 };

/* Weights of many megabytes are read once a step, in order; with small pages the processor must find a page
 * anew every 64 of its widest vectors, and its prefetching ends with each. */
static void *take(size_t size) {
#ifdef MADV_HUGEPAGE
  if (size >= HUGE_PAGE) {
    void *memory = aligned_alloc(HUGE_PAGE, (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (memory != NULL)
      madvise(memory, size, MADV_HUGEPAGE); /* advice: where it is not heeded nothing is lost */
    return memory;
  }
#endif
  return aligned_alloc(CACHE_LINE, size);
}

void *gw_allocate(size_t count, size_t bytes, size_t *total) {
  size_t size;
  if (__builtin_mul_overflow(count, bytes, &size) || size > SIZE_MAX / 2)
    return NULL;
  size = (size / CACHE_LINE + 1) * CACHE_LINE; /* at least one line: an empty buffer is no failure */
  void *memory = take(size);
  if (memory == NULL)
    return NULL;
  memset(memory, 0xFF, size);
  *total += size;
  return memory;
}
