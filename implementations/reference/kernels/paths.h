/*
 * The kernel paths, narrowest first: X(name, whether this processor runs it). The one list: the dispatcher,
 * the public listing, and through it the binding, the tests and the benchmarks read it. A path `name` is the
 * kernel gw_kernel_name in kernels/name.c.
 */
#ifndef GW_PATHS_H
#define GW_PATHS_H

#include "kernel.h"

#define GW_KERNEL_PATHS(X) X(scalar, true)

#define GW_DECLARE(name, available) extern const gw_kernel gw_kernel_##name;
GW_KERNEL_PATHS(GW_DECLARE)
#undef GW_DECLARE

#endif
