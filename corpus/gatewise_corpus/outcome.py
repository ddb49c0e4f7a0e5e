"""What can come of running a case: outputs, a refusal, an exception, a crash or a time-out."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gatewise_corpus.case import Array


@dataclass(frozen=True, eq=False)
class Ran:
    """Outputs by name, and a digest of the outputs for each configuration where several ran."""

    outputs: Mapping[str, Array]
    digests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Refused:
    """A clean error: ``kind`` is "invalid", "unsupported" or "" (not said), ``reason`` the id of the rule broken."""

    message: str
    kind: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Raised:
    """An exception that the implementation did not mean as a refusal."""

    exception: str
    message: str


@dataclass(frozen=True)
class Crashed:
    """The process ended: by which signal or exit code, and the end of its standard error."""

    how: str
    stderr: str = ""


@dataclass(frozen=True)
class TimedOut:
    """The time limit passed, in seconds."""

    seconds: float


Outcome = Ran | Refused | Raised | Crashed | TimedOut


def canonical(array: Array) -> Array:
    """The array little-endian and contiguous, every NaN being the one of exact mode (D24)."""
    result = np.array(array, dtype=array.dtype.newbyteorder("<"), order="C")
    if np.issubdtype(result.dtype, np.floating):
        result[np.isnan(result)] = np.nan
    return result


def digest(outputs: Mapping[str, Array]) -> str:
    """SHA-256 over the canonical outputs: names, dtypes, shapes and data."""
    sha = hashlib.sha256()
    for name in sorted(outputs):
        array = canonical(outputs[name])
        sha.update(f"{name} {array.dtype.name} {list(array.shape)}\n".encode())
        sha.update(array.tobytes())
    return sha.hexdigest()
