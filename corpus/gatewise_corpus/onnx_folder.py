"""A case on disk: a folder in the ONNX backend test format.

``model.onnx`` beside ``test_data_set_0/input_N.pb`` and ``output_N.pb``, as ONNX's own node tests have it.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import onnx
from google.protobuf.message import DecodeError
from onnx import numpy_helper

from gatewise_corpus.case import Array, Case
from gatewise_corpus.onnx_model import FormatError, feeds, from_model, output_tensors, recurrent_node, to_model

MODEL = "model.onnx"
DATA_SET = "test_data_set_0"


class FolderCase(NamedTuple):
    """A case read from a folder and the outputs that stand with it, by slot; empty where none do."""

    case: Case
    outputs: dict[str, Array]


def write_folder(folder: Path, case: Case, outputs: Mapping[str, Array]) -> None:
    """Writes ``case`` and the outputs known for it; those that it does not request are left out."""
    data_set = folder / DATA_SET
    data_set.mkdir(parents=True, exist_ok=True)
    for stale in data_set.glob("*.pb"):
        stale.unlink()
    (folder / MODEL).write_bytes(to_model(case).SerializeToString(deterministic=True))
    write_tensors(data_set, "input", feeds(case))
    write_tensors(data_set, "output", {name: outputs[name] for name in case.outputs if name in outputs})


def write_tensors(folder: Path, prefix: str, arrays: Mapping[str, Array]) -> None:
    """Writes ``arrays`` as ``prefix_0.pb``, ``prefix_1.pb`` ... in their order, each with its name."""
    for index, (name, array) in enumerate(arrays.items()):
        tensor = numpy_helper.from_array(array, name)
        (folder / f"{prefix}_{index}.pb").write_bytes(tensor.SerializeToString(deterministic=True))


def data_sets(folder: Path) -> list[str]:
    """The names of the data sets in ``folder``, in the order of their numbers."""
    return sorted(
        (path.name for path in folder.glob("test_data_set_*") if path.is_dir()), key=lambda name: (len(name), name)
    )


def read_folder(folder: Path, data_set: str = DATA_SET, model_name: str = MODEL) -> FolderCase:
    """The case in ``folder`` with one of its data sets.

    Raises:
        FormatError: if a file is missing or does not hold what its name says.
    """
    model = read_model(folder / model_name)
    tensors = folder / data_set
    initializers = {tensor.name for tensor in model.graph.initializer}
    fed_names = [value.name for value in model.graph.input if value.name not in initializers]
    case = from_model(model, read_tensors(tensors, "input", fed_names))
    given = read_tensors(tensors, "output", [value.name for value in model.graph.output])
    written = output_tensors(recurrent_node(model))
    return FolderCase(case, {slot: given[tensor] for slot, tensor in written.items() if tensor in given})


def read_model(path: Path) -> onnx.ModelProto:
    """The model in ``path``.

    Raises:
        FormatError: if there is no such file or it is not an ONNX model.
    """
    try:
        return onnx.load(path)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from error
    except DecodeError as error:
        raise FormatError(f"{path}: is not an ONNX model") from error
    except (onnx.checker.ValidationError, ValueError) as error:
        raise FormatError(f"{path}: its external data cannot be read ({error})") from error


def read_tensors(folder: Path, prefix: str, names: Iterable[str]) -> dict[str, Array]:
    """The tensors in ``prefix_N.pb`` by name; a tensor without one of ``names`` takes the name in its position.

    Raises:
        FormatError: if a file is not a tensor, or there are more files than names.
    """
    names = list(names)
    arrays: dict[str, Array] = {}
    for index in range(len(list(folder.glob(f"{prefix}_*.pb")))):
        path = folder / f"{prefix}_{index}.pb"
        tensor = onnx.TensorProto()
        try:
            tensor.ParseFromString(path.read_bytes())
            array = numpy_helper.to_array(tensor)
        except OSError as error:
            raise FormatError(f"{path}: cannot be read ({error.strerror})") from error
        except (DecodeError, ValueError, TypeError) as error:
            raise FormatError(f"{path}: does not hold a tensor") from error
        if tensor.name in names:
            arrays[tensor.name] = array
        elif index < len(names):
            arrays[names[index]] = array
        else:
            raise FormatError(f"{path}: the model has {len(names)} {prefix}s, so {prefix}_{index} belongs to none")
    return arrays
