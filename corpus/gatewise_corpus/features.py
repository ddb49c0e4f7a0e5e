"""What a case exercises, as one table: the vocabulary of coverage and of known failures."""

from collections.abc import Callable, Iterator
from types import MappingProxyType

import numpy as np

from gatewise_corpus.activations import find_activation
from gatewise_corpus.attributes import has_type
from gatewise_corpus.case import Array, Case
from gatewise_corpus.operators import DIRECTIONS, OPERATORS

_HUGE = 1e18
"""From here on the square of a float32 may overflow."""
_LONG, _WIDE, _VECTOR, _TINY = 33, 64, 8, 3


def features(case: Case) -> dict[str, str]:
    """Every feature of ``case``, valid or not, by the names of ``FEATURES``."""
    return {name: feature(case) for name, feature in FEATURES.items()}


def sizes(case: Case) -> dict[str, int]:
    """The sizes seq, batch, input and hidden, as far as the shapes of X and R tell them."""
    known: dict[str, int] = {}
    X, R = case.inputs.get("X"), case.inputs.get("R")
    if X is not None and X.ndim == 3:
        seq, batch = (1, 0) if case.attributes.get("layout") == 1 else (0, 1)
        known |= {"seq": X.shape[seq], "batch": X.shape[batch], "input": X.shape[2]}
    if R is not None and R.ndim == 3:
        known["hidden"] = R.shape[2]
    return known


def _attribute(name: str, default: str) -> Callable[[Case], str]:
    return lambda case: str(case.attributes.get(name, default))


def _present(name: str) -> Callable[[Case], str]:
    return lambda case: "given" if name in case.inputs else "omitted"


def _switch(name: str) -> Callable[[Case], str]:
    """0, 1 or other: any non-zero value is 1 (D21)."""

    def feature(case: Case) -> str:
        value = case.attributes.get(name, 0)
        return str(value) if value in (0, 1) else "other"

    return feature


def _lengths(case: Case) -> str:
    lengths, seq = case.inputs.get("sequence_lens"), sizes(case).get("seq")
    if lengths is None:
        return "absent"
    if seq is None or lengths.dtype.kind not in "iu" or np.any((lengths < 0) | (lengths > seq)):
        return "invalid"
    if np.all(lengths == seq):
        return "full" if seq else "all-zero"
    if np.all(lengths == 0):
        return "all-zero"
    return "some-zero" if np.any(lengths == 0) else "mixed"


def _clip(case: Case) -> str:
    clip = case.attributes.get("clip")
    if clip is None:
        return "absent"
    if not isinstance(clip, float):
        return "invalid"
    if np.isnan(clip):
        return "nan"
    if np.isinf(clip) and clip > 0:
        return "infinite"
    return "zero" if clip == 0 else "positive" if clip > 0 else "negative"


def _names(case: Case) -> tuple[str, ...]:
    names = case.attributes.get("activations", ())
    return tuple(map(str, names)) if isinstance(names, tuple) and has_type(names, "strings") else ()


def _activations(case: Case) -> str:
    """How many sets of names are given: none, one, one for each direction, or another count (D09 to D11)."""
    names, operator = _names(case), OPERATORS.get(case.operator)
    if not names or operator is None:
        return "default"
    per_direction = len(operator.default_activations)
    dirs = len(DIRECTIONS.get(str(case.attributes.get("direction", "forward")), ("forward",)))
    if len(names) == per_direction:
        return "one-set"
    if len(names) == per_direction * dirs:
        return "both-sets"
    return "two-names" if case.operator == "RNN" and len(names) == 2 else "other-count"


def _activation_names(case: Case) -> str:
    kinds = [find_activation(name) for name in _names(case)]
    return "+".join(kind.name if kind else "unknown" for kind in kinds) or "default"


def _spelling(case: Case) -> str:
    exact = all(kind is None or kind.name == name for name in _names(case) for kind in [find_activation(name)])
    return "exact" if exact else "other"


def _parameters(case: Case) -> str:
    given = [name for name in ("alpha", "beta") if case.attributes.get(f"activation_{name}")]
    return "both" if len(given) == 2 else "".join(given) or "none"


