"""The C reference library: plans, workspaces and runs, as thin as the public header allows.

What each call means, takes and refuses stands in ``implementations/reference/include/gatewise.h``; arrays cross
without a copy unless they are not contiguous. Calls release the interpreter's lock.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gatewise_corpus.attributes import has_type
from gatewise_corpus.case import Array, AttributeValue, Case
from gatewise_corpus.operators import OPERATORS, Operator
from gatewise_implementations._reference import ffi, lib
from gatewise_implementations.adapter import RefusalError

MAX_THREADS: int = lib.GW_MAX_THREADS
"""The most threads of a workspace."""
_OPERATORS = {"RNN": lib.GW_RNN, "GRU": lib.GW_GRU, "LSTM": lib.GW_LSTM}
_DTYPES = {
    "float32": lib.GW_FLOAT32,
    "float16": lib.GW_FLOAT16,
    "float64": lib.GW_FLOAT64,
    "bfloat16": lib.GW_BFLOAT16,
    "int32": lib.GW_INT32,
}
_INPUTS = ("X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P")
_OUTPUTS = ("Y", "Y_h", "Y_c")
_MODES = {"exact": lib.GW_MODE_EXACT, "fast": lib.GW_MODE_FAST}
MODES = tuple(_MODES)
"""The names of the modes."""
_KINDS = {lib.GW_INVALID_INPUT: "invalid", lib.GW_UNSUPPORTED: "unsupported"}


@dataclass(frozen=True)
class KernelPath:
    """A kernel path of this build, what it needs of the processor, and whether this one can run it."""

    name: str
    needs: str
    available: bool


def kernel_paths() -> tuple[KernelPath, ...]:
    """The kernel paths of this build, narrowest first."""
    return tuple(
        KernelPath(
            _text(lib.gw_kernel_path_name(index)),
            _text(lib.gw_kernel_path_needs(index)),
            bool(lib.gw_kernel_path_available(index)),
        )
        for index in range(lib.gw_kernel_path_count())
    )


def build_info() -> dict[str, str]:
    """How the library was built: its ``version``, ``compiler`` and ``flags``."""
    build = lib.gw_build_info()
    return {"version": _text(build.version), "compiler": _text(build.compiler), "flags": _text(build.flags)}


def reasons() -> tuple[str, ...]:
    """The names of all reasons for a refusal that the library knows."""
    return tuple(_text(lib.gw_reason_name(reason)) for reason in range(1, lib.GW_REASON_COUNT))


def functions() -> tuple[str, ...]:
    """The names of the functions that exact mode defines by mathematics, as ``evaluate`` takes them."""
    return tuple(_text(lib.gw_function_name(function)) for function in range(lib.GW_FUNCTION_COUNT))


def evaluate(function: str, x: Array, kernel_path: str | None = None, mode: str = "exact") -> Array:
    """The values of a function, correctly rounded in exact mode.

    Args:
        function: a name from ``functions()``.
        x: float32, of any shape.
        kernel_path: a name from ``kernel_paths()``, or None for the widest that this processor runs.
        mode: a name from ``MODES``.

    Returns:
        float32, of the same shape: in exact mode the number nearest to the real value, ties to even; 0x7FC00000 for
        each NaN.

    Raises:
        RefusalError: if there is no such function or path, this processor cannot run the path, or ``x`` is not
            float32.
    """
    if function not in functions():
        raise _invalid("argument", f"function {function!r} is not one of {', '.join(functions())}")
    if x.dtype.newbyteorder("=") != np.float32:
        raise _invalid("dtype", f"x is {x.dtype}; it must be float32")
    given = _native(x)
    y, error = np.empty(x.shape, np.float32), ffi.new("gw_error *")
    pointers = [ffi.cast("float *", array.ctypes.data) for array in (given, y)]
    status = lib.gw_evaluate(functions().index(function), _mode(mode), _path(kernel_path), x.size, *pointers, error)
    _check(status, error)
    return y


def saturate(steps: int, kernel_path: str | None = None, mode: str = "exact") -> int:
    """Multiplies and adds on the vectors of a kernel path, ``steps`` times as many as the core can do at once.

    Args:
        steps: 0 or more.
        kernel_path: as in ``evaluate``.
        mode: a name from ``MODES``; fast fuses them.

    Returns:
        How many floating-point operations those were.

    Raises:
        RefusalError: if there is no such path or mode, or this processor cannot run the path.
    """
    operations, error = ffi.new("size_t *"), ffi.new("gw_error *")
    _check(lib.gw_saturate(_mode(mode), _path(kernel_path), steps, operations, error), error)
    return int(operations[0])


class Plan:
    """A validated layer with its constant inputs prepared; never changes, and threads may share it.

    Attributes:
        kernel_path: name of the path that it runs on.
        bytes: memory that it holds.
    """

    def __init__(self, case: Case, kernel_path: str | None = None, mode: str = "exact") -> None:
        """Describes the case's node, the types of its inputs and the values of its constants to the library.

        Args:
            case: its other inputs' values are not kept; ``Workspace.run`` takes them.
            kernel_path: a name from ``kernel_paths()``, or None for the widest that this processor runs.
            mode: a name from ``MODES``.

        Raises:
            RefusalError: if the library refuses the layer, or the case holds what no layer description can say.
        """
        operator = _operator(case)
        description = _Description()
        description.add_attributes(case, operator)
        description.add_inputs(case, operator)
        description.add_outputs(case, operator)
        description.layer.mode = _mode(mode)
        description.layer.kernel_path = ffi.NULL if kernel_path is None else description.text(kernel_path)
        plan, error = ffi.new("gw_plan **"), ffi.new("gw_error *")
        _check(lib.gw_plan_create(description.layer, plan, error), error)
        self.handle = ffi.gc(plan[0], lib.gw_plan_destroy)
        self.kernel_path = _text(lib.gw_plan_kernel_path(self.handle))
        self.bytes = int(lib.gw_plan_bytes(self.handle))
        self.outputs = case.outputs
        self.dtype = case.inputs["X"].dtype.newbyteorder("=")
        self.output_shapes = _output_shapes(case, operator)
        self.fed = {
            name: (array.dtype.newbyteorder("="), array.shape)
            for name, array in case.inputs.items()
            if name not in case.constants
        }

    def workspace(self, threads: int = 1) -> "Workspace":
        """Scratch memory and a team of threads for runs of this plan; see ``Workspace``."""
        return Workspace(self, threads)


class Workspace:
    """Scratch memory and threads for one run at a time; it does not survive a fork of the process.

    Attributes:
        bytes: memory that it holds, the threads' stacks apart.
    """

    def __init__(self, plan: Plan, threads: int = 1) -> None:
        """Makes the memory and the threads.

        Args:
            plan: the plan that will run.
            threads: 1 to 256, the calling one counted.

        Raises:
            RefusalError: with reason ``threads`` or ``out-of-memory``.
        """
        workspace, error = ffi.new("gw_workspace **"), ffi.new("gw_error *")
        _check(lib.gw_workspace_create(plan.handle, _int64("threads", threads), workspace, error), error)
        self.plan = plan  # keeps it alive: the library requires that it outlives the workspace
        self.handle = ffi.gc(workspace[0], lib.gw_workspace_destroy)
        self.bytes = int(lib.gw_workspace_bytes(self.handle))

    def run(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Runs the layer once.

        Args:
            inputs: the arrays of all inputs that are not constant, of the types and shapes that the plan was made
                for; others are ignored.

        Returns:
            The requested outputs by name, in the order of the plan's case.

        Raises:
            RefusalError: if an array is missing or of another type or shape, a length is outside [0, seq], or
                another run is using this workspace.
        """
        run = self.prepare(inputs)
        _check(run.call(), run.error)
        return run.outputs

    def prepare(self, inputs: Mapping[str, Array]) -> "PreparedRun":
        """All of ``run`` but the call into the library, with the same arguments and errors."""
        plan = self.plan
        arrays = {name: _fed(name, inputs, dtype, shape) for name, (dtype, shape) in plan.fed.items()}
        outputs = {name: np.empty(plan.output_shapes[name], plan.dtype) for name in plan.outputs}
        pointers = _pointers(_INPUTS, arrays), _pointers(_OUTPUTS, outputs)
        error = ffi.new("gw_error *")
        call = partial(lib.gw_run, plan.handle, self.handle, *pointers, error)
        return PreparedRun(call, error, outputs, (self, arrays))


