"""What only a C program can do wrong: null pointers, foreign workspaces, numbers outside the enumerations."""

from collections.abc import Callable

import numpy as np
import pytest

from gatewise_corpus.case import Case
from gatewise_implementations._reference import ffi, lib
from gatewise_implementations.reference_library import Plan, build_info, kernel_paths

MakeCase = Callable[..., Case]

NULL = ffi.NULL


class Description:
    """The least valid layer: an RNN with I = 2, H = 1, N = 1, T = 3, all fed."""

    def __init__(self) -> None:
        self.layer = ffi.new("gw_layer_desc *")
        self.layer.op = lib.GW_RNN
        self.layer.opset = 14
        self.layer.outputs[lib.GW_Y] = True
        for slot, shape in ((lib.GW_X, (3, 1, 2)), (lib.GW_W, (1, 1, 2)), (lib.GW_R, (1, 1, 1))):
            self.describe(slot, shape)

    def describe(self, slot: int, shape: tuple[int, ...]) -> None:
        tensor = self.layer.inputs[slot]
        tensor.present, tensor.dtype, tensor.rank = True, lib.GW_FLOAT32, len(shape)
        for axis, size in enumerate(shape):
            tensor.shape[axis] = size

    def create(self) -> tuple[int, str, str]:
        """The status, the reason's name and the message; a plan that was made is released."""
        plan, error = ffi.new("gw_plan **"), ffi.new("gw_error *")
        status = lib.gw_plan_create(self.layer, plan, error)
        lib.gw_plan_destroy(plan[0])
        reason = ffi.string(lib.gw_reason_name(error.reason)).decode()
        assert (status == lib.GW_OK) == (plan[0] != NULL) == (reason == "none")
        assert error.status == status
        return status, reason, ffi.string(error.message).decode()


def test_the_least_layer_is_accepted() -> None:
    assert Description().create() == (lib.GW_OK, "none", "")


def test_an_operator_outside_the_enumeration() -> None:
    description = Description()
    description.layer.op = ffi.cast("gw_operator", 7)
    status, reason, message = description.create()
    assert (status, reason) == (lib.GW_INVALID_INPUT, "operator")
    assert message == "the operator is number 7; it must be GW_RNN, GW_GRU or GW_LSTM"


@pytest.mark.parametrize(("slot", "shape"), [(lib.GW_P, (1, 3)), (lib.GW_INITIAL_C, (1, 1, 1))])
def test_an_input_of_another_operator(slot: int, shape: tuple[int, ...]) -> None:
    description = Description()
    description.describe(slot, shape)
    assert description.create()[1] == "unknown-input"


def test_an_output_of_another_operator() -> None:
    description = Description()
    description.layer.outputs[lib.GW_Y_C] = True
    assert description.create()[1] == "output"


def test_a_negative_dimension() -> None:
    description = Description()
    description.describe(lib.GW_X, (3, -1, 2))
    assert description.create()[1:] == (
        "shape",
        "input X has the dimension -1 on axis 1; a dimension must not be negative",
    )


def test_a_hidden_size_whose_multiple_would_wrap_around() -> None:
    description = Description()
    description.layer.op = lib.GW_LSTM
    description.describe(lib.GW_W, (1, 0, 2))  # 4 * 2^62 is 0 in 64 bits
    description.describe(lib.GW_R, (1, 0, 2**62))
    assert description.create()[:2] == (lib.GW_INVALID_INPUT, "shape")


def test_constant_weights_beyond_all_memory() -> None:
    description, one = Description(), np.zeros(1, np.float32)
    description.describe(lib.GW_X, (0, 1, 2**60))
    description.describe(lib.GW_W, (1, 1, 2**60))
    weights = description.layer.inputs[lib.GW_W]
    weights.constant, weights.data = True, ffi.cast("void *", one.ctypes.data)
    assert description.create() == (
        lib.GW_OUT_OF_MEMORY,
        "out-of-memory",
        "there is not enough memory for the plan",
    )


def test_a_constant_without_data() -> None:
    description = Description()
    description.layer.inputs[lib.GW_R].constant = True
    assert description.create()[1:] == (
        "argument",
        "input R is constant and its data pointer is null; it must point to the values",
    )


