"""Cases from paths: folders in the ONNX backend test format, one-node models, and trees of them."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gatewise.jobs import Job, LoadedCase
from gatewise.model_inputs import draw_inputs
from gatewise_corpus.case import Case
from gatewise_corpus.onnx_folder import DATA_SET, MODEL, data_sets, read_folder, read_model
from gatewise_corpus.onnx_model import FormatError, from_model, output_tensors, recurrent_node
from gatewise_corpus.operators import OPERATORS

GIVEN = "given outputs"
"""Whose outputs those are that stand with a case."""


@dataclass(frozen=True)
class FolderJob:
    """A model with one of the data sets beside it: inputs and perhaps outputs."""

    model: Path
    data_set: str

    @property
    def path(self) -> Path:
        """What stands for the case on the command line: the folder, or a model of another name."""
        return self.model.parent if self.model.name == MODEL else self.model

    @property
    def name(self) -> str:
        """The path; of a further data set, with its name."""
        return str(self.path if self.data_set == DATA_SET else self.path / self.data_set)

    @property
    def selection(self) -> str:
        """The path as the command line takes it."""
        return shlex.quote(str(self.path))

    def load(self) -> LoadedCase:
        """The case and the outputs that stand with it."""
        with _named(self.path):
            case, outputs = read_folder(self.model.parent, self.data_set, self.model.name)
        return LoadedCase(case, outputs, GIVEN if outputs else "")


@dataclass(frozen=True)
class ModelJob:
    """A one-node model; its inputs are drawn."""

    path: Path
    seed: int

    @property
    def name(self) -> str:
        """The path as it was given."""
        return str(self.path)

    @property
    def selection(self) -> str:
        """The path as the command line takes it, and the seed."""
        return f"{shlex.quote(str(self.path))} --seed {self.seed}"

    def load(self) -> LoadedCase:
        """The case with drawn inputs."""
        model = read_model(self.path)
        with _named(self.path):
            return LoadedCase(from_model(model, draw_inputs(model, self.seed)))


@dataclass(frozen=True)
class PathJobs:
    """The jobs that paths hold, and the models in trees that were left out.

    ``left_out`` are no single RNN, GRU or LSTM node of ONNX; ``broken`` tells which cannot be read, and why.
    """

    jobs: list[Job]
    left_out: list[Path]
    broken: list[str]


def load_path(path: Path, seed: int) -> Case:
    """The case in a folder, with its first data set, or in a model; inputs that are missing are drawn.

    Raises:
        FormatError: if it cannot be read or is not one RNN, GRU or LSTM node.
    """
    return _jobs(path, seed)[0].load().case


def output_order(path: Path) -> list[str]:
    """The slots of the outputs in the order of the model's own list, which numbers ``output_N.pb``.

    Raises:
        FormatError: if the model cannot be read or is not one node.
    """
    model = read_model(_model_path(path))
    slots = {tensor: slot for slot, tensor in output_tensors(recurrent_node(model)).items()}
    return [slots[value.name] for value in model.graph.output if value.name in slots]


def path_jobs(paths: Sequence[Path], seed: int) -> PathJobs:
    """What ``paths`` hold: each is a case itself, or a tree in which cases are looked for.

    Raises:
        FormatError: if a path holds no case, or one that was named itself is not one RNN, GRU or LSTM node.
    """
    jobs: list[Job] = []
    left_out: list[Path] = []
    broken: list[str] = []
    for path in paths:
        if _is_case(path):
            if not _is_recurrent(path):
                raise FormatError(f"{path}: is not a graph of one {', '.join(OPERATORS)} node")
            jobs += _jobs(path, seed)
            continue
        found = list(_cases_below(path)) if path.is_dir() else []
        if not found:
            raise FormatError(f"{path}: is neither an .onnx model nor a folder that holds one")
        for case in found:
            try:
                if _is_recurrent(case):
                    jobs += _jobs(case, seed)
                else:
                    left_out.append(case)
            except FormatError as error:
                broken.append(str(error))
    return PathJobs(jobs, left_out, broken)


def _is_case(path: Path) -> bool:
    return path.suffix == ".onnx" if path.is_file() else (path / MODEL).is_file()


def _model_path(path: Path) -> Path:
    return path / MODEL if path.is_dir() else path


def _jobs(path: Path, seed: int) -> list[Job]:
    """A job for each data set beside a model; without one, a job whose inputs are drawn."""
    model = _model_path(path)
    owns_data = model.name == MODEL or list(model.parent.glob("*.onnx")) == [model]
    found = data_sets(model.parent) if owns_data else []
    return [FolderJob(model, name) for name in found] or [ModelJob(model, seed)]


def _cases_below(path: Path) -> Iterator[Path]:
    for model in sorted(path.rglob("*.onnx")):
        yield model.parent if model.name == MODEL else model


def _is_recurrent(path: Path) -> bool:
    model = read_model(_model_path(path))
    try:
        return recurrent_node(model).op_type in OPERATORS
    except FormatError:
        return False


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Puts the path before the sentence of a format error that does not name it.

    A broken model can raise anything where its tensors and attributes are read.
    """
    try:
        yield
    except FormatError as error:
        raise error if str(path) in str(error) else FormatError(f"{path}: {error}") from error
    except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError) as error:
        raise FormatError(f"{path}: cannot be read as a case ({type(error).__name__}: {error})") from error
