// After the last step: zeros in Y past each row's length, the row's last state in Y_h, zeros for rows of length 0.
// Without any steps the final states are the initial ones, unless lengths are given (D15).

@compute @workgroup_size(UNITS)
fn sequence_mask(@builtin(global_invocation_id) id: vec3<u32>) {
  let row = id.x / layer.hidden;
  let unit = id.x % layer.hidden;
  let time = id.y;
  let direction = id.z;
  if (row >= layer.batch) {
    return;
  }
  let length = u32(lengths[row]);
  if (time >= length && time < layer.seq) {
    Y[y_index(time, direction, row) + unit] = 0.0;
  }
  if (time > 0u) {
    return;
  }
  let own = state_index(direction, row) + unit;
  if (length > 0u) {
    Y_h[own] = Y[y_index(time_of(direction, length, length - 1u), direction, row) + unit];
  } else if (layer.has_lengths == 0u) {
    Y_h[own] = initial_h[own];
  } else {
    Y_h[own] = 0.0;
    if (layer.has_cell == 1u) {
      cell[own] = 0.0;
    }
  }
}
