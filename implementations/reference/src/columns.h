/* The columns of a layer (see kernels/kernel.h): where its groups stand, and its weights and vectors in their
 * order. */
#ifndef GW_COLUMNS_H
#define GW_COLUMNS_H

#include "kernel.h"

typedef struct gw_group_columns {
  gw_group group;
  size_t units;  /* of a panel */
  size_t panels; /* of the group */
  size_t rows;   /* of a full tile */
  size_t first;  /* column of the group */
} gw_group_columns;

typedef struct gw_columns {
  size_t group_count;
  gw_group_columns groups[GW_MAX_GROUPS];
  size_t panels; /* of all groups */
  size_t count;  /* of columns; times a depth, the floats of one direction's packed weights */
  size_t stride; /* `hidden` rounded up to whole panels of every group: the floats of a state's row */
} gw_columns;

/* The columns of a layer for a kernel. */
gw_columns gw_columns_of(const gw_layer *layer, const gw_kernel *kernel);

/*
 * Packs panel `panel` (of all groups, in their order) of direction `direction` of W (depth = input) or R
 * (depth = hidden) into `packed`, which is that direction's [count * depth] floats. `weights` is [dirs][gates
 * * hidden][depth] of the layer's type.
 */
void gw_pack_panel(const gw_columns *columns, const gw_layer *layer, const void *weights, size_t depth,
                   size_t direction, size_t panel, float *packed);

/* Brings gates * hidden elements of `vector`, a tensor of the layer's type, from element `first` on, into the
 * order of the columns: `packed` is [count] floats. Where `vector` is NULL they are +0. */
void gw_pack_vector(const gw_columns *columns, const gw_layer *layer, const void *vector, size_t first,
                    float *packed);

/* Brings 3 * hidden elements of P, from element `first` on, into [panel][3][unit] of an LSTM's one group. */
void gw_pack_peepholes(const gw_columns *columns, const gw_layer *layer, const void *p, size_t first,
                       float *packed);

#endif
