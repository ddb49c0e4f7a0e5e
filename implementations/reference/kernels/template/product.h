/*
 * The matrix product on one tile. Included once by each kernel.
 *
 * Exact mode: each output element has one accumulator that starts at +0 and adds the products in increasing
 * k, each product and each sum rounded once (the note, section Computation). Fast mode: the same with product
 * and sum rounded together, where the path can. So blocks, threads and batch mates change no bit in either;
 * lanes run across outputs and never along k.
 *
 * A strip is two vectors wide. A high tile takes one strip at a time, which reads each weight for the most
 * rows; a low one takes several, since each accumulator must wait for its own last sum.
 */
enum { VECTORS = 2, UNITS = VECTORS * FLOAT_LANES, MAX_ROWS = ACCUMULATORS / VECTORS };
/* How many k ahead of their use weights are asked for, which may lie two caches away; the processor's own
 * prefetching does not keep up, and ends with each page. The strips of a panel are adjacent, so past the end
 * of one begins the next. */
enum { AHEAD = 16, LINE = 64 / sizeof(float) };
_Static_assert((int)MAX_ROWS <= (int)GW_MAX_ROWS && (int)UNITS <= (int)GW_MAX_UNITS,
               "raise the limit in kernel.h");
_Static_assert((int)FLOAT_LANES % (int)DOUBLE_LANES == 0, "a vector of floats is whole vectors of doubles");

#ifdef GW_FAST
#define ACCUMULATE(left, right, sum) f_mul_add(left, right, sum)
#else
#define ACCUMULATE(left, right, sum) f_add(f_mul(left, right), sum)
#endif

#define GW_INLINE static inline __attribute__((always_inline))

/* One strip of a tile: [row][unit], rows adjacent. */
typedef float strip_values[MAX_ROWS * UNITS];

/*
 * out[strip][row * UNITS + unit] = sum over k of a[row][k] * packed[strip][k][unit], where `apart` floats lie
 * between the starts of two strips. `rows` and `strips` are literals where this is inlined, so that the sums
 * stay in registers.
 */
GW_INLINE void accumulate(size_t rows, size_t strips, size_t depth, const float *const *a,
                          const float *packed, size_t apart, strip_values *out) {
  floats sum[MAX_ROWS][GW_MAX_GATES * VECTORS];
  const size_t vectors = strips * VECTORS;
#pragma GCC unroll 12
  for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; v++)
      sum[i][v] = f_set(0.0f);
  for (size_t k = 0; k < depth; k++) {
    floats column[GW_MAX_GATES * VECTORS];
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; v++)
      column[v] = f_load(packed + v / VECTORS * apart + k * UNITS + v % VECTORS * FLOAT_LANES);
#pragma GCC unroll 4
    for (size_t s = 0; s < strips; s++)
#pragma GCC unroll 2
      for (size_t unit = 0; unit < UNITS; unit += LINE)
        __builtin_prefetch(packed + s * apart + (k + AHEAD) * UNITS + unit);
#pragma GCC unroll 12
    for (size_t i = 0; i < rows; i++) {
      const floats left = f_set(a[i][k]);
#pragma GCC unroll 8
      for (size_t v = 0; v < vectors; v++)
        sum[i][v] = ACCUMULATE(left, column[v], sum[i][v]);
    }
  }
#pragma GCC unroll 12
  for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; v++)
      f_store(out[v / VECTORS] + (i * VECTORS + v % VECTORS) * FLOAT_LANES, sum[i][v]);
}

typedef void accumulator(size_t depth, const float *const *a, const float *packed, size_t apart,
                         strip_values *out);

/* accumulate_ROWS_STRIPS for all sizes that the registers hold; the others are never called. */
#define GW_ACCUMULATE(rows, strips)                                                                          \
  static void accumulate_##rows##_##strips(size_t depth, const float *const *a, const float *packed,         \
                                           size_t apart, strip_values *out) {                                \
    if ((rows) * (strips) * VECTORS <= ACCUMULATORS)                                                         \
      accumulate(rows, strips, depth, a, packed, apart, out);                                                \
  }
#define GW_EACH_ROWS(X, strips)                                                                              \
  X(1, strips)                                                                                               \
  X(2, strips)                                                                                               \
  X(3, strips)                                                                                               \
  X(4, strips)                                                                                               \
  X(5, strips)                                                                                               \
  X(6, strips)                                                                                               \
  X(7, strips)                                                                                               \
  X(8, strips)                                                                                               \
  X(9, strips)                                                                                               \
  X(10, strips)                                                                                              \
  X(11, strips)                                                                                              \
  X(12, strips)
GW_EACH_ROWS(GW_ACCUMULATE, 1)
GW_EACH_ROWS(GW_ACCUMULATE, 2)
GW_EACH_ROWS(GW_ACCUMULATE, 3)
GW_EACH_ROWS(GW_ACCUMULATE, 4)
#define GW_NAME(rows, strips) accumulate_##rows##_##strips,
static accumulator *const accumulators[GW_MAX_GATES][GW_MAX_ROWS] = {{GW_EACH_ROWS(GW_NAME, 1)},
                                                                     {GW_EACH_ROWS(GW_NAME, 2)},
                                                                     {GW_EACH_ROWS(GW_NAME, 3)},
                                                                     {GW_EACH_ROWS(GW_NAME, 4)}};
#undef GW_ACCUMULATE
#undef GW_EACH_ROWS
#undef GW_NAME

/* The tile's rows of `a` ([any][stride]) times `count` strips of packed weights. */
static void product(const gw_tile *tile, size_t count, const float *a, size_t stride, size_t depth,
                    const float *packed, size_t apart, strip_values *out) {
  const float *rows[MAX_ROWS];
  for (size_t i = 0; i < tile->row_count; i++)
    rows[i] = a + tile->rows[i] * stride;
  const size_t most = MAX_ROWS / tile->row_count, times = (count + most - 1) / most;
  for (size_t done = 0, t = 0; t < times; t++) {
    const size_t strips = (count - done) / (times - t);
    accumulators[strips - 1][tile->row_count - 1](depth, rows, packed + done * apart, apart, out + done);
    done += strips;
  }
}

static void project(const gw_projection *projection, const gw_tile *tile) {
  const size_t depth = projection->layer->input, gates = projection->layer->gates;
  const size_t first = tile->panel * gates * UNITS;
  strip_values out[GW_MAX_GATES];
  product(tile, gates, projection->x, depth, depth, projection->w + first * depth, depth * UNITS, out);
  for (size_t i = 0; i < tile->row_count; i++) {
    float *xw = projection->xw + (tile->first + i) * projection->columns + first;
    for (size_t gate = 0; gate < gates; gate++)
      memcpy(xw + gate * UNITS, out[gate] + i * UNITS, UNITS * sizeof *xw);
  }
}
