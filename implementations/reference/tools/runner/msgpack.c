#include "msgpack.h"

#include <string.h>

typedef struct reader {
  const unsigned char *at;
  const unsigned char *end;
  region *memory;
} reader;

static const value_problem cut_short = "it ends within a value";

static value_problem read_value(reader *r, int depth, value *result);

static size_t left(const reader *r) {
  return (size_t)(r->end - r->at);
}

/* A big-endian unsigned integer of `bytes` bytes, at most 8. */
static bool read_unsigned(reader *r, size_t bytes, uint64_t *number) {
  if (left(r) < bytes)
    return false;
  *number = 0;
  for (size_t i = 0; i < bytes; i++)
    *number = *number << 8 | *r->at++;
  return true;
}

static value_problem read_integer(reader *r, size_t bytes, bool is_signed, value *result) {
  uint64_t number;
  if (!read_unsigned(r, bytes, &number))
    return cut_short;
  if (!is_signed && number > INT64_MAX) {
    *result = (value){.kind = VALUE_NUMBER, .number = (double)number};
    return NULL;
  }
  const uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
  const uint64_t extended = is_signed && (number & sign) ? number | ~(2 * sign - 1) : number;
  int64_t integer;
  memcpy(&integer, &extended, sizeof integer);
  *result = (value){.kind = VALUE_INTEGER, .integer = integer};
  return NULL;
}

static value_problem read_float(reader *r, size_t bytes, value *result) {
  uint64_t bits;
  if (!read_unsigned(r, bytes, &bits))
    return cut_short;
  *result = (value){.kind = VALUE_NUMBER};
  if (bytes == sizeof(double)) {
    memcpy(&result->number, &bits, sizeof result->number);
  } else {
    const uint32_t word = (uint32_t)bits;
    float number;
    memcpy(&number, &word, sizeof number);
    result->number = (double)number;
  }
  return NULL;
}

static value_problem read_string(reader *r, value_kind kind, uint64_t count, value *result) {
  if (left(r) < count)
    return cut_short;
  const char *bytes = (const char *)r->at;
  *result = (value){.kind = kind, .text = bytes, .count = (size_t)count};
  if (kind == VALUE_TEXT)
    result->text = region_text(r->memory, bytes, (size_t)count);
  r->at += count;
  return NULL;
}

/* Every item has a byte at least, so that a count beyond what is left is wrong before memory is asked for. */
static value_problem read_items(reader *r, int depth, value_kind kind, uint64_t count, value *result) {
  const uint64_t items = kind == VALUE_MAP ? 2 * count : count;
  if (depth == 0)
    return "lists and maps are nested too deeply";
  if (left(r) < items)
    return cut_short;
  *result = (value){.kind = kind, .count = (size_t)count};
  result->items = region_allocate(r->memory, (size_t)items * sizeof *result->items);
  for (size_t i = 0; i < items; i++) {
    const value_problem problem = read_value(r, depth - 1, &result->items[i]);
    if (problem != NULL)
      return problem;
  }
  return NULL;
}

static value_problem read_counted(reader *r, int depth, value_kind kind, size_t bytes, value *result) {
  uint64_t count;
  if (!read_unsigned(r, bytes, &count))
    return cut_short;
  return kind >= VALUE_LIST ? read_items(r, depth, kind, count, result) : read_string(r, kind, count, result);
}

/* The types whose first byte holds nothing but the type. */
static value_problem read_wide(reader *r, int depth, unsigned first, value *result) {
  switch (first) {
  case 0xC0:
    *result = (value){.kind = VALUE_NULL};
    return NULL;
  case 0xC2:
  case 0xC3:
    *result = (value){.kind = VALUE_TRUTH, .truth = first == 0xC3};
    return NULL;
  case 0xC4:
  case 0xC5:
  case 0xC6:
    return read_counted(r, depth, VALUE_BYTES, (size_t)1 << (first - 0xC4), result);
  case 0xCA:
  case 0xCB:
    return read_float(r, (size_t)4 << (first - 0xCA), result);
  case 0xCC:
  case 0xCD:
  case 0xCE:
  case 0xCF:
    return read_integer(r, (size_t)1 << (first - 0xCC), false, result);
  case 0xD0:
  case 0xD1:
  case 0xD2:
  case 0xD3:
    return read_integer(r, (size_t)1 << (first - 0xD0), true, result);
  case 0xD9:
  case 0xDA:
  case 0xDB:
    return read_counted(r, depth, VALUE_TEXT, (size_t)1 << (first - 0xD9), result);
  case 0xDC:
  case 0xDD:
    return read_counted(r, depth, VALUE_LIST, (size_t)2 << (first - 0xDC), result);
  case 0xDE:
  case 0xDF:
    return read_counted(r, depth, VALUE_MAP, (size_t)2 << (first - 0xDE), result);
  default:
    return "it holds a type that is neither nil, a truth value, a number, text, bytes, an array nor a map";
  }
}

static value_problem read_value(reader *r, int depth, value *result) {
  if (left(r) == 0)
    return cut_short;
  const unsigned first = *r->at++;
  if (first < 0x80 || first >= 0xE0) {
    const int64_t integer = first < 0x80 ? (int64_t)first : (int64_t)first - 0x100;
    *result = (value){.kind = VALUE_INTEGER, .integer = integer};
    return NULL;
  }
  if (first < 0x90)
    return read_items(r, depth, VALUE_MAP, first & 0xFu, result);
  if (first < 0xA0)
    return read_items(r, depth, VALUE_LIST, first & 0xFu, result);
  if (first < 0xC0)
    return read_string(r, VALUE_TEXT, first & 0x1Fu, result);
  return read_wide(r, depth, first, result);
}

value_problem msgpack_read(const unsigned char *bytes, size_t count, region *memory, value *result) {
  reader r = {.at = bytes, .end = bytes + count, .memory = memory};
  const value_problem problem = read_value(&r, VALUE_MAX_DEPTH, result);
  if (problem != NULL)
    return problem;
  return r.at == r.end ? NULL : "something follows the value";
}
