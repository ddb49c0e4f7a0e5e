#include "json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  const char *at;
  const char *end; /* a NUL stands here */
  region *memory;
} reader;

static value_problem read_value(reader *r, int depth, value *result);

static void skip_space(reader *r) {
  while (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')
    r->at++;
}

static bool skip(reader *r, const char *word) {
  const size_t count = strlen(word);
  if (strncmp(r->at, word, count) != 0)
    return false;
  r->at += count;
  return true;
}

/* The 16 bits of four hexadecimal digits, or -1. */
static long read_hex(reader *r) {
  long code = 0;
  for (int i = 0; i < 4; i++) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *digit = *r->at != '\0' ? strchr(digits, *r->at) : NULL;
    if (digit == NULL)
      return -1;
    code = 16 * code + (digit - digits) % 16;
    r->at++;
  }
  return code;
}

static char *put_utf8(char *out, unsigned long code) {
  if (code < 0x80) {
    *out++ = (char)code;
    return out;
  }
  if (code < 0x800) {
    *out++ = (char)(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      *out++ = (char)(0xE0 | code >> 12);
    } else {
      *out++ = (char)(0xF0 | code >> 18);
      *out++ = (char)(0x80 | (code >> 12 & 0x3F));
    }
    *out++ = (char)(0x80 | (code >> 6 & 0x3F));
  }
  *out++ = (char)(0x80 | (code & 0x3F));
  return out;
}

/* What follows \u: one code, or two that are a surrogate pair. Writes at most 4 bytes for 6 or 12 read. */
static value_problem read_unicode(reader *r, char **out) {
  long code = read_hex(r);
  if (code >= 0xD800 && code < 0xDC00) {
    const long low = skip(r, "\\u") ? read_hex(r) : -1;
    if (low < 0xDC00 || low > 0xDFFF)
      return "a high surrogate is not followed by a low one";
    code = 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00);
  } else if (code < 0 || (code >= 0xDC00 && code < 0xE000)) {
    return "an escape \\u is not followed by the four hexadecimal digits of a character";
  }
  *out = put_utf8(*out, (unsigned long)code);
  return NULL;
}

static value_problem read_escape(reader *r, char **out) {
  static const char names[] = "\"\\/bfnrt";
  static const char meanings[] = "\"\\/\b\f\n\r\t";
  const char name = *r->at++;
  if (name == 'u')
    return read_unicode(r, out);
  const char *found = name != '\0' ? strchr(names, name) : NULL;
  if (found == NULL)
    return "a backslash is not followed by one of \"\\/bfnrtu";
  *(*out)++ = meanings[found - names];
  return NULL;
}

/* From the opening quotation mark on. A string is never longer than its escaped form. */
static value_problem read_text(reader *r, value *result) {
  const char *close = ++r->at;
  while (close < r->end && *close != '"')
    close += *close == '\\' ? 2 : 1;
  if (close >= r->end)
    return "a string is not closed";
  char *text = region_allocate(r->memory, (size_t)(close - r->at) + 1);
  char *out = text;
  while (r->at < close) {
    if ((unsigned char)*r->at < 0x20)
      return "a string holds a control character that is not escaped";
    if (*r->at != '\\') {
      *out++ = *r->at++;
      continue;
    }
    r->at++;
    const value_problem problem = read_escape(r, &out);
    if (problem != NULL)
      return problem;
  }
  r->at++;
  *out = '\0';
  *result = (value){.kind = VALUE_TEXT, .text = text, .count = (size_t)(out - text)};
  return NULL;
}

static size_t skip_digits(reader *r) {
  const char *first = r->at;
  while (*r->at >= '0' && *r->at <= '9')
    r->at++;
  return (size_t)(r->at - first);
}

static value_problem read_number(reader *r, value *result) {
  const char *first = r->at;
  bool whole = true;
  skip(r, "-");
  const bool leading_zero = *r->at == '0';
  const size_t digits = skip_digits(r);
  bool right = digits == 1 || (digits > 1 && !leading_zero);
  if (skip(r, ".")) {
    whole = false;
    right = right && skip_digits(r) > 0;
  }
  if (skip(r, "e") || skip(r, "E")) {
    whole = false;
    if (!skip(r, "+"))
      skip(r, "-");
    right = right && skip_digits(r) > 0;
  }
  if (!right)
    return "there is neither a value nor a number as JSON writes it";
  errno = 0;
  const long long integer = strtoll(first, NULL, 10);
  if (whole && errno == 0)
    *result = (value){.kind = VALUE_INTEGER, .integer = integer};
  else
    *result = (value){.kind = VALUE_NUMBER, .number = strtod(first, NULL)};
  return NULL;
}

static value_problem read_key(reader *r, value *key) {
  if (*r->at != '"')
    return "a member of an object has no name in quotation marks";
  const value_problem problem = read_text(r, key);
  if (problem != NULL)
    return problem;
  skip_space(r);
  return skip(r, ":") ? NULL : "a member's name is not followed by a colon";
}

/* A list or an object, from its opening bracket on. */
static value_problem read_items(reader *r, int depth, value *result) {
  const bool is_map = *r->at++ == '{';
  const char *close = is_map ? "}" : "]";
  size_t used = 0, room = 0;
  value_problem problem = NULL;
  if (depth == 0)
    return "brackets are nested too deeply";
  *result = (value){.kind = is_map ? VALUE_MAP : VALUE_LIST};
  skip_space(r);
  if (skip(r, close))
    return NULL;
  do {
    skip_space(r);
    if (is_map)
      problem = read_key(r, value_append(result, &used, &room, r->memory));
    if (problem == NULL)
      problem = read_value(r, depth - 1, value_append(result, &used, &room, r->memory));
    if (problem != NULL)
      return problem;
    skip_space(r);
  } while (skip(r, ","));
  result->count = is_map ? used / 2 : used;
  return skip(r, close) ? NULL : "a list or an object is not closed";
}

static value_problem read_value(reader *r, int depth, value *result) {
  skip_space(r);
  if (*r->at == '"')
    return read_text(r, result);
  if (*r->at == '{' || *r->at == '[')
    return read_items(r, depth, result);
  *result = (value){.kind = VALUE_NULL};
  if (skip(r, "null"))
    return NULL;
  result->kind = VALUE_TRUTH;
  result->truth = *r->at == 't';
  if (skip(r, "true") || skip(r, "false"))
    return NULL;
  return read_number(r, result);
}

value_problem json_read(const char *text, size_t count, region *memory, value *result) {
  reader r = {.at = text, .end = text + count, .memory = memory};
  const value_problem problem = read_value(&r, VALUE_MAX_DEPTH, result);
  if (problem != NULL)
    return problem;
  skip_space(&r);
  return r.at == r.end ? NULL : "something follows the value";
}
