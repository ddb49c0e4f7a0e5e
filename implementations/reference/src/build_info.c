#include "gatewise.h"

#ifndef GW_VERSION
#error "GW_VERSION, the library's version as a string, comes from the build"
#endif
#ifndef GW_FLAGS
#error "GW_FLAGS, the compiler's flags as a string, comes from the build"
#endif

#if defined(__clang__)
#define GW_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define GW_COMPILER "gcc " __VERSION__
#else
#endif

gw_build gw_build_info(void) {
  const gw_build build = {GW_VERSION, GW_COMPILER, GW_FLAGS};
  return build;
}
