/* Refusals: how every function says what it does not accept. */
#ifndef GW_ERROR_H
#define GW_ERROR_H

#include "gatewise.h"

/* Makes `error` all-zero; NULL is allowed. */
void gw_error_clear(gw_error *error);

/* Fills `error` (where it is not NULL) with a printf-style sentence and returns `status`. */
__attribute__((format(printf, 4, 5))) gw_status gw_refuse(gw_error *error, gw_status status, gw_reason reason,
                                                          const char *format, ...);

#endif
