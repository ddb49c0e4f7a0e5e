/* Advanced SIMD of 64-bit Arm. */
#include "vocabulary/neon.h"

#define GW_PATH neon
enum { ACCUMULATORS = 24 };

#include "template/kernel.h"
