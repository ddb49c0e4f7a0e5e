/* AVX-512: 256-bit vectors of floats, 512-bit vectors of doubles. */
#include "vocabulary/avx512vl.h"

#define GW_PATH avx512vl
enum { ROWS = 6, COLUMNS = 32 };

#include "template/kernel.h"
