/* Base64 with padding (RFC 4648, section 4). */
#ifndef RUNNER_BASE64_H
#define RUNNER_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* The characters of `count` encoded bytes, without a terminator. */
size_t base64_encoded_count(size_t count);

/* Writes base64_encoded_count(count) characters at `text`. */
void base64_encode(const unsigned char *bytes, size_t count, char *text);

/*
 * Decodes `count` characters. bytes: room for count / 4 * 3 bytes. decoded: receives how many there are.
 * Returns whether the text is base64.
 */
bool base64_decode(const char *text, size_t count, unsigned char *bytes, size_t *decoded);

#endif
