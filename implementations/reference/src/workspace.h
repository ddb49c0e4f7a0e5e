/* The inside of a workspace: the scratch memory of one direction, used by one run at a time. */
#ifndef GW_WORKSPACE_H
#define GW_WORKSPACE_H

#include <stdatomic.h>

#include "plan.h"
#include "team.h"

/* Batch rows that go through their steps together, and what the lengths of a run come to for them. */
typedef struct gw_part {
  size_t row_count;
  uint32_t *rows;      /* [row_count]: longest first, else in the batch's order */
  size_t steps;        /* of the longest */
  uint32_t *first_row; /* [seq + 1]: how many all steps before s have together */
  uint32_t *x_rows;    /* [seq * row_count]: their rows of X without padding, in the order of the steps */
  float *xw;           /* [block_rows][columns] */
} gw_part;

struct gw_workspace {
  const gw_plan *plan;
  gw_team *team;
  atomic_flag busy;
  uint32_t *lengths; /* [batch] */
  uint32_t *active;  /* [seq + 1]: how many rows of the batch have a step s */
  /* One part, whose tiles the team shares, or one for each member, who then waits for no other. */
  size_t part_count;
  gw_part *parts;
  uint32_t *rows; /* the memory of the parts' arrays, one after the other */
  uint32_t *first_row;
  uint32_t *x_rows;
  float *xw;
  float *x;        /* X widened, where it is float16, else NULL */
  float *w_packed; /* one direction, where W is not constant, else NULL */
  float *r_packed; /* likewise */
  float *wb;       /* one direction of B's halves, in the order of the columns */
  float *rb;
  float *p;          /* likewise of P, or NULL */
  size_t block_rows; /* of a part, the most that are projected at once */
  float *h[2];       /* the previous and the next state, taking turns */
  float *c;          /* LSTM */
  float *z;          /* GRU with linear_before_reset = 0 */
  float *reset_h;
  size_t bytes; /* of this and all of the above but the team */
};

#endif
