/* Advanced SIMD of 64-bit Arm. */
#include "vocabulary/neon.h"

#define GW_PATH neon
enum { WIDTH = 4, ACCUMULATORS = 24 };

#include "template/kernel.h"
