/* The columns of a layer (see kernels/kernel.h), and its weights and vectors in their order. */
#ifndef GW_COLUMNS_H
#define GW_COLUMNS_H

#include "kernel.h"

typedef struct gw_columns {
  size_t units;  /* of a panel */
  size_t panels; /* of the layer */
  size_t stride; /* panels * units: `hidden` rounded up, the floats of a state's row */
  size_t count;  /* gates * stride; times a depth, the floats of one direction's packed weights */
} gw_columns;

/* The columns of a layer for a kernel. */
gw_columns gw_columns_of(const gw_layer *layer, const gw_kernel *kernel);

/* The units of a panel that the layer has: `units`, or fewer in the last. */
size_t gw_units_in(const gw_columns *columns, const gw_layer *layer, size_t panel);

/*
 * Packs panel `panel` of direction `direction` of W (depth = input) or R (depth = hidden) into `packed`,
 * which is that direction's [count * depth] floats. `weights` is [dirs][gates * hidden][depth] of the layer's
 * type.
 */
void gw_pack_panel(const gw_columns *columns, const gw_layer *layer, const void *weights, size_t depth,
                   size_t direction, size_t panel, float *packed);

/* Brings [blocks][hidden] elements of `vector`, a tensor of the layer's type, from element `first` on, into
 * [panel][block][unit] floats of `packed`. Where `vector` is NULL they are +0. */
void gw_pack_vector(const gw_columns *columns, const gw_layer *layer, const void *vector, size_t first,
                    size_t blocks, float *packed);

#endif
