// projection[d, t, n, :] = W[d] X[t, n] + Wb[d], of all steps, rows and gates at once: one product of tiles. A workgroup
// computes a tile of TILE positions (steps and rows) by TILE units, each of its SIDE by SIDE invocations a block of 4 by 4.

const SIDE = TILE / 4u;
const DEPTH = 16u; // inputs that the tiles in workgroup memory hold
var<workgroup> x_tile: array<array<vec4<f32>, SIDE>, DEPTH>;
var<workgroup> w_tile: array<array<vec4<f32>, SIDE>, DEPTH>;

fn x_element(position: u32, column: u32) -> f32 {
  if (position >= layer.seq * layer.batch || column >= layer.input) {
    return 0.0;
  }
  return X[position / layer.batch * layer.x_step + position % layer.batch * layer.x_row + column];
}

fn w_element(direction: u32, row: u32, column: u32) -> f32 {
  let rows = layer.gates * layer.hidden;
  if (row >= rows || column >= layer.input) {
    return 0.0;
  }
  return W[(direction * rows + row) * layer.input + column];
}

fn write_block(direction: u32, position: u32, unit: u32, sums: vec4<f32>) {
  let units = layer.gates * layer.hidden;
  let positions = layer.seq * layer.batch;
  if (position >= positions) {
    return;
  }
  for (var k = 0u; k < min(4u, units - min(units, unit)); k++) {
    projection[(direction * positions + position) * units + unit + k] = sums[k] + B[direction * 2u * units + unit + k];
  }
}

@compute @workgroup_size(SIDE, SIDE)
fn project(
  @builtin(workgroup_id) tile: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>,
  @builtin(local_invocation_index) index: u32,
) {
  let direction = tile.z;
  let position = tile.y * TILE;
  let unit = tile.x * TILE;
  var sums = mat4x4<f32>(); // a column for each position
  for (var start = 0u; start < layer.input; start += DEPTH) {
    for (var element = index; element < TILE * DEPTH; element += SIDE * SIDE) {
      let place = element / DEPTH;
      let k = element % DEPTH;
      x_tile[k][place / 4u][place % 4u] = x_element(position + place, start + k);
      w_tile[k][place / 4u][place % 4u] = w_element(direction, unit + place, start + k);
    }
    workgroupBarrier();
    for (var k = 0u; k < DEPTH; k++) {
      let x = x_tile[k][local.y];
      let w = w_tile[k][local.x];
      sums[0] += x[0] * w;
      sums[1] += x[1] * w;
      sums[2] += x[2] * w;
      sums[3] += x[3] * w;
    }
    workgroupBarrier();
  }
  for (var k = 0u; k < 4u; k++) {
    write_block(direction, position + 4u * local.y + k, unit + 4u * local.x, sums[k]);
  }
}
