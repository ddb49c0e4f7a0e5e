"""What is to be judged: cases of the corpus, fresh ones, folders and models; each is loaded where it is run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol

from gatewise.generate import fresh_cases
from gatewise_corpus.case import Array, Case
from gatewise_corpus.exact_hashes import read_exact_hashes
from gatewise_corpus.store import case_folders, cases_root, load_entry


@dataclass(frozen=True, eq=False)
class LoadedCase:
    """A case with what stands beside it.

    Attributes:
        case: the case.
        given: outputs, to be judged too.
        subject: whose outputs those are.
        exact_hash: the hash of the outputs that exact mode must give; "" where none is expected.
    """

    case: Case
    given: Mapping[str, Array] = field(default_factory=dict)
    subject: str = ""
    exact_hash: str = ""


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
    """A case of a store, with its recorded outputs and the hash that exact mode must give."""

    name: str
    folder: Path
    exact_hash: str = ""

    @property
    def selection(self) -> str:
        """The corpus without fresh cases, and of it this case."""
        return f"--examples 0 --only {self.name}"

    def load(self) -> LoadedCase:
        """The case and its recording."""
        entry = load_entry(self.folder)
        recording = entry.about.recording
        if recording is None or recording.outcome != "ran":
            return LoadedCase(entry.case, exact_hash=self.exact_hash)
        subject = f"recorded {recording.runtime} {recording.version}"
        return LoadedCase(entry.case, entry.outputs, subject, self.exact_hash)


@dataclass(frozen=True, eq=False)
class FreshJob:
    """A generated case: number ``index`` of those that ``seed`` gives."""

    case: Case
    index: int
    seed: int

    @property
    def name(self) -> str:
        """Operator, seed and position."""
        return f"{self.case.operator.lower()}/fresh-{self.seed}-{self.index:04}"

    @property
    def selection(self) -> str:
        """As many cases as reach to this one, and of them this one."""
        return f"--examples {self.index + 1} --seed {self.seed} --only {self.name}"

    def load(self) -> LoadedCase:
        """The case."""
        return LoadedCase(self.case)


def corpus_jobs(root: Path | None = None) -> list[CorpusJob]:
    """The cases below ``root``, by default those of the corpus.

    Raises:
        FormatError: if ``root`` is not a folder, or its exact hashes cannot be read.
    """
    root = root or cases_root()
    folders = {folder.relative_to(root).as_posix(): folder for folder in case_folders(root)}
    hashes = read_exact_hashes(root)
    return [CorpusJob(name, folder, hashes.get(name, "")) for name, folder in folders.items()]


def fresh_jobs(count: int, seed: int) -> list[FreshJob]:
    """``count`` generated cases."""
    return [FreshJob(case, index, seed) for index, case in enumerate(fresh_cases(count, seed))]


def select(jobs: list[Job], pattern: str) -> list[Job]:
    """The jobs whose names match ``pattern``, as a shell matches file names."""
    return [job for job in jobs if fnmatchcase(job.name, pattern)] if pattern else jobs
