/* Answers of the serve protocol. */
#ifndef RUNNER_ANSWER_H
#define RUNNER_ANSWER_H

#include "configurations.h"
#include "machine.h"
#include "value.h"
#include "writer.h"

/* What answers requests. */
typedef struct answerer {
  configurations all;
  machine here;
} answerer;

/*
 * Writes the answer to one request. memory: the request's, which the answer may use. Returns what is wrong
 * where the value is no request; then nothing is written.
 */
value_problem answer_request(const answerer *self, const value *request, region *memory, writer *w);

#endif
