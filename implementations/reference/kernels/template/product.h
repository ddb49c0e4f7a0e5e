/*
 * The matrix product on one tile. Included once by each kernel.
 *
 * Exact mode: each output element has one accumulator that starts at +0 and adds the products in increasing
 * k, each product and each sum rounded once (the note, section Computation). Fast mode: the same with product
 * and sum rounded together, where the path can. So blocks, threads and batch mates change no bit in either;
 * lanes run across outputs and never along k.
 *
 * A path says how many vectors make the width of a tile (WIDTH) and how many accumulators its registers hold
 * (ACCUMULATORS). A group's gates lie side by side in the width.
 */
#define VECTORS_OF(gates) ((size_t)(WIDTH) / (gates) * (gates))
#define UNITS_OF(gates) ((size_t)(WIDTH) / (gates) * (size_t)FLOAT_LANES)
#define ROWS_OF(gates) ((size_t)(ACCUMULATORS) / VECTORS_OF(gates))

enum { MAX_ROWS = ACCUMULATORS / (WIDTH / 3 * 3), MAX_UNITS = WIDTH * FLOAT_LANES };
_Static_assert((int)WIDTH >= (int)GW_MAX_GATES, "a tile has a vector for each of an LSTM's gates");
_Static_assert((int)MAX_ROWS <= (int)GW_MAX_ROWS && (int)MAX_UNITS <= (int)GW_MAX_UNITS,
               "raise the limit in kernel.h");
_Static_assert((int)FLOAT_LANES % (int)DOUBLE_LANES == 0,
               "a vector of floats is a number of whole vectors of doubles");

#ifdef GW_FAST
#define ACCUMULATE(left, right, sum) f_mul_add(left, right, sum)
#else
#define ACCUMULATE(left, right, sum) f_add(f_mul(left, right), sum)
#endif

#define GW_INLINE static inline __attribute__((always_inline))

/* One gate of a tile: [row][unit], rows adjacent. */
typedef float gate_values[MAX_ROWS * MAX_UNITS];

/*
 * out[gate][row * units + unit] = sum over k of a[row][k] * panel[k][gate][unit]. `rows` and `gates` are
 * literals where this is inlined, so that the sums stay in registers.
 */
GW_INLINE void accumulate(size_t rows, size_t gates, size_t depth, const float *const *a, const float *panel,
                          gate_values *out) {
  const size_t vectors = VECTORS_OF(gates);
  floats sum[MAX_ROWS][WIDTH];
#pragma GCC unroll 12
  for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++)
      sum[i][v] = f_set(0.0f);
  for (size_t k = 0; k < depth; k++) {
    floats column[WIDTH];
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++)
      column[v] = f_load(panel + (k * vectors + v) * FLOAT_LANES);
#pragma GCC unroll 12
    for (size_t i = 0; i < rows; i++) {
      const floats left = f_set(a[i][k]);
#pragma GCC unroll 4
      for (size_t v = 0; v < vectors; v++)
        sum[i][v] = ACCUMULATE(left, column[v], sum[i][v]);
    }
  }
  const size_t each = vectors / gates;
#pragma GCC unroll 12
  for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++)
      f_store(out[v / each] + (i * each + v % each) * FLOAT_LANES, sum[i][v]);
}

/* The tile's rows of `a` ([any][stride]) times a packed panel of `gates` gates. */
GW_INLINE void product(const gw_tile *tile, size_t gates, const float *a, size_t stride, size_t depth,
                       const float *panel, gate_values *out) {
  const float *rows[MAX_ROWS];
  for (size_t i = 0; i < tile->row_count; i++)
    rows[i] = a + tile->rows[i] * stride;
  switch (tile->row_count) {
#define GW_ROWS(n)                                                                                           \
  case n:                                                                                                    \
    if (n > ROWS_OF(gates))                                                                                  \
      __builtin_unreachable();                                                                               \
    accumulate(n, gates, depth, rows, panel, out);                                                           \
    break;
    GW_ROWS(1)
    GW_ROWS(2)
    GW_ROWS(3)
    GW_ROWS(4)
    GW_ROWS(5)
    GW_ROWS(6)
    GW_ROWS(7)
    GW_ROWS(8)
    GW_ROWS(9)
    GW_ROWS(10)
    GW_ROWS(11)
    GW_ROWS(12)
#undef GW_ROWS
  default:
    __builtin_unreachable(); /* no tile is higher */
  }
}

GW_INLINE void project_group(const gw_projection *projection, const gw_tile *tile, size_t gates) {
  const size_t depth = projection->depth, units = UNITS_OF(gates), columns = gates * units;
  gate_values out[GW_MAX_GATES];
  product(tile, gates, projection->x, depth, depth, projection->w + tile->panel * columns * depth, out);
  for (size_t i = 0; i < tile->row_count; i++) {
    float *xw = projection->xw + (tile->first + i) * projection->stride + tile->panel * columns;
    for (size_t gate = 0; gate < gates; gate++)
      memcpy(xw + gate * units, out[gate] + i * units, units * sizeof *xw);
  }
}

static void project(const gw_projection *projection, const gw_tile *tile) {
  switch (projection->gates) {
  case 1:
    project_group(projection, tile, 1);
    break;
  case 2:
    project_group(projection, tile, 2);
    break;
  case 3:
    project_group(projection, tile, 3);
    break;
  default:
    project_group(projection, tile, 4);
    break;
  }
}
