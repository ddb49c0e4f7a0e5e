/* The path that every processor runs: plain C, one lane at a time as far as the source says. */
enum { ROWS = 4, COLUMNS = 8 };

#include "template/product.h"

#include "template/activation.h"

#include "template/cell.h"

const gw_kernel gw_kernel_scalar = {"scalar", ROWS, COLUMNS,   project,      rnn,
                                    lstm,     gru,  gru_gates, gru_candidate};
