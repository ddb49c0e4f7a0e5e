/*
 * A kernel path: included once by each kernels/NAME.c, after its vocabulary, the enumerators ROWS and COLUMNS
 * (the sizes of a tile) and GW_PATH, the path's name.
 */
#include "float_environment.h"
#include "paths.h"

/* For a build without -ffp-contract=off. Only clang heeds it; gcc's builds are stopped by
 * gw_check_arithmetic. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#include "template/transcendental.h"

#include "template/product.h"

#include "template/activation.h"

#include "template/cell.h"

#define GW_TEXT_OF(token) #token
#define GW_TEXT(token) GW_TEXT_OF(token)
#define GW_JOIN_OF(left, right) left##right
#define GW_JOIN(left, right) GW_JOIN_OF(left, right)

_Static_assert((int)DOUBLE_LANES <= (int)GW_MAX_LANES && (int)COLUMNS <= (int)GW_MAX_COLUMNS,
               "raise the limit in kernel.h");

const gw_kernel GW_JOIN(gw_kernel_, GW_PATH) = {.name = GW_TEXT(GW_PATH),
                                                .rows = ROWS,
                                                .columns = COLUMNS,
                                                .lanes = DOUBLE_LANES,
                                                .functions = {[GW_FUNCTION_SIGMOID] = sigmoid_row,
                                                              [GW_FUNCTION_TANH] = tanh_row,
                                                              [GW_FUNCTION_EXPM1] = expm1_row,
                                                              [GW_FUNCTION_SOFTPLUS] = softplus_row},
                                                .project = project,
                                                .rnn = rnn,
                                                .lstm = lstm,
                                                .gru = gru,
                                                .gru_gates = gru_gates,
                                                .gru_candidate = gru_candidate};
