"""Numbers in words, for lines that people read."""


def counted(number: int, noun: str) -> str:
    """The number with its noun, whose plural ends in s: "1 case", "12 cases"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
