#include "machine.h"

#include <sys/utsname.h>

#include "tensor.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

/*
 * The extensions that bear on the arithmetic: X(name as Linux has it, whether it is there). /proc/cpuinfo
 * would tell them all, but under an emulator it tells the wrong machine's.
 */
#if defined(__x86_64__) || defined(__i386__)
#define HAS(feature) (__builtin_cpu_supports(feature) != 0)
#define FEATURES(X)                                                                                          \
  X("avx", HAS("avx"))                                                                                       \
  X("avx2", HAS("avx2"))                                                                                     \
  X("avx512dq", HAS("avx512dq"))                                                                             \
  X("avx512f", HAS("avx512f"))                                                                               \
  X("avx512vl", HAS("avx512vl"))                                                                             \
  X("fma", HAS("fma"))                                                                                       \
  X("sse", HAS("sse"))                                                                                       \
  X("sse2", HAS("sse2"))                                                                                     \
  X("sse4_1", HAS("sse4.1"))                                                                                 \
  X("sse4_2", HAS("sse4.2"))                                                                                 \
  X("ssse3", HAS("ssse3"))
#elif defined(__aarch64__)
#define FEATURES(X)                                                                                          \
  X("asimd", (getauxval(AT_HWCAP) & HWCAP_ASIMD) != 0)                                                       \
  X("asimdhp", (getauxval(AT_HWCAP) & HWCAP_ASIMDHP) != 0)                                                   \
  X("sve", (getauxval(AT_HWCAP) & HWCAP_SVE) != 0)
#elif defined(__arm__) && defined(__ARM_FP)
#define FEATURES(X) X("vfp", true)
#else
#define FEATURES(X)
#endif

static void write_features(writer *w) {
#define NAME_IF_THERE(name, there) (there) ? name : NULL,
  const char *const names[] = {FEATURES(NAME_IF_THERE) NULL};
#undef NAME_IF_THERE
  size_t count = 0;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    count += names[i] != NULL;
  write_text(w, "features");
  write_list(w, count);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i] != NULL)
      write_text(w, names[i]);
}

void machine_write(const machine *m, writer *w) {
  struct utsname system;
  if (uname(&system) != 0)
    system = (struct utsname){.machine = "unknown", .sysname = ""};
  write_map(w, 6);
  write_member(w, "name", m->name != NULL ? m->name : system.machine);
  write_member(w, "architecture", system.machine);
  write_features(w);
  write_member(w, "system", system.sysname);
  write_member(w, "byte_order", tensor_is_big_endian() ? "big" : "little");
  write_member(w, "emulator", m->emulator != NULL ? m->emulator : "");
}
