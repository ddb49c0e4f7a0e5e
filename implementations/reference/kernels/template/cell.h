/*
 * One step of each cell on one tile: the note, section Computation, in its order of operations. Included once
 * by each kernel, after activation.h. All products of a tile's gates come first; then the cell's arithmetic
 * runs over them while they are in the nearest cache.
 *
 * The lanes beyond the layer's units hold values that are computed and never leave the library.
 */

/* Runs over the tile's lanes: `i` is the row's place in the tile, `j` the unit's in the panel, `n` the lane's
 * in a strip. */
#define GW_EACH_LANE                                                                                         \
  for (size_t i = 0, n = 0; i < tile->row_count; i++)                                                        \
    for (size_t j = 0; j < UNITS; j++, n++)

/* A panel's lanes of a [batch][stride] state. */
static void get_state(const gw_step *step, const gw_tile *tile, size_t panel, const float *state,
                      float *out) {
  for (size_t i = 0; i < tile->row_count; i++)
    memcpy(out + i * UNITS, state + tile->rows[i] * step->stride + panel * UNITS, UNITS * sizeof *out);
}

static void put_state(const gw_step *step, const gw_tile *tile, size_t panel, const float *in, float *state) {
  for (size_t i = 0; i < tile->row_count; i++)
    memcpy(state + tile->rows[i] * step->stride + panel * UNITS, in + i * UNITS, UNITS * sizeof *in);
}

/* The column of the first unit of a panel's gate. */
static size_t column_of(const gw_step *step, size_t panel, size_t gate) {
  return (panel * step->layer->gates + gate) * UNITS;
}

/* The products of a [batch][stride] state with `count` gates of R from `gate` on, in the tile's one panel. */
static void gates_of(const gw_step *step, const gw_tile *tile, const float *state, size_t gate, size_t count,
                     strip_values *out) {
  const size_t depth = step->layer->hidden;
  product(tile, count, state, step->stride, depth, step->r + column_of(step, tile->panel, gate) * depth,
          depth * UNITS, out);
}

/* The products with one gate of R, in all of the tile's panels. */
static void panels_of(const gw_step *step, const gw_tile *tile, const float *state, size_t gate,
                      strip_values *out) {
  const size_t depth = step->layer->hidden;
  product(tile, tile->panel_count, state, step->stride, depth,
          step->r + column_of(step, tile->panel, gate) * depth, step->layer->gates * depth * UNITS, out);
}

/*
 * ((xw + state * R) + Wb) + Rb, of which `gate` holds state * R. A bias that is absent is +0 here and not
 * skipped: neither product can be -0, since its sum starts at +0, and adding +0 to anything else changes
 * nothing.
 */
static void preactivate(const gw_step *step, const gw_tile *tile, size_t column, float *gate) {
  const float *wb = step->wb + column, *rb = step->rb + column;
  const float *xw = step->xw + tile->first * step->columns + column;
  GW_EACH_LANE {
    gate[n] = ((xw[i * step->columns + j] + gate[n]) + wb[j]) + rb[j];
  }
}

/* Clips and applies an activation; decision D04: clip applies here and nowhere else. */
static void clip_and_activate(const gw_step *step, size_t count, size_t function, float *gate) {
  if (step->layer->clips) {
    const float clip = step->layer->clip;
    for (size_t n = 0; n < count; n++)
      gate[n] = clamp(gate[n], clip);
  }
  activate(&step->activations[function], count, gate);
}

static void rnn(const gw_step *step, const gw_tile *tile) {
  strip_values h[GW_MAX_GATES];
  panels_of(step, tile, step->h_previous, GW_RNN_H, h);
  for (size_t s = 0; s < tile->panel_count; s++) {
    preactivate(step, tile, column_of(step, tile->panel + s, GW_RNN_H), h[s]);
    clip_and_activate(step, tile->row_count * UNITS, 0, h[s]);
    put_state(step, tile, tile->panel + s, h[s], step->h_next);
  }
}

/* h = ((1 - z) * candidate) + (z * h_previous) */
static void update_gru(const gw_step *step, const gw_tile *tile, size_t panel, const float *z,
                       const float *candidate) {
  strip_values h;
  get_state(step, tile, panel, step->h_previous, h);
  for (size_t n = 0; n < tile->row_count * UNITS; n++)
    h[n] = (1.0f - z[n]) * candidate[n] + z[n] * h[n];
  put_state(step, tile, panel, h, step->h_next);
}

