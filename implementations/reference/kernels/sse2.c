/* SSE2, which every 64-bit x86 processor has. */
#include "vocabulary/sse2.h"

#define GW_PATH sse2
enum { ROWS = 4, COLUMNS = 8 };

#include "template/kernel.h"
