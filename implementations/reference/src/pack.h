/* Weights in the order in which the kernels read them: see kernels/kernel.h. */
#ifndef GW_PACK_H
#define GW_PACK_H

#include "kernel.h"

/* The panels of a layer's hidden units, and the floats of one direction's packed weights of `depth`; the
 * latter is SIZE_MAX where it does not fit. */
size_t gw_panel_count(const gw_layer *layer, const gw_kernel *kernel);
size_t gw_packed_floats(const gw_layer *layer, const gw_kernel *kernel, size_t depth);

/* Packs panel `panel` of direction `direction` of W (depth = input) or R (depth = hidden) into `packed`,
 * which starts at that direction's first panel. `weights` is [dirs][gates * hidden][depth] of the layer's
 * type. */
void gw_pack_panel(const gw_layer *layer, const gw_kernel *kernel, const void *weights, size_t depth,
                   size_t direction, size_t panel, float *packed);

#endif
