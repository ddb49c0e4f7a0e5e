/*
 * One step of each cell on one tile: the note, section Computation, in its order of operations. Included once
 * by each kernel, after activation.h. All products of a tile's gates come first; then the cell's arithmetic
 * runs over them while they are in the nearest cache.
 *
 * The lanes beyond the layer's units hold values that are computed and never leave the library.
 */

/* Runs over the tile's lanes: `i` is the row's place in the tile, `j` the unit's in the panel, `n` the lane's
 * in a gate. */
#define GW_EACH_LANE(units)                                                                                  \
  for (size_t i = 0, n = 0; i < tile->row_count; i++)                                                        \
    for (size_t j = 0; j < (units); j++, n++)

/* The tile's lanes of a [batch][stride] state. */
GW_INLINE void get_state(const gw_step *step, const gw_tile *tile, size_t units, const float *state,
                         float *out) {
  for (size_t i = 0; i < tile->row_count; i++)
    memcpy(out + i * units, state + tile->rows[i] * step->stride + tile->panel * units, units * sizeof *out);
}

GW_INLINE void put_state(const gw_step *step, const gw_tile *tile, size_t units, const float *in,
                         float *state) {
  for (size_t i = 0; i < tile->row_count; i++)
    memcpy(state + tile->rows[i] * step->stride + tile->panel * units, in + i * units, units * sizeof *in);
}

/* The products of a [batch][stride] state with R, gate by gate. */
GW_INLINE void recurrence(const gw_step *step, const gw_tile *tile, size_t gates, const float *state,
                          gate_values *out) {
  const size_t depth = step->layer->hidden;
  product(tile, gates, state, step->stride, depth, step->r + tile->panel * gates * UNITS_OF(gates) * depth,
          out);
}

/*
 * ((xw + state * R) + Wb) + Rb, of which `gate` holds state * R. A bias that is absent is +0 here and not
 * skipped: neither product can be -0, since its sum starts at +0, and adding +0 to anything else changes
 * nothing.
 */
