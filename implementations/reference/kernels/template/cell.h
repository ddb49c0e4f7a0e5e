/*
 * One step of each cell on one tile: the note, section Computation, in its order of operations. Included once
 * by each kernel path, after activation.h.
 *
 * A tile is always COLUMNS wide. In the last panel, lanes beyond the layer's units hold values that are
 * computed and never written.
 */

/* Runs over the tile's lanes: `i` is the row's place in the tile, `j` the unit's in the panel. */
#define GW_EACH_LANE                                                                                         \
  for (size_t i = 0; i < tile->row_count; i++)                                                               \
    for (size_t j = 0; j < COLUMNS; j++)

/* The tile's units of a [batch][hidden] buffer. */
static void get_state(const gw_step *step, const gw_tile *tile, const float *state, values out) {
  const size_t hidden = step->layer->hidden, units = units_of(step->layer, tile->panel);
  GW_EACH_LANE {
    out[i][j] = j < units ? state[tile->rows[i] * hidden + tile->panel * COLUMNS + j] : 0.0f;
  }
}

static void put_state(const gw_step *step, const gw_tile *tile, const values in, float *state) {
  const size_t hidden = step->layer->hidden;
  put(tile, in, units_of(step->layer, tile->panel), state + tile->panel * COLUMNS, hidden);
}

static void get_xw(const gw_step *step, const gw_tile *tile, size_t gate, values out) {
  const gw_layer *layer = step->layer;
  const size_t units = units_of(layer, tile->panel);
  for (size_t i = 0; i < tile->row_count; i++) {
    const uint32_t row = tile->rows[i];
    const size_t time = gw_time(step->reversed, step->lengths[row], step->step);
    const float *xw = step->xw + (gw_x_row(layer, time, row) * layer->gates + gate) * layer->hidden;
    for (size_t j = 0; j < COLUMNS; j++)
      out[i][j] = j < units ? xw[tile->panel * COLUMNS + j] : 0.0f;
  }
}

/* The product of a [batch][hidden] state with one gate's rows of R. */
static void recurrence(const gw_step *step, const gw_tile *tile, const float *state, size_t gate,
                       values out) {
  const gw_layer *layer = step->layer;
  const size_t depth = layer->hidden;
  product(tile, state, depth, step->r_packed + (tile->panel * layer->gates + gate) * depth * COLUMNS, out);
}

/* The tile's units of a vector whose blocks are `hidden` long: B's (2 * gates of them) or P's (3). */
static void get_vector(const gw_step *step, const gw_tile *tile, const float *vector, size_t block,
                       float out[COLUMNS]) {
  const size_t units = units_of(step->layer, tile->panel);
  for (size_t j = 0; j < COLUMNS; j++)
    out[j] = j < units ? vector[block * step->layer->hidden + tile->panel * COLUMNS + j] : 0.0f;
}

static void add(const gw_tile *tile, values sum, const values addend) {
  GW_EACH_LANE {
    sum[i][j] = sum[i][j] + addend[i][j];
  }
}

/* Adds block `block` of B; without B the term is skipped. */
static void add_bias(const gw_step *step, const gw_tile *tile, size_t block, values sum) {
  if (step->b == NULL)
    return;
  float bias[COLUMNS];
  get_vector(step, tile, step->b, block, bias);
  GW_EACH_LANE {
    sum[i][j] = sum[i][j] + bias[j];
  }
}

/* ((xw + state * R) + Wb) + Rb */
static void preactivate(const gw_step *step, const gw_tile *tile, const float *state, size_t gate,
                        values out) {
  values product_with_r;
  recurrence(step, tile, state, gate, product_with_r);
  get_xw(step, tile, gate, out);
  add(tile, out, product_with_r);
  add_bias(step, tile, gate, out);
  add_bias(step, tile, step->layer->gates + gate, out);
}

/* Clips and applies an activation; decision D04: clip applies here and nowhere else. */
static void clip_and_activate(const gw_step *step, const gw_tile *tile, size_t function, values gate) {
  if (step->layer->clips) {
    const float clip = step->layer->clip;
    GW_EACH_LANE {
      gate[i][j] = clamp(gate[i][j], clip);
    }
  }
  activate(&step->activations[function], tile->row_count, gate);
}

static void rnn(const gw_step *step, const gw_tile *tile) {
  values h;
  preactivate(step, tile, step->h_previous, GW_RNN_H, h);
  clip_and_activate(step, tile, 0, h);
  put_state(step, tile, h, step->h_next);
}

