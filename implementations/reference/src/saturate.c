/* The processor's multipliers and adders by themselves. */
#include "dispatch.h"
#include "error.h"
#include "float_environment.h"

gw_status gw_saturate(gw_mode mode, const char *kernel_path, size_t steps, size_t *operations,
                      gw_error *error) {
  const gw_kernel *kernel = NULL;
  float results[GW_CHAINS * GW_MAX_LANES];
  gw_error_clear(error);
  if (operations == NULL)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_ARGUMENT,
                     "the place for the number of operations is a null pointer; it must be given");
  const gw_status status = gw_find_kernel(kernel_path, mode, &kernel, error);
  if (status != GW_OK)
    return status;
  const gw_float_environment callers = gw_float_environment_enter();
  *operations = kernel->saturate(steps, results);
  gw_float_environment_leave(callers);
  return GW_OK;
}
