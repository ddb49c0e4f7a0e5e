"""``gatewise hash`` and ``compare`` as their users type them, and the gate that holds exact mode to its hashes."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from gatewise import exact_hashes
from gatewise.cli import main
from gatewise_corpus.case import Case
from gatewise_corpus.exact_hashes import EXACT_HASHES, read_exact_hashes
from gatewise_corpus.lint import lint
from gatewise_corpus.outcome import digest
from gatewise_corpus.store import About, save_entry
from gatewise_implementations.reference_library import run
from gatewise_reports.hash_report import read_hash_report
from gatewise_reports.report import read_report

REFERENCE = "reference:scalar,threads=1"
BATCHED = '''
import numpy as np
from onnx.backend.base import Backend

from gatewise_corpus.layer import output_shapes
from gatewise_corpus.onnx_model import from_model


class Batched(Backend):
    """Gives the size of the batch, whatever is asked."""

    @classmethod
    def prepare(cls, model, device="CPU", **options):
        return cls(model)

    def __init__(self, model):
        self.model = model

    def run(self, inputs, **options):
        case = from_model(self.model, dict(zip((value.name for value in self.model.graph.input), inputs)))
        rows = np.float32(case.inputs["X"].shape[1])
        return tuple(np.full(output_shapes(case)[name], rows) for name in case.outputs)
'''


def gatewise(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def store(tmp_path: Path, rnn: Case, gru: Case) -> Path:
    """Two valid cases, one of them in float64 too, and an invalid one."""
    root = tmp_path / "store"
    wide = rnn.with_inputs(
        **{name: array.astype(np.float64) for name, array in rnn.inputs.items() if name != "sequence_lens"}
    )
    for name, case in {"rnn/a": rnn, "gru/b": gru, "rnn/wide": wide}.items():
        save_entry(root, name, case, About("Why.", "hand"))
    save_entry(
        root,
        "rnn/d",
        rnn.with_attributes(hidden_size=6),
        About("Why.", "hand", ("invalid",), refuse="hidden-size-mismatch"),
    )
    return root


def test_the_report_has_every_valid_case_and_the_summary_says_identical(
    store: Path, tmp_path: Path, rnn: Case, gru: Case
) -> None:
    path = tmp_path / "mine.json"
    result = gatewise("hash", "-i", REFERENCE, "--cases", store, "-o", path)
    assert result.exit_code == 0, result.output
    assert "identical: 3 cases have the same bits in all 3 configurations\n" in result.stdout
    assert "\nmine " in result.stdout
    cases = {"gru/b": digest(run(gru)), "rnn/a": digest(run(rnn)), "rnn/wide": "refused"}
    assert read_hash_report(path).cases == cases
    as_json = gatewise("hash", "-i", REFERENCE, "--cases", store, "--only", "rnn/a", "--format", "json")
    assert json.loads(as_json.stdout)["operators"]["RNN"]["cases"] == {"rnn/a": cases["rnn/a"]}


def test_bits_that_depend_on_the_batch_are_a_finding(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "batched.py").write_text(BATCHED)
    monkeypatch.chdir(tmp_path)
    result = gatewise(
        "hash", "-i", "backend:batched", "--cases", store, "--only", "?[nr]?/[ab]", "--format", "markdown"
    )
    assert result.exit_code == 1
    assert "different: 2 of 2 cases have not the same bits in all 3 configurations\n" in result.stdout
    assert "default,rows=alone | 2 |\n" in result.stdout
    assert "default,constants=other |" not in result.stdout


def test_reports_are_compared(store: Path, tmp_path: Path) -> None:
    mine, other = tmp_path / "mine.json", tmp_path / "other.json"
    gatewise("hash", "-i", REFERENCE, "--cases", store, "-o", mine)
    text = mine.read_text()
    hash_ = read_hash_report(mine).cases["rnn/a"]
    other.write_text(text)
    assert gatewise("compare", mine, other).exit_code == 0
    other.write_text(text.replace(hash_, "0" * 64))
    result = gatewise("compare", mine, other)
    assert result.exit_code == 1
    assert result.stdout.startswith("different: 1 of 3 cases have not the same bits in all 6 configurations\n")
    assert "machines that differ" not in result.stdout
    found = json.loads(gatewise("compare", mine, other, "--format", "json").stdout)
    assert [(case["name"], case["hashes"]) for case in found["differing"]] == [
        ("rnn/a", {hash_: ["mine"], "0" * 64: ["other"]})
    ]
    assert "| other | each | 1 |\n" in gatewise("compare", mine, other, "--format", "markdown").stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("hash", "-i", "no-such"), "implementation 'no-such' is not one of"),
        (("hash", "-i", "reference:avx9", "-o", "r.json"), "reference: there is no option 'avx9'"),
        (("hash", "--only", "xyz/*"), "there is no valid case that matches 'xyz/*'"),
        (("hash", "-o", "no/folder/r.json"), "no/folder/r.json: cannot be written (No such file or directory)"),
        (("compare",), "Missing argument 'REPORT...'"),
        (("compare", "gone.json"), "'gone.json' does not exist"),
        (("compare", "empty.json"), "empty.json: is not a hash report"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    words: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.json").touch()
    result = gatewise(*words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert ": 200 of " not in result.stderr  # no case was run first
    assert [path.name for path in tmp_path.iterdir()] == ["empty.json"]


def test_the_gate_holds_exact_mode_to_the_hashes_of_the_store(store: Path, tmp_path: Path) -> None:
    hashes = exact_hashes.exact_hashes(store)
    assert hashes.keys() == {"rnn/a", "gru/b"}
    CliRunner().invoke(exact_hashes.main, [str(store)], catch_exceptions=False)
    assert read_exact_hashes(store) == hashes
    assert lint(store) == []
    assert gatewise("gate", "-i", "reference", "--cases", store, "--examples", "0").exit_code == 0
    text = (store / EXACT_HASHES).read_text()
    (store / EXACT_HASHES).write_text(text.replace(hashes["gru/b"], "0" * 64))
    report = tmp_path / "r.jsonl"
    result = gatewise("gate", "-i", "reference", "--cases", store, "--examples", "0", "--report", report)
    assert result.exit_code == 1
    (finding,) = read_report(report).findings
    assert (finding.case, finding.verdict, finding.clause) == ("gru/b", "other bits", "exact mode")
    assert finding.message == (
        f"the outputs have the hash {hashes['gru/b'][:16]}, but exact-hashes.txt says {'0' * 16}"
    )


def test_only_exact_mode_is_held_to_the_hashes(store: Path) -> None:
    (store / EXACT_HASHES).write_text(f"{'0' * 64}  rnn/a\n")
    words = ("--cases", store, "--examples", "0", "--only", "rnn/a", "--no-shipped-list")
    assert gatewise("gate", "-i", "onnxruntime", *words).exit_code == 0
    assert gatewise("gate", "-i", REFERENCE, *words).exit_code == 1


def test_hashes_are_not_written_where_the_reference_refuses(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_hashes, "has_exact_bits", lambda case: case.operator == "RNN")
    with pytest.raises(
        ValueError, match="the reference does not give the same bits in every configuration: rnn/d, rnn/wide"
    ):
        exact_hashes.exact_hashes(store)
