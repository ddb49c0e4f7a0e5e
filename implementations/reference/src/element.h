/*
 * Elements of tensors in memory, float32 or float16, as float32 and back (decision D30). By integer
 * arithmetic alone: the bits depend on no instruction set and no control word.
 */
#ifndef GW_ELEMENT_H
#define GW_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "gatewise.h"

/* The float32 that equals the float16 with these bits; a NaN stays a NaN. */
float gw_widen(uint16_t half);

/* The bits of the float16 nearest to `value`, ties to even; every NaN is 0x7E00. */
uint16_t gw_narrow(float value);

/* Bytes of an element of GW_FLOAT32, GW_FLOAT16 or GW_INT32. */
size_t gw_element_bytes(gw_dtype dtype);

/* Reads `count` elements of `source`, a tensor of type `dtype`, from element `first` on. */
void gw_load(const void *source, gw_dtype dtype, size_t first, size_t count, float *values);

/* Writes `count` elements likewise, rounded once, every NaN canonical (decision D24: 0x7FC00000 or 0x7E00).
 */
void gw_store(void *target, gw_dtype dtype, size_t first, size_t count, const float *values);

/* Writes `count` elements of +0. */
void gw_store_zeros(void *target, gw_dtype dtype, size_t first, size_t count);

#endif
