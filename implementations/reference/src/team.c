#include "team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "float_environment.h"

/* How often a waiting member looks before it sleeps: a step of a small layer is shorter than waking a thread.
 */
enum { SPINS = 4000, CACHE_LINE = 64 };

typedef struct worker {
  gw_team *team;
  size_t member;
  pthread_t thread;
} worker;

struct gw_team {
  size_t members;
  size_t started; /* workers that run: members - 1 when all do */
  int spins;
  pthread_mutex_t mutex;
  pthread_cond_t changed;  /* `assignment`, `stopping` or `generation` changed */
  atomic_size_t sleepers;  /* members that wait for `changed`, or are about to */
  atomic_ulong assignment; /* how many tasks there have been */
  atomic_bool stopping;
  gw_team_task *task;
  void *context;
  /* The barrier: how many have arrived, and how often all have. Those that spin read a line of their own. */
  char before_arrived[CACHE_LINE];
  atomic_size_t arrived;
  char before_generation[CACHE_LINE];
  atomic_ulong generation;
  char before_workers[CACHE_LINE];
  worker workers[];
};

/* Tells the processor that this is a loop that waits. */
static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Waits until `counter` is no longer `value`, or the team stops. */
static void wait_for_change(gw_team *team, atomic_ulong *counter, unsigned long value) {
  for (int spin = 0; spin < team->spins; spin++) {
    if (atomic_load(counter) != value || atomic_load(&team->stopping))
      return;
    relax();
  }
  pthread_mutex_lock(&team->mutex);
  atomic_fetch_add(&team->sleepers, 1);
  while (atomic_load(counter) == value && !atomic_load(&team->stopping))
    pthread_cond_wait(&team->changed, &team->mutex);
  atomic_fetch_sub(&team->sleepers, 1);
  pthread_mutex_unlock(&team->mutex);
}

/* Counts on, and wakes those who sleep. One who goes to sleep counts itself first and then looks at the
 * counter once more, so it sees the new value or is seen here. */
static void change(gw_team *team, atomic_ulong *counter) {
  atomic_fetch_add(counter, 1);
  if (atomic_load(&team->sleepers) == 0)
    return;
  pthread_mutex_lock(&team->mutex);
  pthread_cond_broadcast(&team->changed);
  pthread_mutex_unlock(&team->mutex);
}

static void perform(gw_team *team, size_t member) {
  const gw_float_environment callers = gw_float_environment_enter();
  team->task(team->context, member);
  gw_float_environment_leave(callers);
  gw_team_barrier(team);
}

static void *work(void *argument) {
  const worker *self = argument;
  gw_team *team = self->team;
  for (unsigned long done = 0;; done++) {
    wait_for_change(team, &team->assignment, done);
    if (atomic_load(&team->stopping))
      return NULL;
    perform(team, self->member);
  }
}

static bool start_workers(gw_team *team) {
  while (team->started + 1 < team->members) {
    worker *next = &team->workers[team->started];
    *next = (worker){.team = team, .member = team->started + 1};
    if (pthread_create(&next->thread, NULL, work, next) != 0)
      return false;
    team->started++;
  }
  return true;
}

gw_team *gw_team_create(size_t members) {
  gw_team *team = calloc(1, sizeof *team + (members - 1) * sizeof team->workers[0]);
  if (team == NULL)
    return NULL;
  team->members = members;
  /* With more members than cores, one that spins keeps another from arriving. */
  team->spins = (long)members <= sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0;
  if (pthread_mutex_init(&team->mutex, NULL) != 0) {
    free(team);
    return NULL;
  }
  if (pthread_cond_init(&team->changed, NULL) != 0) {
    pthread_mutex_destroy(&team->mutex);
    free(team);
    return NULL;
  }
  if (start_workers(team))
    return team;
  gw_team_destroy(team);
  return NULL;
}

void gw_team_destroy(gw_team *team) {
  if (team == NULL)
    return;
  atomic_store(&team->stopping, true);
  change(team, &team->assignment);
  for (size_t i = 0; i < team->started; i++)
    pthread_join(team->workers[i].thread, NULL);
  pthread_cond_destroy(&team->changed);
  pthread_mutex_destroy(&team->mutex);
  free(team);
}

size_t gw_team_members(const gw_team *team) {
  return team->members;
}

void gw_team_run(gw_team *team, gw_team_task *task, void *context) {
  team->task = task;
  team->context = context;
  change(team, &team->assignment);
  perform(team, 0);
}

void gw_team_barrier(gw_team *team) {
  if (team->members == 1)
    return;
  const unsigned long generation = atomic_load(&team->generation);
  if (atomic_fetch_add(&team->arrived, 1) + 1 < team->members) {
    wait_for_change(team, &team->generation, generation);
    return;
  }
  atomic_store(&team->arrived, 0);
  change(team, &team->generation);
}

void gw_team_share(const gw_team *team, size_t member, size_t count, size_t *begin, size_t *end) {
  const size_t each = count / team->members, more = count % team->members;
  *begin = member * each + (member < more ? member : more);
  *end = *begin + each + (member < more);
}
