/*
 * Chains of the product's multiplications and additions on this path's vectors, independent of one another:
 * as many as the latency of the two takes, and few enough to stay in 16 registers. No product can be faster.
 */
static size_t saturate(size_t steps, float *results) {
  floats chain[GW_CHAINS];
  const floats half = f_set(0.5f), one = f_set(1.0f);
  for (size_t c = 0; c < GW_CHAINS; c++)
    chain[c] = f_set((float)c);
  for (size_t s = 0; s < steps; s++)
#pragma GCC unroll 12
    for (size_t c = 0; c < GW_CHAINS; c++)
      chain[c] = ACCUMULATE(chain[c], half, one);
  for (size_t c = 0; c < GW_CHAINS; c++)
    f_store(results + c * FLOAT_LANES, chain[c]);
  return 2 * GW_CHAINS * FLOAT_LANES * steps;
}
