/* One run: its arguments, then the team. */
#include "direction.h"
#include "error.h"
#include "schedule.h"

/* Decision D31: an output that is not asked for is not written. */
static gw_status resolve_outputs(const gw_plan *plan, void *const *outputs, gw_call *call, gw_error *error) {
  static const char *const names[GW_OUTPUT_COUNT] = {"Y", "Y_h", "Y_c"};
  const gw_layer *layer = &plan->layer;
  for (size_t i = 0; i < GW_OUTPUT_COUNT; i++) {
    const bool empty = layer->batch == 0 || (i == GW_Y && layer->seq == 0);
    call->outputs[i] = layer->wanted[i] ? outputs[i] : NULL;
    if (layer->wanted[i] && outputs[i] == NULL && !empty)
      return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_ARGUMENT,
                       "output %s is asked for and its pointer is null; it must point to the tensor",
                       names[i]);
  }
  return GW_OK;
}

static gw_status resolve_inputs(const gw_plan *plan, const void *const *inputs, gw_call *call,
                                gw_error *error) {
  for (size_t i = 0; i < GW_INPUT_COUNT; i++) {
    const bool given = plan->layer.present[i] && !plan->is_constant[i];
    call->inputs[i] = given ? inputs[i] : plan->constants[i];
    if (given && inputs[i] == NULL && gw_input_elements(&plan->layer, i) > 0)
      return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_MISSING_INPUT,
                       "the pointer of input %s is null; it must point to the tensor", gw_input_name(i));
  }
  return GW_OK;
}

static gw_status run(gw_call *call, const void *const *inputs, void *const *outputs, gw_error *error) {
  gw_status status = resolve_inputs(call->plan, inputs, call, error);
  if (status == GW_OK)
    status = resolve_outputs(call->plan, outputs, call, error);
  if (status == GW_OK)
    status = gw_read_lengths(call->workspace, call->inputs[GW_SEQUENCE_LENS], error);
  if (status != GW_OK)
    return status;
  gw_schedule(call->workspace);
  gw_team_run(call->workspace->team, gw_run_directions, call);
  return GW_OK;
}

gw_status gw_run(const gw_plan *plan, gw_workspace *workspace, const void *const *inputs,
                 void *const *outputs, gw_error *error) {
  gw_error_clear(error);
  if (plan == NULL || workspace == NULL || inputs == NULL || outputs == NULL)
    return gw_refuse(
        error, GW_INVALID_INPUT, GW_REASON_ARGUMENT,
        "the plan, the workspace, the inputs or the outputs are a null pointer; all must be given");
  if (workspace->plan != plan)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_ARGUMENT,
                     "the workspace was made for another plan; it must be made for the plan that runs");
  if (atomic_flag_test_and_set(&workspace->busy))
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_ARGUMENT,
                     "the workspace is in use by another run; each run at a time needs its own");
  gw_call call = {.plan = plan, .workspace = workspace};
  const gw_status status = run(&call, inputs, outputs, error);
  atomic_flag_clear(&workspace->busy);
  return status;
}
