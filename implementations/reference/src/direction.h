/* The computation of one run, as the members of a team share it. */
#ifndef GW_DIRECTION_H
#define GW_DIRECTION_H

#include "workspace.h"

typedef struct gw_call {
  const gw_plan *plan;
  gw_workspace *workspace;
  const void *inputs[GW_INPUT_COUNT]; /* constants included; NULL where absent */
  void *outputs[GW_OUTPUT_COUNT];     /* NULL where not asked for */
} gw_call;

/* A gw_team_task: all directions of the gw_call `context`. */
void gw_run_directions(void *context, size_t member);

#endif
