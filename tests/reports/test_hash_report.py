"""Hash reports as files: canonical bytes, and older formats that stay readable."""

import hashlib
import json
from pathlib import Path

import pytest

from gatewise_corpus.machine import Machine
from gatewise_reports.hash_report import (
    HASH_FORMAT,
    HashReport,
    by_operator,
    encode_hash_report,
    read_hash_report,
    write_hash_report,
)
from gatewise_reports.record import Implementation
from gatewise_reports.report import ReportError

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture
def report() -> HashReport:
    return read_hash_report(SAMPLES / "hash-report-1.json")


def test_a_report_of_format_1_is_read(report: HashReport) -> None:
    assert report.format == 1
    assert report.implementation == Implementation(
        "reference", {"reference": "0.1.0", "compiler": "gcc 12.2.0"}, {"mode": "exact"}
    )
    assert report.machine == Machine("haswell", "x86_64", ("avx2", "fma"), "Linux")
    assert report.cases == {"gru/one": "11", "gru/two": "22", "rnn/three": "refused"}
    assert (report.run.seconds, report.corpus, report.hash) == (1.5, "c0", "aa")


def test_every_format_has_a_sample() -> None:
    assert [read_hash_report(path).format for path in sorted(SAMPLES.glob("hash-report-*.json"))] == [
        *range(1, HASH_FORMAT + 1)
    ]


def test_a_hash_is_that_of_the_first_configuration_where_no_difference_is_told(report: HashReport) -> None:
    assert report.hash_of("gru/two", "scalar,threads=1") == "22"
    assert report.hash_of("gru/two", "avx2,threads=3") == "23"
    assert report.hash_of("gru/one", "avx2,threads=3") == "11"
    with pytest.raises(KeyError):
        report.hash_of("gru/four", "scalar,threads=1")


def test_what_is_written_is_read_and_written_alike(report: HashReport, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    write_hash_report(report, path)
    assert read_hash_report(path) == report
    assert encode_hash_report(read_hash_report(path)) == path.read_bytes()
    lines = path.read_text().splitlines()
    assert '    "gru/one": "11",' in lines
    assert lines[:2] == ["{", ' "format": 1,']
    assert path.read_bytes().endswith(b"}\n")


def test_cases_and_operators_are_sorted_and_hashed_together() -> None:
    found = by_operator({"rnn/c": "3", "gru/b": "2", "gru/a": "1"}, {"rnn/c": "RNN", "gru/b": "GRU", "gru/a": "GRU"})
    assert list(found) == ["GRU", "RNN"]
    assert list(found["GRU"].cases.items()) == [("gru/a", "1"), ("gru/b", "2")]
    assert found["GRU"].hash == hashlib.sha256(b"1  gru/a\n2  gru/b\n").hexdigest()
    assert found["RNN"].hash == hashlib.sha256(b"3  rnn/c\n").hexdigest()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"", "is not a hash report"),
        (b"\xff\xfe", "is not a hash report"),
        (b"[1]", "is not a hash report"),
        pytest.param(b'{"deep": ' + 100_000 * b"[", "is not a hash report", id="deep"),
        (b'{"format": 1}', "is not a hash report .*missing required field"),
        (b'{"format": 2}', "is of format 2, but this gatewise reads up to 1; update it"),
        (b'{"record": "header"}\n{"record": "footer"}\n', "is not a hash report"),
    ],
)
def test_what_is_no_report_is_said(tmp_path: Path, text: bytes, sentence: str) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(text)
    with pytest.raises(ReportError, match=f"r.json: {sentence}"):
        read_hash_report(path)


def test_a_file_that_cannot_be_read_or_written_is_said(report: HashReport, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"gone.json: cannot be read \(No such file or directory\)"):
        read_hash_report(tmp_path / "gone.json")
    with pytest.raises(ReportError, match=r"cannot be written \(Is a directory\)"):
        write_hash_report(report, tmp_path)


def test_later_fields_are_left_out(report: HashReport, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(json.loads(encode_hash_report(report)) | {"colour": "red"}))
    assert read_hash_report(path) == report
