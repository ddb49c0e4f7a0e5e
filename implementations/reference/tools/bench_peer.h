/* Functions of other libraries that the benchmark measures. */
#ifndef GW_BENCH_PEER_H
#define GW_BENCH_PEER_H

#include <stddef.h>

/* y[i] = tanh(x[i]) by SLEEF's function of 1.0 units in the last place; count is a multiple of 16. */
void sleef_tanh_avx2(size_t count, const float *x, float *y);
void sleef_tanh_avx512(size_t count, const float *x, float *y);

#endif
