"""The reference evaluator of the onnx package: its values and its refusals."""

import numpy as np
import onnx
import pytest

from gatewise_corpus.case import Case
from gatewise_implementations.adapter import RefusalError, SetupError
from gatewise_implementations.onnx_reference import OnnxReference, make_adapter


@pytest.fixture
def adapter() -> OnnxReference:
    return make_adapter("")


def test_rnn_has_the_values_worked_out_by_hand(adapter: OnnxReference, rnn: Case, rnn_states: np.ndarray) -> None:
    outputs = adapter.run(rnn).outputs
    np.testing.assert_array_equal(outputs["Y"], rnn_states[:, None])
    np.testing.assert_array_equal(outputs["Y_h"], rnn_states[-1:])


@pytest.mark.parametrize("operator", ["lstm", "gru"])
def test_values_are_those_of_the_formulas(
    adapter: OnnxReference, operator: str, request: pytest.FixtureRequest
) -> None:
    outputs = adapter.run(request.getfixturevalue(operator)).outputs
    expected = request.getfixturevalue(f"{operator}_outputs")
    assert list(outputs) == list(expected)
    for name, array in expected.items():
        np.testing.assert_allclose(outputs[name], array, rtol=0, atol=1e-6)


def test_what_the_evaluator_says_is_a_refusal(adapter: OnnxReference, rnn: Case) -> None:
    with pytest.raises(RefusalError, match="Unknown activation function 'Softsign'") as error:
        adapter.run(rnn.with_attributes(activations=("Softsign",)))
    assert error.value.kind == ""
    with pytest.raises(RefusalError, match="No registered schema for operator 'PAN'") as missing:
        adapter.run(rnn.replace(operator="PAN"))
    assert missing.value.kind == "unsupported"


def test_what_numpy_raises_in_it_is_no_refusal(adapter: OnnxReference, rnn: Case) -> None:
    with pytest.raises(ValueError, match="not aligned"):
        adapter.run(rnn.with_inputs(X=np.zeros((4, 2, 6), np.float32)))


def test_the_description_names_onnx(adapter: OnnxReference) -> None:
    assert adapter.describe().name == "onnx-reference"
    assert adapter.describe().versions == {"onnx": onnx.__version__}


def test_there_are_no_options() -> None:
    with pytest.raises(SetupError, match="onnx-reference: there is no option 'threads'"):
        make_adapter("threads=2")
