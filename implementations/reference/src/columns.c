#include "columns.h"

#include <string.h>

#include "element.h"

gw_columns gw_columns_of(const gw_layer *layer, const gw_kernel *kernel) {
  gw_columns columns = {.units = kernel->units};
  columns.panels = (layer->hidden + columns.units - 1) / columns.units;
  columns.stride = columns.panels * columns.units;
  columns.count = columns.stride * layer->gates;
  return columns;
}

size_t gw_units_in(const gw_columns *columns, const gw_layer *layer, size_t panel) {
  const size_t left = layer->hidden - panel * columns->units;
  return left < columns->units ? left : columns->units;
}

/* Transposes `count` rows of `depth` elements, the first of them element `first` of `weights`, to `depth`
 * rows of `units` floats; beyond `count` these are +0. */
static void transpose(const void *weights, gw_dtype dtype, size_t first, size_t depth, size_t count,
                      size_t units, float *out) {
  for (size_t k = 0; k < depth; k++, out += units) {
    if (dtype == GW_FLOAT32) {
      const float *column = (const float *)weights + first + k;
      for (size_t j = 0; j < count; j++)
        out[j] = column[j * depth];
    } else {
      const uint16_t *column = (const uint16_t *)weights + first + k;
      for (size_t j = 0; j < count; j++)
        out[j] = gw_widen(column[j * depth]);
    }
    memset(out + count, 0, (units - count) * sizeof *out);
  }
}

void gw_pack_panel(const gw_columns *columns, const gw_layer *layer, const void *weights, size_t depth,
                   size_t direction, size_t panel, float *packed) {
  for (size_t gate = 0; gate < layer->gates; gate++) {
    const size_t row = (direction * layer->gates + gate) * layer->hidden + panel * columns->units;
    transpose(weights, layer->dtype, row * depth, depth, gw_units_in(columns, layer, panel), columns->units,
              packed + (panel * layer->gates + gate) * columns->units * depth);
  }
}

void gw_pack_vector(const gw_columns *columns, const gw_layer *layer, const void *vector, size_t first,
                    size_t blocks, float *packed) {
  memset(packed, 0, blocks * columns->stride * sizeof *packed);
  for (size_t panel = 0; vector != NULL && panel < columns->panels; panel++)
    for (size_t block = 0; block < blocks; block++)
      gw_load(vector, layer->dtype, first + block * layer->hidden + panel * columns->units,
              gw_units_in(columns, layer, panel), packed + (panel * blocks + block) * columns->units);
}
