/* The correctly rounded values of the four functions, from MPFR. */
#ifndef GW_ORACLE_H
#define GW_ORACLE_H

#include <stdint.h>

#include "gatewise.h"

typedef struct oracle oracle;

/* An oracle of one function; release it with oracle_destroy. Exits the program when there is no memory. */
oracle *oracle_create(gw_function function);
void oracle_destroy(oracle *self);

typedef struct oracle_answer {
  float value;     /* correctly rounded */
  double distance; /* of the real value from the nearest boundary between two results, relative to it */
} oracle_answer;

/* The answer for x, which is finite and not 0. Ask for neighbours one after the other: they share the work.
 */
oracle_answer oracle_ask(oracle *self, float x);

/* How often MPFR was asked: for anchors, and for single results. */
uint64_t oracle_anchors(const oracle *self);
uint64_t oracle_singles(const oracle *self);

#endif
