"""What is kept of a find: a case for the corpus, a script that shows it without gatewise, the text of an issue."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from gatewise.cli import main
from gatewise.fuzz.bench import Circumstances, FuzzBench, Subject
from gatewise.fuzz.fault import fault_of
from gatewise.fuzz.finds import Finds
from gatewise.fuzz.round import Find, Round
from gatewise_corpus.case import Case, same_case
from gatewise_corpus.onnx_folder import read_folder
from gatewise_corpus.onnx_model import FormatError
from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_corpus.store import load_entry
from gatewise_reports.record import Result, Verdict

WHERE = Circumstances("onnxruntime", ("onnxruntime: 1.32.0", "gatewise 0.1.0"), "a machine")


def find_of(case: Case) -> Find:
    """What ONNX Runtime, without its list of known failures, makes of a case."""
    with FuzzBench(Subject("onnxruntime", use_shipped=False)) as bench:
        result = bench.run(case)
    return Find(fault_of(result), case, result, Round(1, 0))


@pytest.fixture(scope="module")
def clip_zero() -> Find:
    """ONNX Runtime's RNN clamps everything to 0 where clip is 0."""
    return find_of(draw("finds-clip", "RNN", Sizes(3, 2, 4, 5), attributes={"clip": 0.0}, lengths=[3, 1]))


def test_a_find_is_a_case_of_the_corpus(tmp_path: Path, clip_zero: Find) -> None:
    folder = Finds(tmp_path / "found").keep(clip_zero, WHERE)
    assert folder == tmp_path / "found" / clip_zero.fault.name
    entry = load_entry(folder)
    assert same_case(entry.case, clip_zero.case)
    assert (entry.about.origin, entry.about.flags, entry.about.tests) == ("fuzz", ("lengths",), ("D02",))
    assert "clip-zero-clamps" in entry.about.why
    outputs = read_folder(folder).outputs
    assert (outputs["Y"][0, 0] != 0).all()
    store = tmp_path / "store"
    added = CliRunner().invoke(main, ["corpus", "add", str(tmp_path / "found"), "--cases", str(store)])
    assert added.exit_code == 0, added.output
    linted = CliRunner().invoke(main, ["corpus", "lint", "--cases", str(store)])
    assert linted.output == "0 findings\n"
    assert same_case(load_entry(store / clip_zero.fault.name).case, clip_zero.case)


def test_why_is_one_sentence_whatever_the_message(tmp_path: Path) -> None:
    result = Result("gru/x", FORM.summary(), "raised", 0.1, message="ValueError: 3 is not 4.\n  It must be so. ")
    folder = Finds(tmp_path).keep(Find(fault_of(result), FORM, result, Round(1, 0)), WHERE)
    why = "It was found by fuzzing, and showed GRU raised: ValueError: 3 is not 4. It must be so."
    assert load_entry(folder).about.why == why


def test_the_script_shows_the_fault_without_gatewise(tmp_path: Path, clip_zero: Find) -> None:
    folder = Finds(tmp_path).keep(clip_zero, WHERE)
    text = (folder / "reproduce.py").read_text()
    assert "gatewise" not in text
    ran = subprocess.run([sys.executable, folder / "reproduce.py"], capture_output=True, text=True, check=False)
    assert ran.returncode == 1, ran.stderr
    assert clip_zero.result.place is not None
    low, high = (float(value) for value in (clip_zero.result.place.low, clip_zero.result.place.high))
    assert f"is 0.0 and may be {low} .. {high}" in ran.stdout


ACCEPTED = draw("finds-accepted", "GRU", Sizes(2, 3, 1, 4)).with_attributes(direction="Forward")
FORM = draw("finds-form", "GRU", Sizes(2, 3, 1, 4))


