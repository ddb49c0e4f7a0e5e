#include "columns.h"

#include <string.h>

#include "element.h"

size_t gw_groups(const gw_layer *layer, gw_group groups[GW_MAX_GROUPS]) {
  if (layer->op == GW_GRU && !layer->linear_before_reset) {
    groups[0] = (gw_group){.first = GW_GRU_Z, .gates = 2};
    groups[1] = (gw_group){.first = GW_GRU_H, .gates = 1};
    return 2;
  }
  groups[0] = (gw_group){.first = 0, .gates = layer->gates};
  return 1;
}

static size_t round_up(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

gw_columns gw_columns_of(const gw_layer *layer, const gw_kernel *kernel) {
  gw_group groups[GW_MAX_GROUPS];
  gw_columns columns = {.group_count = gw_groups(layer, groups)};
  for (size_t g = 0; g < columns.group_count; g++) {
    const size_t units = kernel->units[groups[g].gates], padded = round_up(layer->hidden, units);
    columns.groups[g] = (gw_group_columns){.group = groups[g],
                                           .units = units,
                                           .panels = padded / units,
                                           .rows = kernel->rows[groups[g].gates],
                                           .first = columns.count};
    columns.panels += padded / units;
    columns.count += padded * groups[g].gates;
    columns.stride = padded > columns.stride ? padded : columns.stride;
  }
  return columns;
}

/* Transposes `count` rows of `depth` elements, the first of them element `first` of `weights`, to the start
 * of rows that are `stride` floats long; up to `units` they are filled with +0. */
static void transpose(const void *weights, gw_dtype dtype, size_t first, size_t depth, size_t count,
                      size_t units, size_t stride, float *out) {
  for (size_t k = 0; k < depth; k++, out += stride) {
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

static size_t units_in(const gw_group_columns *group, const gw_layer *layer, size_t panel) {
  const size_t left = layer->hidden - panel * group->units;
  return left < group->units ? left : group->units;
}

void gw_pack_panel(const gw_columns *columns, const gw_layer *layer, const void *weights, size_t depth,
                   size_t direction, size_t panel, float *packed) {
  const gw_group_columns *group = &columns->groups[0];
  if (panel >= group->panels) {
    panel -= group->panels;
    group++;
  }
  const size_t gates = group->group.gates, units = group->units;
  float *out = packed + (group->first + panel * gates * units) * depth;
  for (size_t gate = 0; gate < gates; gate++) {
    const size_t row = (direction * layer->gates + group->group.first + gate) * layer->hidden + panel * units;
    transpose(weights, layer->dtype, row * depth, depth, units_in(group, layer, panel), units, gates * units,
              out + gate * units);
  }
}

/* [block][hidden] elements to [panel][block][unit] floats, +0 in the units beyond `hidden`. */
static void pack_blocks(const gw_group_columns *group, const gw_layer *layer, const void *vector,
                        size_t first, size_t blocks, float *packed) {
  for (size_t panel = 0; panel < group->panels; panel++) {
    const size_t count = units_in(group, layer, panel);
    for (size_t block = 0; block < blocks; block++, packed += group->units) {
      gw_load(vector, layer->dtype, first + block * layer->hidden + panel * group->units, count, packed);
      memset(packed + count, 0, (group->units - count) * sizeof *packed);
    }
  }
}

void gw_pack_vector(const gw_columns *columns, const gw_layer *layer, const void *vector, size_t first,
                    float *packed) {
  if (vector == NULL) {
    memset(packed, 0, columns->count * sizeof *packed);
    return;
  }
  for (size_t g = 0; g < columns->group_count; g++) {
    const gw_group_columns *group = &columns->groups[g];
    pack_blocks(group, layer, vector, first + group->group.first * layer->hidden, group->group.gates,
                packed + group->first);
  }
}

void gw_pack_peepholes(const gw_columns *columns, const gw_layer *layer, const void *p, size_t first,
                       float *packed) {
  enum { PEEPHOLES = 3 };
  pack_blocks(&columns->groups[0], layer, p, first, PEEPHOLES, packed);
}
