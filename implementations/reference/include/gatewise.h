/*
 * Gatewise reference: the ONNX operators RNN, GRU and LSTM, in exact mode or in fast mode.
 *
 * The way of use: describe a layer (gw_layer_desc), make a plan from it (everything that can be refused
 * without the run's values is refused here), make a workspace (scratch memory and a team of threads), run.
 *
 *   * A plan never changes after its creation and may be shared between threads.
 *   * A workspace serves one run at a time. Several workspaces of one plan may run at once in several
 * threads.
 *   * A workspace holds threads, which do not survive fork(): make it in the process that uses it.
 *   * There is no global state. The caller's floating-point control word (rounding mode, flushing of
 * subnormal numbers) is replaced for the time of a call and restored (decisions D26 and D27).
 *
 * Results do not depend on the number of threads, the batch mates, or on which inputs are constant (decision
 * D32); in exact mode neither on the kernel path.
 */
#ifndef GATEWISE_H
#define GATEWISE_H

/* The Python binding's generator preprocesses this header with GW_CDEF: declarations alone, no system header.
 */
#ifdef GW_CDEF
#define GW_API
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define GW_API __attribute__((visibility("default")))
#endif

enum {
  GW_MESSAGE_BYTES = 256, /* of a message, its terminator included; a longer one is cut */
  GW_MAX_RANK = 3,        /* of an input tensor */
  GW_MAX_THREADS = 256    /* of a workspace */
};

typedef enum gw_status { GW_OK = 0, GW_INVALID_INPUT, GW_UNSUPPORTED, GW_OUT_OF_MEMORY } gw_status;

/* Why something was refused: X(enumerator, name). The names are the ones that corpus and reports use. */
#define GW_REASONS(X)                                                                                        \
  X(GW_REASON_NONE, "none")                                                                                  \
  X(GW_REASON_ARGUMENT, "argument") /* a null pointer, or a workspace of another plan or in use */           \
  X(GW_REASON_OPERATOR, "operator")                                                                          \
  X(GW_REASON_OPSET, "opset")                                                                                \
  X(GW_REASON_LAYOUT_OPSET, "layout-opset")                                                                  \
  X(GW_REASON_LAYOUT, "layout")                                                                              \
  X(GW_REASON_DIRECTION, "direction")                                                                        \
  X(GW_REASON_HIDDEN_SIZE, "hidden-size")                                                                    \
  X(GW_REASON_HIDDEN_SIZE_MISMATCH, "hidden-size-mismatch")                                                  \
  X(GW_REASON_ACTIVATION_NAME, "activation-name")                                                            \
  X(GW_REASON_ACTIVATION_COUNT, "activation-count")                                                          \
  X(GW_REASON_MISSING_INPUT, "missing-input")                                                                \
  X(GW_REASON_UNKNOWN_INPUT, "unknown-input")                                                                \
  X(GW_REASON_RANK, "rank")                                                                                  \
  X(GW_REASON_SHAPE, "shape")                                                                                \
  X(GW_REASON_DTYPE, "dtype")                                                                                \
  X(GW_REASON_DTYPE_MISMATCH, "dtype-mismatch")                                                              \
  X(GW_REASON_LENGTHS_DTYPE, "lengths-dtype")                                                                \
  X(GW_REASON_LENGTHS_RANGE, "lengths-range")                                                                \
  X(GW_REASON_NO_OUTPUTS, "no-outputs")                                                                      \
  X(GW_REASON_OUTPUT, "output")                                                                              \
  X(GW_REASON_THREADS, "threads")                                                                            \
  X(GW_REASON_MODE, "mode")                                                                                  \
  X(GW_REASON_KERNEL_PATH, "kernel-path")                                                                    \
  X(GW_REASON_ARITHMETIC, "arithmetic") /* the machine or the build breaks IEEE arithmetic */                \
  X(GW_REASON_FLOAT64, "float64")                                                                            \
  X(GW_REASON_BFLOAT16, "bfloat16")                                                                          \
  X(GW_REASON_SCRATCH_LIMIT, "scratch-limit")                                                                \
  X(GW_REASON_OUT_OF_MEMORY, "out-of-memory")

#define GW_ENUMERATOR(enumerator, name) enumerator,
typedef enum gw_reason { GW_REASONS(GW_ENUMERATOR) GW_REASON_COUNT } gw_reason;
#undef GW_ENUMERATOR

/* A refusal: all-zero after a call that returned GW_OK. The message is one sentence. */
typedef struct gw_error {
  gw_status status;
  gw_reason reason;
  char message[GW_MESSAGE_BYTES];
} gw_error;

