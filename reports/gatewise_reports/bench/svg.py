"""A bench as a plot: how fast each contender is in relation to the first, in every cell."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from xml.etree import ElementTree as ET

from gatewise_reports.bench.figures import grid_cells, thread_counts, timing_of
from gatewise_reports.bench.record import Cell
from gatewise_reports.bench.report import BenchReport
from gatewise_reports.bench.tables import heading, label
from gatewise_reports.words import counted

MARKS = (
    ("#0072b2", "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0"),
    ("#d55e00", "M-3.5,-3.5h7v7h-7z"),
    ("#009e73", "M0,-5l5,5l-5,5l-5,-5z"),
    ("#cc79a7", "M0,-4.5l4.5,8h-9z"),
    ("#e69f00", "M0,4.5l4.5,-8h-9z"),
    ("#56b4e9", "M-4,-1h3v-3h2v3h3v2h-3v3h-2v-3h-3z"),
)
"""A colour and an outline for each contender but the first; the colours are told apart by the colour-blind too."""
_LEFT, _TOP, _GAP = 60.0, 64.0, 52.0
_WIDTH, _HEIGHT = 380.0, 150.0


@dataclass(frozen=True)
class _Panel:
    """One layer with one number of threads: where it stands, and the powers of 2 that it spans."""

    left: float
    top: float
    cells: Sequence[Cell]
    threads: int
    least: int
    most: int

    def x(self, index: int) -> float:
        return self.left + _WIDTH * (index + 0.5) / len(self.cells)

    def y(self, ratio: float) -> float:
        return self.top + _HEIGHT * (self.most - math.log2(ratio)) / (self.most - self.least)


def render(report: BenchReport) -> str:
    """The plot, as an SVG file of its own. A point above the line at 1 is faster than the first contender."""
    first, *others = (contender.spec for contender in report.header.contenders)
    cells = grid_cells(report)
    layers = [list(group) for _, group in groupby(cells, key=lambda cell: cell.layer)]
    counts = thread_counts(cells)
    ratios = [ratio for cell in cells for threads in counts for _, ratio in _points(cell, threads, first, others)]
    least = min([-1, *(math.floor(math.log2(ratio)) for ratio in ratios)])
    most = max([1, *(math.ceil(math.log2(ratio)) for ratio in ratios)])
    width = _LEFT + max(len(counts), 1) * (_WIDTH + _GAP)
    height = _TOP + len(layers) * (_HEIGHT + _GAP) + 12
    root = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width:g} {height:g}",
            "width": f"{width:g}",
            "height": f"{height:g}",
            "font-family": "sans-serif",
            "font-size": "11",
        },
    )
    ET.SubElement(root, "title").text = f"Speed in relation to {first}"
    ET.SubElement(root, "rect", width="100%", height="100%", fill="white")
    _text(root, 12, 20, f"Speed in relation to {first}, which is the line at 1. {heading(report)}")
    _legend(root, others)
    for row, layer in enumerate(layers):
        for column, threads in enumerate(counts):
            left, top = _LEFT + column * (_WIDTH + _GAP), _TOP + row * (_HEIGHT + _GAP)
            panel = _Panel(left, top, layer, threads, least, most)
            _axes(root, panel)
            _draw_points(root, panel, first, others)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def _points(cell: Cell, threads: int, first: str, others: Sequence[str]) -> Iterator[tuple[str, float]]:
    base = timing_of(cell, first, threads)
    for spec in others:
        timing = timing_of(cell, spec, threads)
        if base and timing:
            yield spec, base.run / timing.run


def _draw_points(root: ET.Element, panel: _Panel, first: str, others: Sequence[str]) -> None:
    for index, cell in enumerate(panel.cells):
        for spec, ratio in _points(cell, panel.threads, first, others):
            mark = _mark(root, panel.x(index), panel.y(ratio), others.index(spec))
            told = f"{spec}: {label(cell)}, threads {panel.threads}: {ratio:.2f} times as fast as {first}"
            ET.SubElement(mark, "title").text = told


def _axes(root: ET.Element, panel: _Panel) -> None:
    threads = counted(panel.threads, "thread")
    _text(root, panel.left, panel.top - 6, f"{panel.cells[0].layer}, {threads}", weight="bold")
    for power in range(panel.least, panel.most + 1):
        y = panel.y(2.0**power)
        stroke = "black" if power == 0 else "#dddddd"
        _line(root, (panel.left, y), (panel.left + _WIDTH, y), stroke)
        _text(root, panel.left - 6, y + 4, f"{2**power}" if power >= 0 else f"1/{2**-power}", anchor="end")
    bottom = panel.top + _HEIGHT
    for index, cell in enumerate(panel.cells):
        _text(root, panel.x(index), bottom + 16, str(cell.batch), anchor="middle")
        if index == 0 or panel.cells[index - 1].hidden != cell.hidden:
            edge = panel.left + _WIDTH * index / len(panel.cells)
            _line(root, (edge, panel.top), (edge, bottom + 31), "#dddddd")
            _text(root, edge + 4, bottom + 30, f"hidden {cell.hidden}")
    _text(root, panel.left - 6, bottom + 16, "batch", anchor="end")


def _legend(root: ET.Element, others: Sequence[str]) -> None:
    x = 16.0
    for index, spec in enumerate(others):
        _mark(root, x, 36, index)
        _text(root, x + 8, 40, spec)
        x += 30 + 6.5 * len(spec)


def _mark(root: ET.Element, x: float, y: float, index: int) -> ET.Element:
    colour, outline = MARKS[index % len(MARKS)]
    place = f"translate({x:.1f},{y:.1f})"
    return ET.SubElement(root, "path", {"d": outline, "fill": colour, "fill-opacity": "0.8", "transform": place})


def _line(root: ET.Element, begin: tuple[float, float], end: tuple[float, float], stroke: str) -> None:
    (x1, y1), (x2, y2) = begin, end
    ET.SubElement(root, "line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", stroke=stroke)


def _text(root: ET.Element, x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal") -> None:
    attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor, "font-weight": weight}
    ET.SubElement(root, "text", attributes).text = text
