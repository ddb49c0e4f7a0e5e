#include "pack.h"

#include "element.h"

size_t gw_panel_count(const gw_layer *layer, const gw_kernel *kernel) {
  return (layer->hidden + kernel->columns - 1) / kernel->columns;
}

size_t gw_packed_floats(const gw_layer *layer, const gw_kernel *kernel, size_t depth) {
  const size_t lanes = gw_panel_count(layer, kernel) * kernel->columns * layer->gates;
  size_t floats;
  return __builtin_mul_overflow(lanes, depth, &floats) ? SIZE_MAX : floats;
}

void gw_pack_panel(const gw_layer *layer, const gw_kernel *kernel, const void *weights, size_t depth,
                   size_t direction, size_t panel, float *packed) {
  const size_t columns = kernel->columns, hidden = layer->hidden;
  for (size_t gate = 0; gate < layer->gates; gate++) {
    float *block = packed + (panel * layer->gates + gate) * depth * columns;
    for (size_t j = 0; j < columns; j++) {
      const size_t unit = panel * columns + j;
      const size_t row = (direction * layer->gates + gate) * hidden + unit;
      for (size_t k = 0; k < depth; k++) {
        block[k * columns + j] = 0.0f;
        if (unit < hidden)
          gw_load(weights, layer->dtype, row * depth + k, 1, &block[k * columns + j]);
      }
    }
  }
}
