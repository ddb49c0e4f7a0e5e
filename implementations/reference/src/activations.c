/* The activation names of a layer and the parameters that they consume. */
#include "error.h"
#include "layer.h"

typedef struct known_activation {
  const char *name;
  bool takes_alpha;
  float alpha;
  bool takes_beta;
  float beta;
} known_activation;

#define GW_KNOWN(enumerator, name, takes_alpha, alpha, takes_beta, beta)                                     \
  [enumerator] = {name, takes_alpha, alpha, takes_beta, beta},
static const known_activation known[GW_ACTIVATION_COUNT] = {GW_ACTIVATIONS(GW_KNOWN)};
#undef GW_KNOWN

/* The values of activation_alpha or of activation_beta, taken one by one (the note, section Activations). */
typedef struct cursor {
  const float *next;
  size_t left; /* what is never taken is surplus and ignored (decision D12) */
} cursor;

static float take(cursor *values, bool takes, float otherwise) {
  if (!takes || values->left == 0)
    return otherwise;
  values->left--;
  return *values->next++;
}

static char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* Decision D08: any case of letters. Not by strcasecmp, for which I and i differ in a Turkish locale. */
static bool same_name(const char *left, const char *right) {
  while (*left != '\0' && lower(*left) == lower(*right)) {
    left++;
    right++;
  }
  return *left == *right;
}

static gw_status find_kind(const char *name, gw_activation_kind *kind, gw_error *error) {
  for (size_t k = 0; name != NULL && k < GW_ACTIVATION_COUNT; k++)
    if (same_name(name, known[k].name)) {
      *kind = (gw_activation_kind)k;
      return GW_OK;
    }
  return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_ACTIVATION_NAME,
                   "activation \"%.40s\" is not one of Sigmoid, Tanh, Relu, Affine, LeakyRelu, "
                   "ThresholdedRelu, ScaledTanh, HardSigmoid, Elu, Softsign and Softplus",
                   name == NULL ? "" : name);
}

static size_t functions_of(gw_operator op) {
  static const size_t functions[] = {[GW_RNN] = 1, [GW_GRU] = 2, [GW_LSTM] = 3};
  return functions[op];
}

static void set_defaults(gw_layer *layer) {
  static const gw_activation_kind defaults[][GW_MAX_FUNCTIONS] = {
      [GW_RNN] = {GW_TANH}, [GW_GRU] = {GW_SIGMOID, GW_TANH}, [GW_LSTM] = {GW_SIGMOID, GW_TANH, GW_TANH}};
  for (size_t d = 0; d < layer->directions; d++)
    for (size_t f = 0; f < functions_of(layer->op); f++)
      layer->activations[d][f].kind = defaults[layer->op][f];
}

gw_status gw_read_activations(const gw_layer_desc *desc, gw_layer *layer, gw_error *error) {
  const size_t set = functions_of(layer->op);
  const size_t all = set * layer->directions;
  const size_t count = desc->activation_count;
  if (count == 0) { /* decision D11: an empty list means the defaults */
    set_defaults(layer);
    return GW_OK;
  }
  /* Decision D10: one direction of an RNN may name two, as the operator's own default does. */
  const bool spare = layer->op == GW_RNN && layer->directions == 1 && count == 2;
  if (count != set && count != all && !spare)
    return gw_refuse(error, GW_INVALID_INPUT, GW_REASON_ACTIVATION_COUNT,
                     "%zu activations are named; %s with %zu direction%s takes %zu or %zu", count,
                     gw_operator_name(layer->op), layer->directions, layer->directions == 1 ? "" : "s", set,
                     layer->op == GW_RNN ? (size_t)2 : all);
  gw_activation_kind kind = GW_SIGMOID;
  for (size_t i = 0; i < count; i++) {
    gw_status status = find_kind(desc->activations[i], &kind, error);
    if (status != GW_OK)
      return status;
  }
  cursor alpha = {desc->activation_alpha, desc->activation_alpha_count};
  cursor beta = {desc->activation_beta, desc->activation_beta_count};
  /* Decision D09: one set is duplicated first; then the one pair of cursors runs over both sets. */
  for (size_t i = 0; i < all; i++) {
    find_kind(desc->activations[i % count], &kind, error);
    gw_activation *activation = &layer->activations[i / set][i % set];
    activation->kind = kind;
    activation->alpha = take(&alpha, known[kind].takes_alpha, known[kind].alpha);
    activation->beta = take(&beta, known[kind].takes_beta, known[kind].beta);
  }
  return GW_OK;
}
