#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"

static char *room_for(writer *w, size_t bytes) {
  if (w->room - w->count < bytes) {
    const size_t room = 2 * (w->count + bytes);
    char *more = room > w->count ? realloc(w->bytes, room) : NULL;
    if (more == NULL) {
      fprintf(stderr, "runner: there is no memory for an answer of %zu bytes\n", w->count + bytes);
      exit(2);
    }
    w->bytes = more;
    w->room = room;
  }
  char *place = w->bytes + w->count;
  w->count += bytes;
  return place;
}

static void put(writer *w, const void *bytes, size_t count) {
  if (count > 0)
    memcpy(room_for(w, count), bytes, count);
}

static void put_string(writer *w, const char *text) {
  put(w, text, strlen(text));
}

/* A MessagePack type and `bytes` bytes of a number, big-endian. */
static void put_head(writer *w, unsigned type, uint64_t number, size_t bytes) {
  unsigned char head[9] = {(unsigned char)type};
  for (size_t i = 0; i < bytes; i++)
    head[1 + i] = (unsigned char)(number >> 8 * (bytes - 1 - i));
  put(w, head, 1 + bytes);
}

/* What JSON has between the last value and the next. */
static void before_value(writer *w) {
  if (w->depth == 0)
    return;
  writer_level *level = &w->levels[w->depth - 1];
  if (!w->packed && level->started)
    put_string(w, level->is_map && level->left % 2 == 1 ? ":" : ",");
  level->started = true;
  level->left--;
}

/* Closes the lists and maps that the last value completed. */
static void after_value(writer *w) {
  while (w->depth > 0 && w->levels[w->depth - 1].left == 0) {
    w->depth--;
    if (!w->packed)
      put_string(w, w->levels[w->depth].is_map ? "}" : "]");
  }
}

static void open_level(writer *w, bool is_map, size_t count) {
  before_value(w);
  if (w->packed)
    put_head(w, is_map ? 0xDF : 0xDD, count, 4);
  else
    put_string(w, is_map ? "{" : "[");
  w->levels[w->depth++] = (writer_level){.left = is_map ? 2 * (uint64_t)count : count, .is_map = is_map};
  after_value(w);
}

void write_list(writer *w, size_t count) {
  open_level(w, false, count);
}

void write_map(writer *w, size_t count) {
  open_level(w, true, count);
}

/* The bytes of the UTF-8 character at `text`, at most 4; 0 where there is none (RFC 3629, section 4). */
static size_t utf8_bytes(const char *text) {
  const unsigned char *byte = (const unsigned char *)text;
  if (byte[0] < 0x80)
    return 1;
  if (byte[0] < 0xC2 || byte[0] > 0xF4)
    return 0;
  const size_t bytes = byte[0] < 0xE0 ? 2 : byte[0] < 0xF0 ? 3 : 4;
  for (size_t i = 1; i < bytes; i++)
    if ((byte[i] & 0xC0) != 0x80)
      return 0;
  const bool too_small = (byte[0] == 0xE0 && byte[1] < 0xA0) || (byte[0] == 0xF0 && byte[1] < 0x90);
  const bool too_large = (byte[0] == 0xED && byte[1] > 0x9F) || (byte[0] == 0xF4 && byte[1] > 0x8F);
  return too_small || too_large ? 0 : bytes;
}

static void put_json_character(writer *w, const char *character, size_t bytes) {
  char escaped[8];
  if ((unsigned char)*character < 0x20) {
    snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)*character);
    put_string(w, escaped);
    return;
  }
  if (*character == '"' || *character == '\\')
    put_string(w, "\\");
  put(w, character, bytes);
}

void write_text(writer *w, const char *text) {
  static const char replacement[] = "\xEF\xBF\xBD";
  before_value(w);
  const size_t head = w->count;
  if (w->packed)
    put_head(w, 0xDB, 0, 4);
  else
    put_string(w, "\"");
  const size_t first = w->count;
  while (*text != '\0') {
    const size_t bytes = utf8_bytes(text);
    if (bytes == 0)
      put_string(w, replacement);
    else if (w->packed)
      put(w, text, bytes);
    else
      put_json_character(w, text, bytes);
    text += bytes == 0 ? 1 : bytes;
  }
  if (w->packed) {
    const size_t count = w->count - first;
    w->count = head;
    put_head(w, 0xDB, count, 4);
    w->count += count;
  } else {
    put_string(w, "\"");
  }
  after_value(w);
}

void write_integer(writer *w, int64_t number) {
  char digits[24];
  before_value(w);
  snprintf(digits, sizeof digits, "%lld", (long long)number);
  if (w->packed)
    put_head(w, 0xD3, (uint64_t)number, 8);
  else
    put_string(w, digits);
  after_value(w);
}

void write_number(writer *w, double number) {
  char digits[32];
  uint64_t bits;
  before_value(w);
  memcpy(&bits, &number, sizeof bits);
  snprintf(digits, sizeof digits, "%.17g", number);
  if (w->packed)
    put_head(w, 0xCB, bits, 8);
  else
    put_string(w, digits);
  after_value(w);
}

void write_bytes(writer *w, const void *bytes, size_t count) {
  before_value(w);
  if (w->packed) {
    put_head(w, 0xC6, count, 4);
    put(w, bytes, count);
  } else {
    put_string(w, "\"");
    base64_encode(bytes, count, room_for(w, base64_encoded_count(count)));
    put_string(w, "\"");
  }
  after_value(w);
}

void write_member(writer *w, const char *key, const char *text) {
  write_text(w, key);
  write_text(w, text);
}

void write_after(writer *w, char character) {
  put(w, &character, 1);
}
