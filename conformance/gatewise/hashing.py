"""Runs cases in every configuration of an implementation and makes the hash report of this machine."""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence

from gatewise.comparison import form_problem
from gatewise.variations import batch_of, join_rows, rows_of, with_other_constants
from gatewise.version import suite_version
from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.exact_hashes import combined_hash
from gatewise_corpus.machine import this_machine
from gatewise_corpus.onnx_model import to_model
from gatewise_corpus.outcome import Crashed, Outcome, Raised, Ran, Refused, TimedOut, digest
from gatewise_implementations.process import TIME_LIMIT, Worker
from gatewise_implementations.specs import with_threads
from gatewise_reports.hash_report import HASH_FORMAT, HashReport, HashRun, by_operator
from gatewise_reports.record import Implementation
from gatewise_reports.report import now

THREADS = (1, 2, 3, 8)
"""The numbers of threads of an implementation that takes one: even and odd, and more than most cases have rows."""
Hashes = Mapping[str, str]
"""By configuration."""
RunCase = Callable[[Case], Outcome]


def spec_count(spec: str) -> int:
    """How often each case comes up in a report of ``spec``: once for each number of threads."""
    return len(with_threads(spec, THREADS))


def make_hash_report(
    cases: Mapping[str, Case], spec: str, time_limit: float = TIME_LIMIT, advance: Callable[[], object] = lambda: None
) -> HashReport:
    """The hash report of an implementation.

    Args:
        cases: valid cases by name; at least one.
        spec: the SPEC of the implementation; where it takes a number of threads and names none, several are run.
        time_limit: seconds for one case.
        advance: called after each case with each number of threads.

    Raises:
        SetupError: if the implementation cannot be started.
    """
    started, clock = now(), time.perf_counter()
    found: dict[str, dict[str, str]] = {name: {} for name in cases}
    descriptions = []
    for each in with_threads(spec, THREADS):
        with Worker(each, time_limit) as worker:
            descriptions.append(worker.describe())
            for name, hashes in hash_cases(worker.run, cases, _name_of(worker.describe()), advance).items():
                found[name] |= hashes
    configurations = tuple(next(iter(found.values())))
    first = {name: hashes[configurations[0]] for name, hashes in found.items()}
    differences = {
        name: {key: hash_ for key, hash_ in hashes.items() if hash_ != first[name]} for name, hashes in found.items()
    }
    return HashReport(
        format=HASH_FORMAT,
        gatewise=suite_version(),
        spec=spec,
        implementation=_implementation(descriptions),
        machine=descriptions[0].machine or this_machine(),
        run=HashRun(started, round(time.perf_counter() - clock, 1)),
        corpus=corpus_hash(cases),
        configurations=configurations,
        hash=combined_hash(first),
        operators=by_operator(first, {name: case.operator for name, case in cases.items()}),
        differences={name: others for name, others in sorted(differences.items()) if others},
    )


def corpus_hash(cases: Mapping[str, Case]) -> str:
    """One hash over the cases: their names, models and inputs."""
    sha = hashlib.sha256()
    for name, case in sorted(cases.items()):
        model = hashlib.sha256(to_model(case).SerializeToString(deterministic=True)).hexdigest()
        sha.update(f"{name} {model} {digest(case.inputs)}\n".encode())
    return sha.hexdigest()


def hash_cases(
    run: RunCase, cases: Mapping[str, Case], name: str, advance: Callable[[], object] = lambda: None
) -> dict[str, Hashes]:
    """The hash of every case in every configuration of one process of an implementation, by case.

    The configurations are those that the answers name, and variations of the first one. A case that does not run has
    what came of it, in all of them.

    Args:
        run: runs a case.
        cases: valid cases by name.
        name: what to call the configuration where the answers name none.
        advance: called after each case.
    """
    found: dict[str, Hashes | str] = {}
    for case_name, case in cases.items():
        found[case_name] = _hash_case(run, case, name)
        advance()
    names = dict.fromkeys(key for hashes in found.values() if not isinstance(hashes, str) for key in hashes) or [name]
    return {
        case_name: dict.fromkeys(names, hashes) if isinstance(hashes, str) else hashes
        for case_name, hashes in found.items()
    }


def _hash_case(run: RunCase, case: Case, name: str) -> Hashes | str:
    outcome = run(case)
    if not isinstance(outcome, Ran):
        return _hash(case, outcome)
    hashes = dict(outcome.digests) or {name: _hash(case, outcome)}
    first = next(iter(hashes))
    alone = _rows_alone(run, case) if batch_of(case) > 1 else hashes[first]
    other = _hash(case, run(with_other_constants(case)))
    return hashes | {f"{first},rows=alone": alone, f"{first},constants=other": other}


def _rows_alone(run: RunCase, case: Case) -> str:
    outputs = []
    for row in rows_of(case):
        outcome = run(row)
        if not isinstance(outcome, Ran) or form_problem(row, outcome.outputs):
            return _hash(row, outcome)
        outputs.append(outcome.outputs)
    return digest({name: join_rows(case, name, [each[name] for each in outputs]) for name in case.outputs})


def _hash(case: Case, outcome: Outcome) -> str:
    """The hash of the outputs, or one word for what came of the case instead."""
    match outcome:
        case Ran(outputs):
            return "malformed" if form_problem(case, outputs) else digest(outputs)
        case Refused():
            return "refused"
        case Raised():
            return "raised"
        case Crashed():
            return "crashed"
        case TimedOut():
            return "timed out"


def _name_of(description: Description) -> str:
    """What an implementation that names no configurations in its answers calls the one that it has."""
    settings = description.settings
    if "configurations" in settings:
        return settings["configurations"]
    return f"threads={settings['threads']}" if "threads" in settings else "default"


def _implementation(descriptions: Sequence[Description]) -> Implementation:
    """What ran, with the settings that all processes share."""
    first = descriptions[0]
    settings = {
        key: value
        for key, value in first.settings.items()
        if all(other.settings.get(key) == value for other in descriptions)
    }
    return Implementation(first.name, dict(first.versions), settings, first.decisions)
