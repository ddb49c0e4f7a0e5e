import numpy as np
import pytest

from gatewise_corpus.case import AttributeValue, Case
from gatewise_corpus.features import FEATURES, features, sizes


def lstm(**attributes: AttributeValue) -> Case:
    """T 5, N 2, I 3, H 4."""
    dirs = 2 if attributes.get("direction") == "bidirectional" else 1
    inputs = {
        "X": np.ones((5, 2, 3), np.float32),
        "W": np.ones((dirs, 16, 3), np.float32),
        "R": np.ones((dirs, 16, 4), np.float32),
    }
    return Case("LSTM", 14, attributes, inputs, ("Y", "Y_h"), frozenset({"W", "R"}))


def test_a_plain_case_has_plain_features() -> None:
    assert features(lstm()) == {
        "operator": "LSTM",
        "opset": "14",
        "direction": "forward",
        "layout": "0",
        "hidden_size": "omitted",
        "clip": "absent",
        "activations": "default",
        "activation_names": "default",
        "spelling": "exact",
        "parameters": "none",
        "defaulted_parameters": "none",
        "linear_before_reset": "0",
        "input_forget": "0",
        "B": "omitted",
        "sequence_lens": "absent",
        "initial_h": "omitted",
        "initial_c": "omitted",
        "P": "omitted",
        "outputs": "Y+Y_h",
        "weights": "constant",
        "size": "odd",
        "empty_sizes": "none",
        "dtype": "float32",
        "special": "none",
        "non_finite": "none",
    }


@pytest.mark.parametrize(
    ("lengths", "kind"),
    [([5, 5], "full"), ([5, 2], "mixed"), ([0, 5], "some-zero"), ([0, 0], "all-zero"), ([6, 1], "invalid")],
)
def test_lengths(lengths: list[int], kind: str) -> None:
    case = lstm().with_inputs(sequence_lens=np.array(lengths, np.int32))
    assert features(case)["sequence_lens"] == kind


@pytest.mark.parametrize(
    ("clip", "kind"),
    [(0.5, "positive"), (np.inf, "infinite"), (0.0, "zero"), (-1.0, "negative"), (np.nan, "nan"), (3, "invalid")],
)
def test_clip(clip: float, kind: str) -> None:
    assert features(lstm(clip=clip))["clip"] == kind


@pytest.mark.parametrize(
    ("direction", "names", "kind", "joined", "spelling"),
    [
        ("bidirectional", ("sigmoid", "Tanh", "Relu"), "one-set", "Sigmoid+Tanh+Relu", "other"),
        ("bidirectional", ("Elu",) * 6, "both-sets", "+".join(["Elu"] * 6), "exact"),
        ("forward", ("Elu", "Gelu"), "other-count", "Elu+unknown", "exact"),
        ("forward", (), "default", "default", "exact"),
    ],
)
def test_activations(direction: str, names: tuple[str, ...], kind: str, joined: str, spelling: str) -> None:
    found = features(lstm(direction=direction, activations=names))
    assert (found["activations"], found["activation_names"], found["spelling"]) == (kind, joined, spelling)


def test_two_names_of_an_rnn() -> None:
    case = lstm(activations=("Tanh", "Relu")).replace(operator="RNN")
    assert features(case)["activations"] == "two-names"


def test_parameters_that_run_out_are_named() -> None:
    case = lstm(
        activations=("HardSigmoid", "Affine", "LeakyRelu"), activation_alpha=(0.5, 2.0), activation_beta=(0.1,)
    )
    found = features(case)
    assert found["parameters"] == "both"
    assert found["defaulted_parameters"] == "Affine+LeakyRelu"


def test_special_values_and_where_they_stand() -> None:
    X = np.ones((5, 2, 3), np.float32)
    X[0, 0] = [np.nan, 1e30, -0.0]
    case = lstm().with_inputs(X=X, initial_h=np.full((1, 2, 4), 1e-40, np.float32))
    assert features(case)["special"] == "nan+huge+subnormal+negative-zero"
    assert features(case)["non_finite"] == "X"


@pytest.mark.parametrize(
    ("shape", "hidden", "size"),
    [
        ((0, 2, 3), 4, "empty"),
        ((33, 2, 3), 4, "long"),
        ((5, 2, 64), 4, "wide"),
        ((3, 2, 1), 3, "tiny"),
        ((5, 2, 3), 8, "vector"),
        ((5, 2, 3), 9, "odd"),
    ],
)
def test_size(shape: tuple[int, ...], hidden: int, size: str) -> None:
    case = lstm().with_inputs(X=np.ones(shape, np.float32), R=np.ones((1, 4 * hidden, hidden), np.float32))
    assert features(case)["size"] == size


def test_sizes_follow_the_layout() -> None:
    assert sizes(lstm(layout=1)) == {"seq": 2, "batch": 5, "input": 3, "hidden": 4}
    assert features(lstm().with_inputs(X=np.ones((5, 0, 3), np.float32)))["empty_sizes"] == "batch"


@pytest.mark.parametrize(
    "case",
    [
        Case("GRU", 7, {}, {}, ()),
        Case("Conv", 1, {"direction": 3, "layout": "x", "clip": "no", "activations": 1.0}, {}, ("Z",)),
        Case("RNN", 7, {"activation_alpha": 1.0}, {"X": np.ones(3), "sequence_lens": np.ones(2)}, ("Y",)),
    ],
)
def test_invalid_cases_have_features_too(case: Case) -> None:
    found = features(case)
    assert found.keys() == FEATURES.keys()
    assert all(isinstance(value, str) for value in found.values())
