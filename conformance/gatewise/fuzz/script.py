"""A find as a Python script that needs numpy, onnx and the runtime, and nothing of gatewise."""

import textwrap
from collections.abc import Iterator
from string import Template

import numpy as np
import onnx
from onnx import helper

from gatewise_corpus.case import Array, AttributeValue, Case
from gatewise_corpus.layer import output_shapes
from gatewise_corpus.onnx_model import to_model
from gatewise_reports.failure import verdict_line
from gatewise_reports.record import Number, Place, Result

_SCRIPT = Template('''\
"""$title

$verdict
"""

$imports

# What the runtime is given: one node.
inputs = {
$inputs
}
constants = $constants
node = helper.make_node($operator, $slots, $outputs, **$attributes)$empty


def declare(name, array):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


model = helper.make_model(
    helper.make_graph(
        [node],
        "case",
        [declare(name, array) for name, array in inputs.items() if name not in constants],
        [helper.make_tensor_value_info(name, $type, None) for name in node.output if name],
        [numpy_helper.from_array(inputs[name], name) for name in constants],
    ),
    opset_imports=[helper.make_opsetid("", $opset)],
    ir_version=$ir_version,
)
fed = {name: array for name, array in inputs.items() if name not in constants}


def run():
$run


outputs = dict(zip([name for name in node.output if name], run(), strict=True))
for name, array in outputs.items():
    print(name, array.dtype, array.shape)
    print(array)
$check
''')
_IMPORTS = Template("""\
$standard

try:
$third
except ImportError as error:
    print(f"this script cannot start: {error}", file=sys.stderr)
    sys.exit(2)""")
_MODULE = """\
sys.path.insert(0, "")  # the current folder counts
module = importlib.import_module({module!r})"""
_BACKEND = """\
return module{name}.prepare(model, "CPU").run(list(fed.values()))"""
_ONLY_BACKEND = """\
defined = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
backend = next(each for each in [module, *defined] if hasattr(each, "prepare"))
return backend.prepare(model, "CPU").run(list(fed.values()))"""
_ONNXRUNTIME = """\
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
return session.run(None, fed)"""
_ONNX_REFERENCE = """\
return onnx.reference.ReferenceEvaluator(model).run(None, fed)"""
_PROGRAM = """\
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for part in ("test_data_set_0", "outputs"):
        (folder / part).mkdir()
    onnx.save(model, folder / "model.onnx")
    for index, (name, array) in enumerate(fed.items()):
        onnx.save_tensor(numpy_helper.from_array(array, name), folder / "test_data_set_0" / f"input_{{index}}.pb")
    paths = {{"model": folder / "model.onnx", "inputs": folder / "test_data_set_0", "outputs": folder / "outputs"}}
    paths["folder"] = folder
    subprocess.run([word.format(**paths) for word in shlex.split({command!r})], check=True)
    files = [folder / "outputs" / f"output_{{index}}.pb" for index, name in enumerate(filter(None, node.output))]
    return [numpy_helper.to_array(onnx.load_tensor(file)) for file in files]"""


def script(case: Case, result: Result, spec: str) -> str:
    """The script that runs ``case`` on the implementation ``spec`` and shows whether ``result`` is so still."""
    modules, run = _runtime(spec)
    model = to_model(case)
    return _SCRIPT.substitute(
        title=result.line,
        verdict=verdict_line(result).strip(),
        imports=_imports(spec, modules),
        inputs="\n".join(f"    {name!r}: {_array(array)}," for name, array in case.inputs.items()),
        constants=sorted(case.constants),
        operator=repr(case.operator),
        slots=list(model.graph.node[0].input),
        outputs=list(model.graph.node[0].output),
        attributes=_attributes(case),
        empty="".join(_empty_attributes(case, model)),
        type=helper.np_dtype_to_tensor_dtype(case.inputs["X"].dtype),
        opset=case.opset,
        ir_version=model.ir_version,
        run=textwrap.indent(run, "    "),
        check=_check(case, result),
    )


