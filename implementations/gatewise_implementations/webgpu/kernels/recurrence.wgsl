// What the step kernels share. An invocation computes one unit of one row in one direction. The previous state is read
// where the step before wrote it: in Y.

@group(1) @binding(0) var<uniform> step: u32;

struct Place {
  is_active: bool,
  direction: u32,
  row: u32,
  unit: u32,
  projected: u32, // where the projections of its time and row begin
  before: u32, // where h of the previous step begins: in Y, or in initial_h
  now: u32, // where h of this step begins in Y
  state: u32, // where the row's state begins in initial_h and cell
}

fn place_of(id: vec3<u32>) -> Place {
  var place: Place;
  place.row = id.x / layer.hidden;
  place.unit = id.x % layer.hidden;
  place.direction = id.y;
  if (place.row >= layer.batch) {
    return place;
  }
  let length = u32(lengths[place.row]);
  place.is_active = step < length;
  if (!place.is_active) {
    return place;
  }
  let time = time_of(place.direction, length, step);
  let position = (place.direction * layer.seq + time) * layer.batch + place.row;
  place.projected = position * layer.gates * layer.hidden;
  place.now = y_index(time, place.direction, place.row);
  place.state = state_index(place.direction, place.row);
  place.before = place.state;
  if (step > 0u) {
    place.before = y_index(time_of(place.direction, length, step - 1u), place.direction, place.row);
  }
  return place;
}

// h of the previous step.
fn previous(place: Place, unit: u32) -> f32 {
  if (step == 0u) {
    return initial_h[place.before + unit];
  }
  return Y[place.before + unit];
}

// W x + Wb of a gate.
fn projected(place: Place, gate: u32) -> f32 {
  return projection[place.projected + gate * layer.hidden + place.unit];
}

// The gate's weight between this unit and another one of the previous step. R is transposed, so that invocations side by
// side read elements side by side.
fn r_weight(place: Place, gate: u32, other: u32) -> f32 {
  return R[((place.direction * layer.gates + gate) * layer.hidden + other) * layer.hidden + place.unit];
}

// Rb of a gate.
fn r_bias(place: Place, gate: u32) -> f32 {
  return B[(place.direction * 2u + 1u) * layer.gates * layer.hidden + gate * layer.hidden + place.unit];
}

// R h + Rb of a gate.
fn recurrent(place: Place, gate: u32) -> f32 {
  var sum = 0.0;
  for (var k = 0u; k < layer.hidden; k++) {
    sum += previous(place, k) * r_weight(place, gate, k);
  }
  return sum + r_bias(place, gate);
}