/*
 * Exact: each operation rounds once, in the note's order, and the transcendental functions are correctly
 * rounded; every machine and path gives the same bits. Fast: products are fused with their sums where the
 * path can, sigmoid and tanh are approximations (docs/fast-mode.md), and only the note's bounds are promised.
 */
typedef enum gw_mode { GW_MODE_EXACT = 0, GW_MODE_FAST, GW_MODE_COUNT } gw_mode;

typedef enum gw_operator { GW_RNN = 0, GW_GRU, GW_LSTM } gw_operator;

/* Element types. GW_DTYPE_OTHER stands for every type that no input may have. */
typedef enum gw_dtype {
  GW_DTYPE_OTHER = 0,
  GW_FLOAT32,
  GW_FLOAT16,
  GW_FLOAT64,
  GW_BFLOAT16,
  GW_INT32
} gw_dtype;

/* The inputs and outputs in ONNX's positions. INITIAL_C, P and Y_C belong to LSTM alone. */
typedef enum gw_input {
  GW_X = 0,
  GW_W,
  GW_R,
  GW_B,
  GW_SEQUENCE_LENS,
  GW_INITIAL_H,
  GW_INITIAL_C,
  GW_P,
  GW_INPUT_COUNT
} gw_input;

typedef enum gw_output { GW_Y = 0, GW_Y_H, GW_Y_C, GW_OUTPUT_COUNT } gw_output;

/*
 * One input tensor. All-zero: the input is absent.
 * rank: the number of dimensions; where it is larger than GW_MAX_RANK only the first are read (and it is
 * refused). constant: `data` holds the values, dense and row-major, and is read during gw_plan_create only;
 * the pointer for this input is then ignored by gw_run. Otherwise `data` is ignored.
 */
typedef struct gw_tensor_desc {
  bool present;
  bool constant;
  gw_dtype dtype;
  int32_t rank;
  int64_t shape[GW_MAX_RANK];
  const void *data;
} gw_tensor_desc;

/*
 * One layer: a node of the graph and the types of its inputs. All-zero is the ONNX default of every
 * attribute, and exact mode. direction: NULL for `forward`. kernel_path: NULL for the widest that this
 * processor runs. activations: activation_count strings; activation_alpha, activation_beta: their own counts;
 * NULL where 0. clip: used where it is greater than 0 (decision D02). linear_before_reset is read for GRU
 * only, input_forget for LSTM only; any value but 0 is 1 (decision D21). outputs[i]: output i is asked for
 * (decision D31). Strings and arrays are read during gw_plan_create only.
 */
typedef struct gw_layer_desc {
  gw_operator op;
  int64_t opset;
  const char *direction;
  bool has_layout;
  int64_t layout;
  bool has_hidden_size;
  int64_t hidden_size;
  size_t activation_count;
  const char *const *activations;
  size_t activation_alpha_count;
  const float *activation_alpha;
  size_t activation_beta_count;
  const float *activation_beta;
  float clip;
  int64_t linear_before_reset;
  int64_t input_forget;
  gw_tensor_desc inputs[GW_INPUT_COUNT];
  bool outputs[GW_OUTPUT_COUNT];
  gw_mode mode;
  const char *kernel_path;
} gw_layer_desc;

typedef struct gw_plan gw_plan;
typedef struct gw_workspace gw_workspace;

/*
 * Validates the layer and prepares its constant inputs.
 *
 * layer: the description; not kept. plan: receives the plan, or NULL after a refusal; release it with
 * gw_plan_destroy after every workspace made from it. error: receives the refusal; may be NULL.
 * Returns GW_INVALID_INPUT for what ONNX forbids; GW_UNSUPPORTED for float64, bfloat16, a kernel path that
 * this processor cannot run and a layer beyond the scratch limit (decision D36: seq * batch * gates * hidden,
 * plus 4 * batch * hidden, plus the elements of one direction of W and of R where these are not constant,
 * must stay below 2^30), and arithmetic of this machine or build that is not exact; GW_OUT_OF_MEMORY. An
 * invalid layer is never reported as unsupported.
 */
GW_API gw_status gw_plan_create(const gw_layer_desc *layer, gw_plan **plan, gw_error *error);

/* Releases a plan; NULL is allowed. */
GW_API void gw_plan_destroy(gw_plan *plan);

/* The kernel path of a plan: a string that lives as long as the program. */
GW_API const char *gw_plan_kernel_path(const gw_plan *plan);

/* The bytes of memory that a plan holds: the constant inputs, the weights packed. */
GW_API size_t gw_plan_bytes(const gw_plan *plan);

