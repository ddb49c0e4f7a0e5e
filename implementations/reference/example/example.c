/* An RNN of one unit over two steps, with constant weights: h = tanh(x . w + h r). */
#include <gatewise.h>
#include <stdio.h>

int main(void) {
  const float x[] = {0.5f, -0.25f, 0.125f, 1.0f}, w[] = {0.75f, -0.5f}, r[] = {-1.5f};
  float y[2];
  gw_layer_desc layer = {.op = GW_RNN, .opset = 22, .outputs = {[GW_Y] = true}};
  layer.inputs[GW_X] = (gw_tensor_desc){true, false, GW_FLOAT32, 3, {2, 1, 2}, NULL};
  layer.inputs[GW_W] = (gw_tensor_desc){true, true, GW_FLOAT32, 3, {1, 1, 2}, w};
  layer.inputs[GW_R] = (gw_tensor_desc){true, true, GW_FLOAT32, 3, {1, 1, 1}, r};
  gw_plan *plan = NULL;
  gw_workspace *workspace = NULL;
  gw_error error;
  if (gw_plan_create(&layer, &plan, &error) == GW_OK &&
      gw_workspace_create(plan, 1, &workspace, &error) == GW_OK)
    gw_run(plan, workspace, (const void *[GW_INPUT_COUNT]){x}, (void *[GW_OUTPUT_COUNT]){y}, &error);
  if (error.status == GW_OK)
    printf("%.9g %.9g\n", y[0], y[1]);
  else
    fprintf(stderr, "%s\n", error.message);
  gw_workspace_destroy(workspace);
  gw_plan_destroy(plan);
  return error.status == GW_OK ? 0 : 2;
}
