/*
 * What a kernel offers: the arithmetic of a layer on one tile, a block of batch rows by a panel of hidden
 * units, on one kernel path in one mode. Everything outside the arithmetic (order of tiles, threads, outputs)
 * is common to all.
 *
 * A group is the adjacent gates whose products share one pass over the weights. RNN and LSTM have one group
 * of all gates; so has GRU with linear_before_reset = 1. With 0 it has two, since the candidate's product
 * needs the reset gate of all units: z with r, and h.
 *
 * The columns of a layer are the units of its gates in the order in which kernels read and write them:
 * [group][panel][gate][unit]. A panel is `units` adjacent units, a number that depends on the path and on the
 * group's gates. Units beyond `hidden` in the last panel are computed and never leave the library; their
 * weights and biases are +0.
 *
 * Packed weights: for each panel of a group [depth][gate][unit] floats, so that one k of a panel is adjacent.
 *
 * Row functions: y[i] = the function of x[i], for i < count, a multiple of the kernel's `lanes`; y may be x.
 */
#ifndef GW_KERNEL_H
#define GW_KERNEL_H

#include "layer.h"

/* No path has wider vectors, panels or tiles than these. */
enum { GW_MAX_LANES = 16, GW_MAX_UNITS = 64, GW_MAX_ROWS = 12 };

typedef struct gw_group {
  size_t first; /* gate */
  size_t gates;
} gw_group;

enum { GW_MAX_GROUPS = 2 };

/* A block of rows and a panel of a group. */
typedef struct gw_tile {
  size_t first;         /* row of the input projections */
  const uint32_t *rows; /* their rows of X, or batch rows */
  size_t row_count;     /* 1 to the group's rows */
  size_t panel;
} gw_tile;

/* The input projections of a group: the products of rows of X with W. */
typedef struct gw_projection {
  size_t depth;   /* of X: input */
  size_t gates;   /* of the group */
  const float *x; /* [any][depth], read at the tile's rows */
  const float *w; /* the group's packed weights, of this direction */
  float *xw;      /* the group's columns of the first row */
  size_t stride;  /* from one row of xw to the next */
} gw_projection;

/* One step of one direction, and of one group. Rows are batch rows; states have `stride` floats a row. */
typedef struct gw_step {
  const gw_layer *layer;
  const gw_activation *activations; /* f, g, h */
  size_t stride;                    /* of a state: `hidden`, padded to whole panels of every width */
  const float *xw;                  /* the group's columns of the step's first row */
  size_t xw_stride;
  const float *r;  /* the group's packed weights, of this direction */
  const float *wb; /* the group's columns of B's two halves; +0 where B is absent */
  const float *rb;
  const float *p;          /* [panel][3][unit], or NULL */
  const float *h_previous; /* [batch][stride] */
  float *h_next;           /* [batch][stride] */
  float *c;                /* [batch][stride], LSTM: the previous cell state, replaced by the next */
  float *z;                /* [batch][stride], GRU with linear_before_reset = 0: the update gate */
  float *reset_h;          /* [batch][stride], likewise: r * h_previous */
} gw_step;

typedef void gw_step_function(const gw_step *step, const gw_tile *tile);
typedef void gw_row_function(size_t count, const float *x, float *y);

typedef struct gw_kernel {
  const char *name; /* of its path */
  gw_mode mode;
  size_t units[GW_MAX_GATES + 1]; /* of a panel, by the number of a group's gates */
  size_t rows[GW_MAX_GATES + 1];  /* of a full tile, likewise */
  size_t lanes;                   /* of a row function */
  gw_row_function *functions[GW_FUNCTION_COUNT];
  void (*project)(const gw_projection *projection, const gw_tile *tile);
  gw_step_function *rnn;
  gw_step_function *lstm;
  gw_step_function *gru;           /* linear_before_reset = 1 */
  gw_step_function *gru_gates;     /* linear_before_reset = 0, the first group: z and r * h_previous */
  gw_step_function *gru_candidate; /* the second, when the first is there for all units */
} gw_kernel;

/* The groups of a layer; returns how many there are. */
size_t gw_groups(const gw_layer *layer, gw_group groups[GW_MAX_GROUPS]);

#endif
