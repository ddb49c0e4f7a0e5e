"""The store, its linter and its formatter."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from onnx import numpy_helper

from gatewise_corpus.case import same_case
from gatewise_corpus.lint import format_entry, lint
from gatewise_corpus.onnx_model import FormatError
from gatewise_corpus.recipes import all_recipes
from gatewise_corpus.recipes.recipe import Sizes, draw, is_stored
from gatewise_corpus.recording import Recording
from gatewise_corpus.store import About, cases_root, load_entries, load_entry, save_entry

SIZES = Sizes(seq=4, batch=3, input=2, hidden=5)
ABOUT = About(why="One row ends before the others.", origin="test", flags=("lengths",), tests=("D18",))
RECORDING = Recording("onnxruntime", "1.2.3", "some machine", "1 thread", "ran")


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    case = draw("test", "LSTM", SIZES, lengths=[4, 1, 2], outputs=("Y", "Y_c"))
    outputs = {"Y": np.ones((4, 1, 3, 5), np.float32), "Y_c": np.full((1, 3, 5), 2, np.float32)}
    about = msgspec.structs.replace(ABOUT, recording=RECORDING)
    folder = save_entry(tmp_path, "lstm/short-row", case, about, outputs)
    entry = load_entry(folder, tmp_path)
    assert (entry.name, entry.about) == ("lstm/short-row", about)
    assert same_case(entry.case, case)
    np.testing.assert_array_equal(entry.outputs["Y_c"], outputs["Y_c"])
    assert lint(tmp_path) == []


def test_case_toml_reads_as_written(tmp_path: Path) -> None:
    folder = save_entry(tmp_path, "rnn/short-row", draw("test", "RNN", SIZES), ABOUT)
    assert (folder / "case.toml").read_text() == (
        'why = "One row ends before the others."\norigin = "test"\nflags = [\n    "lengths",\n]\ntests = [\n    "D18",\n]\n'  # noqa: E501 - one file as it stands
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [("why = 3", "Expected `str`, got `int` - at `$.why`"), ("why", "Expected '='"), ("y = 1", "unknown field `y`")],
)
def test_a_broken_case_toml_is_said(tmp_path: Path, text: str, words: str) -> None:
    folder = save_entry(tmp_path, "rnn/broken", draw("test", "RNN", SIZES), ABOUT)
    (folder / "case.toml").write_text(text)
    with pytest.raises(FormatError, match=r"case\.toml"):
        load_entry(folder, tmp_path)
    (finding,) = lint(tmp_path)
    assert finding.name == "rnn/broken"
    assert words in finding.message


@pytest.mark.parametrize(
    ("name", "about", "words"),
    [
        (
            "rnn/Short_Row",
            ABOUT,
            "the name must be <operator>/<words-with-hyphens>, in lower-case letters and digits",
        ),
        ("gru/short-row", ABOUT, "a case of RNN must stand in rnn/"),
        ("rnn/a", About("No full stop", "test"), "why must be a sentence that ends in a full stop"),
        ("rnn/a", msgspec.structs.replace(ABOUT, flags=("length",)), "flag 'length' is not one of "),
        (
            "rnn/a",
            msgspec.structs.replace(ABOUT, tests=("D37",)),
            "tests names 'D37', which is not a decision D01 to D36",
        ),
        (
            "rnn/a",
            msgspec.structs.replace(ABOUT, flags=("invalid",), refuse="shape"),
            "refuse is 'shape', but validation says ''",
        ),
        (
            "rnn/a",
            msgspec.structs.replace(ABOUT, flags=("invalid",)),
            "the flag invalid and the field refuse belong together",
        ),
        (
            "rnn/a",
            msgspec.structs.replace(ABOUT, recording=RECORDING),
            "outputs [] stand here, but ['Y', 'Y_h'] were recorded",
        ),
    ],
)
def test_the_linter_finds(tmp_path: Path, name: str, about: About, words: str) -> None:
    save_entry(tmp_path, name, draw("test", "RNN", SIZES), about)
    assert any(finding.name == name and finding.message.startswith(words) for finding in lint(tmp_path))


def test_the_linter_finds_stray_and_changed_files_and_the_formatter_mends_them(tmp_path: Path) -> None:
    folder = save_entry(tmp_path, "rnn/a", draw("test", "RNN", SIZES), ABOUT)
    stray = folder / "test_data_set_0" / "output_0.pb"
    stray.write_bytes(numpy_helper.from_array(np.float32(1.0).reshape(()), "Y").SerializeToString())
    (folder / "case.toml").write_text((folder / "case.toml").read_text() + "\n")
    assert sorted(finding.message for finding in lint(tmp_path)) == [
        "case.toml is not formatted; run gatewise corpus fmt",
        "outputs stand here, but no recording says where they come from",
        "recorded Y is float32[], but must be [4, 1, 3, 5] like X",
    ]
    stray.unlink()
    (folder / "notes.txt").write_text("")
    assert {finding.message for finding in lint(tmp_path)} == {
        "case.toml is not formatted; run gatewise corpus fmt",
        "notes.txt is not part of the case",
    }
    (folder / "notes.txt").unlink()
    assert format_entry(load_entry(folder, tmp_path))
    assert not format_entry(load_entry(folder, tmp_path))
    assert lint(tmp_path) == []


def test_the_linter_finds_twins(tmp_path: Path) -> None:
    case = draw("test", "RNN", SIZES)
    save_entry(tmp_path, "rnn/a", case, ABOUT)
    save_entry(tmp_path, "rnn/b", case, ABOUT)
    assert [tuple(finding) for finding in lint(tmp_path)] == [("rnn/b", "is the same case as rnn/a")]


def test_the_corpus_is_clean() -> None:
    assert lint(cases_root()) == []


def test_the_corpus_holds_every_recipe_as_it_is() -> None:
    recipes = list(all_recipes())
    assert len({recipe.name for recipe in recipes}) == len(recipes)
    assert [recipe.name for recipe in recipes if not is_stored(cases_root(), recipe)] == []


def test_the_corpus_is_as_large_as_promised() -> None:
    entries = load_entries()
    assert sum(entry.about.recording is not None and bool(entry.outputs) for entry in entries) >= 300
    refused = [entry for entry in entries if entry.about.refuse]
    assert len(refused) >= 60
    assert len({entry.about.refuse for entry in refused}) >= 20


def test_a_case_is_no_store(tmp_path: Path) -> None:
    folder = save_entry(tmp_path / "store", "rnn/a", draw("test", "RNN", SIZES), ABOUT)
    with pytest.raises(FormatError, match="is itself a case"):
        load_entries(folder)


def test_an_invalid_case_that_is_not_called_so_is_a_finding(tmp_path: Path) -> None:
    about = msgspec.structs.replace(ABOUT, recording=RECORDING)
    outputs = {"Y": np.zeros((4, 1, 3, 5), np.float32), "Y_h": np.zeros((1, 3, 5), np.float32)}
    save_entry(tmp_path, "rnn/a", draw("test", "RNN", SIZES).with_attributes(direction="up"), about, outputs)
    assert [finding.message for finding in lint(tmp_path)] == ["refuse is '', but validation says 'direction'"]
