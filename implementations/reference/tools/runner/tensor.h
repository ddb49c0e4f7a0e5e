/* Tensors between the protocol, little-endian, and this machine. */
#ifndef RUNNER_TENSOR_H
#define RUNNER_TENSOR_H

#include "failure.h"
#include "value.h"

/*
 * Reads one tensor of a request.
 *
 * result: receives type, rank and the first GW_MAX_RANK dimensions; `present` is set, `constant` is not.
 * data: receives the elements, in `memory` and in this machine's byte order; NULL where the element type is
 * none that the library knows. Returns false, with `why`, where the data do not fit type and shape.
 */
bool tensor_read(const value *tensor, region *memory, gw_tensor_desc *result, const void **data,
                 failure *why);

/*
 * Turns `count` elements of `bytes` bytes each from this machine's byte order into little-endian, or back.
 */
void tensor_swap(void *elements, size_t count, size_t bytes);

bool tensor_is_big_endian(void);

#endif
