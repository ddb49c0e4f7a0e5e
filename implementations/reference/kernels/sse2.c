/* SSE2, which every 64-bit x86 processor has. */
#include "vocabulary/sse2.h"

#define GW_PATH sse2
enum { ACCUMULATORS = 12 };

#include "template/kernel.h"
