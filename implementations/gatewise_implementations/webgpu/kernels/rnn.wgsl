// One step of RNN: H = f(W x + Wb + R h + Rb).

@compute @workgroup_size(UNITS)
fn rnn_step(@builtin(global_invocation_id) id: vec3<u32>) {
  let place = place_of(id);
  if (place.is_active) {
    Y[place.now + place.unit] = activate_clipped(place.direction, 0u, projected(place, 0u) + recurrent(place, 0u));
  }
}