@dataclass(frozen=True)
class PreparedRun:
    """A run with its arrays in place, to be called any number of times.

    Attributes:
        call: ``gw_run`` with its arguments; it fills ``error`` and returns the status.
        outputs: the arrays that a call fills, by name.
        alive: what the arguments point to.
    """

    call: Callable[[], int]
    error: Any
    outputs: dict[str, Array]
    alive: tuple[Any, ...]


def run(case: Case, kernel_path: str | None = None, threads: int = 1, mode: str = "exact") -> dict[str, Array]:
    """Plans and runs ``case`` once: its outputs by name.

    Raises:
        RefusalError: as ``Plan``, ``Workspace`` and ``Workspace.run`` do.
    """
    return Plan(case, kernel_path, mode).workspace(threads).run(case.inputs)


class _Description:
    """A ``gw_layer_desc`` under construction, with the memory that it points to."""

    def __init__(self) -> None:
        self.layer = ffi.new("gw_layer_desc *")
        self._alive: list[Any] = []

    def text(self, value: str) -> Any:
        """A C string. A NUL inside would end it early and hide the rest from the library, so it is spelled out."""
        return self._keep(ffi.new("char[]", value.replace("\0", "\\0").encode(errors="surrogateescape")))

    def add_attributes(self, case: Case, operator: Operator) -> None:
        self.layer.op = _OPERATORS[operator.name]
        self.layer.opset = _int64("opset", case.opset, "opset")
        for name, value in case.attributes.items():
            wanted = operator.attributes.get(name)
            if wanted is None:
                allowed = ", ".join(operator.attributes)
                raise _invalid("attribute", f"{operator.name} has no attribute {name!r}; it has {allowed}")
            if not has_type(value, wanted):
                raise _invalid("attribute-type", f"attribute {name} is {value!r}; it must be of type {wanted}")
            self._add_attribute(name, value)

    def _add_attribute(self, name: str, value: AttributeValue) -> None:
        match value:
            case tuple() if name == "activations":
                names = [self.text(str(item)) for item in value]
                self._set_list("activation", "activations", "const char *[]", names)
            case tuple():
                self._set_list(name, name, "float[]", list(value))
            case str():
                setattr(self.layer, name, self.text(value))
            case float():
                setattr(self.layer, name, value)
            case _:
                setattr(self.layer, name, _int64(name, value))
        if name in {"layout", "hidden_size"}:
            setattr(self.layer, f"has_{name}", True)

    def _set_list(self, count: str, name: str, ctype: str, items: list[Any]) -> None:
        setattr(self.layer, f"{count}_count", len(items))
        setattr(self.layer, name, self._keep(ffi.new(ctype, items)))

    def add_inputs(self, case: Case, operator: Operator) -> None:
        for name in case.inputs:
            if operator.input(name) is None:
                allowed = ", ".join(slot.name for slot in operator.inputs)
                raise _invalid("unknown-input", f"{operator.name} has no input {name!r}; it has {allowed}")
        for name in case.constants - case.inputs.keys():
            raise _invalid("constant", f"constant {name!r} is not one of the case's inputs")
        for name, array in case.inputs.items():
            self._add_tensor(self.layer.inputs[_INPUTS.index(name)], array, constant=name in case.constants)

    def _add_tensor(self, tensor: Any, array: Array, *, constant: bool) -> None:
        tensor.present = True
        tensor.dtype = _DTYPES.get(array.dtype.name, lib.GW_DTYPE_OTHER)
        tensor.rank = array.ndim
        for axis, size in enumerate(array.shape[: lib.GW_MAX_RANK]):
            tensor.shape[axis] = size
        tensor.constant = constant
        if constant:
            tensor.data = _pointer(self._keep(_native(array)))

    def add_outputs(self, case: Case, operator: Operator) -> None:
        for name in case.outputs:
            if operator.output(name) is None or case.outputs.count(name) > 1:
                allowed = ", ".join(operator.output_names)
                raise _invalid("output", f"output {name!r} is not one of {allowed}, each at most once")
            self.layer.outputs[_OUTPUTS.index(name)] = True

    def _keep(self, value: Any) -> Any:
        self._alive.append(value)
        return value


