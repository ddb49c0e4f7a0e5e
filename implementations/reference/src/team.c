#include "team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "float_environment.h"
#include "gatewise.h"

/* How often a waiting member looks before it sleeps: a step of a small layer is shorter than waking a thread.
 */
enum { SPINS = 4000, CACHE_LINE = 64 };
/* Of a barrier. */
enum { ROUNDS = 8 };
_Static_assert(1 << ROUNDS >= GW_MAX_THREADS, "the last round must reach every member");

typedef struct seat {
  gw_team *team;
  size_t member;
  pthread_t thread;     /* not of member 0, which is the caller */
  unsigned long passed; /* how many barriers this member has passed */
  char before_signals[CACHE_LINE];
  atomic_ulong signals[ROUNDS]; /* how often it was told to go on; who spins reads lines of its own */
  char after_signals[CACHE_LINE];
} seat;

struct gw_team {
  size_t members;
  size_t started; /* members that run, the caller counted: all, unless threads could not be had */
  int spins;
  pthread_mutex_t mutex;
  pthread_cond_t changed;  /* `assignment`, `stopping` or a signal changed */
  atomic_size_t sleepers;  /* members that wait for `changed`, or are about to */
  atomic_ulong assignment; /* how many tasks there have been */
  atomic_bool stopping;
  gw_team_task *task;
  void *context;
  seat seats[];
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
  gw_team_barrier(team, member);
}

static void *work(void *argument) {
  const seat *self = argument;
  gw_team *team = self->team;
  for (unsigned long done = 0;; done++) {
    wait_for_change(team, &team->assignment, done);
    if (atomic_load(&team->stopping))
      return NULL;
    perform(team, self->member);
  }
}

static bool start_workers(gw_team *team) {
  for (; team->started < team->members; team->started++) {
    seat *next = &team->seats[team->started];
    next->team = team;
    next->member = team->started;
    if (pthread_create(&next->thread, NULL, work, next) != 0)
      return false;
  }
  return true;
}

gw_team *gw_team_create(size_t members) {
  gw_team *team = calloc(1, sizeof *team + members * sizeof team->seats[0]);
  if (team == NULL)
    return NULL;
  team->members = members;
  team->started = 1;
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
  for (size_t member = 1; member < team->started; member++)
    pthread_join(team->seats[member].thread, NULL);
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

/* In each round a member tells the one that sits twice as far away as in the round before, and waits until it
 * is told: after the last it has heard of all, through others (Hensgen, Finkel and Manber, "Two algorithms
 * for barrier synchronization", 1988). */
void gw_team_barrier(gw_team *team, size_t member) {
  seat *self = &team->seats[member];
  const unsigned long passed = self->passed++;
  for (size_t round = 0, distance = 1; distance < team->members; round++, distance *= 2) {
    change(team, &team->seats[(member + distance) % team->members].signals[round]);
    wait_for_change(team, &self->signals[round], passed);
  }
}

void gw_team_share(size_t members, size_t member, size_t count, size_t *begin, size_t *end) {
  const size_t each = count / members, more = count % members;
  *begin = member * each + (member < more ? member : more);
  *end = *begin + each + (member < more);
}
