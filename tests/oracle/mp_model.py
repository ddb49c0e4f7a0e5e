"""RNN, GRU and LSTM element by element in 200 bits, read straight from a case; shares nothing with the model."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mpmath import mp, mpf

from gatewise_corpus.case import Array, Case

mp.prec = 200
_GATES = {"RNN": "i", "GRU": "zrh", "LSTM": "iofc"}
_DEFAULTS = {"RNN": ("Tanh",), "GRU": ("Sigmoid", "Tanh"), "LSTM": ("Sigmoid", "Tanh", "Tanh")}
_ALPHAS = {
    "affine": 1.0,
    "leakyrelu": np.float32(0.01),
    "thresholdedrelu": 1.0,
    "scaledtanh": 1.0,
    "hardsigmoid": np.float32(0.2),
    "elu": 1.0,
}
_BETAS = {"affine": 0.0, "scaledtanh": 0.0, "hardsigmoid": 0.5}


_FUNCTIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "relu": lambda x, _a, _b: max(mpf(0), x),
    "tanh": lambda x, _a, _b: mp.tanh(x),
    "sigmoid": lambda x, _a, _b: 1 / (1 + mp.exp(-x)),
    "affine": lambda x, a, b: a * x + b,
    "leakyrelu": lambda x, a, _b: a * x if x < 0 else x,
    "thresholdedrelu": lambda x, a, _b: x if x > a else mpf(0),
    "scaledtanh": lambda x, a, b: a * mp.tanh(b * x),
    "hardsigmoid": lambda x, a, b: min(mpf(1), max(mpf(0), a * x + b)),
    "elu": lambda x, a, _b: x if x >= 0 else a * mp.expm1(x),
    "softsign": lambda x, _a, _b: x / (1 + abs(x)),
    "softplus": lambda x, _a, _b: x if x > 20 else mp.log1p(mp.exp(x)),
}


def activation(name: str, x: Any, alpha: Any, beta: Any) -> Any:
    """One of the eleven functions, by its name in lower case, of an mpf."""
    return _FUNCTIONS[name](x, alpha, beta)


def _activations(case: Case, dirs: int) -> list[list[tuple[str, Any, Any]]]:
    names = [name.lower() for name in case.attributes.get("activations", _DEFAULTS[case.operator])]
    per_direction = len(_DEFAULTS[case.operator])
    if len(names) == per_direction:
        names *= dirs
    alphas = list(case.attributes.get("activation_alpha", ()))
    betas = list(case.attributes.get("activation_beta", ()))
    functions = []
    for name in names:
        alpha = (alphas.pop(0) if alphas else _ALPHAS[name]) if name in _ALPHAS else 0.0
        beta = (betas.pop(0) if betas else _BETAS[name]) if name in _BETAS else 0.0
        functions.append((name, mpf(float(alpha)), mpf(float(beta))))
    return [functions[start : start + per_direction] for start in range(0, len(functions), per_direction)]


class _Row:
    """One row of the batch in one direction."""

    def __init__(
        self, case: Case, direction: int, batch: int, functions: Sequence[tuple[str, Any, Any]], hidden: int
    ) -> None:
        self.case, self.d, self.n, self.functions, self.H = case, direction, batch, functions, hidden
        self.clip: Any = case.attributes.get("clip", 0.0)

    def tensor(self, name: str, *place: int) -> Any:
        array = self.case.inputs.get(name)
        return mpf(0) if array is None else mpf(float(array[(self.d, *place)]))

    def initial(self, name: str) -> list[Any]:
        array = self.case.inputs.get(name)
        if array is None:
            return [mpf(0)] * self.H
        row = array[self.n, self.d] if self.case.attributes.get("layout") else array[self.d, self.n]
        return [mpf(float(value)) for value in row]

    def act(self, number: int, value: Any, *, clipped: bool = True) -> Any:
        if clipped and self.clip > 0:
            value = min(mpf(self.clip), max(-mpf(self.clip), value))
        name, alpha, beta = self.functions[number]
        return activation(name, value, alpha, beta)

    def input_part(self, gate: str, unit: int, x: list[Any]) -> Any:
        row = _GATES[self.case.operator].index(gate) * self.H + unit
        return mp.fsum(self.tensor("W", row, k) * x[k] for k in range(len(x))) + self.tensor("B", row)

    def state_part(self, gate: str, unit: int, h: list[Any]) -> Any:
        gates = _GATES[self.case.operator]
        row = gates.index(gate) * self.H + unit
        bias = self.tensor("B", len(gates) * self.H + row)
        return mp.fsum(self.tensor("R", row, k) * h[k] for k in range(self.H)) + bias

    def pre(self, gate: str, unit: int, x: list[Any], h: list[Any]) -> Any:
        return self.input_part(gate, unit, x) + self.state_part(gate, unit, h)

    def rnn(self, x: list[Any], h: list[Any], c: list[Any]) -> tuple[list[Any], list[Any]]:
        return [self.act(0, self.pre("i", u, x, h)) for u in range(self.H)], c

    def gru(self, x: list[Any], h: list[Any], c: list[Any]) -> tuple[list[Any], list[Any]]:
        z = [self.act(0, self.pre("z", u, x, h)) for u in range(self.H)]
        r = [self.act(0, self.pre("r", u, x, h)) for u in range(self.H)]
        new = []
        for u in range(self.H):
            if self.case.attributes.get("linear_before_reset", 0):
                pre = self.input_part("h", u, x) + r[u] * self.state_part("h", u, h)
            else:
                pre = self.pre("h", u, x, [r[k] * h[k] for k in range(self.H)])
            new.append((1 - z[u]) * self.act(1, pre) + z[u] * h[u])
        return new, c

    def lstm(self, x: list[Any], h: list[Any], c: list[Any]) -> tuple[list[Any], list[Any]]:
        new_h, new_c = [], []
        for u in range(self.H):
            i = self.act(0, self.pre("i", u, x, h) + self.tensor("P", u) * c[u])
            if self.case.attributes.get("input_forget", 0):
                f = 1 - i
            else:
                f = self.act(0, self.pre("f", u, x, h) + self.tensor("P", 2 * self.H + u) * c[u])
            new_c.append(f * c[u] + i * self.act(1, self.pre("c", u, x, h)))
            o = self.act(0, self.pre("o", u, x, h) + self.tensor("P", self.H + u) * new_c[u])
            new_h.append(o * self.act(2, new_c[u], clipped=False))
        return new_h, new_c


def mp_outputs(case: Case, followed: Array | None = None) -> dict[str, Array]:
    """Y [T, D, N, H], Y_h, Y_c [D, N, H] as arrays of mpf.

    With ``followed``, an array like Y, each step starts from the state that it holds.
    """
    X = case.inputs["X"]
    X = X.swapaxes(0, 1) if case.attributes.get("layout") else X
    seq, batch, _ = X.shape
    dirs, _, hidden = case.inputs["R"].shape
    lengths = case.inputs.get("sequence_lens", [seq] * batch)
    Y = np.full((seq, dirs, batch, hidden), mpf(0), dtype=object)
    Y_h, Y_c = (np.full((dirs, batch, hidden), mpf(0), dtype=object) for _ in range(2))
    for d, functions in enumerate(_activations(case, dirs)):
        backward = case.attributes.get("direction") == "reverse" or d == 1
        for n in range(batch):
            row = _Row(case, d, n, functions, hidden)
            h, c = row.initial("initial_h"), row.initial("initial_c")
            times = range(int(lengths[n]))
            for t in reversed(times) if backward else times:
                x = [mpf(float(value)) for value in X[t, n]]
                h, c = getattr(row, case.operator.lower())(x, h, c)
                Y[t, d, n], Y_h[d, n], Y_c[d, n] = h, h, c
                if followed is not None:
                    h = [mpf(float(value)) for value in followed[t, d, n]]
    return {"Y": Y, "Y_h": Y_h} | ({"Y_c": Y_c} if case.operator == "LSTM" else {})
