/*
 * A kernel: included once by each kernels/NAME.c, after its vocabulary, the enumerator
 * ACCUMULATORS (see product.h) and GW_PATH, the path's name. The build compiles each file twice, the second
 * time with GW_FAST defined for fast mode.
 */
#include "float_environment.h"
#include "paths.h"

/* For a build without -ffp-contract=off. Only clang heeds it; gcc's builds are stopped by
 * gw_check_arithmetic. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#include <string.h>

#include "template/transcendental.h"

#ifdef GW_FAST
#include "template/fast.h"
#define SIGMOID_ROW fast_sigmoid_row
#define TANH_ROW fast_tanh_row
#else
#define SIGMOID_ROW sigmoid_row
#define TANH_ROW tanh_row
#endif

#include "template/product.h"

#include "template/activation.h"

#include "template/cell.h"

#include "template/saturate.h"

#define GW_TEXT_OF(token) #token
#define GW_TEXT(token) GW_TEXT_OF(token)
#define GW_JOIN_OF(left, right) left##right
#define GW_JOIN(left, right) GW_JOIN_OF(left, right)

#ifdef GW_FAST
#define GW_KERNEL GW_JOIN(GW_JOIN(gw_kernel_, GW_PATH), _fast)
#define GW_KERNEL_MODE GW_MODE_FAST
#else
#define GW_KERNEL GW_JOIN(gw_kernel_, GW_PATH)
#define GW_KERNEL_MODE GW_MODE_EXACT
#endif

_Static_assert((int)DOUBLE_LANES <= (int)GW_MAX_LANES && (int)FLOAT_LANES <= (int)GW_MAX_LANES,
               "raise the limit in kernel.h");

const gw_kernel GW_KERNEL = {.name = GW_TEXT(GW_PATH),
                             .mode = GW_KERNEL_MODE,
                             .units = UNITS,
                             .rows = MAX_ROWS,

                             .lanes = FLOAT_LANES,
                             .functions = {[GW_FUNCTION_SIGMOID] = SIGMOID_ROW,
                                           [GW_FUNCTION_TANH] = TANH_ROW,
                                           [GW_FUNCTION_EXPM1] = expm1_row,
                                           [GW_FUNCTION_SOFTPLUS] = softplus_row},
                             .project = project,
                             .rnn = rnn,
                             .lstm = lstm,
                             .gru = gru,
                             .gru_gates = gru_gates,
                             .gru_candidate = gru_candidate,
                             .saturate = saturate};