def _imports(spec: str, modules: list[str]) -> str:
    name, _, argument = spec.partition(":")
    own = {"onnxruntime": ["import onnxruntime"], "onnx-reference": ["import onnx.reference"], "backend": []}
    third = [
        "import numpy as np",
        *own.get(name, ["import onnx"]),
        "from onnx import helper, numpy_helper",
        *(["", _MODULE.format(module=argument.partition(":")[0])] if name == "backend" else []),
    ]
    standard = "\n".join(f"import {module}" for module in sorted([*modules, "sys"]))
    return _IMPORTS.substitute(standard=standard, third=textwrap.indent("\n".join(third), "    "))


def _runtime(spec: str) -> tuple[list[str], str]:
    """The standard modules that the body of ``run`` needs, and the body."""
    name, _, argument = spec.partition(":")
    if name == "onnxruntime":
        return [], _ONNXRUNTIME
    if name == "onnx-reference":
        return [], _ONNX_REFERENCE
    if name == "backend":
        _, _, attribute = argument.partition(":")
        return ["importlib"], _BACKEND.format(name=f".{attribute}") if attribute else _ONLY_BACKEND
    command = argument if name == "command" else f"gatewise run {{folder}} -i {spec!r} -o {{outputs}}"
    return ["pathlib", "shlex", "subprocess", "tempfile"], _PROGRAM.format(command=command)


def _attributes(case: Case) -> str:
    given = {name: value for name, value in case.attributes.items() if value != ()}
    return "{" + ", ".join(f"{name!r}: {_value(value)}" for name, value in given.items()) + "}"


def _empty_attributes(case: Case, model: onnx.ModelProto) -> Iterator[str]:
    """Statements for the attributes that are empty lists, whose type ``make_node`` cannot tell."""
    for attribute in model.graph.node[0].attribute:
        if case.attributes[attribute.name] == ():
            yield (
                f"\nnode.attribute.append(helper.make_attribute({attribute.name!r}, [], attr_type={attribute.type}))"
            )


def _value(value: AttributeValue) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return _number(value) if isinstance(value, float) else repr(value)


def _number(value: float) -> str:
    return repr(value) if np.isfinite(value) else f'float("{value}")'


def _array(array: Array) -> str:
    """The array as an expression; floats by the fewest digits that give them back."""
    values = [str(value).replace("nan", "np.nan").replace("inf", "np.inf") for value in array.ravel()]
    listed = textwrap.fill(", ".join(values), 100, initial_indent=" " * 12, subsequent_indent=" " * 12)
    return (
        f"np.array(\n        [\n{listed}\n        ],\n        np.{array.dtype},\n    ).reshape({list(array.shape)})"
    )


def _check(case: Case, result: Result) -> str:
    """What ends the script with 1 where the fault still shows."""
    place = result.place
    if result.verdict == "accepted":
        return 'raise SystemExit("it ran, but must be refused")'
    if place is None and result.verdict == "wrong":
        shapes, dtype = output_shapes(case), case.inputs["X"].dtype.name
        right = {name: (shapes[name], dtype) for name in case.outputs}
        return (
            f"right = {right!r}\n"
            "given = {name: (array.shape, array.dtype.name) for name, array in outputs.items()}\n"
            'raise SystemExit(0 if given == right else f"the shapes and types must be {right}")'
        )
    if place is None:
        return 'print("it ran")'
    index = ", ".join(map(str, place.index))
    return (
        f"value = outputs[{place.output!r}][{index}]\n"
        f'print("{place.output}[{index}] is", value, "and may be {_interval(place)}")\n'
        f"low, high = {_bound(place.low)}, {_bound(place.high)}\n"
        "is_right = np.isnan(value) if np.isnan(low) else low <= value <= high\n"
        "raise SystemExit(0 if is_right else 1)"
    )


def _interval(place: Place) -> str:
    return f"only {place.low}" if place.low == place.high else f"{place.low} .. {place.high}"


def _bound(value: Number) -> str:
    return _number(float(value))
