/* The inside of a workspace: the scratch memory of one direction, used by one run at a time. */
#ifndef GW_WORKSPACE_H
#define GW_WORKSPACE_H

#include <stdatomic.h>

#include "plan.h"
#include "team.h"

struct gw_workspace {
  const gw_plan *plan;
  gw_team *team;
  atomic_flag busy;
  /* What the run's lengths say. */
  uint32_t *lengths;   /* [batch] */
  uint32_t *order;     /* [batch]: the batch rows, longest first, else in their own order */
  size_t steps;        /* of the longest row */
  uint32_t *active;    /* [seq + 1]: how many rows have a step s */
  uint32_t *first_row; /* [seq + 1]: how many all steps before s have together */
  uint32_t *x_rows;    /* [seq * batch]: the rows of X that are not padding, in the order of the steps */
  float *x;            /* X widened, where it is float16, else NULL */
  float *w_packed;     /* one direction, where W is not constant, else NULL */
  float *r_packed;     /* likewise */
  float *wb;           /* one direction of B's halves, in the order of the columns */
  float *rb;
  float *p;          /* likewise of P, or NULL */
  size_t block_rows; /* the most that are projected at once */
  float *xw;         /* [block_rows][columns] */
  float *h[2];       /* the previous and the next state, taking turns */
  float *c;          /* LSTM */
  float *z;          /* GRU with linear_before_reset = 0 */
  float *reset_h;
  size_t bytes; /* of this and all of the above but the team */
};

#endif
