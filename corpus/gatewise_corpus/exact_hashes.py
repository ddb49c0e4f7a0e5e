"""The hashes that exact mode must give: a file beside the cases of a store, reviewed like code.

Each line is ``<SHA-256>  <case>``, as ``sha256sum`` writes it, in the order of the cases' names. A store without the
file expects nothing.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from gatewise_corpus.onnx_model import FormatError

EXACT_HASHES = "exact-hashes.txt"
EXACT_TYPES = frozenset({"float16", "float32"})
"""The types of X for which exact mode defines the bits (D30)."""
_HASH = "[0-9a-f]{64}"
_LINE = re.compile(rf"(?P<hash>{_HASH})  (?P<case>\S+)")


def read_exact_hashes(root: Path) -> dict[str, str]:
    """The hash of each case below ``root`` that has one, by name; see ``gatewise_corpus.outcome.digest``.

    Raises:
        FormatError: if the file cannot be read, or a line is not a hash and a case.
    """
    path = root / EXACT_HASHES
    if not path.exists():
        return {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: cannot be read ({error})") from error
    hashes: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        found = _LINE.fullmatch(line)
        if found is None or found["case"] in hashes:
            raise FormatError(
                f"{path}, line {number}: must be the SHA-256 of a case that no other line has, and its name"
            )
        hashes[found["case"]] = found["hash"]
    return hashes


def is_hash(text: str) -> bool:
    """Whether ``text`` is a hash, and not the word for a case that did not run."""
    return re.fullmatch(_HASH, text) is not None


def format_hashes(hashes: Mapping[str, str]) -> str:
    """The text of the file that holds ``hashes``, by name of the case."""
    return "".join(f"{hash_}  {case}\n" for case, hash_ in sorted(hashes.items()))


def combined_hash(hashes: Mapping[str, str]) -> str:
    """One hash for many cases: the SHA-256 of the file that would hold them."""
    return hashlib.sha256(format_hashes(hashes).encode()).hexdigest()
