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

/* Those that signal read `sleeps` each time, and who spins reads the counters: lines apart, neither waits for
 * the other's. */
typedef struct seat {
  gw_team *team;
  size_t member;
  pthread_t thread;     /* not of member 0, which is the caller */
  pthread_cond_t woken; /* a counter below changed, or the team stops */
  atomic_bool sleeps;   /* waits for `woken`, or is about to */
  char before_counters[CACHE_LINE];
  unsigned long passed;         /* how many barriers this member has passed */
  atomic_ulong tasks;           /* how many it was given */
  atomic_ulong signals[ROUNDS]; /* how often it was told to go on */
  char after_counters[CACHE_LINE];
} seat;

struct gw_team {
  size_t members;
  size_t started; /* members that run, the caller counted: all, unless threads could not be had */
  int spins;
  pthread_mutex_t mutex;
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

/* Waits until `counter`, one of this member's own, is no longer `value`, or the team stops. */
static void wait_for_change(seat *self, atomic_ulong *counter, unsigned long value) {
  gw_team *team = self->team;
  for (int spin = 0; spin < team->spins; spin++) {
    if (atomic_load(counter) != value || atomic_load(&team->stopping))
      return;
    relax();
  }
  pthread_mutex_lock(&team->mutex);
  atomic_store(&self->sleeps, true);
  while (atomic_load(counter) == value && !atomic_load(&team->stopping))
    pthread_cond_wait(&self->woken, &team->mutex);
  atomic_store(&self->sleeps, false);
  pthread_mutex_unlock(&team->mutex);
}

/* Counts on, and wakes the member whose counter it is, and no other, if it sleeps. One who goes to sleep says
 * so first and then looks at the counter once more, so it sees the new value or is seen here. */
static void change(seat *other, atomic_ulong *counter) {
  atomic_fetch_add(counter, 1);
  if (!atomic_load(&other->sleeps))
    return;
  pthread_mutex_lock(&other->team->mutex);
  pthread_cond_signal(&other->woken);
  pthread_mutex_unlock(&other->team->mutex);
}

/* Gives all workers a task, or, where the team stops, an end. */
static void rouse(gw_team *team) {
  for (size_t member = 1; member < team->started; member++)
    change(&team->seats[member], &team->seats[member].tasks);
}

static void perform(gw_team *team, size_t member) {
  const gw_float_environment callers = gw_float_environment_enter();
  team->task(team->context, member);
  gw_float_environment_leave(callers);
  gw_team_barrier(team, member);
}

static void *work(void *argument) {
  seat *self = argument;
  gw_team *team = self->team;
  for (unsigned long done = 0;; done++) {
    wait_for_change(self, &self->tasks, done);
    if (atomic_load(&team->stopping))
      return NULL;
    perform(team, self->member);
  }
}

/* Seats the next member, in a thread of its own unless it is the caller. */
static bool seat_next(gw_team *team) {
  seat *next = &team->seats[team->started];
  next->team = team;
  next->member = team->started;
  if (pthread_cond_init(&next->woken, NULL) != 0)
    return false;
  if (next->member > 0 && pthread_create(&next->thread, NULL, work, next) != 0) {
    pthread_cond_destroy(&next->woken);
    return false;
  }
  team->started++;
  return true;
}

gw_team *gw_team_create(size_t members) {
  gw_team *team = calloc(1, sizeof *team + members * sizeof team->seats[0]);
  if (team == NULL)
    return NULL;
  team->members = members;
  /* With more members than cores, one that spins keeps another from arriving. */
  team->spins = (long)members <= sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0;
  if (pthread_mutex_init(&team->mutex, NULL) != 0) {
    free(team);
    return NULL;
  }
  while (team->started < members)
    if (!seat_next(team)) {
      gw_team_destroy(team);
      return NULL;
    }
  return team;
}

void gw_team_destroy(gw_team *team) {
  if (team == NULL)
    return;
  atomic_store(&team->stopping, true);
  rouse(team);
  for (size_t member = 1; member < team->started; member++)
    pthread_join(team->seats[member].thread, NULL);
  for (size_t member = 0; member < team->started; member++)
    pthread_cond_destroy(&team->seats[member].woken);
  pthread_mutex_destroy(&team->mutex);
  free(team);
}

size_t gw_team_members(const gw_team *team) {
  return team->members;
}

void gw_team_run(gw_team *team, gw_team_task *task, void *context) {
  team->task = task;
  team->context = context;
  rouse(team);
  perform(team, 0);
}

/* In each round a member tells the one that sits twice as far away as in the round before, and waits until it
 * is told: after the last it has heard of all, through others (Hensgen, Finkel and Manber, "Two algorithms
 * for barrier synchronization", 1988). */
void gw_team_barrier(gw_team *team, size_t member) {
  seat *self = &team->seats[member];
  const unsigned long passed = self->passed++;
  for (size_t round = 0, distance = 1; distance < team->members; round++, distance *= 2) {
    seat *other = &team->seats[(member + distance) % team->members];
    change(other, &other->signals[round]);
    wait_for_change(self, &self->signals[round], passed);
  }
}

void gw_team_share(size_t members, size_t member, size_t count, size_t *begin, size_t *end) {
  const size_t each = count / members, more = count % members;
  *begin = member * each + (member < more ? member : more);
  *end = *begin + each + (member < more);
}
