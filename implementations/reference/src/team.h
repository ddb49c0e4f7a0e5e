/* A team of threads that lives as long as its workspace. */
#ifndef GW_TEAM_H
#define GW_TEAM_H

#include <stddef.h>

typedef struct gw_team gw_team;

/* What every member does; `member` is 0 in the thread that calls gw_team_run, and less than the team's size.
 */
typedef void gw_team_task(void *context, size_t member);

/* A team of `members` (1 or more) threads, the caller's counted; NULL when memory or threads are not to be
 * had. */
gw_team *gw_team_create(size_t members);

/* Stops and joins the threads; NULL is allowed. No task may be running. */
void gw_team_destroy(gw_team *team);

size_t gw_team_members(const gw_team *team);

/* Runs the task once in every member, each in the default floating-point environment, and returns after all.
 */
void gw_team_run(gw_team *team, gw_team_task *task, void *context);

/* Inside a task: returns when every member has come to this point. Every member must come to the same ones.
 */
void gw_team_barrier(gw_team *team, size_t member);

/* The part [*begin, *end) of `count` things that falls to `member` of `members`. */
void gw_team_share(size_t members, size_t member, size_t count, size_t *begin, size_t *end);

#endif
