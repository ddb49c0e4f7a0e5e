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

/* (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, the error relative to e^r - 1,
 * which is at most 2^-54.7; lowest power first. */
#define GW_EXPM1_0 0x1.0000000000005p-1
#define GW_EXPM1_1 0x1.555555555553fp-3
#define GW_EXPM1_2 0x1.5555555552327p-5
#define GW_EXPM1_3 0x1.11111111170f7p-7
#define GW_EXPM1_4 0x1.6c16c17eb8248p-10
#define GW_EXPM1_5 0x1.a01a018236d00p-13
#define GW_EXPM1_6 0x1.a019a7e927d70p-16
#define GW_EXPM1_7 0x1.71de64b0a4b81p-19
#define GW_EXPM1_8 0x1.28a15ae101674p-22
#define GW_EXPM1_9 0x1.aeacf271929dap-26

/* (2 artanh(t) - 2 t) / t^3 in w = t^2 <= (3 - 2 sqrt(2))^2, the error relative to 2 artanh(t),
 * which is at most 2^-61.5; lowest power first. */
#define GW_LOG_0 0x1.5555555555555p-1
#define GW_LOG_1 0x1.9999999999dfep-2
#define GW_LOG_2 0x1.249249242b5d8p-2
#define GW_LOG_3 0x1.c71c7258dadaap-3
#define GW_LOG_4 0x1.745cde408d11dp-3
#define GW_LOG_5 0x1.3b20a9b8bda5cp-3
#define GW_LOG_6 0x1.0f5cf17a57f33p-3
#define GW_LOG_7 0x1.0f61acc7d0851p-3

#endif
