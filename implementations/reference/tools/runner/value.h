/* A message as a tree, whether it came as JSON or as MessagePack. */
#ifndef RUNNER_VALUE_H
#define RUNNER_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "region.h"

/* A JSON integer beyond 64 bits is a VALUE_NUMBER. */
typedef enum value_kind {
  VALUE_NULL = 0,
  VALUE_TRUTH,
  VALUE_INTEGER,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_BYTES,
  VALUE_LIST,
  VALUE_MAP
} value_kind;

/*
 * text: `count` bytes that a NUL follows, for VALUE_TEXT; those of VALUE_BYTES have none. items: the `count`
 * values of a list, or the 2 * count keys and values of a map, each value after its key.
 */
typedef struct value {
  value_kind kind;
  bool truth;
  int64_t integer;
  double number;
  size_t count;
  const char *text;
  struct value *items;
} value;

enum { VALUE_MAX_DEPTH = 32 /* of lists and maps inside one another; the protocol needs 6 */ };

/* What is wrong with a message: a sentence without its end, or NULL. */
typedef const char *value_problem;

/* The value under `key` of a map; NULL where it is no map or has no such key. The last one of several. */
const value *value_member(const value *map, const char *key);

/* Whether it is this text. `a` may be NULL. */
bool value_is_text(const value *a, const char *text);

/* Appends an item that is not initialised to a list or map under construction, of which `room` fit. */
value *value_append(value *list, size_t *used, size_t *room, region *memory);

#endif
