"""The JSON schemas of the serve protocol, and the files that hold them.

``python -m gatewise_implementations.schema`` writes the files again.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from gatewise_implementations.protocol import Answer, Request

SCHEMAS = Path(__file__).parent / "schemas"


def schemas() -> dict[str, dict[str, Any]]:
    """The schemas of a request and of an answer, by file name without the folder."""
    return {"request.json": msgspec.json.schema(Request), "answer.json": msgspec.json.schema(Answer)}


def as_text(schema: dict[str, Any]) -> str:
    """A schema as its file holds it."""
    return json.dumps(schema, indent=2) + "\n"


def write_schemas() -> None:
    """Writes one file for each."""
    for name, schema in schemas().items():
        (SCHEMAS / name).write_text(as_text(schema))


if __name__ == "__main__":
    write_schemas()
