#include "region.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct region_block {
  struct region_block *older;
  _Alignas(max_align_t) unsigned char bytes[];
} region_block;

void *region_allocate(region *memory, size_t bytes) {
  region_block *block = bytes <= SIZE_MAX - sizeof *block ? malloc(sizeof *block + bytes) : NULL;
  if (block == NULL) {
    fprintf(stderr, "runner: there is no memory for %zu bytes of a request\n", bytes);
    exit(2);
  }
  block->older = memory->newest;
  memory->newest = block;
  return block->bytes;
}

char *region_text(region *memory, const char *text, size_t count) {
  char *copy = region_allocate(memory, count + 1);
  if (count > 0)
    memcpy(copy, text, count);
  copy[count] = '\0';
  return copy;
}

void region_release(region *memory) {
  while (memory->newest != NULL) {
    region_block *older = memory->newest->older;
    free(memory->newest);
    memory->newest = older;
  }
}
