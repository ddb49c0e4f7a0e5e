"""Refusals: each reason from a case with that one fault, its kind and sentence; and the ends of what is allowed."""

from collections.abc import Callable, Mapping
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from gatewise_corpus.case import Array, Case
from gatewise_implementations._reference import ffi, lib
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.reference_library import Plan, reasons, run

MakeCase = Callable[..., Case]
SameBits = Callable[[Mapping[str, Array], Mapping[str, Array]], None]


def zeros(*shape: int, dtype: Any = np.float32) -> Array:
    """An array of any size that takes no memory."""
    return np.broadcast_to(np.zeros((), dtype), shape)


def cast(case: Case, dtype: Any) -> dict[str, Array]:
    return {name: array.astype(dtype) for name, array in case.inputs.items() if array.dtype == np.float32}


ATTRIBUTES = [
    ("opset", "GRU", {}, {"opset": 6}),
    ("opset", "GRU", {}, {"opset": 2**70}),
    ("layout-opset", "GRU", {"layout": 0}, {"opset": 13}),
    ("layout", "GRU", {"layout": 2}, {}),
    ("layout", "GRU", {"layout": -1}, {}),
    ("direction", "GRU", {"direction": "Forward"}, {}),
    ("direction", "GRU", {"direction": ""}, {}),
    ("direction", "GRU", {"direction": "forward\0"}, {}),
    ("direction", "GRU", {"direction": "\udcff"}, {}),
    ("hidden-size", "GRU", {"hidden_size": 0}, {}),
    ("hidden-size", "GRU", {"hidden_size": -3}, {}),
    ("hidden-size-mismatch", "GRU", {"hidden_size": 4}, {}),
    ("activation-name", "GRU", {"activations": ("Sigmoid", "Swish")}, {}),
    ("activation-name", "GRU", {"activations": ("Sigmoid", "")}, {}),
    ("activation-name", "GRU", {"activations": ("Sigmoid", "Tan")}, {}),
    ("activation-name", "GRU", {"activations": ("Sigmoid", "Tanhh")}, {}),
    ("activation-name", "GRU", {"activations": ("Sigmoid", "Tanh\0")}, {}),
    ("activation-name", "RNN", {"activations": ("Tanh", "Swish")}, {}),
    ("activation-count", "RNN", {"activations": ("Tanh",) * 3}, {}),
    ("activation-count", "RNN", {"activations": ("Tanh",) * 4, "direction": "bidirectional"}, {}),
    ("activation-count", "GRU", {"activations": ("Tanh",)}, {}),
    ("activation-count", "GRU", {"activations": ("Tanh",) * 4}, {}),
    ("activation-count", "LSTM", {"activations": ("Tanh",) * 2}, {}),
    ("activation-count", "LSTM", {"activations": ("Tanh",) * 4, "direction": "bidirectional"}, {}),
    ("attribute", "GRU", {"input_forget": 1}, {}),
    ("attribute", "LSTM", {"linear_before_reset": 1}, {}),
    ("attribute", "LSTM", {"output_sequence": 1}, {}),
    ("attribute-type", "LSTM", {"clip": 1}, {}),
    ("attribute-type", "LSTM", {"hidden_size": 3.0}, {}),
    ("attribute-type", "LSTM", {"input_forget": 2**63}, {}),
    ("attribute-type", "LSTM", {"activations": "Sigmoid"}, {}),
    ("attribute-type", "LSTM", {"activation_alpha": (1,)}, {}),
    ("operator", "GRU", {}, {"operator": "CFC"}),
    ("no-outputs", "GRU", {}, {"outputs": ()}),
    ("output", "GRU", {}, {"outputs": ("Y", "Y_c")}),
    ("output", "GRU", {}, {"outputs": ("Y", "Y")}),
    ("output", "GRU", {}, {"outputs": ("Z",)}),
    ("constant", "GRU", {}, {"constants": frozenset({"P"})}),
]


@pytest.mark.parametrize(("reason", "operator", "attributes", "fields"), ATTRIBUTES)
def test_an_invalid_node_is_refused(
    make_case: MakeCase, reason: str, operator: str, attributes: dict[str, Any], fields: dict[str, Any]
) -> None:
    case = make_case(operator, **{"direction": "forward"} | attributes).replace(**fields)
    with pytest.raises(RefusalError) as refusal:
        run(case)
    assert (refusal.value.kind, refusal.value.reason) == ("invalid", reason)


