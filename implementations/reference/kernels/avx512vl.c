/* AVX-512 in its full width. */
#include "vocabulary/avx512vl.h"

#define GW_PATH avx512vl
enum { WIDTH = 4, ACCUMULATORS = 24 };

#include "template/kernel.h"
