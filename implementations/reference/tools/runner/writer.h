/* Writes messages, as JSON or as MessagePack, into memory. */
#ifndef RUNNER_WRITER_H
#define RUNNER_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WRITER_MAX_DEPTH = 8 };

/* A list or a map that is being written. */
typedef struct writer_level {
  uint64_t left; /* items, or keys and values, that are still to come */
  bool is_map;
  bool started;
} writer_level;

/* All-zero writes JSON; the memory at `bytes` is the owner's to free. */
typedef struct writer {
  bool packed; /* MessagePack rather than JSON */
  char *bytes;
  size_t count;
  size_t room;
  size_t depth;
  writer_level levels[WRITER_MAX_DEPTH];
} writer;

/* The next `count` values are the items; it ends by itself. */
void write_list(writer *w, size_t count);

/* The next 2 * count values are keys and values, keys being texts. */
void write_map(writer *w, size_t count);

/* A text that a NUL ends. Bytes that are not UTF-8, as where a message was cut, become U+FFFD. */
void write_text(writer *w, const char *text);

void write_integer(writer *w, int64_t number);

/* A number that is finite. */
void write_number(writer *w, double number);

/* `count` bytes: in JSON as base64. */
void write_bytes(writer *w, const void *bytes, size_t count);

/* A key and its text. */
void write_member(writer *w, const char *key, const char *text);

/* A character after a whole message, such as the end of its line. */
void write_after(writer *w, char character);

#endif