GW_INLINE void preactivate(const gw_step *step, const gw_tile *tile, size_t gates, size_t gate,
                           float *values) {
  const size_t units = UNITS_OF(gates), column = (tile->panel * gates + gate) * units;
  const float *wb = step->wb + column, *rb = step->rb + column;
  for (size_t i = 0; i < tile->row_count; i++) {
    const float *xw = step->xw + (tile->first + i) * step->xw_stride + column;
    for (size_t j = 0; j < units; j++)
      values[i * units + j] = ((xw[j] + values[i * units + j]) + wb[j]) + rb[j];
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
  enum { UNITS = UNITS_OF(1) };
  const size_t count = tile->row_count * UNITS;
  gate_values gates[1];
  float *h = gates[GW_RNN_H];
  recurrence(step, tile, 1, step->h_previous, gates);
  preactivate(step, tile, 1, GW_RNN_H, h);
  clip_and_activate(step, count, 0, h);
  put_state(step, tile, UNITS, h, step->h_next);
}

/* h = ((1 - z) * candidate) + (z * h_previous) */
GW_INLINE void update_gru(const gw_step *step, const gw_tile *tile, size_t units, const float *z,
                          const float *candidate) {
  gate_values h;
  get_state(step, tile, units, step->h_previous, h);
  for (size_t n = 0; n < tile->row_count * units; n++)
    h[n] = (1.0f - z[n]) * candidate[n] + z[n] * h[n];
  put_state(step, tile, units, h, step->h_next);
}

static void gru(const gw_step *step, const gw_tile *tile) {
  enum { GATES = 3, UNITS = UNITS_OF(GATES) };
  const size_t count = tile->row_count * UNITS, column = (tile->panel * GATES + GW_GRU_H) * UNITS;
  gate_values gates[GATES];
  float *z = gates[GW_GRU_Z], *r = gates[GW_GRU_R], *candidate = gates[GW_GRU_H];
  recurrence(step, tile, GATES, step->h_previous, gates);
  preactivate(step, tile, GATES, GW_GRU_Z, z);
  clip_and_activate(step, count, 0, z);
  preactivate(step, tile, GATES, GW_GRU_R, r);
  clip_and_activate(step, count, 0, r);
  /* (xw + (r * (h_previous * R + Rb))) + Wb */
  const float *xw = step->xw + tile->first * step->xw_stride + column;
  GW_EACH_LANE(UNITS) {
    candidate[n] =
        (xw[i * step->xw_stride + j] + r[n] * (candidate[n] + step->rb[column + j])) + step->wb[column + j];
  }
  clip_and_activate(step, count, 1, candidate);
  update_gru(step, tile, UNITS, z, candidate);
}

static void gru_gates(const gw_step *step, const gw_tile *tile) {
  enum { GATES = 2, UNITS = UNITS_OF(GATES) };
  const size_t count = tile->row_count * UNITS;
  gate_values gates[GATES], h;
  float *z = gates[GW_GRU_Z], *r = gates[GW_GRU_R];
  recurrence(step, tile, GATES, step->h_previous, gates);
  preactivate(step, tile, GATES, GW_GRU_Z, z);
  clip_and_activate(step, count, 0, z);
  put_state(step, tile, UNITS, z, step->z);
  preactivate(step, tile, GATES, GW_GRU_R, r);
  clip_and_activate(step, count, 0, r);
  get_state(step, tile, UNITS, step->h_previous, h);
  for (size_t n = 0; n < count; n++)
    r[n] = r[n] * h[n];
  put_state(step, tile, UNITS, r, step->reset_h);
}

static void gru_candidate(const gw_step *step, const gw_tile *tile) {
  enum { UNITS = UNITS_OF(1) };
  gate_values candidate[1], z;
  recurrence(step, tile, 1, step->reset_h, candidate);
  preactivate(step, tile, 1, 0, candidate[0]);
  clip_and_activate(step, tile->row_count * UNITS, 1, candidate[0]);
  get_state(step, tile, UNITS, step->z, z);
  update_gru(step, tile, UNITS, z, candidate[0]);
}

/* The gates' blocks inside P. */
enum { PEEPHOLE_I = 0, PEEPHOLE_O = 1, PEEPHOLE_F = 2, PEEPHOLES = 3 };

/* gate += P * cell; without P the term is skipped. */
GW_INLINE void add_peephole(const gw_step *step, const gw_tile *tile, size_t block, const float *cell,
                            float *gate) {
  enum { UNITS = UNITS_OF(4) };
  if (step->p == NULL)
    return;
  const float *weights = step->p + (tile->panel * PEEPHOLES + block) * UNITS;
  GW_EACH_LANE(UNITS) {
    gate[n] = gate[n] + weights[j] * cell[n];
  }
}

static void lstm(const gw_step *step, const gw_tile *tile) {
  enum { GATES = 4, UNITS = UNITS_OF(GATES) };
  const size_t count = tile->row_count * UNITS;
  gate_values gates[GATES], cell;
  float *input = gates[GW_LSTM_I], *output = gates[GW_LSTM_O];
  float *forget = gates[GW_LSTM_F], *candidate = gates[GW_LSTM_C];
  recurrence(step, tile, GATES, step->h_previous, gates);
  get_state(step, tile, UNITS, step->c, cell);
  preactivate(step, tile, GATES, GW_LSTM_I, input);
  add_peephole(step, tile, PEEPHOLE_I, cell, input);
  clip_and_activate(step, count, 0, input);
  if (step->layer->input_forget) { /* decision D22: nothing of the gate's own is used */
    for (size_t n = 0; n < count; n++)
      forget[n] = 1.0f - input[n];
  } else {
    preactivate(step, tile, GATES, GW_LSTM_F, forget);
    add_peephole(step, tile, PEEPHOLE_F, cell, forget);
    clip_and_activate(step, count, 0, forget);
  }
  preactivate(step, tile, GATES, GW_LSTM_C, candidate);
  clip_and_activate(step, count, 1, candidate);
  for (size_t n = 0; n < count; n++)
    cell[n] = forget[n] * cell[n] + input[n] * candidate[n];
  put_state(step, tile, UNITS, cell, step->c);
  preactivate(step, tile, GATES, GW_LSTM_O, output);
  add_peephole(step, tile, PEEPHOLE_O, cell, output);
  clip_and_activate(step, count, 0, output);
  /* h = o * h(c): no clip here (decision D04). */
  activate(&step->activations[2], count, cell);
  for (size_t n = 0; n < count; n++)
    output[n] = output[n] * cell[n];
  put_state(step, tile, UNITS, output, step->h_next);
}
#undef GW_EACH_LANE
