/* Advanced SIMD of 64-bit Arm. */
#include "vocabulary/neon.h"

#define GW_PATH neon
enum { ROWS = 6, COLUMNS = 16 };

#include "template/kernel.h"
