"""The errors of one result over the steps, as a plot: logarithmic, with the bound as a line at 1.

A plot is small, because a page holds thousands; colours and fonts are those of the page's style sheet.
"""

import math
from collections.abc import Sequence
from itertools import groupby
from xml.etree import ElementTree as ET

from gatewise_reports.record import Curve, Number

_LEFT, _RIGHT, _TOP, _BOTTOM = 36, 250, 20, 92
_WIDTH, _HEIGHT = 320, 112
_BETWEEN = 22
"""From one final state to the next."""
_LINE = 10
"""From one line of words to the next."""
_LOWEST, _HIGHEST = -3, 9
"""Powers of ten beyond which nothing is told apart."""


def plot(curves: Sequence[Curve]) -> str:
    """The plot as SVG, or "" where there is nothing to plot."""
    if not curves:
        return ""
    low, high = _decades(curves)
    root = ET.Element("svg", {"class": "plot", "viewBox": f"0 0 {_WIDTH} {_HEIGHT}"})
    bound = _y(1.0, low, high)
    _rule(root, bound, "bound", "bound")
    for power in (low, high):
        y = _y(10.0**power, low, high)
        if abs(y - bound) >= _LINE:
            _rule(root, y, "rule", f"1e{power}")
    if any(isinstance(error, str) for curve in curves for error in curve.errors):
        _text(root, _LEFT - 4, _TOP - 9, "infinite", "end")
    directions = list(dict.fromkeys(curve.direction for curve in curves))
    for index, direction in enumerate(directions if len(directions) > 1 else ()):
        _text(root, _RIGHT + _BETWEEN // 2, _TOP + _LINE * (index + 1), direction, f"start {direction}")
    for curve in curves:
        if curve.output == "Y":
            _draw(root, curve, low, high)
    _final_states(root, [curve for curve in curves if curve.output != "Y"], low, high)
    _steps(root, next((curve for curve in curves if curve.output == "Y"), None))
    return ET.tostring(root, encoding="unicode")


def _rule(root: ET.Element, y: int, kind: str, label: str) -> None:
    ET.SubElement(root, "path", {"class": kind, "d": f"M{_LEFT} {y}H{_RIGHT}"})
    _text(root, _LEFT - 4, y + 3, label, "end")


def _decades(curves: Sequence[Curve]) -> tuple[int, int]:
    finite = [error for curve in curves for error in curve.errors if isinstance(error, float) and error > 0]
    low = math.floor(math.log10(min(finite, default=0.1)))
    high = math.ceil(math.log10(max(finite, default=10.0)))
    return max(_LOWEST, min(low, -1)), min(_HIGHEST, max(high, 1))


def _y(error: Number, low: int, high: int) -> int:
    """Where an error stands; what is infinite stands above all, what is 0 below."""
    if isinstance(error, str):
        return _TOP - 12
    power = max(low, min(high, math.log10(error))) if error > 0 else low
    return round(_BOTTOM - (_BOTTOM - _TOP) * (power - low) / (high - low))


def _draw(root: ET.Element, curve: Curve, low: int, high: int) -> None:
    """A line through the steps of Y, broken where nothing is constrained or the error is infinite.

    A step between two such breaks is a point, since a line of one step has no length.
    """
    width = (_RIGHT - _LEFT) / len(curve.errors)
    places = [(round(_LEFT + width * (index + 0.5)), error) for index, error in enumerate(curve.errors)]
    line, points, infinite = "", "", ""
    for kind, run in groupby(places, lambda place: type(place[1])):
        told = [f"{x} {_y(error, low, high)}" for x, error in run if error is not None]
        if kind is str:
            infinite += "".join(f"M{place}h0" for place in told)
        elif len(told) == 1:
            points += f"M{told[0]}h0"
        elif told:
            line += f"M{'L'.join(told)}"
    for name, path in (("", line), (" point", points), (" infinite", infinite)):
        if path:
            ET.SubElement(root, "path", {"class": curve.direction + name, "d": path})


def _final_states(root: ET.Element, curves: Sequence[Curve], low: int, high: int) -> None:
    """A dot for each final state in each direction, to the right of the steps."""
    for index, output in enumerate(dict.fromkeys(curve.output for curve in curves)):
        x = _RIGHT + _BETWEEN * (index + 1)
        _text(root, x, _HEIGHT - 8, output, "middle")
        for shift, curve in enumerate(curve for curve in curves if curve.output == output):
            error = curve.errors[0]
            if error is not None:
                _dot(root, curve, x + 5 * shift - 2, _y(error, low, high), error)


def _dot(root: ET.Element, curve: Curve, x: int, y: int, error: Number) -> None:
    kind = "infinite" if isinstance(error, str) else "point"
    ET.SubElement(root, "path", {"class": f"{curve.direction} {kind}", "d": f"M{x} {y}h0"})


def _steps(root: ET.Element, curve: Curve | None) -> None:
    if curve is None:
        return
    count = len(curve.errors)
    last = (count - 1) * curve.stride
    middle = (_LEFT + _RIGHT) // 2
    if not last:
        _text(root, middle, _HEIGHT - 8, "step 0", "middle")
        return
    _text(root, round(_LEFT + (_RIGHT - _LEFT) / 2 / count), _HEIGHT - 8, "0", "middle")
    _text(root, round(_RIGHT - (_RIGHT - _LEFT) / 2 / count), _HEIGHT - 8, str(last), "middle")
    _text(root, middle, _HEIGHT - 8, "step", "middle")


def _text(root: ET.Element, x: int, y: int, text: str, anchor: str) -> None:
    ET.SubElement(root, "text", {"x": str(x), "y": str(y), "class": anchor}).text = text
