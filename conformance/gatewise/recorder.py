"""Records a runtime's outputs into the store, case by case."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from gatewise_corpus.store import Entry, load_entries, save_entry
from gatewise_implementations.process import Worker
from gatewise_oracle.recording import record

RUNTIME = "onnxruntime:threads=1"
"""The SPEC that is recorded: one thread, since its bits change with the number of threads (D01)."""


def entries_to_record(root: Path, *, again: bool) -> list[Entry]:
    """The cases below ``root`` without a recording, or all of them where ``again`` is set.

    Raises:
        FormatError: if a case cannot be read.
    """
    return [entry for entry in load_entries(root) if again or entry.about.recording is None]


def record_entries(root: Path, entries: list[Entry], spec: str = RUNTIME) -> Iterator[Entry]:
    """Records each of ``entries`` with the runtime ``spec`` and yields it as it is stored.

    The runtime runs in a child process, which is started again whenever a case ends it. A case that must be refused
    keeps no outputs, whatever the runtime made of it.

    Raises:
        SetupError: if the runtime cannot be started.
    """
    if not entries:
        return
    with Worker(spec) as worker:
        description = worker.describe()
        for entry in entries:
            recorded = record(entry.case, worker.run, description)
            about = msgspec.structs.replace(entry.about, recording=recorded.recording)
            outputs = {} if about.refuse else recorded.outputs
            save_entry(root, entry.name, entry.case, about, outputs)
            yield Entry(entry.name, entry.folder, entry.case, outputs, about)
