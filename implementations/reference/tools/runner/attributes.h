/* The attributes of a request's case. */
#ifndef RUNNER_ATTRIBUTES_H
#define RUNNER_ATTRIBUTES_H

#include "failure.h"
#include "value.h"

/*
 * Reads the list `attributes` into `layer`, whose `op` is set; what it points to is in `memory`. Returns
 * whether the operator has each attribute and each has the type that ONNX gives it; if not, `why` says why.
 */
bool attributes_read(const value *attributes, region *memory, gw_layer_desc *layer, failure *why);

/*
 * A C string. A NUL inside would end it early and hide the rest from the library, so it is spelled out.
 */
const char *attributes_string(const value *text, region *memory);

#endif