/* h = ((1 - z) * candidate) + (z * h_previous) */
static void update_gru(const gw_step *step, const gw_tile *tile, const values z, const values candidate) {
  values h;
  get_state(step, tile, step->h_previous, h);
  GW_EACH_LANE {
    h[i][j] = (1.0f - z[i][j]) * candidate[i][j] + z[i][j] * h[i][j];
  }
  put_state(step, tile, h, step->h_next);
}

static void gru(const gw_step *step, const gw_tile *tile) {
  values z, r, product_with_r, candidate;
  preactivate(step, tile, step->h_previous, GW_GRU_Z, z);
  clip_and_activate(step, tile, 0, z);
  preactivate(step, tile, step->h_previous, GW_GRU_R, r);
  clip_and_activate(step, tile, 0, r);
  /* (xw + (r * (h_previous * R + Rb))) + Wb */
  recurrence(step, tile, step->h_previous, GW_GRU_H, product_with_r);
  add_bias(step, tile, step->layer->gates + GW_GRU_H, product_with_r);
  get_xw(step, tile, GW_GRU_H, candidate);
  GW_EACH_LANE {
    candidate[i][j] = candidate[i][j] + r[i][j] * product_with_r[i][j];
  }
  add_bias(step, tile, GW_GRU_H, candidate);
  clip_and_activate(step, tile, 1, candidate);
  update_gru(step, tile, z, candidate);
}

static void gru_gates(const gw_step *step, const gw_tile *tile) {
  values z, r, h;
  preactivate(step, tile, step->h_previous, GW_GRU_Z, z);
  clip_and_activate(step, tile, 0, z);
  put_state(step, tile, z, step->z);
  preactivate(step, tile, step->h_previous, GW_GRU_R, r);
  clip_and_activate(step, tile, 0, r);
  get_state(step, tile, step->h_previous, h);
  GW_EACH_LANE {
    r[i][j] = r[i][j] * h[i][j];
  }
  put_state(step, tile, r, step->reset_h);
}

static void gru_candidate(const gw_step *step, const gw_tile *tile) {
  values z, candidate;
  preactivate(step, tile, step->reset_h, GW_GRU_H, candidate);
  clip_and_activate(step, tile, 1, candidate);
  get_state(step, tile, step->z, z);
  update_gru(step, tile, z, candidate);
}

/* The gates' blocks inside P. */
enum { PEEPHOLE_I = 0, PEEPHOLE_O = 1, PEEPHOLE_F = 2 };

/* gate += P * cell; without P the term is skipped. */
static void add_peephole(const gw_step *step, const gw_tile *tile, size_t block, const values cell,
                         values gate) {
  if (step->p == NULL)
    return;
  float weights[COLUMNS];
  get_vector(step, tile, step->p, block, weights);
  GW_EACH_LANE {
    gate[i][j] = gate[i][j] + weights[j] * cell[i][j];
  }
}

/* The forget gate; decision D22: 1 - i under input_forget, and then nothing of its own is read. */
static void forget_gate(const gw_step *step, const gw_tile *tile, const values cell, const values input,
                        values forget) {
  if (step->layer->input_forget) {
    GW_EACH_LANE {
      forget[i][j] = 1.0f - input[i][j];
    }
    return;
  }
  preactivate(step, tile, step->h_previous, GW_LSTM_F, forget);
  add_peephole(step, tile, PEEPHOLE_F, cell, forget);
  clip_and_activate(step, tile, 0, forget);
}

static void lstm(const gw_step *step, const gw_tile *tile) {
  values cell, input, forget, candidate, output;
  get_state(step, tile, step->c, cell);
  preactivate(step, tile, step->h_previous, GW_LSTM_I, input);
  add_peephole(step, tile, PEEPHOLE_I, cell, input);
  clip_and_activate(step, tile, 0, input);
  forget_gate(step, tile, cell, input, forget);
  preactivate(step, tile, step->h_previous, GW_LSTM_C, candidate);
  clip_and_activate(step, tile, 1, candidate);
  GW_EACH_LANE {
    cell[i][j] = forget[i][j] * cell[i][j] + input[i][j] * candidate[i][j];
  }
  put_state(step, tile, cell, step->c);
  preactivate(step, tile, step->h_previous, GW_LSTM_O, output);
  add_peephole(step, tile, PEEPHOLE_O, cell, output);
  clip_and_activate(step, tile, 0, output);
  /* h = o * h(c): no clip here (decision D04). */
  activate(&step->activations[2], tile->row_count, cell);
  GW_EACH_LANE {
    output[i][j] = output[i][j] * cell[i][j];
  }
  put_state(step, tile, output, step->h_next);
}
#undef GW_EACH_LANE
