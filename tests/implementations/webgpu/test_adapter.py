"""The adapter: what it says of itself, how it translates a case, and what it says where there is no device."""

import numpy as np
import pytest

pytest.importorskip("wgpu", reason="wgpu is not installed")

from gatewise_corpus.case import Case
from gatewise_corpus.outcome import Ran, Refused
from gatewise_corpus.store import cases_root, load_entry
from gatewise_implementations.adapter import RefusalError, SetupError
from gatewise_implementations.devices import with_devices
from gatewise_implementations.process import Worker
from gatewise_implementations.specs import Availability, availabilities
from gatewise_implementations.webgpu.adapter import call_of, make_adapter

pytestmark = pytest.mark.webgpu


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vulkan's loader looks for drivers where there are none."""
    for variable in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES"):
        monkeypatch.setenv(variable, "/no/such/driver.json")


def stored(name: str) -> Case:
    return load_entry(cases_root() / name).case


def test_the_description_says_what_ran_and_what_differs() -> None:
    with Worker("webgpu") as worker:
        description = worker.describe()
    assert description.name == "webgpu"
    assert description.versions["wgpu"][0].isdigit()
    assert description.versions["driver"]
    assert description.settings.keys() == {"device", "type", "backend"}
    assert description.decisions == ("D02", "D26")


@pytest.mark.parametrize("outputs", [("Y_c",), ("Y_h", "Y"), ("Y", "Y_h", "Y_c")])
def test_only_requested_outputs_are_returned(lstm: Case, outputs: tuple[str, ...]) -> None:
    ran = make_adapter("").run(lstm.replace(outputs=outputs))
    assert isinstance(ran, Ran)
    assert tuple(ran.outputs) == outputs


def test_a_missing_bias_is_zeros_and_nothing_else_is_added(gru: Case) -> None:
    tensors, attributes = call_of(gru.with_inputs(B=None))
    assert tensors.keys() == gru.inputs.keys()
    assert attributes == gru.attributes
    assert (tensors["B"].shape, tensors["B"].dtype) == ((1, 30), np.float32)
    assert not tensors["B"].any()


def test_one_set_of_activations_stands_for_both_directions() -> None:
    case = stored("gru/smallest").with_attributes(direction="bidirectional", activations=("Elu", "Relu"))
    assert call_of(case)[1]["activations"] == ("Elu", "Relu", "Elu", "Relu")
    assert call_of(case.with_attributes(direction="forward"))[1]["activations"] == ("Elu", "Relu")
    assert "activations" not in call_of(case.with_attributes(activations=()))[1]


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("rnn/float16-forward", "unsupported", "the WebGPU contract has no type but float32"),
        ("rnn/clip-negative", "", "clip is -0.5, but must be at least 0"),
        ("rnn/invalid-x-rank", "unsupported", "there is no layer to hand to the WebGPU contract: X has shape"),
    ],
)
def test_what_the_contract_does_not_allow_is_refused(name: str, kind: str, message: str) -> None:
    with pytest.raises(RefusalError, match=message) as error:
        make_adapter("").run(stored(name))
    assert error.value.kind == kind


@pytest.mark.usefixtures("no_driver")
def test_without_a_driver_it_does_not_start() -> None:
    with (
        pytest.raises(SetupError, match=r"^webgpu: there is no WebGPU device: .*apt install mesa-vulkan-drivers"),
        Worker("webgpu"),
    ):
        pass


@pytest.mark.usefixtures("no_driver")
def test_without_a_driver_it_is_not_available() -> None:
    (found,) = with_devices([Availability("webgpu", version="0.32.0")])
    assert found.version == ""
    assert found.reason.startswith("there is no WebGPU device: ")


def test_with_one_it_is_available() -> None:
    here = {item.name: item for item in with_devices(availabilities())}
    assert here["webgpu"].reason == ""
    assert here["webgpu"].version[0].isdigit()
    assert here["reference"].version


def test_an_option_is_refused() -> None:
    with pytest.raises(SetupError, match=r"^webgpu: there is no option 'fast'; allowed: none$"):
        make_adapter("fast")


def test_a_worker_survives_a_refusal() -> None:
    with Worker("webgpu") as worker:
        assert isinstance(worker.run(stored("rnn/clip-negative")), Refused)
        assert isinstance(worker.run(stored("rnn/smallest")), Ran)
