/*
 * The exact matrix product on one tile. Included once by each kernel path, after the enumerators ROWS and
 * COLUMNS.
 *
 * Each output element has one accumulator that starts at +0 and adds the products in increasing k, each
 * product and each sum rounded once (the note, section Computation). So blocks, threads and batch mates
 * change no bit; lanes run across outputs and never along k.
 */
#include "float_environment.h"
#include "paths.h"

/* Values of a tile: one row of COLUMNS units after the other. */
typedef float values[ROWS][COLUMNS];

/* One row: out[unit] = sum over k of a[k] * panel[k][unit]. */
static void product_row(size_t depth, const float *a, const float *panel, float *out) {
  float sum[COLUMNS] = {0};
  for (size_t k = 0; k < depth; k++)
    for (size_t j = 0; j < COLUMNS; j++)
      sum[j] = sum[j] + a[k] * panel[k * COLUMNS + j];
  for (size_t j = 0; j < COLUMNS; j++)
    out[j] = sum[j];
}

/* ROWS rows at once, so that a panel's row is loaded once for all. */
static void product_rows(size_t depth, const float *const *a, const float *panel, values out) {
  float sum[ROWS][COLUMNS] = {{0}};
  for (size_t k = 0; k < depth; k++)
    for (size_t i = 0; i < ROWS; i++)
      for (size_t j = 0; j < COLUMNS; j++)
        sum[i][j] = sum[i][j] + a[i][k] * panel[k * COLUMNS + j];
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < COLUMNS; j++)
      out[i][j] = sum[i][j];
}

/* The tile's rows of `a` ([any][depth]) times a packed panel ([depth][COLUMNS]). */
static void product(const gw_tile *tile, const float *a, size_t depth, const float *panel, values out) {
  const float *rows[ROWS];
  for (size_t i = 0; i < tile->row_count; i++)
    rows[i] = a + tile->rows[i] * depth;
  if (tile->row_count == ROWS) {
    product_rows(depth, rows, panel, out);
    return;
  }
  for (size_t i = 0; i < tile->row_count; i++)
    product_row(depth, rows[i], panel, out[i]);
}

/* The units of a panel: COLUMNS, or fewer in the last. */
static size_t units_of(const gw_layer *layer, size_t panel) {
  const size_t left = layer->hidden - panel * COLUMNS;
  return left < COLUMNS ? left : COLUMNS;
}

/* Writes the units of `in` to the tile's rows of `target`, whose rows are `stride` floats long. */
static void put(const gw_tile *tile, const values in, size_t units, float *target, size_t stride) {
  for (size_t i = 0; i < tile->row_count; i++)
    for (size_t j = 0; j < units; j++)
      target[tile->rows[i] * stride + j] = in[i][j];
}

static void project(const gw_projection *projection, const gw_tile *tile) {
  const gw_layer *layer = projection->layer;
  const size_t depth = layer->input, stride = layer->gates * layer->hidden;
  for (size_t gate = 0; gate < layer->gates; gate++) {
    if (layer->input_forget && gate == GW_LSTM_F)
      continue; /* decision D22 */
    values out;
    const float *panel = projection->w_packed + (tile->panel * layer->gates + gate) * depth * COLUMNS;
    product(tile, projection->x, depth, panel, out);
    put(tile, out, units_of(layer, tile->panel),
        projection->xw + gate * layer->hidden + tile->panel * COLUMNS, stride);
  }
}
