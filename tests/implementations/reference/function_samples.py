"""The samples of the correctly rounded functions that are committed, and how values are told from their bits."""

import hashlib
from pathlib import Path

import numpy as np

from gatewise_corpus.case import Array

REFERENCE = Path(__file__).parents[3] / "implementations" / "reference"
STRIDE = 4099
"""Of the strided sample: a prime number, so that the lowest bits of the inputs take all values."""


def floats(bits: Array) -> Array:
    return bits.astype(np.uint32).view(np.float32)


def bits(values: Array) -> Array:
    return values.view(np.uint32)


def hard_cases(function: str) -> tuple[Array, Array]:
    """The bits of the inputs that are hardest to round, and of their results."""
    lines = (REFERENCE / "hard-cases" / f"{function}.txt").read_text().splitlines()
    pairs = [[int(word, 16) for word in line.split()] for line in lines if not line.startswith("#")]
    inputs, results = np.array(pairs, np.uint32).T
    return inputs, results


def golden_hash(function: str, stride: int) -> str:
    """The committed SHA-256 of the results for every ``stride``-th input, in the order of the inputs' bits."""
    lines = (line.split() for line in (REFERENCE / "golden-hashes.txt").read_text().splitlines() if line[0] != "#")
    (found,) = (sha for name, its_stride, sha in lines if name == function and int(its_stride) == stride)
    return found


def strided_inputs() -> Array:
    return floats(np.arange(0, 2**32, STRIDE))


def sha256(values: Array) -> str:
    return hashlib.sha256(values.astype("<f4", copy=False)).hexdigest()
