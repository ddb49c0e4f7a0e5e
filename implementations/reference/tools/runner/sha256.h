/* SHA-256 (FIPS 180-4). */
#ifndef RUNNER_SHA256_H
#define RUNNER_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_HEX = 64 /* characters of a digest, without its terminator */ };

typedef struct sha256 {
  uint32_t state[8];
  uint64_t total; /* bytes so far */
  unsigned char block[64];
} sha256;

void sha256_begin(sha256 *hash);

/* Takes in `count` bytes; `bytes` may be NULL where count is 0. */
void sha256_add(sha256 *hash, const void *bytes, size_t count);

/* Ends the hash and writes its lower-case hexadecimal digits and a NUL. */
void sha256_end(sha256 *hash, char hex[SHA256_HEX + 1]);

#endif
