from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from gatewise.cli import running
from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import output_to_layout, read_layer
from gatewise_corpus.recipes.recipe import ALL_INPUTS, Sizes, draw
from gatewise_corpus.store import About, save_entry
from gatewise_oracle.model import evaluate

SIZES = Sizes(seq=4, batch=3, input=2, hidden=5)


def right_outputs(case: Case) -> dict[str, Array]:
    """The requested outputs by the float64 model, rounded once."""
    layer = read_layer(case)
    values = evaluate(layer)
    return {
        name: output_to_layout(name, values[name].astype(layer.dtype), layer.attributes.layout)
        for name in case.outputs
    }


@pytest.fixture
def compute() -> Callable[[Case], Mapping[str, Array]]:
    """Right outputs of a case."""
    return right_outputs


@pytest.fixture
def rnn() -> Case:
    """T=4, N=3, I=2, H=5, rows of 4, 2 and 3 steps."""
    return draw("conformance-rnn", "RNN", SIZES, lengths=[4, 2, 3])


@pytest.fixture
def gru() -> Case:
    """The same sizes, bidirectional."""
    return draw("conformance-gru", "GRU", SIZES, lengths=[4, 2, 3], attributes={"direction": "bidirectional"})


@pytest.fixture
def lstm() -> Case:
    """The same sizes and an empty row."""
    return draw("conformance-lstm", "LSTM", SIZES, lengths=[4, 0, 3], optional=ALL_INPUTS)


@pytest.fixture
def chaotic() -> Case:
    """An RNN of 24 steps whose weights make any two float32 evaluations part."""
    case = draw("conformance-chaotic", "RNN", Sizes(seq=24, batch=2, input=3, hidden=16))
    quiet, strong = np.float32(0.1), np.float32(2)
    return case.with_inputs(B=None, W=case.inputs["W"] * quiet, R=case.inputs["R"] * strong)


@pytest.fixture
def store(tmp_path: Path, rnn: Case, gru: Case, lstm: Case) -> Path:
    """Three valid cases and an invalid one."""
    root = tmp_path / "store"
    for name, case in {"rnn/a": rnn, "gru/b": gru, "lstm/c": lstm}.items():
        save_entry(root, name, case, About("why", "hand"))
    save_entry(root, "rnn/d", rnn.with_attributes(hidden_size=6), About("why", "hand", refuse="hidden-size-mismatch"))
    return root


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt after two results of the gate."""
    run_gate = running.run_gate

    def run(*arguments: object) -> object:
        for count, record in enumerate(run_gate(*arguments)):  # type: ignore[arg-type]
            if count == 3:
                raise KeyboardInterrupt
            yield record

    monkeypatch.setattr(running, "run_gate", run)
