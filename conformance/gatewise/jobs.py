"""What is to be judged: cases of the corpus, fresh ones, folders and models; each is loaded where it is run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol

from gatewise.generate import fresh_cases
from gatewise_corpus.case import Array, Case
from gatewise_corpus.store import case_folders, cases_root, load_entry


@dataclass(frozen=True, eq=False)
class LoadedCase:
    """A case with outputs that stand beside it, to be judged too, and whose they are."""

    case: Case
    given: Mapping[str, Array] = field(default_factory=dict)
    subject: str = ""


class Job(Protocol):
    """One case to run and judge; it travels to another process, so it holds little."""

    @property
    def name(self) -> str:
        """The name of the case."""

    @property
    def selection(self) -> str:
        """What selects this case alone on the command line."""

    def load(self) -> LoadedCase:
        """The case.

        Raises:
            FormatError: if it cannot be read.
        """


@dataclass(frozen=True)
class CorpusJob:
    """A case of a store, with its recorded outputs."""

    name: str
    folder: Path

    @property
    def selection(self) -> str:
        """The corpus without fresh cases, and of it this case."""
        return f"--examples 0 --only {self.name}"

    def load(self) -> LoadedCase:
        """The case and its recording."""
        entry = load_entry(self.folder)
        recording = entry.about.recording
        if recording is None or recording.outcome != "ran":
            return LoadedCase(entry.case)
        return LoadedCase(entry.case, entry.outputs, f"recorded {recording.runtime} {recording.version}")


@dataclass(frozen=True, eq=False)
class FreshJob:
    """A generated case: the ``index``-th of ``count`` that ``seed`` gives."""

    case: Case
    index: int
    count: int
    seed: int

    @property
    def name(self) -> str:
        """Seed and position."""
        return f"fresh/{self.seed}-{self.index:04}"

    @property
    def selection(self) -> str:
        """As many cases as were generated, and of them this one."""
        return f"--examples {self.count} --seed {self.seed} --only {self.name}"

    def load(self) -> LoadedCase:
        """The case."""
        return LoadedCase(self.case)


def corpus_jobs(root: Path | None = None) -> list[CorpusJob]:
    """The cases below ``root``, by default those of the corpus.

    Raises:
        FormatError: if ``root`` is not a folder.
    """
    root = root or cases_root()
    return [CorpusJob(folder.relative_to(root).as_posix(), folder) for folder in case_folders(root)]


def fresh_jobs(count: int, seed: int) -> list[FreshJob]:
    """``count`` generated cases."""
    return [FreshJob(case, index, count, seed) for index, case in enumerate(fresh_cases(count, seed))]


def select(jobs: list[Job], pattern: str) -> list[Job]:
    """The jobs whose names match ``pattern``, as a shell matches file names."""
    return [job for job in jobs if fnmatchcase(job.name, pattern)] if pattern else jobs
