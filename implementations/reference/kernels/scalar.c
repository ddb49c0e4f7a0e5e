/* The path that every processor runs: plain C, one lane at a time as far as the source says. */
#include "vocabulary/scalar.h"

#define GW_PATH scalar
enum { ACCUMULATORS = 8 };

#include "template/kernel.h"
