#include "base64.h"

#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t base64_encoded_count(size_t count) {
  return (count + 2) / 3 * 4;
}

void base64_encode(const unsigned char *bytes, size_t count, char *text) {
  for (size_t i = 0; i < count; i += 3) {
    const size_t there = count - i < 3 ? count - i : 3;
    unsigned long group = (unsigned long)bytes[i] << 16;
    if (there > 1)
      group |= (unsigned long)bytes[i + 1] << 8;
    if (there > 2)
      group |= bytes[i + 2];
    for (size_t digit = 0; digit < 4; digit++)
      *text++ = digit <= there ? alphabet[group >> (18 - 6 * digit) & 63] : '=';
  }
}

bool base64_decode(const char *text, size_t count, unsigned char *bytes, size_t *decoded) {
  *decoded = 0;
  if (count % 4 != 0)
    return false;
  size_t padding = 0;
  while (padding < 2 && padding < count && text[count - 1 - padding] == '=')
    padding++;
  for (size_t i = 0; i < count; i += 4) {
    const size_t missing = i + 4 == count ? padding : 0;
    unsigned long group = 0;
    for (size_t digit = 0; digit < 4 - missing; digit++) {
      const char *found = text[i + digit] != '\0' ? strchr(alphabet, text[i + digit]) : NULL;
      if (found == NULL)
        return false;
      group |= (unsigned long)(found - alphabet) << (18 - 6 * digit);
    }
    for (size_t byte = 0; byte < 3 - missing; byte++)
      bytes[(*decoded)++] = (unsigned char)(group >> (16 - 8 * byte));
  }
  return true;
}
