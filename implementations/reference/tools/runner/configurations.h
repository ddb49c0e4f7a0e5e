/* The ways in which each case is run: kernel paths, each with several numbers of threads. */
#ifndef RUNNER_CONFIGURATIONS_H
#define RUNNER_CONFIGURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_CONFIGURATIONS = 64, CONFIGURATION_BYTES = 48 /* of a name, its terminator included */ };

typedef struct configuration {
  const char *kernel_path;
  int64_t threads;
  char name[CONFIGURATION_BYTES]; /* "avx2,threads=3" */
} configuration;

typedef struct configurations {
  size_t count;
  configuration items[MAX_CONFIGURATIONS];
} configurations;

/*
 * Every number of threads in `threads`, "1,3", on the kernel path `path`, or on all that this processor runs
 * where it is NULL. problem: receives a sentence where there is no such path or the list holds anything but
 * 1 to GW_MAX_THREADS or is too long. Returns whether it is well.
 */
bool configurations_make(const char *path, const char *threads, configurations *result,
                         char problem[static 256]);

/* The name of a configuration. */
void configuration_name(const char *kernel_path, int64_t threads, char name[static CONFIGURATION_BYTES]);

/* All names, between spaces, in `count` bytes with the terminator. */
void configurations_names(const configurations *all, char *text, size_t count);

#endif
