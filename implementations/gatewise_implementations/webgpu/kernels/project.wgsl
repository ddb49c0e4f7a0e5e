// projection[d, t, n, :] = W[d] X[t, n] + Wb[d], of all steps, rows and gates at once: one product of tiles.

const TILE = 16u;
var<workgroup> x_tile: array<array<f32, TILE>, TILE>;
var<workgroup> w_tile: array<array<f32, TILE>, TILE>;

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

@compute @workgroup_size(TILE, TILE)
fn project(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let direction = tile.z;
  let unit = tile.x * TILE + local.x;
  let position = tile.y * TILE + local.y;
  var sum = 0.0;
  for (var start = 0u; start < layer.input; start += TILE) {
    x_tile[local.y][local.x] = x_element(position, start + local.x);
    w_tile[local.y][local.x] = w_element(direction, tile.x * TILE + local.y, start + local.x);
    workgroupBarrier();
    for (var k = 0u; k < TILE; k++) {
      sum += x_tile[local.y][k] * w_tile[local.x][k];
    }
    workgroupBarrier();
  }
  let units = layer.gates * layer.hidden;
  let positions = layer.seq * layer.batch;
  if (unit < units && position < positions) {
    projection[(direction * positions + position) * units + unit] = sum + B[direction * 2u * units + unit];
  }
}
