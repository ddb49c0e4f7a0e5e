/* The transcendental functions by themselves. */
#include <string.h>

#include "dispatch.h"
#include "error.h"
#include "float_environment.h"

const char *gw_function_name(gw_function function) {
  static const char *const names[GW_FUNCTION_COUNT] = {[GW_FUNCTION_SIGMOID] = "sigmoid",
                                                       [GW_FUNCTION_TANH] = "tanh",
                                                       [GW_FUNCTION_EXPM1] = "expm1",
                                                       [GW_FUNCTION_SOFTPLUS] = "softplus"};
  return (unsigned)function < GW_FUNCTION_COUNT ? names[function] : NULL;
}

/* Whole vectors in place, and what is left over in a vector of its own. */
static void evaluate(const gw_kernel *kernel, gw_function function, size_t count, const float *x, float *y) {
  const size_t left = count % kernel->lanes, whole = count - left;
  float last[GW_MAX_LANES] = {0};
  kernel->functions[function](whole, x, y);
  if (left == 0)
    return;
  memcpy(last, x + whole, left * sizeof *x);
  kernel->functions[function](kernel->lanes, last, last);
  memcpy(y + whole, last, left * sizeof *y);
}

gw_status gw_evaluate(gw_function function, gw_mode mode, const char *kernel_path, size_t count,
                      const float *x, float *y, gw_error *error) {
  const gw_kernel *kernel = NULL;
  gw_error_clear(error);
  if (gw_function_name(function) == NULL)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_ARGUMENT,
                     "the function is number %d; it must be one of the %d that gw_function_name names",
                     (int)function, (int)GW_FUNCTION_COUNT);
  if (count > 0 && (x == NULL || y == NULL))
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_ARGUMENT,
                     "the arguments or the place for the results are a null pointer; both must be given");
  const gw_status status = gw_find_kernel(kernel_path, mode, &kernel, error);
  if (status != GW_OK)
    return status;
  const gw_float_environment callers = gw_float_environment_enter();
  evaluate(kernel, function, count, x, y);
  gw_float_environment_leave(callers);
  return GW_OK;
}
