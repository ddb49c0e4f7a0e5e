"""Cases for the tests of the model: all sizes differ, and no block of a tensor is like another."""

import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from gatewise_corpus.activations import ACTIVATIONS
from gatewise_corpus.case import Case
from gatewise_corpus.operators import OPERATORS

SEQ, BATCH, INPUT, HIDDEN = 5, 3, 2, 4
PARAMETERS = {
    "Affine": (0.75, 0.25),
    "LeakyRelu": (0.3, None),
    "ThresholdedRelu": (0.2, None),
    "ScaledTanh": (1.5, 0.6),
    "HardSigmoid": (0.3, 0.4),
    "Elu": (0.7, None),
}


def make_case(
    operator: str,
    *,
    seed: int = 0,
    omit: Collection[str] = (),
    lengths: Sequence[int] | None = None,
    dtype: Any = np.float32,
    scale: float = 0.6,
    sizes: tuple[int, int, int, int] | None = None,
    **attributes: Any,
) -> Case:
    """A random case with every input that is not in ``omit``; initial states included."""
    rng = np.random.default_rng(seed)
    seq, batch, inputs, hidden = sizes or (SEQ, BATCH, INPUT, HIDDEN)
    dirs = 2 if attributes.get("direction") == "bidirectional" else 1
    rows = len(OPERATORS[operator].gates) * hidden
    shapes = {
        "X": (seq, batch, inputs),
        "W": (dirs, rows, inputs),
        "R": (dirs, rows, hidden),
        "B": (dirs, 2 * rows),
        "initial_h": (dirs, batch, hidden),
    }
    if operator == "LSTM":
        shapes |= {"initial_c": (dirs, batch, hidden), "P": (dirs, 3 * hidden)}
    tensors = {name: (scale * rng.standard_normal(shape)).astype(dtype) for name, shape in shapes.items()}
    if attributes.get("layout"):
        for name in {"X", "initial_h", "initial_c"} & tensors.keys():
            tensors[name] = np.ascontiguousarray(tensors[name].swapaxes(0, 1))
    if lengths is not None:
        tensors["sequence_lens"] = np.array(lengths, dtype=np.int32)
    inputs_given = {name: tensor for name, tensor in tensors.items() if name not in omit}
    return Case(operator, 22, attributes, inputs_given, OPERATORS[operator].output_names)


def with_activations(operator: str, names: Sequence[str], **options: Any) -> Case:
    """A random case with these activations, their parameters spelled out."""
    given = [PARAMETERS.get(name, (None, None)) for name in names]
    alphas = tuple(alpha for alpha, _ in given if alpha is not None)
    betas = tuple(beta for _, beta in given if beta is not None)
    lists = {"activation_alpha": alphas, "activation_beta": betas}
    return make_case(operator, activations=tuple(names), **{k: v for k, v in lists.items() if v}, **options)


def _sample() -> Iterator[tuple[str, Case]]:
    """Cases over all operators and options, by name."""
    seeds = itertools.count(1)

    def parameter(label: str, case: Case) -> tuple[str, Case]:
        return f"{case.operator}-{label}", case

    lengths = (SEQ, 2, 0)
    for operator, table in OPERATORS.items():
        for direction in ("forward", "reverse", "bidirectional"):
            yield parameter(direction, make_case(operator, seed=next(seeds), direction=direction))
            ragged = make_case(operator, seed=next(seeds), direction=direction, lengths=lengths, clip=0.4)
            yield parameter(f"{direction}-ragged-clip", ragged)
        yield parameter(
            "layout", make_case(operator, seed=next(seeds), layout=1, lengths=lengths, direction="reverse")
        )
        optional = ("B", "initial_h", "initial_c", "P")
        yield parameter("bare", make_case(operator, seed=next(seeds), omit=optional))
        yield parameter("float16", make_case(operator, seed=next(seeds), dtype=np.float16))
        yield parameter("float64", make_case(operator, seed=next(seeds), dtype=np.float64))
        count = len(table.default_activations)
        for name in ACTIVATIONS:
            # Clipped, because a forget gate above 1 would let the cell grow without end.
            clip = {"clip": 1.0} if name == "Softplus" else {}
            yield parameter(name, with_activations(operator, (name,) * count, seed=next(seeds), scale=0.3, **clip))
        mixed = ("ScaledTanh", "LeakyRelu", "HardSigmoid", "Affine", "Softsign", "Elu")[: 2 * count]
        bidirectional = with_activations(operator, mixed, seed=next(seeds), direction="bidirectional", scale=0.3)
        yield parameter("mixed", bidirectional)
    for direction in ("forward", "bidirectional"):
        after = make_case("GRU", seed=next(seeds), linear_before_reset=1, direction=direction)
        yield parameter(f"after-{direction}", after)
        yield parameter(f"after-bare-{direction}", after.with_inputs(B=None))
        coupled = make_case("LSTM", seed=next(seeds), input_forget=1, direction=direction)
        yield parameter(f"coupled-{direction}", coupled)
        yield parameter(f"coupled-no-P-{direction}", coupled.with_inputs(P=None))
    yield parameter("no-P", make_case("LSTM", seed=next(seeds), omit=("P",), lengths=lengths))


SAMPLE = dict(_sample())
