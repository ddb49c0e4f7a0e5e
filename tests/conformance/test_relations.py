"""The relations hold for the reference bit for bit and for ONNX Runtime inside the bound, and each can be broken."""

from collections.abc import Callable, Iterator

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from gatewise.generate import valid_cases
from gatewise.mutant import BY_NAME, outputs_under
from gatewise.relations import RELATIONS, Broken, Run, check, ignored_attributes
from gatewise_corpus.case import AttributeValues, Case
from gatewise_corpus.layer import read_layer
from gatewise_corpus.outcome import Crashed, Outcome, Ran, Refused
from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_corpus.refusal import RefusedError
from gatewise_implementations.process import Worker

BY_RELATION = {relation.name: relation for relation in RELATIONS}
SIZES = Sizes(seq=5, batch=3, input=2, hidden=4)


@pytest.fixture(scope="module")
def reference() -> Iterator[Run]:
    with Worker("reference") as worker:
        yield worker.run


@pytest.fixture(scope="module")
def onnxruntime() -> Iterator[Run]:
    with Worker("onnxruntime:threads=1") as worker:
        yield worker.run


def examples(count: int) -> Callable[..., settings]:
    return settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


@hypothesis.seed(36)
@examples(60)
@given(case=valid_cases())
def test_the_reference_keeps_every_relation_bit_for_bit(case: Case, reference: Run) -> None:
    assert [broken for relation in RELATIONS if (broken := check(relation, case, reference, exact=True))] == []
    assert ignored_attributes(case, reference) == []


def is_plain(case: Case) -> bool:
    """ONNX Runtime treats NaN, infinities and sizes of 0 otherwise from one input to the next (D03, D16, D23)."""
    layer = read_layer(case)
    finite = all(np.isfinite(array).all() for array in case.inputs.values())
    return finite and min(layer.seq, layer.batch, layer.input) > 0 and float(case.attributes.get("clip", 1.0)) > 0


@hypothesis.seed(36)
@examples(25)
@given(case=valid_cases().filter(is_plain))
def test_onnx_runtime_keeps_every_relation_inside_the_bound(case: Case, onnxruntime: Run) -> None:
    assert [broken for relation in RELATIONS if (broken := check(relation, case, onnxruntime))] == []


def mutant(name: str) -> Run:
    def run(case: Case) -> Outcome:
        try:
            return Ran(outputs_under(case, (BY_NAME[name],)))
        except RefusedError as error:
            return Refused(str(error), error.kind, error.reason)

    return run


def layer_of(operator: str = "LSTM", lengths: list[int] | None = None, **attributes: object) -> Case:
    typed: AttributeValues = dict(attributes)  # type: ignore[arg-type] # as the tests spell them
    return draw("relations", operator, SIZES, attributes=typed, lengths=lengths)


def without_constant_bias(case: Case) -> Outcome:
    return Ran(outputs_under(case.with_inputs(B=None) if "B" in case.constants else case))


class Remembering:
    """Adds what it was asked before, as a session that keeps a buffer does."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, case: Case) -> Outcome:
        self.asked += 1
        outputs = outputs_under(case)
        return Ran({name: array + np.float32(self.asked > 1) for name, array in outputs.items()})


RAGGED = [5, 0, 3]
FAULTS: dict[str, tuple[Callable[[], Run], Case]] = {
    "rows-alone": (lambda: mutant("state-of-first-row"), layer_of("GRU")),
    "rows-permuted": (lambda: mutant("rows-left-sorted"), layer_of("RNN", [3, 5, 4])),
    "directions-apart": (lambda: mutant("weights-of-forward-for-both"), layer_of("GRU", direction="bidirectional")),
    "reverse-as-forward": (
        lambda: mutant("reverse-starts-in-padding"),
        layer_of("LSTM", RAGGED, direction="reverse"),
    ),
    "other-layout": (lambda: mutant("layout-1-y-untransposed"), layer_of("RNN")),
    "omitted-as-zeros": (lambda: mutant("initial-c-in-place-of-h"), layer_of().with_inputs(initial_h=None)),
    "split-in-two": (lambda: mutant("initial-h-ignored"), layer_of("GRU", RAGGED).with_inputs(initial_h=None)),
    "final-from-y": (lambda: mutant("final-state-from-first-of-y"), layer_of("RNN", RAGGED)),
    "padding-does-not-matter": (lambda: mutant("padding-masked-by-products"), layer_of("LSTM", RAGGED)),
    "constants-do-not-matter": (lambda: without_constant_bias, layer_of("GRU")),
    "outputs-alone": (lambda: mutant("final-states-need-y"), layer_of()),
    "asked-again": (Remembering, layer_of("RNN")),
}


def test_each_relation_has_a_fault() -> None:
    assert list(FAULTS) == [relation.name for relation in RELATIONS]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("name", FAULTS)
def test_each_relation_is_broken_by_a_fault_and_kept_by_the_model(name: str, exact: bool) -> None:
    make, case = FAULTS[name]
    broken = check(BY_RELATION[name], case, make(), exact=exact)
    assert isinstance(broken, Broken)
    assert broken.relation == name
    right = check(BY_RELATION[name], case, lambda each: Ran(outputs_under(each)), exact=exact)
    assert right is None


@pytest.mark.parametrize(
    ("fault", "case", "attribute"),
    [
        ("clip-ignored", layer_of("RNN", clip=0.2), "clip"),
        ("reverse-as-forward", layer_of("GRU", direction="reverse"), "direction"),
        ("linear-before-reset-ignored", layer_of("GRU", linear_before_reset=1), "linear_before_reset"),
        ("input-forget-ignored", layer_of(input_forget=1), "input_forget"),
        ("activations-ignored", layer_of("RNN", activations=("Relu",)), "activations"),
        ("lengths-ignored", layer_of("LSTM", RAGGED), "sequence_lens"),
    ],
)
def test_an_ignored_attribute_is_caught_without_values(fault: str, case: Case, attribute: str) -> None:
    assert ignored_attributes(case, mutant(fault)) == [attribute]
    assert ignored_attributes(case, lambda each: Ran(outputs_under(each))) == []


def test_equal_infinities_do_not_make_an_attribute_matter() -> None:
    case = layer_of("RNN", activations=("Relu",), direction="forward")
    X = case.inputs["X"].copy()
    X[1, 0, 0] = np.inf
    case = case.with_inputs(X=X, W=np.abs(case.inputs["W"]))
    assert ignored_attributes(case, lambda each: Ran(outputs_under(each))) == []


def test_a_crash_of_a_related_case_breaks_the_relation_and_a_refusal_does_not() -> None:
    def run(outcome: Outcome) -> Run:
        return lambda case: outcome if case.attributes.get("layout") == 1 else Ran(outputs_under(case))

    relation, case = BY_RELATION["other-layout"], layer_of("RNN")
    assert check(relation, case, run(Refused("no layout 1"))) is None
    broken = check(relation, case, run(Crashed("SIGFPE")))
    assert broken is not None
    assert broken.message.startswith("a related case did not run: Crashed(how='SIGFPE'")
    assert check(relation, case, lambda _: Crashed("SIGFPE")) is None