@pytest.mark.parametrize(
    ("case", "shape", "said"),
    [
        (ACCEPTED, "(2, 1, 3, 4)", "refused"),
        (FORM, "(2, 3, 1, 4)", "shapes and types must be"),
        (FORM, "(2, 1, 3, 4)", ""),
    ],
)
@pytest.mark.parametrize("spec", ["backend:zeros", "backend:zeros:Backend"])
def test_the_script_of_a_result_without_a_place_ends_with_1_where_it_shows(
    tmp_path: Path, case: Case, shape: str, said: str, spec: str
) -> None:
    """Run in the current folder by a class of a backend that gives zeros of a shape; Y alone is asked for."""
    (tmp_path / "zeros.py").write_text(
        "import numpy as np\n"
        "import onnx.backend.base\n"
        "class Backend(onnx.backend.base.Backend):\n"
        "    @classmethod\n"
        "    def prepare(cls, model, device):\n"
        "        return Rep()\n"
        "class Rep:\n"
        "    def run(self, inputs):\n"
        f"        return [np.zeros({shape}, np.float32)]\n"
    )
    case = case.replace(outputs=("Y",))
    verdict: Verdict = "accepted" if said == "refused" else "wrong"
    result = Result("gru/x", case.summary(), verdict, 0.1)
    find = Find(fault_of(result), case, result, Round(1, 0))
    folder = Finds(tmp_path / "found").keep(find, replace(WHERE, spec=spec))
    command = [sys.executable, folder / "reproduce.py"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert said in ran.stderr
    assert ran.returncode == bool(said), ran.stderr
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert (ran.returncode, ran.stderr) == (2, "this script cannot start: No module named 'zeros'\n")


@pytest.mark.parametrize(
    "case",
    [
        draw("finds-nan", "LSTM", Sizes(2, 3, 1, 2), attributes={"clip": float("nan"), "activations": ()}),
        draw("finds-direction", "GRU", Sizes(2, 3, 1, 2)).with_attributes(direction="Forward"),
        draw("finds-layout", "GRU", Sizes(2, 3, 1, 2), attributes={"layout": 1}, optional=("initial_h",)),
    ],
    ids=["clip", "direction", "layout"],
)
def test_the_script_gives_the_runtime_the_same_case(tmp_path: Path, case: Case) -> None:
    """Run by a backend that writes down what it is given."""
    X = case.inputs["X"].copy()
    X[0, 0, 0], X[1, 0, 0] = np.nan, -np.inf
    case = case.with_inputs(X=X).replace(constants=frozenset({"W"}))
    (tmp_path / "writer.py").write_text(
        "import onnx\n"
        "import numpy as np\n"
        "from onnx import numpy_helper\n"
        "def prepare(model, device):\n"
        "    onnx.save(model, 'model.onnx')\n"
        "    return Rep(len(model.graph.output))\n"
        "class Rep:\n"
        "    def __init__(self, count):\n"
        "        self.count = count\n"
        "    def run(self, inputs):\n"
        "        for index, array in enumerate(inputs):\n"
        "            onnx.save_tensor(numpy_helper.from_array(array), f'test_data_set_0/input_{index}.pb')\n"
        "        return [np.zeros(1)] * self.count\n"
    )
    find = find_of(case)
    folder = Finds(tmp_path / "found").keep(find, replace(WHERE, spec="backend:writer"))
    (tmp_path / "test_data_set_0").mkdir()
    ran = subprocess.run(
        [sys.executable, folder / "reproduce.py"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (tmp_path / "model.onnx").exists(), ran.stderr
    assert same_case(read_folder(tmp_path).case, case)


def test_the_issue_says_everything(tmp_path: Path, clip_zero: Find) -> None:
    folder = Finds(tmp_path).keep(clip_zero, WHERE)
    text = (folder / "issue.md").read_text()
    for part in (
        "deviates (D02)",
        "admissible",
        "# RNN deviates: clip = 0 clamps every input of an activation to 0\n",
        "clip = 0 clamps every input",
        "RNN <clip: float = 0",
        "sequence_lens = [3, 1]  # int32[2]",
        "- onnxruntime: 1.32.0",
        "- a machine",
        f"gatewise check {folder} -i onnxruntime",
    ):
        assert part in text, part


def test_only_a_shrunk_find_replaces_another_and_none_is_left_half_written(tmp_path: Path, clip_zero: Find) -> None:
    finds = Finds(tmp_path)
    folder = finds.keep(clip_zero, WHERE)
    other = replace(clip_zero, case=clip_zero.case.replace(outputs=("Y_h",)))
    finds.keep(other, WHERE)
    assert same_case(load_entry(folder).case, clip_zero.case)
    finds.keep(replace(other, is_shrunk=True), WHERE)
    assert load_entry(folder).case.outputs == ("Y_h",)
    assert [(name, case.outputs) for name, case in finds.remembered()] == [(clip_zero.fault.name, ("Y_h",))]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rnn"]
    shutil.copytree(folder, tmp_path / ".new-of-a-killed-run")
    assert [name for name, _ in finds.remembered()] == [clip_zero.fault.name]
    finds.drop(clip_zero.fault)
    assert list(finds.remembered()) == []


def test_a_folder_that_cannot_be_made_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FormatError, match=r"file/found: cannot be written \(Not a directory\)"):
        Finds(tmp_path / "file" / "found").open()
