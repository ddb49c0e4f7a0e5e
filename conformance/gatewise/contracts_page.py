"""The page docs/contracts.md: ``python -m gatewise.contracts_page FILE`` writes it from the table of contracts."""

from gatewise.page import page_command
from gatewise_implementations.contracts import CONTRACTS, Contract, Point

_INTRODUCTION = """# Contracts: where a system's own document differs

Made by `make pages` from [`contracts.py`](../implementations/gatewise_implementations/contracts.py); do not edit.

Not every system promises what ONNX does. Where the document of a system says something else than ONNX or than a
[decision](semantics.md#decisions), or nothing, its adapter does one of these:

- **translated**: it makes up for it, so that the system is judged on what it promises;
- **refused**: it refuses the cases that show it, as unsupported;
- **declared**: it can do neither, and its description names the decision: what then deviates on that decision, and on
  no other, is [`deviates`](verdicts.md) and counts as known, not as a finding;
- **handed over**: the document leaves it open, so the case is left to the system, and a deviation would be a finding.

What a system does against its own document is a fault all the same, and stands in its list of
[known failures](known-failures.md). A program of one's own declares decisions in the answer to `describe`
([serve-protocol.md](serve-protocol.md)).

Adapters that hand over the ONNX model itself are not named here: the document of such a runtime is ONNX's.
"""
_TABLE = """| decision | what it says | the adapter |
|---|---|---|
"""


def render() -> str:
    """The page."""
    return "\n".join([_INTRODUCTION, *map(_section, CONTRACTS)])


def _section(contract: Contract) -> str:
    rows = (f"| {point.decision} | {point.says} | {_handled(point)} |\n" for point in contract.points)
    return f"## `{contract.adapter}`\n\n{contract.document}\n\n{_TABLE}{''.join(rows)}"


def _handled(point: Point) -> str:
    return f"{point.handling}: {point.how}" if point.how else point.handling


main = page_command(render)

if __name__ == "__main__":
    main()
