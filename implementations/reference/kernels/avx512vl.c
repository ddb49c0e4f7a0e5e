/* AVX-512 in its full width. */
#include "vocabulary/avx512vl.h"

#define GW_PATH avx512vl
enum { ACCUMULATORS = 24 };

#include "template/kernel.h"
