"""Hash reports as they are made: what each configuration gives, and what came of a case that does not run."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from gatewise.hashing import corpus_hash, hash_cases, make_hash_report, spec_count
from gatewise.variations import batch_of, with_rows
from gatewise_corpus.case import Array, Case
from gatewise_corpus.machine import Machine, this_machine
from gatewise_corpus.outcome import Crashed, Outcome, Raised, Ran, Refused, TimedOut, digest
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.reference_library import kernel_paths
from gatewise_reports.hash_report import HashReport, encode_hash_report

Compute = Callable[[Case], Mapping[str, Array]]
PATHS = [path.name for path in kernel_paths() if path.available]


@pytest.fixture
def cases(rnn: Case, gru: Case, lstm: Case) -> dict[str, Case]:
    return {"rnn/a": rnn, "gru/b": gru, "lstm/c": lstm}


def test_an_implementation_without_digests_has_one_configuration_and_its_variations(gru: Case) -> None:
    outputs = {name: np.zeros((4, 2, 3, 5) if name == "Y" else (2, 3, 5), np.float32) for name in gru.outputs}

    def constant(case: Case) -> Outcome:
        return Ran({name: array[..., : batch_of(case), :] for name, array in outputs.items()})

    expected = dict.fromkeys(("default", "default,rows=alone", "default,constants=other"), digest(outputs))
    assert hash_cases(constant, {"gru/b": gru}, "default") == {"gru/b": expected}


def test_batch_mates_and_constants_that_change_bits_show_in_their_variation(gru: Case, compute: Compute) -> None:
    def run(case: Case) -> Outcome:
        shift = np.float32(batch_of(case) * 4 + len(case.constants) * 32)
        return Ran({name: array + shift for name, array in compute(case).items()})

    right = compute(gru)
    whole, alone, other = (
        digest({name: array + np.float32(by) for name, array in right.items()}) for by in (12, 4, 108)
    )
    assert hash_cases(run, {"gru/b": gru}, "threads=2") == {
        "gru/b": {"threads=2": whole, "threads=2,rows=alone": alone, "threads=2,constants=other": other}
    }


def test_a_single_row_is_not_run_again(gru: Case, compute: Compute) -> None:
    asked: list[Case] = []

    def run(case: Case) -> Outcome:
        asked.append(case)
        return Ran(compute(case))

    row = with_rows(gru, [1])
    hashes = hash_cases(run, {"gru/b": row}, "default")["gru/b"]
    assert hashes["default,rows=alone"] == hashes["default"]
    assert [case.constants for case in asked] == [frozenset(), {"W", "R", "B"}]


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        (Refused("no"), "refused"),
        (Raised("E", "m"), "raised"),
        (Crashed("SIGSEGV"), "crashed"),
        (TimedOut(3), "timed out"),
        (Ran({"Y": np.zeros(3, np.float32)}), "malformed"),
    ],
)
def test_what_does_not_run_has_a_word_in_every_configuration(
    rnn: Case, gru: Case, compute: Compute, outcome: Outcome, word: str
) -> None:
    def run(case: Case) -> Outcome:
        return outcome if case.operator == "RNN" else Ran(compute(case))

    found = hash_cases(run, {"rnn/a": rnn, "gru/b": gru}, "default")
    assert found["gru/b"]["default"] == digest(compute(gru))
    assert list(found["gru/b"]) == ["default", "default,rows=alone", "default,constants=other"]
    assert set(found["rnn/a"].values()) == {word}
    assert found["rnn/a"].keys() == found["gru/b"].keys()


def test_a_row_that_does_not_run_alone_is_told(gru: Case, compute: Compute) -> None:
    def run(case: Case) -> Outcome:
        return Crashed("SIGFPE") if batch_of(case) == 1 else Ran(compute(case))

    hashes = hash_cases(run, {"gru/b": gru}, "default")["gru/b"]
    assert hashes["default,rows=alone"] == "crashed"
    assert hashes["default,constants=other"] == hashes["default"] == digest(compute(gru))


def without_run(report: HashReport) -> bytes:
    text = encode_hash_report(report)
    start = text.index(b' "run": {')
    return text[:start] + text[text.index(b"}", start) :]


def test_the_reference_has_every_path_and_number_of_threads_and_two_reports_are_the_same_bytes(
    cases: dict[str, Case],
) -> None:
    advanced: list[int] = []
    report = make_hash_report(cases, "reference", advance=lambda: advanced.append(1))
    assert len(advanced) == len(cases) * spec_count("reference") == 12
    expected = [f"{path},threads={threads}" for threads in (1, 2, 3, 8) for path in PATHS]
    assert [name for name in report.configurations if "=alone" not in name and "=other" not in name] == expected
    variations = {name for name in report.configurations if name not in expected}
    assert variations == {
        f"{PATHS[0]},threads={threads},{word}"
        for threads in (1, 2, 3, 8)
        for word in ("rows=alone", "constants=other")
    }
    assert report.differences == {}
    assert report.machine == this_machine()
    assert report.implementation.settings.keys() == {"mode", "flags"}
    assert {name: operator.cases.keys() for name, operator in report.operators.items()} == {
        "GRU": {"gru/b"},
        "LSTM": {"lstm/c"},
        "RNN": {"rnn/a"},
    }
    assert without_run(make_hash_report(dict(reversed(cases.items())), "reference")) == without_run(report)


def test_one_path_and_number_of_threads_can_be_asked_for(cases: dict[str, Case]) -> None:
    report = make_hash_report(cases, "reference:scalar,threads=5")
    assert report.configurations == (
        "scalar,threads=5",
        "scalar,threads=5,rows=alone",
        "scalar,threads=5,constants=other",
    )
    assert report.hash == make_hash_report(cases, f"reference:{PATHS[-1]},threads=1").hash


SERVER = """
import base64, json, struct, sys
for line in sys.stdin:
    request = json.loads(line)
    answer = {"type": "description", "id": request["id"], "name": "far",
              "settings": {"configurations": "vx,threads=1"},
              "machine": {"name": "z15", "architecture": "s390x", "byte_order": "big", "emulator": "qemu 7.2"}}
    if request["type"] == "run":
        case = request["case"]
        rows = next(tensor["shape"][1] for tensor in case["inputs"] if tensor["name"] == "X")
        data = base64.b64encode(struct.pack("<f", 2.5) * 5 * rows).decode()
        tensor = {"name": "Y_h", "dtype": "float32", "shape": [1, rows, 5], "data": data}
        answer = {"type": "ran", "id": request["id"], "outputs": [tensor]}
    print(json.dumps(answer), flush=True)
