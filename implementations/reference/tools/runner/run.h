/* Runs a case in every configuration. */
#ifndef RUNNER_RUN_H
#define RUNNER_RUN_H

#include "case.h"
#include "configurations.h"
#include "sha256.h"

/* An output: its data are little-endian, and NULL where there are none. */
typedef struct output {
  const char *name;
  const char *dtype;
  size_t rank;
  int64_t shape[4];
  size_t bytes;
  unsigned char *data;
} output;

/* The digest of what one configuration gave; its kernel path is the one that its plan says it has. */
typedef struct digest {
  char configuration[CONFIGURATION_BYTES];
  char hex[SHA256_HEX + 1];
} digest;

/* The outputs of the first configuration, in the order of the request, and the digest of each. */
typedef struct results {
  size_t count;
  output outputs[GW_OUTPUT_COUNT];
  digest digests[MAX_CONFIGURATIONS];
} results;

/*
 * Runs `wanted` in all configurations. result: receives what they gave, in `memory`. Returns whether the
 * library ran it in each; if not, `why` receives its first refusal.
 *
 * A digest is the SHA-256 over the outputs in the order of their names: a line "Y float32 [2, 1, 3, 4]", then
 * the data. Exact mode has one NaN, so nothing is made canonical here.
 */
bool run_configurations(const run_case *wanted, const configurations *all, region *memory, results *result,
                        failure *why);

#endif
