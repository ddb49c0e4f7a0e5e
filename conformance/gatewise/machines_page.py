"""The page docs/machines.md: ``python -m gatewise.machines_page FILE`` writes it from the committed hash reports."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gatewise.page import page_command
from gatewise_corpus.exact_hashes import combined_hash, read_exact_hashes
from gatewise_corpus.store import cases_root
from gatewise_reports.hash_comparison import compare_reports
from gatewise_reports.hash_report import HashReport, read_hash_report

REPORTS = Path(__file__).parents[2] / "reports"
"""The folder of the committed reports in a checkout."""
SHOWN = 12
"""So many digits of a hash are shown."""
_ROWS, _CONSTANTS = ",rows=alone", ",constants=other"
_INTRODUCTION = """# The same bits on every machine

Made by `make pages` from the reports in [`reports/machines/`](../reports/machines) and
[`reports/runtimes/`](../reports/runtimes); do not edit.

## What is promised

The C reference in exact mode gives the same bits for every valid float32 and float16 case

- on every processor, real or emulated, and with every kernel path that it can run;
- with every compiler and every flag that keep IEEE 754 arithmetic; a build with others does not compile, or its
  library refuses to compute;
- with any number of threads, alone or among any batch mates, with constant or dynamic weights, and whatever is in the
  padding (D17, D32).

The bits are no accident of one machine: [exact-gemm.md](exact-gemm.md) and
[exact-transcendentals.md](exact-transcendentals.md) define them. They are committed, one SHA-256 for each case, in
[`corpus/cases/exact-hashes.txt`](../corpus/cases/exact-hashes.txt). `gatewise gate` holds every implementation to
them that says that it runs in exact mode. A change of that file changes what exact mode is, and is reviewed as such.

## What is not promised

- The payload and sign of a NaN of the inputs: every NaN of an output is the one of exact mode (D24).
- float64, which the reference refuses (D30), and fast mode, whose bits depend on the kernel path.
- That another runtime has these bits. It may be right with others: [model.md](model.md) says how far apart right
  values can be.
- Anything about a machine that is not in the table. A report says what one machine did once.

## Hash your own machine

```console
$ gatewise hash -o mine.json
$ gatewise compare mine.json reports/machines/*.json
$ gatewise hash -i onnxruntime -o mine-onnxruntime.json
```

`gatewise hash` runs every valid case of the corpus on every kernel path and with 1, 2, 3 and 8 threads. For each
number of threads, the first kernel path also runs every row of the batch by itself (`rows=alone`), and every case
with its weights as inputs where some were constants, and as constants where none was (`constants=other`). The report
is one JSON file ([schema](../reports/gatewise_reports/schemas/hash-report.json)): the machine, the compiler and its
flags, the versions, the configurations, a hash for each case, for each operator and for all. Two runs on one machine
write the same bytes but for the field `run`, which says when and how long.

The hash of a case is the SHA-256 over its outputs in the order of their names: for each a line with name, type and
sizes, for instance `Y float32 [4, 1, 3, 5]`, then the elements in C order, little-endian, with every NaN as
0x7FC00000 (float32) or 0x7E00 (float16). Where a case did not run, a word like `refused` stands for its hash. The
hash of several cases is the SHA-256 of the file that `sha256sum` would have written: the lines `<hash>  <case>`, with
two blanks, in the order of the cases' names.

`gatewise compare` says *identical*, or which cases, operators and configurations differ, which features of the
processors go with that, and which are the smallest cases; its exit code is then 1. It reads the reports of every
older format.

A program of the [serve protocol](serve-protocol.md) is hashed in the same way, and may run on another machine, as
[the emulated ones](emulated-machines.md) do and any that has no Python but
[the runner](c-library.md#the-runner-cases-without-python): it says on which, and its digests name its configurations.
"""
_MACHINES = """## The machines

*Differ* counts the cases whose bits are not the committed ones in any configuration of that machine.
"""
_RUNTIMES = """## Other runtimes

How many cases come out with other bits on one machine: with another number of threads than the first, with each row
alone, and with other constants. All are held against the first number of threads.
"""


def render() -> str:
    """The page.

    Raises:
        ReportError: if a report cannot be read.
        FormatError: if the committed hashes cannot be read.
    """
    machines, runtimes = _reports("machines"), _reports("runtimes")
    return "\n".join([_INTRODUCTION, _MACHINES, *_machines(machines), "", _RUNTIMES, *_runtimes(runtimes), ""])


def _reports(folder: str) -> dict[str, HashReport]:
    """The committed reports of a folder by path from the page."""
    return {
        f"../reports/{folder}/{path.name}": read_hash_report(path)
        for path in sorted((REPORTS / folder).glob("*.json"))
    }


def _machines(reports: Mapping[str, HashReport]) -> Iterator[str]:
    hashes = read_exact_hashes(cases_root())
    yield f"The {len(hashes)} committed hashes together: `{combined_hash(hashes)[:SHOWN]}`.\n"
    yield "| report | processor | system | compiler | kernel paths | threads | cases | differ |"
    yield "|---|---|---|---|---|---|---|---|"
    for path, report in reports.items():
        machine = report.machine
        processor = f"{', '.join(dict.fromkeys((machine.name, machine.architecture)))}, {machine.byte_order}-endian"
        processor += f", emulated by {machine.emulator}" if machine.emulator else ""
        system = ", ".join(filter(None, (machine.distribution or machine.system, machine.libc)))
        compiler = report.implementation.versions.get("compiler", "")
        common = hashes.keys() & report.cases.keys()
        differ = sum(_differs(report, case, hashes[case]) for case in common)
        cells = (
            f"[{Path(path).stem}]({path})",
            processor,
            system,
            compiler,
            _told(each.split(",")[0] for each in report.configurations),
            _told(part.removeprefix("threads=") for each in report.configurations for part in each.split(",")[1:2]),
            str(len(common)),
            str(differ),
        )
        yield f"| {' | '.join(cells)} |"


def _differs(report: HashReport, case: str, hash_: str) -> bool:
    return report.cases[case] != hash_ or case in report.differences


def _told(words: Iterable[str]) -> str:
    """The words without repetition."""
    return ", ".join(dict.fromkeys(words))


def _runtimes(reports: Mapping[str, HashReport]) -> Iterator[str]:
    yield "| runtime | processor | threads | cases | differ | rows alone | other constants |"
    yield "|---|---|---|---|---|---|---|"
    for path, report in reports.items():
        implementation, machine = report.implementation, report.machine
        version = implementation.versions.get(implementation.name, "")
        (compared,) = compare_reports({path: report}).reports
        counts = compared.configurations
        for configuration in counts:
            if configuration.endswith((_ROWS, _CONSTANTS)):
                continue
            cells = (
                f"[{implementation.name} {version}]({path})",
                f"{machine.name} ({machine.architecture})",
                configuration.removeprefix("threads="),
                str(len(report.cases)),
                *(str(counts[f"{configuration}{variation}"]) for variation in ("", _ROWS, _CONSTANTS)),
            )
            yield f"| {' | '.join(cells)} |"


main = page_command(render)

if __name__ == "__main__":
    main()
