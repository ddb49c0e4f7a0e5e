"""Cases and ONNX models are two forms of one thing."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from gatewise_corpus.case import Case, same_case
from gatewise_corpus.onnx_folder import read_folder, write_folder
from gatewise_corpus.onnx_model import FormatError, feeds, from_model, to_model
from gatewise_corpus.recipes import all_recipes
from gatewise_corpus.recipes.recipe import Sizes, draw

SIZES = Sizes(seq=4, batch=3, input=2, hidden=5)


def test_every_case_of_the_recipes_survives_the_round_trip() -> None:
    count = 0
    for recipe in all_recipes():
        model = onnx.load_model_from_string(to_model(recipe.case).SerializeToString())
        assert same_case(from_model(model, feeds(recipe.case)), recipe.case), recipe.name
        count += 1
    assert count > 700


def test_valid_models_pass_the_onnx_checker() -> None:
    checked = 0
    for recipe in all_recipes():
        if not recipe.about.refuse and recipe.about.origin == "covering":
            onnx.checker.check_model(to_model(recipe.case), full_check=recipe.case.opset < 24)
            checked += 1
    assert checked > 90


def test_slots_keep_their_positions() -> None:
    case = draw("test", "LSTM", SIZES, optional=("P",), outputs=("Y_c",), constants=("W",))
    node = to_model(case).graph.node[0]
    assert list(node.input) == ["X", "W", "R", "", "", "", "", "P"]
    assert list(node.output) == ["", "", "Y_c"]
    assert [value.name for value in to_model(case).graph.input] == ["X", "R", "P"]


@pytest.mark.parametrize(("opset", "ir_version"), [(7, 3), (14, 7), (22, 10)])
def test_ir_version_and_opset_are_pinned(opset: int, ir_version: int) -> None:
    model = to_model(draw("test", "GRU", SIZES, opset=opset, constants=("W", "R")))
    assert (model.ir_version, model.opset_import[0].version) == (ir_version, opset)
    declared = {value.name for value in model.graph.input}
    assert ({"W", "R"} <= declared) == (ir_version == 3)


def test_output_shapes_are_static() -> None:
    model = to_model(draw("test", "GRU", SIZES, attributes={"layout": 1}))
    shapes = [[dim.dim_value for dim in value.type.tensor_type.shape.dim] for value in model.graph.output]
    assert shapes == [[3, 4, 1, 5], [3, 1, 5]]


@pytest.mark.parametrize("layout", [0, 1])
def test_sizes_can_be_left_open(layout: int) -> None:
    case = draw("test", "LSTM", SIZES, attributes={"layout": layout}, lengths=(4, 1, 2), constants=("W",))
    graph = to_model(case, ("seq", "batch")).graph
    declared = {
        value.name: [dimension.dim_param or dimension.dim_value for dimension in value.type.tensor_type.shape.dim]
        for value in (*graph.input, *graph.output)
    }
    assert declared["X"] == (["batch", "seq", 2] if layout else ["seq", "batch", 2])
    assert declared["sequence_lens"] == ["batch"]
    assert declared["R"] == [1, 20, 5]
    assert declared["Y"] == (["batch", "seq", 1, 5] if layout else ["seq", 1, "batch", 5])
    assert declared["Y_c"] == (["batch", 1, 5] if layout else [1, "batch", 5])


def test_bits_survive_a_folder(tmp_path: Path) -> None:
    case = draw("test", "GRU", SIZES, attributes={"clip": float("nan")}, constants=("R",))
    X = case.inputs["X"].copy()
    X.view(np.uint32)[0, 0, 0] = 0xFFC0BEEF
    X[0, 0, 1] = -0.0
    case = case.with_inputs(X=X)
    Y_h = np.arange(15, dtype=np.float32).reshape(1, 3, 5)
    write_folder(tmp_path, case, {"Y_h": Y_h})
    read = read_folder(tmp_path)
    assert same_case(read.case, case)
    assert read.case.inputs["X"].view(np.uint32)[0, 0, 0] == 0xFFC0BEEF
    np.testing.assert_array_equal(read.outputs["Y_h"], Y_h)
    assert set(read.outputs) == {"Y_h"}


def test_foreign_names_are_read_by_position(tmp_path: Path) -> None:
    case = draw("test", "RNN", SIZES, optional=("initial_h",), outputs=("Y_h",))
    model = to_model(case)
    renamed = {"X": "seqs", "W": "a", "R": "b", "initial_h": "c"}
    for value in model.graph.input:
        value.name = renamed[value.name]
    node = model.graph.node[0]
    node.input[:] = [renamed.get(name, name) for name in node.input]
    node.output[:] = ["", "last"]
    model.graph.output[0].name = "last"
    (tmp_path / "test_data_set_0").mkdir()
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    for index, array in enumerate(case.inputs.values()):
        unnamed = numpy_helper.from_array(array).SerializeToString()
        (tmp_path / "test_data_set_0" / f"input_{index}.pb").write_bytes(unnamed)
    assert same_case(read_folder(tmp_path).case, case)


def test_two_slots_may_read_one_tensor() -> None:
    """Exporters share one initializer of zeros between initial_h and initial_c."""
    case = draw("test", "LSTM", SIZES, constants=("initial_h",))
    model = to_model(case)
    node = model.graph.node[0]
    node.input[6] = "initial_h"
    fed = feeds(case)
    del fed["initial_c"]
    read = from_model(model, fed)
    np.testing.assert_array_equal(read.inputs["initial_c"], case.inputs["initial_h"])
    np.testing.assert_array_equal(read.inputs["initial_h"], case.inputs["initial_h"])
    assert read.constants == {"initial_h", "initial_c"}


def test_external_data_is_read_and_missed_in_a_sentence(tmp_path: Path) -> None:
    case = draw("test", "RNN", Sizes(4, 3, 20, 17), constants=("W", "R"))
    write_folder(tmp_path, case, {})
    path = tmp_path / "model.onnx"
    onnx.save(onnx.load(path), path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    assert same_case(read_folder(tmp_path).case, case)
    (tmp_path / "weights.bin").unlink()
    with pytest.raises(FormatError, match=r"model\.onnx: its external data cannot be read"):
        read_folder(tmp_path)


def test_outputs_that_the_node_does_not_write_are_left_out(tmp_path: Path) -> None:
    case = draw("test", "RNN", SIZES)
    write_folder(tmp_path, case, {"Y_h": np.ones((1, 3, 5), np.float32)})
    model = to_model(case)
    model.graph.output.insert(0, model.graph.input[0])
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    assert set(read_folder(tmp_path).outputs) == {"Y_h"}


def test_stale_tensors_are_removed(tmp_path: Path) -> None:
    case = draw("test", "LSTM", SIZES)
    write_folder(tmp_path, case, {"Y": np.zeros((4, 1, 3, 5), np.float32)})
    write_folder(tmp_path, draw("test", "RNN", SIZES, optional=()), {})
    names = sorted(path.name for path in (tmp_path / "test_data_set_0").iterdir())
    assert names == ["input_0.pb", "input_1.pb", "input_2.pb"]


def broken(folder: Path, case: Case) -> str:
    write_folder(folder, case, {})
    return str(folder)


def test_what_is_no_case_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"model\.onnx: cannot be read \(No such file or directory\)"):
        read_folder(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"no protobuf at all")
    with pytest.raises(FormatError, match="is not an ONNX model"):
        read_folder(tmp_path)
    case = draw("test", "RNN", SIZES)
    write_folder(tmp_path, case, {})
    (tmp_path / "test_data_set_0" / "input_1.pb").write_bytes(b"\xff\xff")
    with pytest.raises(FormatError, match=r"input_1\.pb: does not hold a tensor"):
        read_folder(tmp_path)
    (tmp_path / "test_data_set_0" / "input_1.pb").unlink()
    with pytest.raises(FormatError, match=r"input_1\.pb: cannot be read"):
        read_folder(tmp_path)


def test_a_graph_of_two_nodes_is_no_case() -> None:
    model = to_model(draw("test", "RNN", SIZES))
    model.graph.node.append(model.graph.node[0])
    with pytest.raises(FormatError, match="the graph has 2 nodes, but must have one"):
        from_model(model, {})


def test_an_input_that_is_not_fed_is_named() -> None:
    case = draw("test", "RNN", SIZES)
    fed = feeds(case)
    del fed["R"]
    with pytest.raises(FormatError, match=r"input 'R' \(R\) is neither fed nor an initializer"):
        from_model(to_model(case), fed)
