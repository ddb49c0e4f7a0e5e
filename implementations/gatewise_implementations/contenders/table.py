"""The SPECs of a bench, which name a contender as those of an implementation do."""

from importlib import import_module
from importlib.util import find_spec

from gatewise_implementations.adapter import SetupError
from gatewise_implementations.contenders.contender import Contender

CONTENDERS = {
    "reference": "gatewise_implementations._reference",
    "onnxruntime": "onnxruntime",
    "openvino": "openvino",
    "torch": "torch",
    "webgpu": "wgpu",
}
"""The module that each needs, which must be installed."""
ON_REQUEST = ("webgpu",)
"""Those that are timed only where they are named: the times of a software device mean little."""


def make_contender(spec: str) -> Contender:
    """The contender that ``spec`` names: ``NAME`` or ``NAME:OPTIONS``.

    Raises:
        SetupError: if there is none, it is not installed, or has no such option.
    """
    name, _, argument = spec.partition(":")
    if name not in CONTENDERS:
        raise SetupError(f"contender {name!r} is not one of {', '.join(CONTENDERS)}")
    if find_spec(CONTENDERS[name]) is None:
        raise SetupError(f"{name}: {CONTENDERS[name]} is not installed; pip install {CONTENDERS[name]}")
    module = import_module(f"gatewise_implementations.contenders.{name}")
    contender: Contender = module.make_contender(argument)
    return contender


def default_specs() -> tuple[str, ...]:
    """The reference in both modes, and every other contender that is installed, but for those of ``ON_REQUEST``."""
    others = (
        name
        for name, needs in CONTENDERS.items()
        if name not in {"reference", *ON_REQUEST} and find_spec(needs) is not None
    )
    return ("reference", "reference:mode=fast", *others)
