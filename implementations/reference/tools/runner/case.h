/* The case of a request as the library takes it. */
#ifndef RUNNER_CASE_H
#define RUNNER_CASE_H

#include "failure.h"
#include "value.h"

/*
 * inputs: as gw_run takes them. outputs: the `output_count` requested ones, in the order of the request.
 * layer.kernel_path is NULL.
 */
typedef struct run_case {
  gw_layer_desc layer;
  const void *inputs[GW_INPUT_COUNT];
  size_t output_count;
  gw_output outputs[GW_OUTPUT_COUNT];
} run_case;

/*
 * Reads the `case` of a request. result: receives it; it points into `memory`. Returns whether it can be
 * described to the library; if not, `why` says why. The library's own rules are not checked here.
 */
bool case_read(const value *message, region *memory, run_case *result, failure *why);

/* Y, Y_h or Y_c. */
const char *case_output_name(gw_output output);

/* The dimensions of an output of a layer that the library has accepted; returns how many. */
size_t case_output_shape(const gw_layer_desc *layer, gw_output output, int64_t shape[4]);

#endif
