// One step of GRU. With linear_before_reset = 0 the candidate needs r * h of all units, which gru_reset computes before.

const GATE_Z = 0u;
const GATE_R = 1u;
const GATE_H = 2u;

fn gate(place: Place, which: u32) -> f32 {
  return activate_clipped(place.direction, 0u, projected(place, which) + recurrent(place, which));
}

fn reset_row(place: Place) -> u32 {
  return (place.direction * layer.batch + place.row) * layer.hidden;
}

// R (r * h) + Rb of the candidate.
fn recurrent_of_reset(place: Place) -> f32 {
  let reset = reset_row(place);
  var sum = 0.0;
  for (var k = 0u; k < layer.hidden; k++) {
    sum += reset_h[reset + k] * r_weight(place, GATE_H, k);
  }
  return sum + r_bias(place, GATE_H);
}

@compute @workgroup_size(UNITS)
fn gru_reset(@builtin(global_invocation_id) id: vec3<u32>) {
  let place = place_of(id);
  if (place.is_active) {
    reset_h[reset_row(place) + place.unit] = gate(place, GATE_R) * previous(place, place.unit);
  }
}

@compute @workgroup_size(UNITS)
fn gru_step(@builtin(global_invocation_id) id: vec3<u32>) {
  let place = place_of(id);
  if (!place.is_active) {
    return;
  }
  var inner: f32;
  if (layer.linear_before_reset == 1u) {
    inner = gate(place, GATE_R) * recurrent(place, GATE_H);
  } else {
    inner = recurrent_of_reset(place);
  }
  let candidate = activate_clipped(place.direction, 1u, projected(place, GATE_H) + inner);
  let z = gate(place, GATE_Z);
  Y[place.now + place.unit] = (1.0 - z) * candidate + z * previous(place, place.unit);
}
