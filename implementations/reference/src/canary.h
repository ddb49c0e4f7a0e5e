/* Whether this machine and this build compute as exact mode needs it. */
#ifndef GW_CANARY_H
#define GW_CANARY_H

#include "kernel.h"

/*
 * Computes a few known results on the kernel: of each function those that are hardest to round and a
 * subnormal one, and a product that a fused multiply-add would change. Refuses (GW_UNSUPPORTED,
 * GW_REASON_ARITHMETIC) where a bit differs. Call it in the floating-point environment of
 * gw_float_environment_enter.
 */
gw_status gw_check_arithmetic(const gw_kernel *kernel, gw_error *error);

#endif
