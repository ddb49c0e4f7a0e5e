/* AVX2 with FMA; fused operations only where they change no result. */
#include "vocabulary/avx2.h"

#define GW_PATH avx2
enum { ACCUMULATORS = 12 };

#include "template/kernel.h"
