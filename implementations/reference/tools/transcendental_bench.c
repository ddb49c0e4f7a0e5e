/*
 * The speed of the transcendental functions as ratios in one run: to the C library's tanhf, one call for each
 * element, and to SLEEF's tanh of 1.0 units in the last place on the vectors of the same extension.
 *
 * The arguments are spread evenly over [-5, 5] and fit into the first cache. Each figure is the median over
 * rounds, in each of which everything is measured once, so that a change of the clock's speed touches all
 * alike.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_peer.h"
#include "gatewise.h"

enum { COUNT = 4096, REPEATS = 20, ROUNDS = 41, MAX_SUBJECTS = 64 };

/* What is measured: `run`, with the function and the path where it is the library's own. */
typedef struct subject {
  char name[40];
  void (*run)(const struct subject *self);
  gw_function function;
  const char *path;
  double nanoseconds[ROUNDS]; /* for an element */
} subject;

static float x[COUNT], y[COUNT];

static void run_libm(const subject *self) {
  (void)self;
  for (size_t i = 0; i < COUNT; i++)
    y[i] = tanhf(x[i]);
}

static void run_own(const subject *self) {
  if (gw_evaluate(self->function, GW_MODE_EXACT, self->path, COUNT, x, y, NULL) != GW_OK)
    exit(2);
}

#ifdef GW_HAVE_SLEEF
static void run_sleef_avx2(const subject *self) {
  (void)self;
  sleef_tanh_avx2(COUNT, x, y);
}

static void run_sleef_avx512(const subject *self) {
  (void)self;
  sleef_tanh_avx512(COUNT, x, y);
}
#endif

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double measure(const subject *self) {
  const double start = now();
  for (int i = 0; i < REPEATS; i++)
    self->run(self);
  return (now() - start) / REPEATS / COUNT;
}

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(const subject *self) {
  double sorted[ROUNDS];
  memcpy(sorted, self->nanoseconds, sizeof sorted);
  qsort(sorted, ROUNDS, sizeof sorted[0], compare);
  return sorted[ROUNDS / 2];
}

/* The median over the rounds of how many times as long `slow` takes. */
static double ratio(const subject *slow, const subject *fast) {
  subject quotients;
  for (int i = 0; i < ROUNDS; i++)
    quotients.nanoseconds[i] = slow->nanoseconds[i] / fast->nanoseconds[i];
  return median(&quotients);
}

static subject *add(subject *next, const char *name, void (*run)(const subject *self)) {
  snprintf(next->name, sizeof next->name, "%s", name);
  next->run = run;
  return next + 1;
}

static size_t list_subjects(subject *all) {
  subject *next = add(all, "libm tanhf", run_libm);
#ifdef GW_HAVE_SLEEF
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    next = add(next, "SLEEF tanh avx2", run_sleef_avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    next = add(next, "SLEEF tanh avx512", run_sleef_avx512);
#endif
  for (size_t i = 0; i < gw_kernel_path_count(); i++)
    for (gw_function f = 0; gw_kernel_path_available(i) && f < GW_FUNCTION_COUNT; f++) {
      next->function = f;
      next->path = gw_kernel_path_name(i);
      snprintf(next->name, sizeof next->name, "%s %s", gw_function_name(f), next->path);
      next->run = run_own;
      next++;
    }
  return (size_t)(next - all);
}

int main(void) {
  static subject all[MAX_SUBJECTS];
  const size_t count = list_subjects(all);
  for (size_t i = 0; i < COUNT; i++)
    x[i] = (float)(i * 2654435761u % COUNT) / COUNT * 10.0f -
           5.0f; /* scattered: a branch on the size must not be learnt */
  for (int round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < count; i++)
      all[i].nanoseconds[round] = measure(&all[i]);
  printf("%-20s %10s %16s", "", "ns/element", "libm tanhf / it");
  for (size_t peer = 1; peer < count && all[peer].path == NULL; peer++)
    printf(" %22s / it", all[peer].name);
  printf("\n");
  for (size_t i = 0; i < count; i++) {
    printf("%-20s %10.3f %16.2f", all[i].name, median(&all[i]), ratio(&all[0], &all[i]));
    for (size_t peer = 1; peer < count && all[peer].path == NULL; peer++)
      printf(" %27.2f", ratio(&all[peer], &all[i]));
    printf("\n");
  }
  return 0;
}