"""


def test_a_program_on_another_machine_says_which(tmp_path: Path, rnn: Case) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    report = make_hash_report({"rnn/a": rnn.replace(outputs=("Y_h",))}, f"serve:python {tmp_path}/server.py")
    assert report.machine == Machine("z15", "s390x", byte_order="big", emulator="qemu 7.2")
    assert report.configurations[0] == "vx,threads=1"
    assert report.cases == {"rnn/a": digest({"Y_h": np.full((1, 3, 5), 2.5, np.float32)})}
    assert report.differences == {}


def test_an_implementation_that_is_not_there_is_said(cases: dict[str, Case]) -> None:
    with pytest.raises(SetupError, match="'no-such-program' cannot be started"):
        make_hash_report(cases, "serve:no-such-program")


def test_the_hash_of_the_corpus_tells_names_models_and_inputs_apart(rnn: Case, gru: Case) -> None:
    other = rnn.with_inputs(X=-rnn.inputs["X"])
    corpora = [{"a": rnn}, {"b": rnn}, {"a": other}, {"a": rnn.with_attributes(clip=2.0)}, {"a": rnn, "b": gru}]
    assert len({corpus_hash(corpus) for corpus in corpora}) == 5
    assert corpus_hash({"b": gru, "a": rnn}) == corpus_hash({"a": rnn, "b": gru})
