"""The adapter: an ONNX case as a call of the contract's functions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gatewise_corpus.attributes import read_attributes
from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.outcome import Ran
from gatewise_implementations import translation
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.contracts import declared
from gatewise_implementations.options import Options
from gatewise_implementations.specs import distribution_version
from gatewise_implementations.translation import expressible
from gatewise_implementations.webgpu.contract import run_gru, run_lstm, run_rnn
from gatewise_implementations.webgpu.device import open_device
from gatewise_implementations.webgpu.request import ContractError

FUNCTIONS: dict[str, Callable[..., tuple[Array, ...]]] = {"RNN": run_rnn, "GRU": run_gru, "LSTM": run_lstm}
LIMITS: translation.Limits = {
    "type but float32": lambda layer: layer.dtype != np.float32,
}
ACTIVATION_ERRORS = {"Sigmoid": 4.0, "Tanh": 5.0, "Elu": 1.0, "Softplus": 5.0, "Softsign": 2.0}
"""What was measured on two software devices, in units of 2^-24, and 2 more where there is a division: WGSL lets it be
2.5 units in the last place off, and those devices round correctly (docs/webgpu.md)."""


class WebGpu:
    """The adapter."""

    def describe(self) -> Description:
        """What runs here: the version of wgpu, the driver and the device."""
        info = open_device().info
        return Description(
            name="webgpu",
            versions={"wgpu": distribution_version("wgpu"), "driver": info["description"] or info["vendor"]},
            settings={"device": info["device"], "type": info["adapter_type"], "backend": info["backend_type"]},
            activation_errors=ACTIVATION_ERRORS,
            decisions=declared("webgpu"),
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if the contract does not allow the call, or its types cannot express the case.
        """
        expressible(case, "the WebGPU contract", LIMITS)
        try:
            tensors, attributes = call_of(case)
            named = {name.lower(): array for name, array in tensors.items()}
            outputs = FUNCTIONS[case.operator](**named, **attributes)
        except ContractError as error:
            raise RefusalError(str(error)) from error
        by_name = dict(zip(("Y", "Y_h", "Y_c"), outputs, strict=False))
        return Ran({name: by_name[name] for name in case.outputs})


def call_of(case: Case) -> tuple[dict[str, Array], dict[str, Any]]:
    """The tensors, by ONNX's names, and the attributes of the call that computes a valid case.

    A missing B is spelled out as zeros, as the contract wants it, and one set of activations for two directions as
    two (D09); an empty list of them is left out (D11). All else is handed over as it stands.
    """
    tensors = dict(case.inputs)
    if "B" not in tensors:
        dirs, rows = tensors["W"].shape[:2]
        tensors["B"] = np.zeros((dirs, 2 * rows), np.float32)
    attributes: dict[str, Any] = dict(case.attributes)
    names = attributes.pop("activations", ())
    if names:
        needed = sum(map(len, read_attributes(case).activations))
        attributes["activations"] = names * 2 if len(names) < needed else names
    return tensors, attributes


def make_adapter(argument: str) -> WebGpu:
    """The adapter, which has no options.

    Raises:
        SetupError: if an option is given, or there is no device.
    """
    Options("webgpu", argument).finish()
    open_device()
    return WebGpu()
