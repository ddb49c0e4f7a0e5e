// One step of LSTM. Every invocation keeps the cell of its own unit in place.

const GATE_I = 0u;
const GATE_O = 1u;
const GATE_F = 2u;
const GATE_C = 3u;

fn pre_activation(place: Place, which: u32) -> f32 {
  return projected(place, which) + recurrent(place, which);
}

// A gate with its peephole, which looks at ``c``; P has the blocks i, o, f.
fn gate(place: Place, which: u32, c: f32) -> f32 {
  var x = pre_activation(place, which);
  if (layer.has_peepholes == 1u) {
    x += P[(place.direction * 3u + which) * layer.hidden + place.unit] * c;
  }
  return activate_clipped(place.direction, 0u, x);
}

@compute @workgroup_size(UNITS)
fn lstm_step(@builtin(global_invocation_id) id: vec3<u32>) {
  let place = place_of(id);
  if (!place.is_active) {
    return;
  }
  let own = place.state + place.unit;
  let before = cell[own];
  let i = gate(place, GATE_I, before);
  var f = 1.0 - i;
  if (layer.input_forget == 0u) {
    f = gate(place, GATE_F, before);
  }
  let candidate = activate_clipped(place.direction, 1u, pre_activation(place, GATE_C));
  let c = f * before + i * candidate;
  cell[own] = c;
  Y[place.now + place.unit] = gate(place, GATE_O, c) * activate(place.direction, 2u, c);
}
