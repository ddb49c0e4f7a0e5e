"""A float32 evaluation as a runtime could do it: sums in a random order, fused or not, biases added before or not."""

from collections.abc import Iterable

import numpy as np

from gatewise_corpus.activations import Activation
from gatewise_corpus.case import Array
from gatewise_corpus.layer import Layer

F = np.float32
Pair = tuple[Array, Array]


class Float32:
    """One way of evaluating, drawn at random."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.fused, self.adds_biases_first, self.second_form = self.rng.random(3) < 0.5

    def sum_of_products(self, pairs: list[Pair]) -> Array:
        """Sum of products [N, J] of columns [N, 1] and rows [J], one after another in a random order."""
        total = np.zeros((1, 1), F)
        for place in self.rng.permutation(len(pairs)):
            left, right = pairs[place]
            total = (left.astype(np.float64) * right + total).astype(F) if self.fused else total + left * right
        return total

    def pairs(self, values: Array, weights: Array) -> list[Pair]:
        return [(values[:, k : k + 1], weights[:, k]) for k in range(values.shape[1])]

    def biases(self, *given: Array | None) -> list[Pair]:
        biases = [bias for bias in given if bias is not None]
        if self.adds_biases_first and len(biases) == 2:
            biases = [biases[0] + biases[1]]
        return [(np.ones((1, 1), F), bias) for bias in biases]

    def activation(self, activation: Activation, x: Array, clip: float | None) -> Array:
        if clip is not None:
            x = np.clip(x, F(-clip), F(clip))
        alpha, beta, one = F(activation.alpha), F(activation.beta), F(1)
        result: Array = {
            "Relu": lambda: np.maximum(x, F(0)),
            "Tanh": lambda: np.tanh(x),
            "Sigmoid": lambda: one / (one + np.exp(-x)),
            "Affine": lambda: alpha * x + beta,
            "LeakyRelu": lambda: np.where(x < 0, alpha * x, x),
            "ThresholdedRelu": lambda: np.where(x > alpha, x, F(0)),
            "ScaledTanh": lambda: alpha * np.tanh(beta * x),
            "HardSigmoid": lambda: np.minimum(one, np.maximum(F(0), alpha * x + beta)),
            "Elu": lambda: np.where(x >= 0, x, alpha * (np.exp(np.minimum(x, F(0))) - one)),
            "Softsign": lambda: x / (one + np.abs(x)),
            "Softplus": lambda: np.where(x > 20, x, np.log(one + np.exp(np.minimum(x, F(20))))),
        }[activation.name]()
        return result

    def run(self, layer: Layer) -> dict[str, Array]:
        """Outputs of the layer in layout 0, of its type."""
        dirs, (seq, batch, _), hidden = len(layer.directions), layer.X.shape, layer.hidden
        Y = np.zeros((seq, dirs, batch, hidden), F)
        Y_h, Y_c = np.zeros((2, dirs, batch, hidden), F)
        for d, direction in enumerate(layer.directions):
            step = _Step(self, layer, d)
            for n in range(batch):
                h, c = (state[d, n : n + 1].astype(F) for state in (layer.initial_h, layer.initial_c))
                times = range(int(layer.lengths[n]))
                for t in reversed(times) if direction == "reverse" else times:
                    h, c = step(layer.X[t, n : n + 1].astype(F), h, c)
                    Y[t, d, n], Y_h[d, n], Y_c[d, n] = h[0], h[0], c[0]
        outputs = {"Y": Y, "Y_h": Y_h} | ({"Y_c": Y_c} if layer.operator.name == "LSTM" else {})
        return {name: array.astype(layer.dtype) for name, array in outputs.items()}


class _Step:
    def __init__(self, way: Float32, layer: Layer, d: int) -> None:
        self.way, self.layer = way, layer
        self.gates = layer.operator.gates
        self.functions = layer.activations[d]
        self.clip = layer.attributes.clip
        self.W, self.R = layer.W[d].astype(F), layer.R[d].astype(F)
        self.Wb, self.Rb = (
            dict.fromkeys(self.gates) if bias is None else dict(zip(self.gates, bias[d].astype(F), strict=True))
            for bias in (layer.Wb, layer.Rb)
        )
        self.P = None if layer.P is None else layer.P[d].astype(F)

    def __call__(self, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
        steps = {"RNN": self.rnn, "GRU": self.gru, "LSTM": self.lstm}
        return steps[self.layer.operator.name](x, h, c)

    def act(self, number: int, x: Array, *, clipped: bool = True) -> Array:
        return self.way.activation(self.functions[number], x, self.clip if clipped else None)

    def pre(
        self, gate: str, x: Array, h: Array, peephole: Iterable[Pair] = (), *, inputs: bool = True, state: bool = True
    ) -> Array:
        way, g = self.way, self.gates.index(gate)
        terms = list(peephole)
        terms += way.pairs(x, self.W[g]) * inputs + way.pairs(h, self.R[g]) * state
        return way.sum_of_products(
            terms + way.biases(self.Wb[gate] if inputs else None, self.Rb[gate] if state else None)
        )

    def rnn(self, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
        return self.act(0, self.pre("i", x, h)), c

    def gru(self, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
        z, r = self.act(0, self.pre("z", x, h)), self.act(0, self.pre("r", x, h))
        if self.layer.attributes.linear_before_reset:
            pre = self.pre("h", x, h, state=False) + r * self.pre("h", x, h, inputs=False)
        else:
            pre = self.pre("h", x, r * h)
        new = self.act(1, pre)
        return (new + z * (h - new) if self.way.second_form else (F(1) - z) * new + z * h), c

    def lstm(self, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
        def peephole(number: int, cell: Array) -> list[Pair]:
            return [] if self.P is None else [(cell, self.P[number])]

        i = self.act(0, self.pre("i", x, h, peephole(0, c)))
        f = F(1) - i if self.layer.attributes.input_forget else self.act(0, self.pre("f", x, h, peephole(2, c)))
        c = f * c + i * self.act(1, self.pre("c", x, h))
        o = self.act(0, self.pre("o", x, h, peephole(1, c)))
        return o * self.act(2, c, clipped=False), c
