/* Why a case did not run. */
#ifndef RUNNER_FAILURE_H
#define RUNNER_FAILURE_H

#include <stdbool.h>

#include "gatewise.h"

/* kind and reason: as the serve protocol's `refused` has them; they live as long as the program. */
typedef struct failure {
  bool raised; /* the request breaks the protocol; else the case is refused */
  const char *kind;
  const char *reason;
  char message[GW_MESSAGE_BYTES];
} failure;

/* Writes the failure and returns false. The format is printf's. */
bool fail_invalid(failure *why, const char *reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool fail_protocol(failure *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The library's refusal; returns false. */
bool fail_library(failure *why, const gw_error *error);

#endif
