"""``gatewise corpus`` as its users type it."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from gatewise.cli.corpus import corpus
from gatewise_corpus.onnx_folder import write_folder
from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_corpus.store import load_entries, load_entry

SIZES = Sizes(seq=4, batch=3, input=2, hidden=5)


def gatewise(*words: str | Path) -> Result:
    return CliRunner().invoke(corpus, [str(word) for word in words])


@pytest.fixture
def found(tmp_path: Path) -> Path:
    """A folder in the ONNX backend test format, with outputs of somebody's."""
    folder = tmp_path / "short-row"
    write_folder(folder, draw("found", "GRU", SIZES, lengths=[4, 1, 2]), {"Y_h": np.zeros((1, 3, 5), np.float32)})
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = tmp_path / "store"
    root.mkdir()
    return root


def test_a_folder_is_added_with_its_reason_and_without_its_outputs(found: Path, store: Path) -> None:
    result = gatewise("add", found, "--cases", store, "--why", "A short row.", "--flag", "lengths", "--tests", "D18")
    assert result.exit_code == 0
    entry = load_entry(store / "gru" / "short-row", store)
    assert (entry.about.why, entry.about.flags, entry.about.tests) == ("A short row.", ("lengths",), ("D18",))
    assert entry.case.inputs["sequence_lens"].tolist() == [4, 1, 2]
    assert not entry.outputs
    assert gatewise("lint", "--cases", store).output == "0 findings\n"


def test_an_invalid_case_is_added_with_the_reason_that_it_must_be_refused_for(tmp_path: Path, store: Path) -> None:
    write_folder(tmp_path / "bad", draw("bad", "RNN", SIZES, lengths=[4, 5, 1]), {})
    words = ("add", tmp_path / "bad", "--cases", store, "--why", "Too long.", "--name", "rnn/too-long")
    assert gatewise(*words).exit_code == 0
    about = load_entry(store / "rnn" / "too-long", store).about
    assert (about.refuse, about.flags) == ("lengths-range", ("invalid",))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("add",), "Error: give at least one PATH, or --recipes"),
        (("list", "lstm/*"), "Error: no case matches 'lstm/*'"),
        (("show", "gru/none"), "Error: no case matches 'gru/none'"),
    ],
)
def test_what_cannot_be_done_is_said(words: tuple[str, ...], message: str, store: Path) -> None:
    result = gatewise(*words, "--cases", store)
    assert result.exit_code == 2
    assert result.output.strip().splitlines()[-1] == message


def test_a_reason_is_asked_for(found: Path, store: Path) -> None:
    result = gatewise("add", found, "--cases", store)
    assert result.exit_code == 2
    assert "has no case.toml, so --why must say why the case exists" in result.output


def test_a_folder_without_a_model_is_no_case(tmp_path: Path, store: Path) -> None:
    result = gatewise("add", tmp_path, "--cases", store, "--why", "Nothing.")
    assert result.exit_code == 2
    assert "holds no model.onnx" in result.output


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--name", "../evil"), "the name must be <operator>/<words-with-hyphens>"),
        (("--name", "lstm/short-row"), "a case of GRU must stand in gru/"),
        (("--flag", "nonsense"), "flag 'nonsense' is not one of"),
        (("--tests", "D99"), "tests names 'D99', which is not a decision D01 to D36"),
        (("--why", "No full stop"), "why must be a sentence that ends in a full stop"),
    ],
)
def test_what_lint_would_find_is_not_added(found: Path, store: Path, option: tuple[str, str], message: str) -> None:
    result = gatewise("add", found, "--cases", store, "--why", "A short row.", *option)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert list(store.rglob("*")) == []


def test_a_case_is_replaced_only_when_asked(found: Path, store: Path) -> None:
    words = ("add", found, "--cases", store, "--why")
    assert gatewise(*words, "First.").exit_code == 0
    again = gatewise(*words, "Second.")
    assert (again.exit_code, again.output.splitlines()[-1]) == (
        2,
        "Error: gru/short-row is there already; --replace replaces it",
    )
    assert load_entry(store / "gru" / "short-row", store).about.why == "First."
    assert gatewise(*words, "Second.", "--replace").exit_code == 0
    assert load_entry(store / "gru" / "short-row", store).about.why == "Second."


def test_a_name_is_made_from_a_folder_of_onnx_own(tmp_path: Path, store: Path) -> None:
    write_folder(tmp_path / "test_gru_Defaults", draw("found", "GRU", SIZES), {})
    assert gatewise("add", tmp_path / "test_gru_Defaults", "--cases", store, "--why", "Why not.").exit_code == 0
    assert [entry.name for entry in load_entries(store)] == ["gru/test-gru-defaults"]


def test_cases_are_listed_by_pattern() -> None:
    rows = json.loads(gatewise("list", "lstm/hidden-1*", "--format", "json").output)
    assert [row["name"] for row in rows] == ["lstm/hidden-15", "lstm/hidden-16", "lstm/hidden-17"]
    markdown = gatewise("list", "lstm/hidden-15", "--format", "markdown").output.splitlines()
    assert markdown[0] == "| name | why | refuse | recorded |"
    assert markdown[2].startswith(
        "| lstm/hidden-15 | A tail of 15 hidden units is computed like the others. |  | onnx"
    )


def test_a_case_is_shown_whole() -> None:
    shown = json.loads(gatewise("show", "rnn/smallest", "--format", "json").output)
    assert shown["tensors"]["X"]["shape"] == [1, 1, 1]
    assert shown["tensors"]["X"]["values"] == pytest.approx([-0.260006], abs=1e-6)
    assert shown["features"]["direction"] == "forward"
    assert "recorded Y" in shown["tensors"]
    assert "X float32[1, 1, 1]\n[[[-0.260006]]]" in gatewise("show", "rnn/smallest").output


def test_a_finding_of_the_linter_ends_with_1(found: Path, store: Path) -> None:
    gatewise("add", found, "--cases", store, "--why", "A short row.")
    about = store / "gru" / "short-row" / "case.toml"
    about.write_text(about.read_text() + "\n")
    result = gatewise("lint", "--cases", store)
    assert (result.exit_code, result.output) == (
        1,
        "gru/short-row: case.toml is not formatted; run gatewise corpus fmt\n1 finding\n",
    )
    assert gatewise("fmt", "--cases", store).output == "gru/short-row\n1 case changed\n"
    assert gatewise("lint", "--cases", store).exit_code == 0


def test_coverage_is_whole_for_the_corpus_and_not_for_one_case(found: Path, store: Path) -> None:
    whole = json.loads(gatewise("coverage", "--format", "json").output)
    assert (whole["covered"], whole["feasible"], whole["missing"]) == (1377, 1377, [])
    gatewise("add", found, "--cases", store, "--why", "A short row.")
    result = gatewise("coverage", "--cases", store, "--format", "json")
    assert result.exit_code == 1
    assert json.loads(result.output)["covered"] == 17 * 16 // 2
