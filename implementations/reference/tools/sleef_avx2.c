#include <immintrin.h>
#include <sleef.h>

#include "bench_peer.h"

void sleef_tanh_avx2(size_t count, const float *x, float *y) {
  for (size_t i = 0; i < count; i += 8)
    _mm256_storeu_ps(y + i, Sleef_tanhf8_u10avx2(_mm256_loadu_ps(x + i)));
}
