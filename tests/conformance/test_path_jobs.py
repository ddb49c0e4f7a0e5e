import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from gatewise.jobs import Job
from gatewise.model_inputs import OPEN_SIZES, draw_inputs
from gatewise.path_jobs import load_path, output_order, path_jobs
from gatewise_corpus.case import Array, Case, same_case
from gatewise_corpus.layer import read_layer
from gatewise_corpus.onnx_folder import write_folder
from gatewise_corpus.onnx_model import FormatError, from_model, to_model

Compute = Callable[[Case], Mapping[str, Array]]


@pytest.fixture
def tree(tmp_path: Path, rnn: Case, gru: Case, lstm: Case, compute: Compute) -> Path:
    """A folder with outputs, one without, a model of one node, one of two, and one of another operator."""
    write_folder(tmp_path / "a" / "with-outputs", rnn, compute(rnn))
    write_folder(tmp_path / "b" / "without-outputs", gru, {})
    (tmp_path / "b" / "single.onnx").write_bytes(to_model(lstm).SerializeToString())
    relu = helper.make_node("Relu", ["x"], ["y"])
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    other = helper.make_model(helper.make_graph([relu], "other", [x], [y]))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "model.onnx").write_bytes(other.SerializeToString())
    two = helper.make_model(helper.make_graph([relu, helper.make_node("Relu", ["y"], ["z"])], "two", [x], [y]))
    (tmp_path / "two.onnx").write_bytes(two.SerializeToString())
    return tmp_path


def names(jobs: list[Job], root: Path) -> list[str]:
    return [str(Path(job.name).relative_to(root)) for job in jobs]


def test_a_tree_gives_its_cases_and_leaves_the_rest_out(tree: Path, rnn: Case, gru: Case) -> None:
    found = path_jobs([tree], seed=0)
    assert names(found.jobs, tree) == ["a/with-outputs", "b/single.onnx", "b/without-outputs"]
    assert [str(path.relative_to(tree)) for path in found.left_out] == ["other", "two.onnx"]
    with_outputs, _, without = (job.load() for job in found.jobs)
    assert same_case(with_outputs.case, rnn)
    assert (with_outputs.subject, with_outputs.given.keys()) == ("given outputs", {"Y", "Y_h"})
    assert same_case(without.case, gru)
    assert (without.subject, dict(without.given)) == ("", {})


def test_every_data_set_of_a_folder_is_a_case(tree: Path, rnn: Case) -> None:
    folder = tree / "a" / "with-outputs"
    for name in ("test_data_set_2", "test_data_set_10"):
        shutil.copytree(folder / "test_data_set_0", folder / name)
    other = numpy_helper.from_array(rnn.inputs["X"] + 1, "X")
    (folder / "test_data_set_10" / "input_0.pb").write_bytes(other.SerializeToString())
    found = path_jobs([folder], seed=0)
    assert names(found.jobs, tree) == [
        "a/with-outputs",
        "a/with-outputs/test_data_set_2",
        "a/with-outputs/test_data_set_10",
    ]
    loaded = [job.load().case.inputs["X"] for job in found.jobs]
    np.testing.assert_array_equal(loaded[1], rnn.inputs["X"])
    np.testing.assert_array_equal(loaded[2], rnn.inputs["X"] + 1)


def test_a_model_in_its_folder_is_that_folder(tree: Path, rnn: Case) -> None:
    found = path_jobs([tree / "a" / "with-outputs" / "model.onnx"], seed=0)
    assert names(found.jobs, tree) == ["a/with-outputs"]
    assert same_case(found.jobs[0].load().case, rnn)


def test_another_model_beside_a_case_is_not_that_case(tree: Path, lstm: Case) -> None:
    beside = tree / "a" / "with-outputs" / "other.onnx"
    beside.write_bytes(to_model(lstm).SerializeToString())
    (job,) = path_jobs([beside], seed=2).jobs
    assert job.name == str(beside)
    assert job.selection == f"{beside} --seed 2"
    assert job.load().case.operator == "LSTM"


def test_a_model_of_another_name_has_the_data_beside_it(tree: Path, rnn: Case) -> None:
    folder = tree / "a" / "with-outputs"
    (folder / "model.onnx").rename(folder / "layer.onnx")
    (job,) = path_jobs([tree / "a"], seed=0).jobs
    assert job.name == str(folder / "layer.onnx")
    loaded = job.load()
    assert same_case(loaded.case, rnn)
    assert loaded.given.keys() == {"Y", "Y_h"}


def test_a_broken_model_in_a_tree_is_told_and_the_others_are_judged(tree: Path) -> None:
    (tree / "torn.onnx").write_bytes(b"\xff\xff no model")
    found = path_jobs([tree], seed=0)
    assert len(found.jobs) == 3
    assert found.broken == [f"{tree / 'torn.onnx'}: is not an ONNX model"]


def test_a_node_of_another_domain_is_left_out(tree: Path, rnn: Case) -> None:
    model = to_model(rnn)
    model.graph.node[0].domain = "my.ops"
    (tree / "mine.onnx").write_bytes(model.SerializeToString())
    assert tree / "mine.onnx" in path_jobs([tree], seed=0).left_out


