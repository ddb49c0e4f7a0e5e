/*
 * The exact matrix product on one tile. Included once by each kernel path.
 *
 * Each output element has one accumulator that starts at +0 and adds the products in increasing k, each
 * product and each sum rounded once (the note, section Computation). So blocks, threads and batch mates
 * change no bit; lanes run across outputs and never along k.
 */
enum { VECTORS = COLUMNS / FLOAT_LANES };
_Static_assert(COLUMNS % FLOAT_LANES == 0 && COLUMNS % DOUBLE_LANES == 0,
               "a panel is a number of whole vectors");

/* Values of a tile: one row of COLUMNS units after the other. */
typedef float values[ROWS][COLUMNS];

/* One row: out[unit] = sum over k of a[k] * panel[k][unit]. */
static void product_row(size_t depth, const float *a, const float *panel, float *out) {
  floats sum[VECTORS];
  for (size_t v = 0; v < VECTORS; v++)
    sum[v] = f_set(0.0f);
  for (size_t k = 0; k < depth; k++)
    for (size_t v = 0; v < VECTORS; v++)
      sum[v] = f_add(sum[v], f_mul(f_set(a[k]), f_load(panel + k * COLUMNS + v * FLOAT_LANES)));
  for (size_t v = 0; v < VECTORS; v++)
    f_store(out + v * FLOAT_LANES, sum[v]);
}

/* ROWS rows at once, so that a panel's row is loaded once for all. */
static void product_rows(size_t depth, const float *const *a, const float *panel, values out) {
  floats sum[ROWS][VECTORS];
  for (size_t i = 0; i < ROWS; i++)
    for (size_t v = 0; v < VECTORS; v++)
      sum[i][v] = f_set(0.0f);
  for (size_t k = 0; k < depth; k++)
    for (size_t i = 0; i < ROWS; i++)
      for (size_t v = 0; v < VECTORS; v++)
        sum[i][v] = f_add(sum[i][v], f_mul(f_set(a[i][k]), f_load(panel + k * COLUMNS + v * FLOAT_LANES)));
  for (size_t i = 0; i < ROWS; i++)
    for (size_t v = 0; v < VECTORS; v++)
      f_store(out[i] + v * FLOAT_LANES, sum[i][v]);
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