static void gru(const gw_step *step, const gw_tile *tile) {
  const size_t count = tile->row_count * UNITS, column = column_of(step, tile->panel, GW_GRU_H);
  strip_values gates[3];
  float *z = gates[GW_GRU_Z], *r = gates[GW_GRU_R], *candidate = gates[GW_GRU_H];
  gates_of(step, tile, step->h_previous, GW_GRU_Z, 3, gates);
  preactivate(step, tile, column_of(step, tile->panel, GW_GRU_Z), z);
  clip_and_activate(step, count, 0, z);
  preactivate(step, tile, column_of(step, tile->panel, GW_GRU_R), r);
  clip_and_activate(step, count, 0, r);
  /* (xw + (r * (h_previous * R + Rb))) + Wb */
  const float *xw = step->xw + tile->first * step->columns + column;
  const float *wb = step->wb + column, *rb = step->rb + column;
  GW_EACH_LANE {
    candidate[n] = (xw[i * step->columns + j] + r[n] * (candidate[n] + rb[j])) + wb[j];
  }
  clip_and_activate(step, count, 1, candidate);
  update_gru(step, tile, tile->panel, z, candidate);
}

static void gru_gates(const gw_step *step, const gw_tile *tile) {
  const size_t count = tile->row_count * UNITS;
  strip_values gates[2], h;
  float *z = gates[GW_GRU_Z], *r = gates[GW_GRU_R];
  gates_of(step, tile, step->h_previous, GW_GRU_Z, 2, gates);
  preactivate(step, tile, column_of(step, tile->panel, GW_GRU_Z), z);
  clip_and_activate(step, count, 0, z);
  put_state(step, tile, tile->panel, z, step->z);
  preactivate(step, tile, column_of(step, tile->panel, GW_GRU_R), r);
  clip_and_activate(step, count, 0, r);
  get_state(step, tile, tile->panel, step->h_previous, h);
  for (size_t n = 0; n < count; n++)
    r[n] = r[n] * h[n];
  put_state(step, tile, tile->panel, r, step->reset_h);
}

static void gru_candidate(const gw_step *step, const gw_tile *tile) {
  strip_values candidate[GW_MAX_GATES], z;
  panels_of(step, tile, step->reset_h, GW_GRU_H, candidate);
  for (size_t s = 0; s < tile->panel_count; s++) {
    preactivate(step, tile, column_of(step, tile->panel + s, GW_GRU_H), candidate[s]);
    clip_and_activate(step, tile->row_count * UNITS, 1, candidate[s]);
    get_state(step, tile, tile->panel + s, step->z, z);
    update_gru(step, tile, tile->panel + s, z, candidate[s]);
  }
}

/* The gates' blocks inside P. */
enum { PEEPHOLE_I = 0, PEEPHOLE_O = 1, PEEPHOLE_F = 2, PEEPHOLES = 3 };

/* gate += P * cell; without P the term is skipped. */
static void add_peephole(const gw_step *step, const gw_tile *tile, size_t block, const float *cell,
                         float *gate) {
  if (step->p == NULL)
    return;
  const float *weights = step->p + (tile->panel * PEEPHOLES + block) * UNITS;
  GW_EACH_LANE {
    gate[n] = gate[n] + weights[j] * cell[n];
  }
}

static void lstm(const gw_step *step, const gw_tile *tile) {
  const size_t count = tile->row_count * UNITS;
  strip_values gates[GW_MAX_GATES], cell;
  float *input = gates[GW_LSTM_I], *output = gates[GW_LSTM_O];
  float *forget = gates[GW_LSTM_F], *candidate = gates[GW_LSTM_C];
  gates_of(step, tile, step->h_previous, 0, GW_MAX_GATES, gates);
  get_state(step, tile, tile->panel, step->c, cell);
  preactivate(step, tile, column_of(step, tile->panel, GW_LSTM_I), input);
  add_peephole(step, tile, PEEPHOLE_I, cell, input);
  clip_and_activate(step, count, 0, input);
  if (step->layer->input_forget) { /* decision D22: nothing of the gate's own is used */
    for (size_t n = 0; n < count; n++)
      forget[n] = 1.0f - input[n];
  } else {
    preactivate(step, tile, column_of(step, tile->panel, GW_LSTM_F), forget);
    add_peephole(step, tile, PEEPHOLE_F, cell, forget);
    clip_and_activate(step, count, 0, forget);
  }
  preactivate(step, tile, column_of(step, tile->panel, GW_LSTM_C), candidate);
  clip_and_activate(step, count, 1, candidate);
  for (size_t n = 0; n < count; n++)
    cell[n] = forget[n] * cell[n] + input[n] * candidate[n];
  put_state(step, tile, tile->panel, cell, step->c);
  preactivate(step, tile, column_of(step, tile->panel, GW_LSTM_O), output);
  add_peephole(step, tile, PEEPHOLE_O, cell, output);
  clip_and_activate(step, count, 0, output);
  /* h = o * h(c): no clip here (decision D04). */
  activate(&step->activations[2], count, cell);
  for (size_t n = 0; n < count; n++)
    output[n] = output[n] * cell[n];
  put_state(step, tile, tile->panel, output, step->h_next);
}
#undef GW_EACH_LANE