def _defaulted(case: Case) -> str:
    """The activations that take the table's alpha or beta because the lists are too short (D07)."""
    left = {name: _count(case, f"activation_{name}") for name in ("alpha", "beta")}
    found = []
    for kind in map(find_activation, _names(case)):
        for name, default in () if kind is None else (("alpha", kind.alpha), ("beta", kind.beta)):
            left[name] -= default is not None
            if default is not None and left[name] < 0 and kind is not None:
                found.append(kind.name)
    return "+".join(dict.fromkeys(found)) or "none"


def _count(case: Case, attribute: str) -> int:
    value = case.attributes.get(attribute, ())
    return len(value) if isinstance(value, tuple) else 1


def _outputs(case: Case) -> str:
    return "+".join(case.outputs) or "none"


def _weights(case: Case) -> str:
    weights = case.inputs.keys() & {"W", "R", "B", "P"}
    constant = weights & case.constants
    return "dynamic" if not constant else "constant" if constant == weights else "mixed"


def _size(case: Case) -> str:
    known = sizes(case)
    if 0 in known.values():
        return "empty"
    if known.get("seq", 0) >= _LONG:
        return "long"
    if max(known.get("input", 0), known.get("hidden", 0)) >= _WIDE:
        return "wide"
    if max(known.values(), default=0) <= _TINY:
        return "tiny"
    return "vector" if known.get("hidden", 0) % _VECTOR == 0 else "odd"


def _empty_sizes(case: Case) -> str:
    return "+".join(name for name, size in sizes(case).items() if size == 0) or "none"


def _dtype(case: Case) -> str:
    X = case.inputs.get("X")
    return "none" if X is None else X.dtype.name


def _floats(case: Case) -> Iterator[tuple[str, Array]]:
    return ((name, array) for name, array in case.inputs.items() if array.dtype.kind == "f" and array.size)


def _special(case: Case) -> str:
    """The kinds of special values among the inputs, padding included."""
    found = set[str]()
    for _, array in _floats(case):
        magnitude = np.abs(array.astype(np.float64))
        found |= {name for name, is_special in _SPECIAL.items() if np.any(is_special(array, magnitude))}
    return "+".join(name for name in _SPECIAL if name in found) or "none"


_SPECIAL: dict[str, Callable[[Array, Array], Array]] = {
    "nan": lambda array, _: np.isnan(array),
    "inf": lambda array, _: np.isinf(array),
    "huge": lambda _, magnitude: (magnitude > _HUGE) & np.isfinite(magnitude),
    "subnormal": lambda array, magnitude: (magnitude > 0) & (magnitude < np.finfo(array.dtype).smallest_normal),
    "negative-zero": lambda array, magnitude: (magnitude == 0) & np.signbit(array),
}


def _non_finite(case: Case) -> str:
    return "+".join(name for name, array in _floats(case) if not np.isfinite(array).all()) or "none"


FEATURES = MappingProxyType[str, Callable[[Case], str]](
    {
        "operator": lambda case: case.operator,
        "opset": lambda case: str(case.opset),
        "direction": _attribute("direction", "forward"),
        "layout": _attribute("layout", "0"),
        "hidden_size": lambda case: "given" if "hidden_size" in case.attributes else "omitted",
        "clip": _clip,
        "activations": _activations,
        "activation_names": _activation_names,
        "spelling": _spelling,
        "parameters": _parameters,
        "defaulted_parameters": _defaulted,
        "linear_before_reset": _switch("linear_before_reset"),
        "input_forget": _switch("input_forget"),
        "B": _present("B"),
        "sequence_lens": _lengths,
        "initial_h": _present("initial_h"),
        "initial_c": _present("initial_c"),
        "P": _present("P"),
        "outputs": _outputs,
        "weights": _weights,
        "size": _size,
        "empty_sizes": _empty_sizes,
        "dtype": _dtype,
        "special": _special,
        "non_finite": _non_finite,
    }
)
"""Each feature and how it is read off a case; the value "none" or "default" means that nothing is exercised."""