/*
 * Makes the scratch memory and the threads for runs of `plan`, which must outlive it.
 *
 * threads: 1 to GW_MAX_THREADS, the calling one counted; more than there are cores or units is allowed.
 * workspace: receives it, or NULL after a refusal. The memory is filled with NaN bits, so that a read of an
 * element that no run has written shows in the results.
 */
GW_API gw_status gw_workspace_create(const gw_plan *plan, int64_t threads, gw_workspace **workspace,
                                     gw_error *error);

/* Stops the threads and releases the memory; NULL is allowed. */
GW_API void gw_workspace_destroy(gw_workspace *workspace);

/* The bytes of memory that a workspace holds, its threads' stacks apart. */
GW_API size_t gw_workspace_bytes(const gw_workspace *workspace);

/*
 * Runs the layer once; allocates nothing.
 *
 * inputs: GW_INPUT_COUNT pointers, each to a dense row-major tensor of the described shape and type, aligned
 * to its element; those of absent and of constant inputs are ignored, and those without elements may be NULL.
 * outputs: GW_OUTPUT_COUNT pointers, likewise; those of outputs that are not asked for are ignored. Every
 * element is written: Y [seq, dirs, batch, hidden], Y_h and Y_c [dirs, batch, hidden], or with layout 1 Y
 * [batch, seq, dirs, hidden], Y_h and Y_c [batch, dirs, hidden], all of X's type. They must not overlap the
 * inputs or one another. Refuses (GW_INVALID_INPUT) a length outside [0, seq], before anything is written.
 */
GW_API gw_status gw_run(const gw_plan *plan, gw_workspace *workspace, const void *const *inputs,
                        void *const *outputs, gw_error *error);

/* The kebab-case name of a reason; `unknown` for a value outside the list. */
GW_API const char *gw_reason_name(gw_reason reason);

/* The kernel paths of this build, narrowest first; the name of an index outside the list is NULL. */
GW_API size_t gw_kernel_path_count(void);
GW_API const char *gw_kernel_path_name(size_t index);
/* What the path needs of the processor, for a reader: "AVX2 and FMA"; NULL outside the list. */
GW_API const char *gw_kernel_path_needs(size_t index);
/* Whether this processor can run the path. */
GW_API bool gw_kernel_path_available(size_t index);

/*
 * The functions that exact mode defines by mathematics: 1 / (1 + e^-x), tanh x, e^x - 1 and log(1 + e^x). In
 * exact mode the result is the float32 nearest to the real value, ties to even, for each of the 2^32 inputs;
 * that of a NaN is 0x7FC00000. In fast mode sigmoid and tanh are approximations, and that of a NaN is some
 * NaN.
 */
typedef enum gw_function {
  GW_FUNCTION_SIGMOID = 0,
  GW_FUNCTION_TANH,
  GW_FUNCTION_EXPM1,
  GW_FUNCTION_SOFTPLUS,
  GW_FUNCTION_COUNT
} gw_function;

/* The name of a function: sigmoid, tanh, expm1 or softplus; NULL outside the list. */
GW_API const char *gw_function_name(gw_function function);

/*
 * y[i] = the function of x[i] for all i < count, in a mode and on a kernel path.
 *
 * mode, kernel_path: as in gw_layer_desc. x, y: `count` floats each, aligned as floats; y may be x itself but
 * must not overlap it otherwise; they may be NULL where count is 0. Refuses a function, a mode or a path
 * outside the list (GW_INVALID_INPUT) and a path that this processor cannot run (GW_UNSUPPORTED).
 */
GW_API gw_status gw_evaluate(gw_function function, gw_mode mode, const char *kernel_path, size_t count,
                             const float *x, float *y, gw_error *error);

/*
 * Keeps the multipliers and adders of the calling thread's core as busy as a mode's products can on a kernel
 * path, out of memory's way: a fixed number of multiplications and additions on its vectors, fused in fast
 * mode, `steps` times. `operations` receives how many floating-point operations those were; divided by the
 * time that it took, that is the most that the core can do.
 *
 * mode, kernel_path: as in gw_layer_desc. Refuses a null `operations` or a mode or path outside the list
 * (GW_INVALID_INPUT) and a path that this processor cannot run (GW_UNSUPPORTED).
 */
GW_API gw_status gw_saturate(gw_mode mode, const char *kernel_path, size_t steps, size_t *operations,
                             gw_error *error);

/* How the library was built; strings that live as long as the program. */
typedef struct gw_build {
  const char *version;
  const char *compiler;
  const char *flags;
} gw_build;

GW_API gw_build gw_build_info(void);

#if !defined(GW_CDEF) && defined(__cplusplus)
}
#endif
#endif
