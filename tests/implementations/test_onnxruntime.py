"""ONNX Runtime: its values, its refusals, its settings."""

from collections.abc import Iterator

import numpy as np
import onnxruntime
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.outcome import Crashed, Ran
from gatewise_implementations.adapter import RefusalError, SetupError
from gatewise_implementations.onnxruntime import OnnxRuntime, make_adapter
from gatewise_implementations.process import Worker


@pytest.fixture(scope="module")
def adapter() -> OnnxRuntime:
    return make_adapter("")


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker("onnxruntime") as worker:
        yield worker


def test_rnn_has_the_values_worked_out_by_hand(adapter: OnnxRuntime, rnn: Case, rnn_states: np.ndarray) -> None:
    outputs = adapter.run(rnn).outputs
    np.testing.assert_array_equal(outputs["Y"], rnn_states[:, None])
    np.testing.assert_array_equal(outputs["Y_h"], rnn_states[-1:])


@pytest.mark.parametrize("operator", ["lstm", "gru"])
@pytest.mark.parametrize("options", ["", "threads=3", "optimization=disabled", "threads=2,optimization=all"])
def test_values_are_those_of_the_formulas(operator: str, options: str, request: pytest.FixtureRequest) -> None:
    outputs = make_adapter(options).run(request.getfixturevalue(operator)).outputs
    expected = request.getfixturevalue(f"{operator}_outputs")
    assert list(outputs) == list(expected)
    for name, array in expected.items():
        assert outputs[name].dtype == np.float32
        np.testing.assert_allclose(outputs[name], array, rtol=0, atol=1e-6)


def test_constants_are_initializers(adapter: OnnxRuntime, rnn: Case, rnn_states: np.ndarray) -> None:
    outputs = adapter.run(rnn.replace(constants=frozenset({"X", "W", "R", "B"}))).outputs
    np.testing.assert_array_equal(outputs["Y"], rnn_states[:, None])


def test_only_the_requested_outputs_are_given(
    adapter: OnnxRuntime, lstm: Case, lstm_outputs: dict[str, np.ndarray]
) -> None:
    outputs = adapter.run(lstm.replace(outputs=("Y_c",))).outputs
    assert list(outputs) == ["Y_c"]
    np.testing.assert_allclose(outputs["Y_c"], lstm_outputs["Y_c"], rtol=0, atol=1e-6)


def test_an_error_of_the_runtime_is_a_refusal(adapter: OnnxRuntime, rnn: Case) -> None:
    with pytest.raises(RefusalError, match="layout_ == 0") as layout:
        adapter.run(rnn.with_attributes(layout=1))
    assert layout.value.kind == ""
    with pytest.raises(RefusalError, match="NOT_IMPLEMENTED") as double:
        adapter.run(rnn.replace(inputs={name: array.astype(np.float64) for name, array in rnn.inputs.items()}))
    assert double.value.kind == "unsupported"
    with pytest.raises(RefusalError, match=r"INVALID_ARGUMENT.*sequence_lens"):
        adapter.run(rnn.with_inputs(sequence_lens=np.array([1, 5], np.int32)))
    with pytest.raises(RefusalError, match="INVALID_GRAPH"):
        adapter.run(rnn.with_inputs(R=None))


def test_an_empty_batch_kills_the_runtime_and_not_the_next_case(worker: Worker, gru: Case) -> None:
    outcome = worker.run(
        gru.with_inputs(X=np.zeros((3, 0, 4), np.float32), initial_h=np.zeros((1, 0, 5), np.float32))
    )
    assert isinstance(outcome, Crashed)
    assert outcome.how == "SIGABRT"
    assert "terminate called" in outcome.stderr
    assert isinstance(worker.run(gru), Ran)


def test_outputs_that_were_never_written_show(worker: Worker, lstm: Case) -> None:
    """Y_c of no steps is whatever the memory held; filled with a pattern, it is no plausible state."""
    outcome = worker.run(lstm.with_inputs(X=np.zeros((0, 2, 4), np.float32)))
    assert isinstance(outcome, Ran)
    assert np.abs(outcome.outputs["Y_c"]).max() > 1e15


def test_the_description_says_what_ran_and_how(worker: Worker) -> None:
    description = worker.describe()
    assert description.name == "onnxruntime"
    assert description.versions == {"onnxruntime": onnxruntime.__version__}
    assert description.settings == {"provider": "CPUExecutionProvider", "threads": "1", "optimization": "default"}
    assert description.activation_errors["GRU.Tanh"] == 11
    assert make_adapter("threads=3").describe().settings["threads"] == "3"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("threads=0", "onnxruntime: threads=0, but must be an integer from 1 to 2147483647"),
        ("threads=two", "threads=two, but must be an integer"),
        ("optimization=best", "optimization=best, but must be one of default, disabled, basic, extended, all"),
        ("fast", "onnxruntime: there is no option 'fast'"),
    ],
)
def test_an_option_that_is_not_one_is_refused(options: str, sentence: str) -> None:
    with pytest.raises(SetupError, match=sentence):
        make_adapter(options)
