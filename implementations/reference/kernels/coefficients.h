/* Constants of the transcendental functions. Written by tools/coefficients.py, which says where they come
 * from: change them there. */
#ifndef GW_COEFFICIENTS_H
#define GW_COEFFICIENTS_H

/* 1 / ln(2) */
#define GW_LOG2_E 0x1.71547652b82fep+0

/* ln(2) to 42 bits: times an integer of 11 bits it is exact */
#define GW_LN2_HIGH 0x1.62e42fefa3800p-1

/* the rest of ln(2) */
#define GW_LN2_LOW 0x1.ef35793c76730p-45

/* sqrt(2) - 1 */
#define GW_SQRT2_LESS_1 0x1.a827999fcef32p-2

/* ln(2) to 15 bits: times an integer of 9 bits it is an exact float32 */
#define GW_FAST_LN2_HIGH 0x1.62e4000000000p-1f

/* the rest of ln(2), as a float32 */
#define GW_FAST_LN2_LOW 0x1.7f7d1c0000000p-20f

/* (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, the error relative to e^r - 1,
 * which is at most 2^-54.7; lowest power first. */
#define GW_EXPM1_0 0x1.0000000000005p-1
#define GW_EXPM1_1 0x1.5555555555539p-3
#define GW_EXPM1_2 0x1.55555555522b8p-5
#define GW_EXPM1_3 0x1.1111111118fa8p-7
#define GW_EXPM1_4 0x1.6c16c17edba70p-10
#define GW_EXPM1_5 0x1.a01a017515a42p-13
#define GW_EXPM1_6 0x1.a019a76f4e5b2p-16
#define GW_EXPM1_7 0x1.71de8804e13b3p-19
#define GW_EXPM1_8 0x1.28a1dff3bca1fp-22
#define GW_EXPM1_9 0x1.ae6bab08ca72ep-26

/* (2 artanh(t) - 2 t) / t^3 in w = t^2 <= (3 - 2 sqrt(2))^2, the error relative to 2 artanh(t),
 * which is at most 2^-61.6; lowest power first. */
#define GW_LOG_0 0x1.5555555555555p-1
#define GW_LOG_1 0x1.9999999999dfbp-2
#define GW_LOG_2 0x1.249249242b80fp-2
#define GW_LOG_3 0x1.c71c7258b88c7p-3
#define GW_LOG_4 0x1.745cde49ae8f1p-3
#define GW_LOG_5 0x1.3b20a85c87bb8p-3
#define GW_LOG_6 0x1.0f5d0cb6a9ccbp-3
#define GW_LOG_7 0x1.0f60cdc33b4bap-3

/* (e^r - 1 - r) / r^2 as EXPM1, for the fast functions,
 * which is at most 2^-25.8; lowest power first. */
#define GW_FAST_EXPM1_0 0x1.fffffe0000000p-2f
#define GW_FAST_EXPM1_1 0x1.5554b00000000p-3f
#define GW_FAST_EXPM1_2 0x1.5556740000000p-5f
#define GW_FAST_EXPM1_3 0x1.1227760000000p-7f
#define GW_FAST_EXPM1_4 0x1.6bec060000000p-10f

#endif
