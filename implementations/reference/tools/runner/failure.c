#include "failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool fail_invalid(failure *why, const char *reason, const char *format, ...) {
  va_list arguments;
  *why = (failure){.kind = "invalid", .reason = reason};
  va_start(arguments, format);
  vsnprintf(why->message, sizeof why->message, format, arguments);
  va_end(arguments);
  return false;
}

bool fail_protocol(failure *why, const char *format, ...) {
  va_list arguments;
  *why = (failure){.raised = true};
  va_start(arguments, format);
  vsnprintf(why->message, sizeof why->message, format, arguments);
  va_end(arguments);
  return false;
}

bool fail_library(failure *why, const gw_error *error) {
  static const char *const kinds[] = {[GW_INVALID_INPUT] = "invalid", [GW_UNSUPPORTED] = "unsupported"};
  const size_t status = (size_t)error->status;
  const bool named = status < sizeof kinds / sizeof kinds[0] && kinds[status] != NULL;
  *why = (failure){.kind = named ? kinds[status] : "", .reason = gw_reason_name(error->reason)};
  memcpy(why->message, error->message, sizeof why->message);
  return false;
}
