/* A validated layer: what the attributes and the tensors' types come to, defaults filled in. */
#ifndef GW_LAYER_H
#define GW_LAYER_H

#include "gatewise.h"

/* The activation functions: X(enumerator, ONNX name, takes alpha, default alpha, takes beta, default beta).
 * The defaults are the note's table (decision D07). */
#define GW_ACTIVATIONS(X)                                                                                    \
  X(GW_SIGMOID, "Sigmoid", false, 0.0f, false, 0.0f)                                                         \
  X(GW_TANH, "Tanh", false, 0.0f, false, 0.0f)                                                               \
  X(GW_RELU, "Relu", false, 0.0f, false, 0.0f)                                                               \
  X(GW_AFFINE, "Affine", true, 1.0f, true, 0.0f)                                                             \
  X(GW_LEAKY_RELU, "LeakyRelu", true, 0.01f, false, 0.0f)                                                    \
  X(GW_THRESHOLDED_RELU, "ThresholdedRelu", true, 1.0f, false, 0.0f)                                         \
  X(GW_SCALED_TANH, "ScaledTanh", true, 1.0f, true, 0.0f)                                                    \
  X(GW_HARD_SIGMOID, "HardSigmoid", true, 0.2f, true, 0.5f)                                                  \
  X(GW_ELU, "Elu", true, 1.0f, false, 0.0f)                                                                  \
  X(GW_SOFTSIGN, "Softsign", false, 0.0f, false, 0.0f)                                                       \
  X(GW_SOFTPLUS, "Softplus", false, 0.0f, false, 0.0f)

#define GW_ENUMERATOR(enumerator, name, takes_alpha, alpha, takes_beta, beta) enumerator,
typedef enum gw_activation_kind { GW_ACTIVATIONS(GW_ENUMERATOR) GW_ACTIVATION_COUNT } gw_activation_kind;
#undef GW_ENUMERATOR

typedef struct gw_activation {
  gw_activation_kind kind;
  float alpha;
  float beta;
} gw_activation;

enum { GW_MAX_DIRECTIONS = 2, GW_MAX_FUNCTIONS = 3, GW_MAX_GATES = 4 };

/* The gates' places inside W, R and B; P holds i, o, f in LSTM's places. */
enum { GW_RNN_H = 0 };
enum { GW_GRU_Z = 0, GW_GRU_R = 1, GW_GRU_H = 2 };
enum { GW_LSTM_I = 0, GW_LSTM_O = 1, GW_LSTM_F = 2, GW_LSTM_C = 3 };

typedef struct gw_layer {
  gw_operator op;
  size_t gates;
  size_t directions;
  bool reversed[GW_MAX_DIRECTIONS];
  bool batch_first; /* layout = 1 */
  size_t seq;
  size_t batch;
  size_t input;
  size_t hidden;
  gw_dtype dtype; /* GW_FLOAT32 or GW_FLOAT16 */
  bool present[GW_INPUT_COUNT];
  bool wanted[GW_OUTPUT_COUNT];
  bool linear_before_reset;
  bool input_forget;
  bool clips;
  float clip;                                                     /* greater than 0 where `clips` */
  gw_activation activations[GW_MAX_DIRECTIONS][GW_MAX_FUNCTIONS]; /* f, g, h */
} gw_layer;

/* Each fills its part of `layer` from `desc`, in this order, or refuses. */
gw_status gw_read_attributes(const gw_layer_desc *desc, gw_layer *layer, gw_error *error);
gw_status gw_read_activations(const gw_layer_desc *desc, gw_layer *layer, gw_error *error);
gw_status gw_read_tensors(const gw_layer_desc *desc, gw_layer *layer, gw_error *error);

/* The name of an input in ONNX's spelling. */
const char *gw_input_name(size_t input);
/* The name of an operator in ONNX's spelling. */
const char *gw_operator_name(gw_operator op);

/* The elements of a present input; the validation has made sure that a present tensor's count fits. */
size_t gw_input_elements(const gw_layer *layer, size_t input);

#endif
