#include "dispatch.h"

#include <string.h>

#include "error.h"
#include "paths.h"

#define GW_ADDRESS(name, needs, available) {&gw_kernel_##name, &gw_kernel_##name##_fast},
static const gw_kernel *const kernels[][GW_MODE_COUNT] = {GW_KERNEL_PATHS(GW_ADDRESS)};
#undef GW_ADDRESS

enum { PATH_COUNT = sizeof kernels / sizeof kernels[0] };

size_t gw_kernel_path_count(void) {
  return PATH_COUNT;
}

const char *gw_kernel_path_name(size_t index) {
  return index < PATH_COUNT ? kernels[index][0]->name : NULL;
}

const char *gw_kernel_path_needs(size_t index) {
#define GW_NEEDS(name, needs, available) needs,
  static const char *const texts[] = {GW_KERNEL_PATHS(GW_NEEDS)};
#undef GW_NEEDS
  return index < PATH_COUNT ? texts[index] : NULL;
}

bool gw_kernel_path_available(size_t index) {
#define GW_AVAILABLE(name, needs, available) available,
  const bool runs[] = {GW_KERNEL_PATHS(GW_AVAILABLE)};
#undef GW_AVAILABLE
  return index < PATH_COUNT && runs[index];
}

gw_status gw_find_kernel(const char *name, gw_mode mode, const gw_kernel **kernel, gw_error *error) {
  if ((unsigned)mode >= GW_MODE_COUNT)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_MODE,
                     "the mode is number %d; it must be GW_MODE_EXACT or GW_MODE_FAST", (int)mode);
  for (size_t i = PATH_COUNT; i-- > 0;) {
    if (name != NULL && strcmp(name, kernels[i][mode]->name) != 0)
      continue;
    if (gw_kernel_path_available(i)) {
      *kernel = kernels[i][mode];
      return GW_OK;
    }
    if (name != NULL)
      return gw_refuse(error, GW_UNSUPPORTED, GW_REASON_KERNEL_PATH,
                       "kernel path \"%.40s\" needs %s, which this processor does not have", name,
                       gw_kernel_path_needs(i));
  }
  return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_KERNEL_PATH,
                   "kernel path \"%.40s\" is not one of those that gw_kernel_path_name lists", name);
}