def test_null_pointers(make_case: MakeCase) -> None:
    plan, workspace = ffi.new("gw_plan **"), ffi.new("gw_workspace **")
    made = Plan(make_case("RNN"))
    space = made.workspace()
    pointers = ffi.new("void *[8]")
    assert lib.gw_plan_create(NULL, plan, NULL) == lib.GW_INVALID_INPUT
    assert lib.gw_plan_create(Description().layer, NULL, NULL) == lib.GW_INVALID_INPUT
    assert lib.gw_workspace_create(NULL, 1, workspace, NULL) == lib.GW_INVALID_INPUT
    assert lib.gw_workspace_create(made.handle, 1, NULL, NULL) == lib.GW_INVALID_INPUT
    for arguments in (
        (NULL, space.handle, pointers, pointers),
        (made.handle, NULL, pointers, pointers),
        (made.handle, space.handle, NULL, pointers),
        (made.handle, space.handle, pointers, NULL),
    ):
        assert lib.gw_run(*arguments, NULL) == lib.GW_INVALID_INPUT
    lib.gw_plan_destroy(NULL)
    lib.gw_workspace_destroy(NULL)


def test_null_tensors(make_case: MakeCase) -> None:
    case = make_case("RNN")
    plan = Plan(case)
    space, error = plan.workspace(), ffi.new("gw_error *")
    inputs, outputs = ffi.new("void *[8]"), ffi.new("void *[3]")
    assert lib.gw_run(plan.handle, space.handle, inputs, outputs, error) == lib.GW_INVALID_INPUT
    assert ffi.string(error.message) == b"the pointer of input X is null; it must point to the tensor"
    for slot, name in enumerate(("X", "W", "R", "B", None, "initial_h")):
        if name:
            inputs[slot] = ffi.cast("void *", case.inputs[name].ctypes.data)
    assert lib.gw_run(plan.handle, space.handle, inputs, outputs, error) == lib.GW_INVALID_INPUT
    assert ffi.string(error.message).startswith(b"output Y is asked for and its pointer is null")


def test_a_workspace_of_another_plan(make_case: MakeCase) -> None:
    plan, other = Plan(make_case("RNN")), Plan(make_case("RNN"))
    pointers, error = ffi.new("void *[8]"), ffi.new("gw_error *")
    status = lib.gw_run(plan.handle, other.workspace().handle, pointers, pointers, error)
    assert status == lib.GW_INVALID_INPUT
    assert ffi.string(error.message).startswith(b"the workspace was made for another plan")


def test_every_element_of_the_outputs_is_written_and_no_other(make_case: MakeCase) -> None:
    case = make_case("LSTM", lengths=(6, 0, 3, 1, 5), direction="bidirectional", h=9)
    plan = Plan(case)
    space = plan.workspace(2)
    expected = space.run(case.inputs)
    # one element more than each output has, before and after
    around = {name: np.full(array.size + 2, np.nan, np.float32) for name, array in expected.items()}
    inputs, outputs = ffi.new("void *[8]"), ffi.new("void *[3]")
    names = ("X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P")
    for slot, name in enumerate(names):
        inputs[slot] = ffi.cast("void *", case.inputs[name].ctypes.data)
    for slot, array in enumerate(around.values()):
        outputs[slot] = ffi.cast("void *", array.ctypes.data + 4)
    assert lib.gw_run(plan.handle, space.handle, inputs, outputs, NULL) == lib.GW_OK
    for name, array in around.items():
        assert np.isnan(array[[0, -1]]).all()
        assert np.array_equal(array[1:-1], expected[name].ravel())


def test_a_long_message_is_cut_to_its_place() -> None:
    description = Description()
    name = ffi.new("char[]", b"x" * 5000)
    names = ffi.new("char *[]", [name])
    description.layer.activations, description.layer.activation_count = names, 1
    message = description.create()[2]
    assert message.startswith('activation "' + "x" * 40 + '" is not one of')
    assert len(message) < 256


def test_reasons_outside_the_list_have_a_name() -> None:
    assert ffi.string(lib.gw_reason_name(ffi.cast("gw_reason", 9999))) == b"unknown"


def test_the_listing_of_kernel_paths() -> None:
    assert kernel_paths()[0].name == "scalar"
    assert kernel_paths()[0].available
    count = lib.gw_kernel_path_count()
    assert len(kernel_paths()) == count
    assert lib.gw_kernel_path_name(count) == NULL
    assert not lib.gw_kernel_path_available(count)


def test_the_build_says_which_flags_exact_mode_had() -> None:
    build = build_info()
    assert "-ffp-contract=off" in build["flags"]
    assert "-fno-fast-math" in build["flags"]
    assert build["compiler"].startswith(("gcc ", "clang "))
    assert build["version"]


def test_plans_and_workspaces_say_what_memory_they_hold(make_case: MakeCase) -> None:
    case = make_case("GRU", h=127, i=41)
    fed, fixed = Plan(case), Plan(case.replace(constants=frozenset({"W", "R"})))
    weights = case.inputs["W"].nbytes + case.inputs["R"].nbytes
    assert weights <= fixed.bytes - fed.bytes < 1.1 * weights  # packed, with a unit of padding
    assert fed.workspace().bytes - fixed.workspace().bytes == fixed.bytes - fed.bytes
