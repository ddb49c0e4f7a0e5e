import re
from xml.etree import ElementTree as ET

from gatewise_reports.matrix.curve_plot import plot
from gatewise_reports.record import Curve


def paths(svg: str) -> dict[str, str]:
    return {path.attrib["class"]: path.attrib["d"] for path in ET.fromstring(svg).iter("path")}  # noqa: S314 - our own


def texts(svg: str) -> list[str]:
    return [text.text or "" for text in ET.fromstring(svg).iter("text")]  # noqa: S314 - our own


def test_errors_stand_on_a_logarithmic_scale_with_the_bound_as_a_line() -> None:
    """Four decades of 18 units each, from 1e-2 at y = 92 to 1e2 at y = 20; the bound is in the middle."""
    svg = plot([Curve("Y", "forward", (0.01, 1.0, 10.0, 100.0))])
    assert paths(svg)["bound"] == "M36 56H250"
    assert paths(svg)["forward"] == "M63 92L116 56L170 38L223 20"
    assert texts(svg) == ["bound", "1e-2", "1e2", "0", "3", "step"]


def test_the_line_is_broken_where_nothing_is_constrained_or_the_error_is_infinite() -> None:
    svg = plot([Curve("Y", "reverse", (0.1, 1.0, None, 10.0, "Infinity", 10.0, 0.0))])
    assert paths(svg)["reverse"] == "M51 92L82 56M204 20L235 92"
    assert paths(svg)["reverse infinite"] == "M174 8h0"
    assert paths(svg)["reverse point"] == "M143 20h0"  # the step between nothing and the infinite one
    assert "infinite" in texts(svg)


def test_both_directions_and_the_final_states_are_apart() -> None:
    svg = plot(
        [
            Curve("Y", "forward", (0.5, 0.5)),
            Curve("Y", "reverse", (50.0, 0.5)),
            Curve("Y_h", "forward", (0.5,)),
            Curve("Y_h", "reverse", (50.0,)),
            Curve("Y_c", "forward", (None,)),
        ]
    )
    found = paths(svg)
    assert found.keys() == {"rule", "bound", "forward", "reverse", "forward point", "reverse point"}
    assert found["forward point"].startswith("M270 ")
    assert found["reverse point"].startswith("M275 ")
    assert texts(svg)[-7:] == ["forward", "reverse", "Y_h", "Y_c", "0", "1", "step"]


def test_a_single_step_is_a_point_with_its_number() -> None:
    svg = plot([Curve("Y", "forward", (10.0,))])
    assert paths(svg).keys() == {"rule", "bound", "forward point"}
    assert paths(svg)["forward point"] == "M143 20h0"
    assert texts(svg) == ["bound", "1e-1", "1e1", "step 0"]


def test_a_long_sequence_names_its_steps_and_what_is_beyond_the_scale_is_held_in() -> None:
    svg = plot([Curve("Y", "forward", (1e-30, 1e30), stride=50)])
    assert texts(svg) == ["bound", "1e-3", "1e9", "0", "50", "step"]
    assert re.findall(r"[ML]\d+ (\d+)", paths(svg)["forward"]) == ["92", "20"]


def test_without_curves_there_is_no_plot() -> None:
    assert plot([]) == ""


def test_a_label_beside_that_of_the_bound_is_left_out() -> None:
    assert texts(plot([Curve("Y", "forward", (0.5, 1e7))])) == ["bound", "1e7", "0", "1", "step"]
