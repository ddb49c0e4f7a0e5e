#include "tensor.h"

#include <string.h>

#include "base64.h"

static const struct {
  const char *name;
  gw_dtype dtype;
  size_t bytes;
} types[] = {{"float32", GW_FLOAT32, 4},
             {"float16", GW_FLOAT16, 2},
             {"float64", GW_FLOAT64, 8},
             {"bfloat16", GW_BFLOAT16, 2},
             {"int32", GW_INT32, 4}};

enum { TYPES = sizeof types / sizeof types[0] };

bool tensor_is_big_endian(void) {
  return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

void tensor_swap(void *elements, size_t count, size_t bytes) {
  unsigned char *element = elements;
  if (!tensor_is_big_endian())
    return;
  for (size_t i = 0; i < count; i++, element += bytes)
    for (size_t low = 0, high = bytes - 1; low < high; low++, high--) {
      const unsigned char kept = element[low];
      element[low] = element[high];
      element[high] = kept;
    }
}

/* The bytes, which JSON has as base64: a copy, aligned for every type. */
static bool read_bytes(const value *data, region *memory, void **bytes, size_t *count) {
  if (data == NULL || (data->kind != VALUE_BYTES && data->kind != VALUE_TEXT))
    return false;
  *bytes = region_allocate(memory, data->count);
  if (data->kind == VALUE_TEXT)
    return base64_decode(data->text, data->count, *bytes, count);
  *count = data->count;
  if (data->count > 0)
    memcpy(*bytes, data->text, data->count);
  return true;
}

/* Type and dimensions; `elements` receives how many there are, SIZE_MAX where they are too many to count. */
static bool read_shape(const value *shape, gw_tensor_desc *result, size_t *elements) {
  if (shape == NULL || shape->kind != VALUE_LIST || shape->count > INT32_MAX)
    return false;
  result->rank = (int32_t)shape->count;
  *elements = 1;
  for (size_t axis = 0; axis < shape->count; axis++) {
    const value *size = &shape->items[axis];
    if (size->kind != VALUE_INTEGER || size->integer < 0)
      return false;
    if (axis < GW_MAX_RANK)
      result->shape[axis] = size->integer;
    if (__builtin_mul_overflow(*elements, size->integer, elements))
      *elements = SIZE_MAX;
  }
  return true;
}

bool tensor_read(const value *tensor, region *memory, gw_tensor_desc *result, const void **data,
                 failure *why) {
  const value *dtype = value_member(tensor, "dtype");
  size_t elements, bytes, index = 0;
  void *copy;
  *result = (gw_tensor_desc){.present = true, .dtype = GW_DTYPE_OTHER};
  *data = NULL;
  if (!read_shape(value_member(tensor, "shape"), result, &elements))
    return fail_protocol(why, "the shape of an input is no list of integers of at least 0");
  if (!read_bytes(value_member(tensor, "data"), memory, &copy, &bytes))
    return fail_protocol(why, "the data of an input are not in base64");
  while (index < TYPES && !value_is_text(dtype, types[index].name))
    index++;
  if (index == TYPES)
    return true;
  if (bytes / types[index].bytes != elements || bytes % types[index].bytes != 0)
    return fail_protocol(why, "an input has %zu bytes of data, which its type and shape do not have", bytes);
  tensor_swap(copy, elements, types[index].bytes);
  result->dtype = types[index].dtype;
  *data = copy;
  return true;
}
