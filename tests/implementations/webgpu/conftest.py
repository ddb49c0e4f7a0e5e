"""Skips the tests that need a WebGPU device where there is none, and says why."""

from importlib.util import find_spec

import pytest

from gatewise_implementations.adapter import SetupError


@pytest.fixture(scope="session")
def missing_device() -> str:
    """Why there is no device; "" where there is one."""
    if find_spec("wgpu") is None:
        return "wgpu is not installed"
    from gatewise_implementations.webgpu.device import open_device

    try:
        open_device()
    except SetupError as error:
        return str(error)
    return ""


@pytest.fixture(autouse=True)
def _device(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("webgpu"):
        reason = request.getfixturevalue("missing_device")
        if reason:
            pytest.skip(reason)