def test_outputs_are_numbered_as_the_model_lists_them(tmp_path: Path, rnn: Case) -> None:
    model = to_model(rnn)
    swapped = list(model.graph.output)[::-1]
    del model.graph.output[:]
    model.graph.output.extend(swapped)
    (tmp_path / "swapped.onnx").write_bytes(model.SerializeToString())
    assert output_order(tmp_path / "swapped.onnx") == ["Y_h", "Y"]


def test_an_input_that_is_missing_is_named_with_the_path(tree: Path) -> None:
    folder = tree / "a" / "with-outputs"
    (folder / "test_data_set_0" / "input_5.pb").unlink()
    with pytest.raises(FormatError, match=r"with-outputs: input '\w+' \(\w+\) is neither fed nor an initializer"):
        load_path(folder, seed=0)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("other", "other: is not a graph of one RNN, GRU, LSTM node"),
        ("two.onnx", "is not a graph of one RNN, GRU, LSTM node"),
        ("empty", "is neither an .onnx model nor a folder that holds one"),
        ("text.txt", "is neither an .onnx model nor a folder that holds one"),
        ("torn.onnx", "torn.onnx: is not an ONNX model"),
    ],
)
def test_a_path_that_holds_no_case_is_refused(tree: Path, path: str, message: str) -> None:
    (tree / "empty").mkdir()
    (tree / "text.txt").write_text("hello")
    (tree / "torn.onnx").write_bytes(b"\xff\xff\xff")
    with pytest.raises(FormatError, match=message):
        path_jobs([tree / path], seed=0)


def test_a_torn_tensor_is_named_with_its_path(tree: Path) -> None:
    folder = tree / "a" / "with-outputs"
    (folder / "test_data_set_0" / "input_0.pb").write_bytes(b"\xff\xff")
    with pytest.raises(FormatError, match="with-outputs"):
        load_path(folder, seed=0)


def test_inputs_are_drawn_for_declared_shapes(lstm: Case) -> None:
    model = to_model(lstm.replace(constants=frozenset({"W", "R"})))
    drawn = draw_inputs(model, seed=4)
    assert drawn.keys() == {"X", "B", "sequence_lens", "initial_h", "initial_c", "P"}
    assert {name: array.shape for name, array in drawn.items()} == {
        name: array.shape for name, array in lstm.inputs.items() if name not in {"W", "R"}
    }
    case = from_model(model, drawn)
    assert read_layer(case).lengths.min() >= 1
    assert np.abs(case.inputs["X"]).max() > 0.1
    assert all(np.array_equal(array, draw_inputs(model, seed=4)[name]) for name, array in drawn.items())
    assert not np.array_equal(drawn["X"], draw_inputs(model, seed=5)["X"])


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("declared", ["symbolic", "none"])
def test_open_sizes_are_filled_in_consistently(lstm: Case, layout: int, declared: str) -> None:
    model = to_model(lstm.with_attributes(layout=layout or None, direction="bidirectional"))
    for value in model.graph.input:
        shape = value.type.tensor_type.shape
        if declared == "none":
            value.type.tensor_type.ClearField("shape")
            continue
        for index, dim in enumerate(shape.dim):
            if not (value.name == "R" and index == 2):
                dim.dim_param = f"{value.name}_{index}"
    layer = read_layer(from_model(model, draw_inputs(model, seed=0)))
    sizes = (layer.seq, layer.batch, layer.input, layer.hidden, len(layer.directions))
    assert sizes == (OPEN_SIZES["seq"], OPEN_SIZES["batch"], OPEN_SIZES["input"], 5, 2)  # hidden_size is an attribute


def test_types_that_hold_no_numbers_are_refused(rnn: Case) -> None:
    model = to_model(rnn)
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.STRING
    with pytest.raises(FormatError, match="'X' has a type for which no numbers can be drawn"):
        draw_inputs(model, seed=0)


def test_drawing_for_another_operator_is_refused() -> None:
    node = helper.make_node("Relu", ["x"], ["y"])
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    with pytest.raises(FormatError, match="the node is 'Relu', but must be one of RNN, GRU, LSTM"):
        draw_inputs(onnx.helper.make_model(helper.make_graph([node], "other", [x], [y])), seed=0)


@pytest.mark.parametrize("breakage", ["short data", "unknown type", "hidden_size as text"])
def test_a_model_with_broken_parts_is_told_in_a_sentence(tmp_path: Path, rnn: Case, breakage: str) -> None:
    model = to_model(rnn.replace(constants=frozenset({"W"})))
    if breakage == "short data":
        model.graph.initializer[0].raw_data = b"abc"
    elif breakage == "unknown type":
        model.graph.initializer[0].data_type = 99
    else:
        (attribute,) = (each for each in model.graph.node[0].attribute if each.name == "hidden_size")
        attribute.CopyFrom(helper.make_attribute("hidden_size", "five"))
    path = tmp_path / "broken.onnx"
    path.write_bytes(model.SerializeToString())
    (job,) = path_jobs([path], seed=0).jobs
    with pytest.raises(FormatError, match=r"broken\.onnx: "):
        job.load()
