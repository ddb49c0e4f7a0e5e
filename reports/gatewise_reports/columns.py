"""Tables of words, for a terminal and for Markdown. The first columns hold words, the others numbers."""

from collections.abc import Sequence


def printable(text: str) -> str:
    """The text without what would move a cursor, end a line or turn the direction of writing."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def aligned(rows: Sequence[Sequence[str]], words: int = 1) -> list[str]:
    """A line for each row, in columns; rich would fold them where a terminal is narrow or there is none."""
    rows = [list(map(printable, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if column < words else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def piped(rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """A Markdown table; the first row is its heading."""
    heading, *others = (map(printable, row) for row in rows)
    rule = ["---" if column < words else "---:" for column in range(len(rows[0]))]
    return "\n".join("| " + " | ".join(row) + " |" for row in (heading, rule, *others))
