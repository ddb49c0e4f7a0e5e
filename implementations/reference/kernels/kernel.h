/*
 * What a kernel offers: the arithmetic of a layer on one tile, a block of batch rows by one panel of hidden
 * units or a few, on one kernel path in one mode. Everything outside the arithmetic (order of tiles, threads,
 * outputs) is common to all.
 *
 * A panel is `units` adjacent hidden units, a number that depends on the path; a strip is one gate of a
 * panel. The columns of a layer are the units of its gates in the order in which kernels read and write them:
 * [panel][gate][unit]. Units beyond `hidden` in the last panel are computed and never leave the library;
 * their weights and biases are +0.
 *
 * Packed weights: [panel][gate][depth][unit] floats, so that one k of a strip is adjacent.
 *
 * Row functions: y[i] = the function of x[i], for i < count, a multiple of the kernel's `lanes`; y may be x.
 */
#ifndef GW_KERNEL_H
#define GW_KERNEL_H

#include "layer.h"

/* No path has wider vectors or panels, or higher tiles, than these. */
enum { GW_MAX_LANES = 16, GW_MAX_UNITS = 32, GW_MAX_ROWS = 12 };
/* What `saturate` computes at the same time. */
enum { GW_CHAINS = 12 };

/* A block of rows and a panel, or of single strips up to GW_MAX_GATES panels. */
typedef struct gw_tile {
  size_t first;         /* row of the input projections */
  const uint32_t *rows; /* their rows of X, or batch rows */
  size_t row_count;     /* 1 to the kernel's rows */
  size_t panel;
  size_t panel_count; /* 1 where a panel's step has more than one strip */
} gw_tile;

/* The input projections: the products of rows of X with W. */
typedef struct gw_projection {
  const gw_layer *layer;
  const float *x; /* [any][input], read at the tile's rows */
  const float *w; /* packed, of this direction */
  float *xw;      /* [rows][columns] */
  size_t columns;
} gw_projection;

/* One step of one direction. Rows are batch rows; states have `stride` floats a row. */
typedef struct gw_step {
  const gw_layer *layer;
  const gw_activation *activations; /* f, g, h */
  size_t stride;                    /* of a state: `hidden` rounded up to whole panels */
  size_t columns;
  const float *xw; /* [rows][columns]: the block's input projections */
  const float *r;  /* packed, of this direction */
  const float *wb; /* [columns]: B's halves; +0 where B is absent */
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
  size_t units; /* of a panel */
  size_t rows;  /* of the highest tile */
  size_t lanes; /* of a row function */
  gw_row_function *functions[GW_FUNCTION_COUNT];
  void (*project)(const gw_projection *projection, const gw_tile *tile);
  gw_step_function *rnn;
  gw_step_function *lstm;
  gw_step_function *gru; /* linear_before_reset = 1 */
  /* linear_before_reset = 0: z and r * h_previous; and, when these are there for all units, the rest. */
  gw_step_function *gru_gates;
  gw_step_function *gru_candidate;
  /* `steps` multiplications and additions, in fast mode fused, on each lane of GW_CHAINS vectors, which it
   * writes to `results` ([GW_CHAINS * GW_MAX_LANES]); returns how many operations those were. */
  size_t (*saturate)(size_t steps, float *results);
} gw_kernel;

#endif
