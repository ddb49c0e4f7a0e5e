"""The layer of the example on OpenVINO's page RNNCell-3, in the XML form that OpenVINO reads, and its values."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np
import pytest

from gatewise.judge import Judge
from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.outcome import Ran

pytestmark = pytest.mark.runtime

PORTS = {"X": (1, 16), "H": (1, 128), "W": (128, 16), "R": (128, 128), "B": (128,)}
"""The inputs of the example's layer, with the shapes of its ports."""
STATE = (1, 128)
"""The shape of the example's output port."""
CONSTANTS = ("W", "R", "B")


def test_the_example_of_the_page_runs_from_xml(tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino")
    random = np.random.default_rng(16128)
    arrays = {name: random.uniform(-0.5, 0.5, shape).astype(np.float32) for name, shape in PORTS.items()}
    write_model(tmp_path, arrays)
    core = openvino.Core()
    model = core.read_model(tmp_path / "cell.xml", tmp_path / "cell.bin")
    cells = [node for node in model.get_ops() if node.get_type_name() == "RNNCell"]
    assert [node.get_attributes()["activations"] for node in cells] == [["tanh"]]
    compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    given = compiled([arrays["X"], arrays["H"]])[0]

    state = given[np.newaxis]
    case = Case(
        "RNN",
        14,
        {},
        {
            "X": arrays["X"][np.newaxis],
            "W": arrays["W"][np.newaxis],
            "R": arrays["R"][np.newaxis],
            "B": np.concatenate((arrays["B"], np.zeros_like(arrays["B"])))[np.newaxis],
            "initial_h": arrays["H"][np.newaxis],
        },
        ("Y", "Y_h"),
    )
    judge = Judge(Description("openvino"))
    assert judge(case, Ran({"Y": state[np.newaxis], "Y_h": state})).verdict == "pass"
    for name in PORTS:  # each input counts: with another one the same output is wrong
        slot = "initial_h" if name == "H" else name
        other = case.with_inputs(**{slot: np.flip(case.inputs[slot], axis=-1)})
        assert judge(other, Ran({"Y": state[np.newaxis], "Y_h": state})).verdict == "wrong"


def write_model(folder: Path, arrays: Mapping[str, Array]) -> None:
    """Writes cell.xml, a network around the example's layer, and cell.bin with its weights."""
    net = Element("net", name="example", version="11")
    layers, edges = SubElement(net, "layers"), SubElement(net, "edges")
    data = bytearray()
    for index, (name, shape) in enumerate(PORTS.items()):
        attributes = {"element_type": "f32", "shape": ",".join(map(str, shape))}
        kind = "Const" if name in CONSTANTS else "Parameter"
        if kind == "Const":
            attributes |= {"offset": str(len(data)), "size": str(arrays[name].nbytes)}
            data += arrays[name].tobytes()
        layer = add_layer(layers, index, (name, kind, "opset1"), attributes)
        add_ports(layer, "output", 0, [shape])
        add_edge(edges, (index, 0), (len(PORTS), index))
    cell = add_layer(layers, len(PORTS), ("cell", "RNNCell", "opset3"), {"hidden_size": "128"})
    add_ports(cell, "input", 0, list(PORTS.values()))
    add_ports(cell, "output", len(PORTS), [STATE])
    result = add_layer(layers, len(PORTS) + 1, ("Ho", "Result", "opset1"), {})
    add_ports(result, "input", 0, [STATE])
    add_edge(edges, (len(PORTS), len(PORTS)), (len(PORTS) + 1, 0))
    (folder / "cell.xml").write_bytes(tostring(net))
    (folder / "cell.bin").write_bytes(bytes(data))


def add_layer(layers: Element, index: int, kind: tuple[str, str, str], attributes: Mapping[str, str]) -> Element:
    """A layer with ``kind``: its name, type and operation set."""
    name, of_type, version = kind
    layer = SubElement(layers, "layer", {"id": str(index), "name": name, "type": of_type, "version": version})
    SubElement(layer, "data", dict(attributes))
    return layer


def add_ports(layer: Element, side: str, first: int, shapes: Sequence[Sequence[int]]) -> None:
    ports = SubElement(layer, side)
    for index, shape in enumerate(shapes, start=first):
        port = SubElement(ports, "port", {"id": str(index), "precision": "FP32"})
        for size in shape:
            SubElement(port, "dim").text = str(size)


def add_edge(edges: Element, start: tuple[int, int], end: tuple[int, int]) -> None:
    ends = zip(("from-layer", "from-port", "to-layer", "to-port"), map(str, (*start, *end)), strict=True)
    SubElement(edges, "edge", dict(ends))
