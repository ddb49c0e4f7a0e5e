// The layer that every kernel computes: sizes, distances in elements between the parts of its tensors, which carry the
// layout, and activations. ``Uniforms`` in network.py fills it in.

struct Activation {
  kind: u32,
  alpha: f32,
  beta: f32,
  unused: u32,
}

struct Layer {
  seq: u32,
  batch: u32,
  input: u32,
  hidden: u32,
  gates: u32,
  x_step: u32,
  x_row: u32,
  y_step: u32,
  y_direction: u32,
  y_row: u32,
  state_direction: u32,
  state_row: u32,
  reverse: u32, // bit d: direction d runs from the end of each row
  has_lengths: u32,
  has_clip: u32,
  has_peepholes: u32,
  has_cell: u32,
  linear_before_reset: u32,
  input_forget: u32,
  clip: f32,
  activations: array<Activation, 6>, // three for each direction: f, g, h
}

@group(0) @binding(0) var<uniform> layer: Layer;

// The time of a row's step: in reverse the last valid element comes first.
fn time_of(direction: u32, length: u32, step: u32) -> u32 {
  let is_reverse = ((layer.reverse >> direction) & 1u) == 1u;
  return select(step, length - 1u - step, is_reverse);
}

fn y_index(time: u32, direction: u32, row: u32) -> u32 {
  return time * layer.y_step + direction * layer.y_direction + row * layer.y_row;
}

fn state_index(direction: u32, row: u32) -> u32 {
  return direction * layer.state_direction + row * layer.state_row;
}
