#include "configurations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gatewise.h"

/* The numbers in `list`, at most MAX_CONFIGURATIONS; returns how many, or 0 where one is wrong. */
static size_t read_threads(const char *list, int64_t threads[static MAX_CONFIGURATIONS]) {
  size_t count = 0;
  for (const char *at = list;; at++) {
    char *end;
    const long number = strtol(at, &end, 10);
    if (*at < '0' || *at > '9' || number < 1 || number > GW_MAX_THREADS || count == MAX_CONFIGURATIONS)
      return 0;
    threads[count++] = number;
    at = end;
    if (*at != ',')
      return *at == '\0' ? count : 0;
  }
}

void configuration_name(const char *kernel_path, int64_t threads, char name[static CONFIGURATION_BYTES]) {
  snprintf(name, CONFIGURATION_BYTES, "%.30s,threads=%d", kernel_path, (int)threads);
}

static bool add_path(const char *path, const int64_t *threads, size_t count, configurations *result) {
  for (size_t i = 0; i < count; i++) {
    if (result->count == MAX_CONFIGURATIONS)
      return false;
    configuration *item = &result->items[result->count++];
    *item = (configuration){.kernel_path = path, .threads = threads[i]};
    configuration_name(path, threads[i], item->name);
  }
  return true;
}

bool configurations_make(const char *path, const char *threads, configurations *result,
                         char problem[static 256]) {
  int64_t numbers[MAX_CONFIGURATIONS];
  const size_t count = read_threads(threads, numbers);
  result->count = 0;
  if (count == 0) {
    snprintf(problem, 256, "the numbers of threads are '%.60s'; they must be 1 to %d, between commas",
             threads, (int)GW_MAX_THREADS);
    return false;
  }
  for (size_t i = 0; i < gw_kernel_path_count(); i++) {
    const char *name = gw_kernel_path_name(i);
    const bool wanted = path == NULL ? gw_kernel_path_available(i) : strcmp(path, name) == 0;
    if (wanted && !gw_kernel_path_available(i)) {
      snprintf(problem, 256, "kernel path %s needs %s, which this processor does not have", name,
               gw_kernel_path_needs(i));
      return false;
    }
    if (wanted && !add_path(name, numbers, count, result)) {
      snprintf(problem, 256, "there are more than %d kernel paths and numbers of threads",
               MAX_CONFIGURATIONS);
      return false;
    }
  }
  if (result->count == 0)
    snprintf(problem, 256, "this build has no kernel path '%.60s'", path);
  return result->count > 0;
}

void configurations_names(const configurations *all, char *text, size_t count) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < all->count && used < count; i++)
    used += (size_t)snprintf(text + used, count - used, "%s%s", i > 0 ? " " : "", all->items[i].name);
}
