"""The hashes beside the cases of a store, and what the linter says of them."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from gatewise_corpus.exact_hashes import EXACT_HASHES, combined_hash, format_hashes, is_hash, read_exact_hashes
from gatewise_corpus.lint import has_exact_bits, lint
from gatewise_corpus.onnx_model import FormatError
from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_corpus.store import About, save_entry

SIZES = Sizes(seq=4, batch=3, input=2, hidden=5)
A, B = "a" * 64, "0123456789abcdef" * 4
TEXT = f"{B}  gru/one\n{A}  rnn/two\n"


def test_hashes_are_written_by_name_and_read_again(tmp_path: Path) -> None:
    assert format_hashes({"rnn/two": A, "gru/one": B}) == TEXT
    (tmp_path / EXACT_HASHES).write_text(TEXT)
    assert read_exact_hashes(tmp_path) == {"gru/one": B, "rnn/two": A}


def test_a_store_without_the_file_expects_nothing(tmp_path: Path) -> None:
    assert read_exact_hashes(tmp_path) == {}


def test_one_hash_for_all_is_that_of_the_file() -> None:
    assert combined_hash({"rnn/two": A, "gru/one": B}) == hashlib.sha256(TEXT.encode()).hexdigest()


def test_a_word_is_no_hash() -> None:
    assert is_hash(A)
    assert not is_hash("refused")
    assert not is_hash(A.upper())


@pytest.mark.parametrize("line", ["", f"{A} rnn/two", f"{A[1:]}  rnn/two", f"{A.upper()}  rnn/two", f"{B}  gru/one"])
def test_a_line_that_is_none_is_said(tmp_path: Path, line: str) -> None:
    (tmp_path / EXACT_HASHES).write_text(f"{TEXT}{line}\n")
    with pytest.raises(FormatError, match=r"exact-hashes.txt, line 3: must be the SHA-256 of a case"):
        read_exact_hashes(tmp_path)


def test_a_file_that_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / EXACT_HASHES).write_bytes(b"\xff\n")
    with pytest.raises(FormatError, match=r"exact-hashes.txt: cannot be read"):
        read_exact_hashes(tmp_path)


def test_the_linter_wants_a_hash_for_each_case_with_exact_bits_and_for_no_other(tmp_path: Path) -> None:
    case = draw("hashed", "RNN", SIZES)
    wide = case.with_inputs(**{name: array.astype(np.float64) for name, array in case.inputs.items()})
    half = case.with_inputs(**{name: array.astype(np.float16) for name, array in case.inputs.items()})
    bad = case.with_attributes(direction="sideways")
    for name, each in {"a": case, "half": half, "wide": wide}.items():
        save_entry(tmp_path, f"rnn/{name}", each, About("Why.", "hand"))
    save_entry(tmp_path, "rnn/bad", bad, About("Why.", "hand", flags=("invalid",), refuse="direction"))
    assert lint(tmp_path) == []
    (tmp_path / EXACT_HASHES).write_text(f"{A}  rnn/bad\n{A}  rnn/gone\n{A}  rnn/half\n{A}  rnn/wide\n")
    surplus = "has a hash in exact-hashes.txt, but is no valid case in float16 or float32"
    assert [tuple(finding) for finding in lint(tmp_path)] == [
        ("rnn/a", "has no hash in exact-hashes.txt; run make hashes"),
        ("rnn/bad", surplus),
        ("rnn/gone", surplus),
        ("rnn/wide", surplus),
    ]
    assert [has_exact_bits(each) for each in (case, half, wide, bad)] == [True, True, False, False]
