"""Cases from paths: folders in the ONNX backend test format, one-node models, and trees of them."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import onnx

from gatewise.jobs import Job, LoadedCase
from gatewise.model_inputs import draw_inputs
from gatewise_corpus.case import Array, Case
from gatewise_corpus.onnx_folder import DATA_SET, MODEL, data_sets, read_folder, read_model
from gatewise_corpus.onnx_model import FormatError, from_model
from gatewise_corpus.operators import OPERATORS

GIVEN = "given outputs"
"""Whose outputs those are that stand with a case."""


@dataclass(frozen=True)
class FolderJob:
    """A folder with a model and one of its data sets: inputs and perhaps outputs."""

    folder: Path
    data_set: str

    @property
    def name(self) -> str:
        """The path as it was given; of a further data set, with its name."""
        return str(self.folder if self.data_set == DATA_SET else self.folder / self.data_set)

    @property
    def selection(self) -> str:
        """The path as the command line takes it."""
        return shlex.quote(str(self.folder))

    def load(self) -> LoadedCase:
        """The case and the outputs that stand with it."""
        with _named(self.folder):
            case, outputs = read_folder(self.folder, self.data_set)
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
        return LoadedCase(load_path(self.path, self.seed)[0])


@dataclass(frozen=True)
class PathJobs:
    """The jobs that paths hold, and the models in trees that were left out: they are no RNN, GRU or LSTM node."""

    jobs: list[Job]
    left_out: list[Path]


def load_path(path: Path, seed: int) -> tuple[Case, dict[str, Array]]:
    """The case in a folder or model, and the outputs that stand with it; inputs that are missing are drawn.

    Raises:
        FormatError: if it cannot be read or is not one RNN, GRU or LSTM node.
    """
    folder = path if path.is_dir() else path.parent if path.name == MODEL else None
    if folder is not None and (folder / DATA_SET).is_dir():
        with _named(folder):
            case, outputs = read_folder(folder)
            return case, outputs
    model_path = path / MODEL if path.is_dir() else path
    model = read_model(model_path)
    with _named(model_path):
        return from_model(model, draw_inputs(model, seed)), {}


def path_jobs(paths: Sequence[Path], seed: int) -> PathJobs:
    """What ``paths`` hold: each is a case itself, or a tree in which cases are looked for.

    Raises:
        FormatError: if a path holds no case, or one that was named itself is not one RNN, GRU or LSTM node.
    """
    jobs: list[Job] = []
    left_out: list[Path] = []
    for path in paths:
        if _is_case(path):
            _check_is_recurrent(path)
            jobs += _jobs(path, seed)
            continue
        found = list(_cases_below(path)) if path.is_dir() else []
        if not found:
            raise FormatError(f"{path}: is neither an .onnx model nor a folder that holds one")
        for case in found:
            if _is_recurrent(read_model(_model_path(case))):
                jobs += _jobs(case, seed)
            else:
                left_out.append(case)
    return PathJobs(jobs, left_out)


def _is_case(path: Path) -> bool:
    return path.suffix == ".onnx" if path.is_file() else (path / MODEL).is_file()


def _model_path(path: Path) -> Path:
    return path / MODEL if path.is_dir() else path


def _jobs(path: Path, seed: int) -> list[Job]:
    """A job for each data set beside a model; without one, a job whose inputs are drawn."""
    folder = path if path.is_dir() else path.parent
    found = data_sets(folder) if path.is_dir() or path.name == MODEL else []
    return [FolderJob(folder, name) for name in found] or [ModelJob(_model_path(path), seed)]


def _cases_below(path: Path) -> Iterator[Path]:
    for model in sorted(path.rglob("*.onnx")):
        yield model.parent if model.name == MODEL else model


def _check_is_recurrent(path: Path) -> None:
    if not _is_recurrent(read_model(_model_path(path))):
        raise FormatError(f"{path}: is not a graph of one {', '.join(OPERATORS)} node")


def _is_recurrent(model: onnx.ModelProto) -> bool:
    return len(model.graph.node) == 1 and model.graph.node[0].op_type in OPERATORS


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Puts the path before the sentence of a format error that does not name it."""
    try:
        yield
    except FormatError as error:
        raise error if str(path) in str(error) else FormatError(f"{path}: {error}") from error
