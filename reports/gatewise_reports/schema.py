"""The JSON schemas of the records of reports, of hash reports and of the matrix, and the files that hold them.

``python -m gatewise_reports.schema`` writes the files again.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from gatewise_reports.bench.record import BenchFooter, BenchHeader, Cell
from gatewise_reports.hash_report import HashReport
from gatewise_reports.matrix.record import MatrixRecord
from gatewise_reports.record import Footer, Header, Result, Stale

SCHEMAS = Path(__file__).parent / "schemas"
_RECORDS = (Header, Result, Stale, Footer, BenchHeader, Cell, BenchFooter)


def schemas() -> dict[str, dict[str, Any]]:
    """The schemas by file name, without the folder."""
    records = {f"{record.__struct_config__.tag}.json": msgspec.json.schema(record) for record in _RECORDS}
    files = {"hash-report.json": HashReport, "matrix.json": MatrixRecord}
    return {**records, **{name: msgspec.json.schema(record) for name, record in files.items()}}


def as_text(schema: dict[str, Any]) -> str:
    """A schema as its file holds it."""
    return json.dumps(schema, indent=2) + "\n"


def write_schemas() -> None:
    """Writes one file for each."""
    for name, schema in schemas().items():
        (SCHEMAS / name).write_text(as_text(schema))


if __name__ == "__main__":
    write_schemas()