def _mode(name: str) -> int:
    if name not in _MODES:
        raise _invalid("mode", f"mode {name!r} is not one of {', '.join(MODES)}")
    return int(_MODES[name])


def _operator(case: Case) -> Operator:
    operator = OPERATORS.get(case.operator)
    if operator is None:
        raise _invalid("operator", f"operator {case.operator!r} is not one of {', '.join(OPERATORS)}")
    return operator


def _output_shapes(case: Case, operator: Operator) -> dict[str, tuple[int, ...]]:
    """The shapes of the outputs of a case that the library has accepted."""
    layout = case.attributes.get("layout", 0) == 1
    first, second, _ = case.inputs["X"].shape
    seq, batch = (second, first) if layout else (first, second)
    dirs, _, hidden = case.inputs["R"].shape
    sizes = {"seq": seq, "batch": batch, "dirs": dirs, "hidden": hidden}
    return {slot.name: tuple(sizes[name] for name in slot.shape(layout)) for slot in operator.outputs}


def _fed(name: str, inputs: Mapping[str, Array], dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """The array of one input, in the form the library reads; it sees pointers only, so all is checked here."""
    if name not in inputs:
        raise _invalid("missing-input", f"input {name} is missing; the plan was made for a fed {name}")
    array = inputs[name]
    if array.dtype.newbyteorder("=") != dtype:
        raise _invalid("dtype", f"input {name} is {array.dtype}; the plan was made for {dtype}")
    if array.shape != shape:
        raise _invalid("shape", f"input {name} has shape {list(array.shape)}; the plan was made for {list(shape)}")
    return _native(array)


def _native(array: Array) -> Array:
    return np.require(array, array.dtype.newbyteorder("="), ["C_CONTIGUOUS", "ALIGNED"])


def _pointers(names: tuple[str, ...], arrays: Mapping[str, Array]) -> Any:
    return ffi.new("void *[]", [_pointer(arrays[name]) if name in arrays else ffi.NULL for name in names])


def _pointer(array: Array) -> Any:
    return ffi.cast("void *", array.ctypes.data)


def _int64(name: str, value: Any, reason: str = "attribute-type") -> int:
    if not -(2**63) <= value < 2**63:
        raise _invalid(reason, f"{name} is {value}; it must fit into 64 bits")
    return int(value)


def _invalid(reason: str, message: str) -> RefusalError:
    return RefusalError(message, "invalid", reason)


def _path(name: str | None) -> Any:
    return ffi.NULL if name is None else ffi.new("char[]", name.encode())


def _check(status: int, error: Any) -> None:
    if status != lib.GW_OK:
        message = ffi.string(error.message).decode(errors="replace")
        raise RefusalError(message, _KINDS.get(status, ""), _text(lib.gw_reason_name(error.reason)))


def _text(value: Any) -> str:
    return str(ffi.string(value).decode())
