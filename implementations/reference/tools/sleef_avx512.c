#include <immintrin.h>
#include <sleef.h>

#include "bench_peer.h"

void sleef_tanh_avx512(size_t count, const float *x, float *y) {
  for (size_t i = 0; i < count; i += 16)
    _mm512_storeu_ps(y + i, Sleef_tanhf16_u10avx512f(_mm512_loadu_ps(x + i)));
}
