/* JSON (RFC 8259), read strictly. */
#ifndef RUNNER_JSON_H
#define RUNNER_JSON_H

#include "value.h"

/*
 * Reads the one value in the `count` bytes at `text`, which a NUL follows, white space around it allowed.
 * result: receives the tree, in `memory`. Returns what is wrong, or NULL.
 */
value_problem json_read(const char *text, size_t count, region *memory, value *result);

#endif
