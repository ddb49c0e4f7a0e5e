"""Five cases, and three reports on them: one engine in two versions, and another whose run was killed."""

from pathlib import Path

import numpy as np
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.recipes.recipe import ALL_INPUTS, Sizes, draw
from gatewise_corpus.store import About, Entry
from gatewise_reports.matrix.matrix import Matrix, make_matrix
from gatewise_reports.record import Curve, Explanation, Header, Implementation, Place, Result, Stale
from gatewise_reports.report import Report

SIZES = Sizes(seq=4, batch=3, input=2, hidden=5)
NAUGHTY = "<i>[bold]other|`x`"


def entry(name: str, case: Case, **about: object) -> Entry:
    told = {"why": f"Why {name} is there.", "origin": "hand", **about}
    return Entry(name, Path(name), case, {}, About(**told))  # type: ignore[arg-type]


@pytest.fixture
def entries() -> list[Entry]:
    lstm = draw("matrix-lstm", "LSTM", SIZES, optional=ALL_INPUTS)
    rnn = draw("matrix-rnn", "RNN", SIZES)
    X = lstm.inputs["X"].copy()
    X[1, 2, 0] = np.nan
    return [
        entry("gru/lengths", draw("matrix-gru", "GRU", SIZES, lengths=[4, 2, 3]), tests=("D18",), flags=("lengths",)),
        entry("lstm/clip", lstm.with_attributes(clip=0.5), tests=("D04",)),
        entry("lstm/nan", lstm.with_inputs(X=X), flags=("nan",)),
        entry("rnn/plain", rnn),
        entry("rnn/refused", rnn.with_attributes(hidden_size=6), refuse="hidden-size-mismatch", tests=("D20",)),
    ]


def header(name: str, version: str, spec: str, machine: str = "zen4 x86_64 Linux") -> Header:
    versions = {"numpy": "2.4.6", name: version} if version else {}
    return Header("0.1.0", Implementation(name, versions), spec, machine, "2026-11-30T12:00:00+00:00", 5, 0)


def make_report(header: Header, *records: Result | Stale, finished: bool = True) -> Report:
    report = Report(header)
    for record in records:
        report.add(record)
    if finished:
        report.close(1.5)
    return report


@pytest.fixture
def wrong() -> Result:
    return Result(
        case="gru/lengths",
        line="GRU-14 sequence_lens[3] -> Y,Y_h",
        verdict="wrong",
        seconds=0.1,
        clause="D18",
        message="no float32 evaluation of the formulas gives these values",
        place=Place("Y", "forward", 1, 2, 3, (2, 0, 1, 3), 0.48132566, 0.0, 0.0, "Infinity", past_length=True),
        outside=12,
        explanation=(Explanation("lengths-ignored", "sequence_lens is not read"),),
        ratio="Infinity",
        curves=(
            Curve("Y", "forward", (0.5, 0.05, "Infinity", 1000.0)),
            Curve("Y_h", "forward", (20.0,)),
        ),
        judged="stepwise",
        again="gatewise gate -i engine --examples 0 --only gru/lengths",
    )


@pytest.fixture
def older(wrong: Result) -> Report:
    """Version 1.2.0."""
    return make_report(
        header("engine", "1.2.0", "engine:python=old/bin/python"),
        wrong,
        Result("lstm/clip", "LSTM-14 -> Y", "deviates", 0.1, "D04", known="clips the cell as well"),
        Result("lstm/nan", "LSTM-14 -> Y", "crashed", 0.1, message="SIGSEGV"),
        Result("rnn/plain", "RNN-14 -> Y", "pass", 0.1),
        Result("rnn/refused", "RNN-14 -> Y", "accepted", 0.1, message="it ran, but hidden_size is not R's"),
        Result("rnn/plain", "RNN-14 -> Y", "wrong", 0.1, subject="recorded engine 1.2.0"),
    )


@pytest.fixture
def newer() -> Report:
    """Version 1.10.0, which a comparison of words would put before 1.2.0."""
    return make_report(
        header("engine", "1.10.0", "engine"),
        Result("gru/lengths", "GRU-14 -> Y,Y_h", "pass", 0.1),
        Result("lstm/clip", "LSTM-14 -> Y", "deviates", 0.1, "D04", known="clips the cell as well"),
        Result("lstm/nan", "LSTM-14 -> Y", "timed out", 10.0, message="no answer in 10 s", known="hangs"),
        Result("rnn/plain", "RNN-14 -> Y", "wrong", 0.1, message="output Y is missing"),
        Result("rnn/refused", "RNN-14 -> Y", "refused", 0.1),
        Stale("known.toml", 2, "old fault", "every case that it matches passes"),
    )


@pytest.fixture
def killed() -> Report:
    """Another engine, with a name that is full of markup, whose report has no end."""
    return make_report(
        header(NAUGHTY, "", "serve:./other --mode=<b>"),
        Result("gru/lengths", "GRU-14 -> Y,Y_h", "unsupported", 0.1, message="no <b>lengths</b> & no [red]rows"),
        Result("fresh/0-0001", "GRU-14 -> Y", "wrong", 0.1),
        Result("lstm/clip", "LSTM-14 -> Y", "raised", 0.1, message="KeyError: 'clip'"),
        finished=False,
    )


@pytest.fixture
def matrix(entries: list[Entry], older: Report, newer: Report, killed: Report) -> Matrix:
    reports = [("newer.jsonl", newer), ("killed.jsonl", killed), ("older.jsonl", older)]
    return make_matrix(reports, entries)
