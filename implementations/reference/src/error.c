#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void gw_error_clear(gw_error *error) {
  if (error != NULL)
    memset(error, 0, sizeof *error);
}

gw_status gw_refuse(gw_error *error, gw_status status, gw_reason reason, const char *format, ...) {
  if (error != NULL) {
    va_list arguments;
    error->status = status;
    error->reason = reason;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
  }
  return status;
}

const char *gw_reason_name(gw_reason reason) {
#define GW_NAME(enumerator, name) [enumerator] = name,
  static const char *const names[] = {GW_REASONS(GW_NAME)};
#undef GW_NAME
  return (unsigned)reason < GW_REASON_COUNT ? names[reason] : "unknown";
}