INPUTS = [
    ("missing-input", {"X": None}),
    ("missing-input", {"W": None}),
    ("missing-input", {"R": None}),
    ("unknown-input", {"initial_c": zeros(1, 5, 3)}),
    ("unknown-input", {"P": zeros(1, 9)}),
    ("unknown-input", {"Z": zeros(1)}),
    ("rank", {"X": zeros(6, 5)}),
    ("rank", {"X": zeros(6, 5, 4, 1)}),
    ("rank", {"X": zeros()}),
    ("rank", {"R": zeros(9, 3)}),
    ("rank", {"B": zeros(18)}),
    ("rank", {"sequence_lens": zeros(1, 5, dtype=np.int32)}),
    ("shape", {"W": zeros(2, 9, 4)}),
    ("shape", {"W": zeros(1, 12, 4)}),
    ("shape", {"W": zeros(1, 9, 5)}),
    ("shape", {"R": zeros(1, 8, 3)}),
    ("shape", {"B": zeros(1, 9)}),
    ("shape", {"initial_h": zeros(5, 1, 3)}),
    ("shape", {"initial_h": zeros(1, 5, 4)}),
    ("shape", {"sequence_lens": zeros(6, dtype=np.int32)}),
    ("hidden-size", {"R": zeros(1, 0, 0), "W": zeros(1, 0, 4), "B": zeros(1, 0), "initial_h": zeros(1, 5, 0)}),
    ("dtype", {"X": zeros(6, 5, 4, dtype=np.int32)}),
    ("dtype", {"W": zeros(1, 9, 4, dtype=np.complex64)}),
    ("dtype", {"B": zeros(1, 18, dtype=np.bool_)}),
    ("dtype-mismatch", {"W": zeros(1, 9, 4, dtype=np.float16)}),
    ("dtype-mismatch", {"initial_h": zeros(1, 5, 3, dtype=np.float64)}),
    ("lengths-dtype", {"sequence_lens": zeros(5, dtype=np.int64)}),
    ("lengths-dtype", {"sequence_lens": zeros(5, dtype=np.float32)}),
    ("lengths-range", {"sequence_lens": np.array([6, 5, 7, 0, 1], np.int32)}),
    ("lengths-range", {"sequence_lens": np.array([6, 5, -1, 0, 1], np.int32)}),
]


@pytest.mark.parametrize("constants", [frozenset(), None], ids=["fed", "constant"])
@pytest.mark.parametrize(("reason", "inputs"), INPUTS)
def test_an_invalid_input_is_refused(
    make_case: MakeCase, reason: str, inputs: dict[str, Any], constants: frozenset[str] | None
) -> None:
    case = make_case("GRU").with_inputs(**inputs)
    case = case.replace(constants=frozenset(case.inputs) if constants is None else constants)
    with pytest.raises(RefusalError) as refusal:
        run(case)
    assert (refusal.value.kind, refusal.value.reason) == ("invalid", reason)


def test_a_message_says_what_where_and_what_is_allowed(make_case: MakeCase) -> None:
    with pytest.raises(RefusalError, match=r"^sequence_lens\[2\] is 7; it must be 0 to 6, the length of X$"):
        run(make_case("GRU", lengths=(6, 5, 7, 0, 1)))
    with pytest.raises(RefusalError, match=r"^input W has the dimension 5 on axis 2; .* require 4$"):
        run(make_case("GRU").with_inputs(W=zeros(1, 9, 5)))
    with pytest.raises(RefusalError, match=r'^activation "Swish" is not one of Sigmoid, Tanh, .* and Softplus$'):
        run(make_case("RNN", activations=("Swish",)))


def test_a_refused_length_leaves_the_workspace_usable(make_case: MakeCase, same_bits: SameBits) -> None:
    case = make_case("LSTM", lengths=(6, 0, 3, 1, 5))
    workspace = Plan(case).workspace()
    with pytest.raises(RefusalError, match=r"sequence_lens\[4\] is 9"):
        workspace.run(make_case("LSTM", lengths=(6, 0, 3, 1, 9)).inputs)
    same_bits(workspace.run(case.inputs), run(case))


@pytest.mark.parametrize(("dtype", "reason"), [(np.float64, "float64"), (ml_dtypes.bfloat16, "bfloat16")])
def test_other_float_types_are_unsupported(make_case: MakeCase, dtype: Any, reason: str) -> None:  # D30
    case = make_case("LSTM")
    with pytest.raises(RefusalError) as refusal:
        run(case.with_inputs(**cast(case, dtype)))
    assert (refusal.value.kind, refusal.value.reason) == ("unsupported", reason)


def test_an_invalid_float64_case_is_invalid(make_case: MakeCase) -> None:
    case = make_case("LSTM")
    with pytest.raises(RefusalError) as refusal:
        run(case.with_inputs(**cast(case, np.float64) | {"P": zeros(1, 8, dtype=np.float64)}))
    assert (refusal.value.kind, refusal.value.reason) == ("invalid", "shape")


def test_bfloat16_is_no_type_of_the_operators_before_opset_22(make_case: MakeCase) -> None:
    case = make_case("LSTM")
    with pytest.raises(RefusalError) as refusal:
        run(case.with_inputs(**cast(case, ml_dtypes.bfloat16)).replace(opset=21))
    assert (refusal.value.kind, refusal.value.reason) == ("invalid", "dtype")


