#include "element.h"

#include <string.h>

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

float gw_widen(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
  const uint32_t magnitude = half & 0x7FFFu;
  if (magnitude >= 0x7C00u) /* infinity and NaN */
    return of_bits(sign | 0x7F800000u | (magnitude & 0x3FFu) << 13);
  if (magnitude >= 0x0400u) /* normal: the exponent's bias grows from 15 to 127 */
    return of_bits(sign | ((magnitude << 13) + ((127u - 15u) << 23)));
  if (magnitude == 0)
    return of_bits(sign);
  /* Subnormal: magnitude * 2^-24, which float32 holds as a normal number. */
  const uint32_t top = 31u - (uint32_t)__builtin_clz(magnitude);
  return of_bits(sign | (top + 127u - 24u) << 23 | (magnitude << (23u - top) & 0x7FFFFFu));
}

/* value >> shift, rounded to nearest, ties to even; 0 < shift < 32. */
static uint32_t shift_rounding(uint32_t value, uint32_t shift) {
  const uint32_t kept = value >> shift;
  const uint32_t rest = value & ((1u << shift) - 1u);
  const uint32_t half = 1u << (shift - 1u);
  return kept + (rest > half || (rest == half && (kept & 1u)));
}

uint16_t gw_narrow(float value) {
  const uint32_t bits = bits_of(value);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u)
    return 0x7E00u;
  const uint32_t exponent = magnitude >> 23;
  uint32_t result;
  if (exponent >= 143u) /* 2^16 and more, infinity included */
    result = 0x7C00u;
  else if (exponent >= 113u) /* normal; a carry out of the mantissa is right, up to infinity */
    result = shift_rounding(magnitude - ((127u - 15u) << 23), 13u);
  else if (exponent >= 102u) /* subnormal: the mantissa with its leading bit, in units of 2^-24 */
    result = shift_rounding((magnitude & 0x7FFFFFu) | 0x800000u, 126u - exponent);
  else /* below 2^-25: half of the least subnormal is a tie that goes to 0, and this is less */
    result = 0;
  return (uint16_t)(sign | result);
}

size_t gw_element_bytes(gw_dtype dtype) {
  return dtype == GW_FLOAT16 ? sizeof(uint16_t) : sizeof(float);
}

void gw_load(const void *source, gw_dtype dtype, size_t first, size_t count, float *values) {
  if (count == 0)
    return; /* a tensor without elements may be NULL */
  if (dtype == GW_FLOAT32) {
    memcpy(values, (const float *)source + first, count * sizeof *values);
    return;
  }
  const uint16_t *halves = (const uint16_t *)source + first;
  for (size_t i = 0; i < count; i++)
    values[i] = gw_widen(halves[i]);
}

void gw_store(void *target, gw_dtype dtype, size_t first, size_t count, const float *values) {
  if (dtype == GW_FLOAT16) {
    uint16_t *halves = (uint16_t *)target + first;
    for (size_t i = 0; i < count; i++)
      halves[i] = gw_narrow(values[i]);
    return;
  }
  uint32_t *words = (uint32_t *)target + first;
  for (size_t i = 0; i < count; i++) {
    const uint32_t bits = bits_of(values[i]);
    words[i] = (bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC00000u : bits;
  }
}

void gw_store_zeros(void *target, gw_dtype dtype, size_t first, size_t count) {
  const size_t bytes = gw_element_bytes(dtype);
  if (count > 0)
    memset((char *)target + first * bytes, 0, count * bytes);
}
