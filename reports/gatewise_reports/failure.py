"""One failure in words, in a fixed order; every renderer says it the same way."""

from gatewise_reports.record import Explanation, Number, Place, Result, Verdict

_SAYS: dict[Verdict, str] = {
    "pass": "every value is one that a float32 evaluation of the formulas can give",
    "wrong": "breaks the specification",
    "other bits": "right values, but not the bits that exact mode defines",
    "deviates": "differs where the specification is silent",
    "differs": "two implementations give different results",
    "refused": "refused, as it must be",
    "unsupported": "a valid case was refused",
    "accepted": "an invalid case ran",
    "crashed": "the process ended",
    "raised": "an error that is no clean refusal",
    "timed out": "no answer within the time limit",
    "not judged": "nothing could be compared",
}


def failure_lines(result: Result) -> list[str]:
    """The result in words: the case, the verdict, the first place, the explanation, the command to run it again."""
    lines = [f"{name_of(result)}: {result.line}", verdict_line(result)]
    if result.place is not None:
        lines += place_lines(result.place, result.outside)
    if result.explanation:
        lines.append(explanation_line(result.explanation))
    if result.known:
        lines.append(f"  known: {result.known}")
    if result.again:
        lines.append(f"  run again: {result.again}")
    return lines


def name_of(result: Result) -> str:
    """The case's name, and whose outputs were judged if not those of the implementation under test."""
    return f"{result.case} [{result.subject}]" if result.subject else result.case


def verdict_line(result: Result) -> str:
    """The verdict, the clause or decision, and the message."""
    clause = f" ({result.clause})" if result.clause else ""
    line = f"  {result.verdict}{clause}: {_SAYS[result.verdict]}"
    return f"{line}: {result.message}" if result.message else line


def place_lines(place: Place, outside: int) -> list[str]:
    """Where the first element outside is, what it is and what it may be."""
    index = ",".join(map(str, place.index))
    beyond = ", past the row's length" if place.past_length else ""
    where = f"direction {place.direction}, row {place.row}, step {place.step}, unit {place.unit}{beyond}"
    return [
        f"  first at {place.output}[{index}] ({where}); {outside} element{'s are' if outside > 1 else ' is'} outside",
        f"  value {show(place.value)}, admissible {_interval(place)}, {_times(place.times)}",
    ]


def explanation_line(explanation: tuple[Explanation, ...]) -> str:
    """The readings that together give the whole output."""
    readings = "; and ".join(
        f"{item.says} [{item.id}{', ' + item.decision if item.decision else ''}]" for item in explanation
    )
    return f"  the whole output is what this reading gives: {readings}"


def show(value: Number) -> str:
    """A number with the nine digits that tell float32 values apart."""
    return value if isinstance(value, str) else f"{value:.9g}"


def _interval(place: Place) -> str:
    if place.low == place.high:
        return f"only {show(place.low)}"
    return f"{show(place.low)} .. {show(place.high)}"


def _times(times: Number) -> str:
    if times == 0:
        return "equal to it but for its bits"
    return "outside by any measure" if isinstance(times, str) else f"outside by {times:.3g} times the bound"
