"""The WGSL kernels: a loaded network, into which X is written and from which the outputs are read back.

The device has its own threads, if it has any: the number that a bench asks for has no influence.
"""

from collections.abc import Mapping

from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.contenders.contender import Prepared
from gatewise_implementations.webgpu.adapter import WebGpu, call_of, make_adapter
from gatewise_implementations.webgpu.device import open_device
from gatewise_implementations.webgpu.network import Network
from gatewise_implementations.webgpu.request import ContractError, make_request


class WebGpuContender:
    """The device, with all tensors but X loaded before a run."""

    def __init__(self, adapter: WebGpu) -> None:
        self._adapter = adapter

    def describe(self) -> Description:
        """The adapter's description."""
        return self._adapter.describe()

    def prepare(self, case: Case, threads: int) -> Prepared:  # noqa: ARG002  # the device has its own
        """Loads the tensors, and compiles the kernels where that was not done before.

        Raises:
            RefusalError: if the contract does not allow the call.
        """
        tensors, attributes = call_of(case)
        try:
            network = Network(open_device(), make_request(case.operator, tensors, **attributes))
        except ContractError as error:
            raise RefusalError(str(error)) from error
        last: dict[str, Array] = {}

        def run() -> None:
            network.load(tensors["X"])
            last.update(network.run())

        def outputs() -> Mapping[str, Array]:
            return {name: last[name] for name in case.outputs}

        return Prepared(run, outputs)


def make_contender(argument: str) -> WebGpuContender:
    """The contender, which has no options.

    Raises:
        SetupError: if one is given, or there is no device.
    """
    return WebGpuContender(make_adapter(argument))
