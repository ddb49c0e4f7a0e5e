/*
 * What a kernel path offers: the arithmetic of a layer on one tile, a block of batch rows by a panel of
 * hidden units. Everything outside the arithmetic (order of tiles, threads, outputs) is common to all paths.
 *
 * Packed weights: for panel p and gate g the block (p * gates + g) holds [depth][columns] floats: the weights
 * of `columns` adjacent units of that gate, the inner index running over units. Units beyond `hidden` are +0.
 *
 * Row functions: y[i] = the function of x[i], correctly rounded, for i < count, a multiple of the kernel's
 * `lanes`; y may be x.
 */
#ifndef GW_KERNEL_H
#define GW_KERNEL_H

#include "layer.h"

/* No path has wider vectors and panels than these. */
enum { GW_MAX_LANES = 16, GW_MAX_COLUMNS = 64 };

/* A block of rows, by their numbers, and a panel of hidden units. */
typedef struct gw_tile {
  const uint32_t *rows;
  size_t row_count; /* 1 to the kernel's rows */
  size_t panel;
} gw_tile;

/* The input projections of one direction: xw[row][gate * hidden + unit] = the product of X's row with W's. */
typedef struct gw_projection {
  const gw_layer *layer;
  const float *x;        /* [rows][input], in X's own order of rows */
  const float *w_packed; /* of this direction */
  float *xw;             /* [rows][gates * hidden], the same order of rows */
} gw_projection;

/* One step of one direction. Rows are batch rows. */
typedef struct gw_step {
  const gw_layer *layer;
  const gw_activation *activations; /* f, g, h */
  size_t step;                      /* 0 first, in processing order */
  bool reversed;
  const uint32_t *lengths; /* [batch] */
  const float *xw;         /* [rows of X][gates * hidden] */
  const float *r_packed;   /* of this direction */
  const float *b;          /* [2 * gates * hidden], or NULL */
  const float *p;          /* [3 * hidden], or NULL */
  const float *h_previous; /* [batch][hidden] */
  float *h_next;           /* [batch][hidden] */
  float *c;                /* [batch][hidden], LSTM: the previous cell state, replaced by the next */
  float *z;                /* [batch][hidden], GRU with linear_before_reset = 0: the update gate */
  float *reset_h;          /* [batch][hidden], likewise: r * h_previous */
} gw_step;

typedef void gw_step_function(const gw_step *step, const gw_tile *tile);
typedef void gw_row_function(size_t count, const float *x, float *y);

typedef struct gw_kernel {
  const char *name;
  size_t rows;    /* of a full tile */
  size_t columns; /* of a panel: a multiple of lanes */
  size_t lanes;   /* of a row function */
  gw_row_function *functions[GW_FUNCTION_COUNT];
  /* The tile's rows are rows of X. */
  void (*project)(const gw_projection *projection, const gw_tile *tile);
  gw_step_function *rnn;
  gw_step_function *lstm;
  /* linear_before_reset = 1: all of a step. */
  gw_step_function *gru;
  /* linear_before_reset = 0: z and r * h_previous; and, when these are there for all units, the rest. */
  gw_step_function *gru_gates;
  gw_step_function *gru_candidate;
} gw_kernel;

/* The time index in X and Y of a row's step, and the row of X that belongs to it. */
static inline size_t gw_time(bool reversed, size_t length, size_t step) {
  return reversed ? length - 1 - step : step;
}

static inline size_t gw_x_row(const gw_layer *layer, size_t time, size_t row) {
  return layer->batch_first ? row * layer->seq + time : time * layer->batch + row;
}

#endif
