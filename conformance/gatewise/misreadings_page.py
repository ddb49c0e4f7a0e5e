"""The page docs/misreadings.md: ``python -m gatewise.misreadings_page FILE`` writes it."""

from gatewise.page import page_command
from gatewise_oracle.misreadings import MISREADINGS, SUBJECTS
from gatewise_oracle.readings import EVERY_OPERATOR, Reading

_INTRODUCTION = f"""# Misreadings

Made by `make pages`; do not edit. These are {len(MISREADINGS)} ways in which people and runtimes get these operators
wrong. Each is a small change to the model (`oracle/gatewise_oracle/misreadings`), with what makes it plausible.

They serve twice. A wrong result is explained by the one, or the two, under which *all* of the output is admissible.
And each is run as an implementation, so that the corpus is known to notice it ([score.md](score.md)):

    gatewise gate -i 'serve:python -m gatewise.mutant lstm-gates-ifco'

"Plausible because" names runtimes as they were observed in the versions given, public reports by project and number,
or the slip that leads there.
"""


def render() -> str:
    """The page."""
    parts = [_INTRODUCTION]
    for subject, readings in SUBJECTS.items():
        lines = [
            f"## {subject[0].upper()}{subject[1:]}\n",
            "| name | an implementation with it | plausible because |",
        ]
        lines += ["|---|---|---|", *(_row(reading) for reading in readings)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _row(reading: Reading) -> str:
    only = "" if reading.operators == EVERY_OPERATOR else f" ({', '.join(reading.operators)})"
    return f"| `{reading.name}` | {_escaped(reading.sentence)}{only} | {_escaped(reading.source)} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


main = page_command(render)

if __name__ == "__main__":
    main()
