/* The inside of a plan. */
#ifndef GW_PLAN_H
#define GW_PLAN_H

#include "columns.h"

struct gw_plan {
  gw_layer layer;
  const gw_kernel *kernel;
  gw_columns columns;
  /* Copies of the constant inputs, in the caller's type and order; NULL for the others and for W and R. */
  void *constants[GW_INPUT_COUNT];
  bool is_constant[GW_INPUT_COUNT];
  float *packed_w; /* [dirs][columns.count * depth], or NULL where W is not constant; see kernels/kernel.h */
  float *packed_r;
  size_t bytes; /* of this and all that it points to */
};

#endif