def scratch(make_case: MakeCase, seq: int, batch: int = 1, constants: tuple[str, ...] = ()) -> Case:
    """A GRU with G = 3, H = 2, I = 5 of which only the shapes matter."""
    inputs = {"X": zeros(seq, batch, 5), "W": zeros(1, 6, 5), "R": zeros(1, 6, 2)}
    return make_case("GRU", omit=("B", "initial_h")).with_inputs(**inputs).replace(constants=frozenset(constants))


# seq * 6 + 4 * 2 + 6 * 5 + 6 * 2 floats, the last two only where the weights are fed
@pytest.mark.parametrize(("constants", "others"), [((), 50), (("W",), 20), (("R",), 38), (("W", "R"), 8)])
def test_the_scratch_limit(make_case: MakeCase, constants: tuple[str, ...], others: int) -> None:  # D36
    most = (2**30 - 1 - others) // 6
    assert Plan(scratch(make_case, most, constants=constants)).output_shapes["Y"] == (most, 1, 1, 2)
    with pytest.raises(RefusalError) as refusal:
        Plan(scratch(make_case, most + 1, constants=constants))
    assert (refusal.value.kind, refusal.value.reason) == ("unsupported", "scratch-limit")


def test_the_limit_itself_is_refused(make_case: MakeCase) -> None:
    # H = 1, I = 1, RNN: seq + 4 + 1 + 1 = 2^30
    inputs = {"W": zeros(1, 1, 1), "R": zeros(1, 1, 1)}
    case = make_case("RNN", omit=("B", "initial_h")).with_inputs(**inputs)
    assert Plan(case.with_inputs(X=zeros(2**30 - 7, 1, 1))).kernel_path
    with pytest.raises(RefusalError, match=r"2\^30"):
        Plan(case.with_inputs(X=zeros(2**30 - 6, 1, 1)))


@pytest.mark.parametrize(("seq", "batch"), [(2**31, 2**27), (2**29, 2**29), (2**20, 2**38)])
def test_a_size_beyond_any_integer_is_beyond_the_limit(make_case: MakeCase, seq: int, batch: int) -> None:
    with pytest.raises(RefusalError) as refusal:
        Plan(scratch(make_case, seq, batch))
    assert refusal.value.reason == "scratch-limit"


@pytest.mark.parametrize("threads", [0, -1, 257, 2**31, 2**64 + 1])
def test_threads_outside_1_to_256_are_refused(make_case: MakeCase, threads: int) -> None:
    with pytest.raises(RefusalError):
        run(make_case("RNN"), threads=threads)


def test_256_threads_run(make_case: MakeCase, same_bits: SameBits) -> None:
    same_bits(run(make_case("GRU"), threads=256), run(make_case("GRU")))


def test_an_unknown_kernel_path_is_refused(make_case: MakeCase) -> None:
    with pytest.raises(RefusalError) as refusal:
        run(make_case("RNN"), "avx9")
    assert (refusal.value.kind, refusal.value.reason) == ("invalid", "kernel-path")


@pytest.mark.parametrize(
    ("reason", "inputs"),
    [
        ("missing-input", {"X": None}),
        ("shape", {"X": zeros(6, 6, 4)}),
        ("dtype", {"X": zeros(6, 5, 4, dtype=np.int32)}),
    ],
)
def test_arrays_that_the_plan_was_not_made_for_are_refused(
    make_case: MakeCase, reason: str, inputs: dict[str, Any]
) -> None:
    case = make_case("RNN")
    with pytest.raises(RefusalError) as refusal:
        Plan(case).workspace().run(case.with_inputs(**inputs).inputs)
    assert refusal.value.reason == reason


def test_the_library_names_its_reasons_once_each() -> None:
    assert len(set(reasons())) == len(reasons())
    named = {reason for reason, *_ in ATTRIBUTES + INPUTS}
    binding_only = {"attribute", "attribute-type", "constant"}
    others = {
        "argument",
        "arithmetic",
        "threads",
        "kernel-path",
        "mode",
        "float64",
        "bfloat16",
        "scratch-limit",
        "out-of-memory",
    }
    assert set(reasons()) == named - binding_only | others


def test_constants_that_no_memory_can_hold_are_refused_at_once() -> None:
    """R [1, 2^60, 2^60] has more elements than 64 bits count; no row is there, so that scratch is no limit."""
    desc, plan, error = ffi.new("gw_layer_desc *"), ffi.new("gw_plan **"), ffi.new("gw_error *")
    desc.op, desc.opset, desc.outputs[lib.GW_Y_H] = lib.GW_RNN, 14, True
    for index, shape in ((lib.GW_X, (0, 0, 0)), (lib.GW_W, (1, 2**60, 0)), (lib.GW_R, (1, 2**60, 2**60))):
        tensor = desc.inputs[index]
        tensor.present, tensor.dtype, tensor.rank = True, lib.GW_FLOAT32, 3
        tensor.constant = index != lib.GW_X
        tensor.shape[0:3] = shape
    assert lib.gw_plan_create(desc, plan, error) == lib.GW_OUT_OF_MEMORY
    assert ffi.string(lib.gw_reason_name(error.reason)) == b"out-of-memory"
