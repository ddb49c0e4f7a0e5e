/* MessagePack (github.com/msgpack/msgpack, spec.md), without extension types. */
#ifndef RUNNER_MSGPACK_H
#define RUNNER_MSGPACK_H

#include "value.h"

/*
 * Reads the one value in the `count` bytes at `bytes`. result: receives the tree, in `memory`; its
 * VALUE_BYTES point into `bytes`. Returns what is wrong, or NULL.
 */
value_problem msgpack_read(const unsigned char *bytes, size_t count, region *memory, value *result);

#endif
