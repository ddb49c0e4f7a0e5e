"""Equal bits: whatever the threads, the constants, the batch mates and the earlier runs."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from gatewise_corpus.case import Array, Case
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.reference_library import MODES, Plan, kernel_paths, run

MakeCase = Callable[..., Case]
SameBits = Callable[[Mapping[str, Array], Mapping[str, Array]], None]

OPERATORS = ("RNN", "GRU", "LSTM")
VARIANTS = (("RNN", {}), ("GRU", {}), ("GRU", {"linear_before_reset": 1}), ("LSTM", {}))
LENGTHS = (6, 0, 3, 1, 5)
PATHS = [path.name for path in kernel_paths() if path.available]


@pytest.mark.parametrize("threads", [2, 3, 7, 64])
@pytest.mark.parametrize("hidden", [1, 17, 67])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("operator", "attributes"), VARIANTS)
def test_the_number_of_threads(
    *,
    make_case: MakeCase,
    same_bits: SameBits,
    operator: str,
    attributes: dict[str, Any],
    mode: str,
    path: str,
    hidden: int,
    threads: int,
) -> None:
    case = make_case(operator, h=hidden, lengths=LENGTHS, direction="bidirectional", **attributes)
    same_bits(run(case, path, threads, mode), run(case, path, mode=mode))


@pytest.mark.parametrize("constants", [("W",), ("R",), ("W", "R", "B", "P"), ("X", "sequence_lens", "initial_h")])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("operator", "attributes"), VARIANTS)
def test_constant_inputs(
    *,
    make_case: MakeCase,
    same_bits: SameBits,
    operator: str,
    attributes: dict[str, Any],
    mode: str,
    path: str,
    constants: tuple[str, ...],
) -> None:
    case = make_case(operator, h=9, lengths=LENGTHS, direction="bidirectional", **attributes)
    fixed = case.replace(constants=frozenset(constants) & case.inputs.keys())
    plan = Plan(fixed, path, mode)
    fed = {name: array for name, array in case.inputs.items() if name not in constants}
    same_bits(plan.workspace().run(fed), run(case, path, mode=mode))


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_constant_is_read_when_the_plan_is_made(make_case: MakeCase, same_bits: SameBits, operator: str) -> None:
    case = make_case(operator, constants=("X", "W", "R", "B"))
    expected = run(case)
    arrays = {name: array.copy() for name, array in case.inputs.items()}
    workspace = Plan(case.with_inputs(**arrays)).workspace()
    for name in case.constants:
        arrays[name][...] = np.nan
    same_bits(workspace.run(case.inputs), expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("operator", OPERATORS)
def test_a_row_alone(make_case: MakeCase, operator: str, path: str, mode: str) -> None:
    case = make_case(operator, h=5)
    together = run(case, path, mode=mode)
    for row in range(5):
        own = {
            name: array[:, row : row + 1]
            for name, array in case.inputs.items()
            if name in {"X", "initial_h", "initial_c"}
        }
        alone = run(case.with_inputs(**own), path, mode=mode)
        assert np.array_equal(alone["Y"][:, :, 0], together["Y"][:, :, row])


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("operator", "attributes"), VARIANTS)
def test_blocks_of_steps(
    *, make_case: MakeCase, same_bits: SameBits, operator: str, attributes: dict[str, Any], threads: int
) -> None:
    """Inputs are projected some 100 rows at a time; here five blocks, none of which a row alone needs."""
    lengths = (70, 0, 31, 90, 1, 69, 52)
    case = make_case(operator, t=90, n=7, h=5, lengths=lengths, direction="bidirectional", **attributes)
    together = run(case, threads=threads)
    for row, length in enumerate(lengths):
        own = {
            name: case.inputs[name][:, row : row + 1] for name in ("initial_h", "initial_c") if name in case.inputs
        }
        alone = run(
            case.with_inputs(
                **own,
                X=case.inputs["X"][:, row : row + 1],
                sequence_lens=np.array([length], np.int32),
            )
        )
        same_bits(alone, {name: array[..., row : row + 1, :] for name, array in together.items()})


@pytest.mark.parametrize("batch", [8, 11, 12, 13])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize(("operator", "attributes"), VARIANTS)
def test_threads_with_rows_of_their_own(
    *,
    make_case: MakeCase,
    same_bits: SameBits,
    operator: str,
    attributes: dict[str, Any],
    layout: int,
    dtype: Any,
    batch: int,
) -> None:
    """Each of 2 threads has its own rows from batch 8 on, each of 3 from 12 on."""
    lengths = (70, 0, 31, 90, 1, 69, 52, 0, 90, 3, 90, 2, 17)[:batch]
    case = make_case(
        operator,
        t=90,
        n=batch,
        h=7,
        lengths=lengths,
        dtype=dtype,
        direction="bidirectional",
        layout=layout,
        **attributes,
    )
    expected = run(case)
    for threads in (2, 3):
        workspace = Plan(case).workspace(threads)
        for _ in range(5):
            same_bits(workspace.run(case.inputs), expected)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("operator", OPERATORS)
def test_a_workspace_keeps_nothing_from_run_to_run(
    make_case: MakeCase, same_bits: SameBits, operator: str, threads: int
) -> None:
    first = make_case(operator, lengths=LENGTHS, seed=1, omit=("initial_h",))
    second = make_case(operator, lengths=(2, 6, 0, 6, 1), seed=2, omit=("initial_h",))
    poison = {name: np.full_like(array, np.nan) for name, array in first.inputs.items() if name != "sequence_lens"}
    workspace = Plan(first).workspace(threads)
    for case in (first, first.with_inputs(**poison), second, first):
        same_bits(workspace.run(case.inputs), run(case))


def test_arrays_of_any_order_and_byte_order(make_case: MakeCase, same_bits: SameBits) -> None:
    case = make_case("LSTM", lengths=LENGTHS)
    swapped = {name: array.astype(array.dtype.newbyteorder("S")) for name, array in case.inputs.items()}
    strided = {name: np.asfortranarray(array) for name, array in case.inputs.items()}
    same_bits(run(case.with_inputs(**swapped)), run(case))
    same_bits(run(case.with_inputs(**strided)), run(case))
    same_bits(run(case.with_inputs(**swapped).replace(constants=frozenset({"W", "R", "X"}))), run(case))


def test_several_plans_run_at_once(make_case: MakeCase, same_bits: SameBits) -> None:
    cases = [
        make_case(operator, h=7, t=20, lengths=(20, 0, 3, 11, 5), seed=seed)
        for operator in OPERATORS
        for seed in (1, 2)
    ]
    expected = [run(case) for case in cases]
    with ThreadPoolExecutor(6) as pool:
        for _ in range(5):
            for actual, right in zip(pool.map(lambda case: run(case, threads=2), cases), expected, strict=True):
                same_bits(actual, right)


def test_one_plan_runs_in_two_workspaces_at_once(make_case: MakeCase, same_bits: SameBits) -> None:
    cases = [
        make_case("GRU", h=7, t=20, seed=0).with_inputs(X=make_case("GRU", t=20, seed=s).inputs["X"]) for s in (1, 2)
    ]
    plan = Plan(cases[0].replace(constants=frozenset({"W", "R"})))
    expected = [run(case) for case in cases]

    def repeat(case: Case) -> list[dict[str, Array]]:
        workspace = plan.workspace(2)
        return [workspace.run(case.inputs) for _ in range(20)]

    with ThreadPoolExecutor(2) as pool:
        for results, right in zip(pool.map(repeat, cases), expected, strict=True):
            assert len(results) == 20
            for actual in results:
                same_bits(actual, right)


def test_a_shared_workspace_refuses_or_is_right(make_case: MakeCase, same_bits: SameBits) -> None:
    case = make_case("LSTM", h=16, t=60, n=8)
    workspace, expected = Plan(case).workspace(), run(case)

    def attempt(_: int) -> dict[str, Array] | str:
        try:
            return workspace.run(case.inputs)
        except RefusalError as refusal:
            return refusal.reason

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(attempt, range(40)))
    ran = [result for result in results if isinstance(result, dict)]
    assert {result for result in results if isinstance(result, str)} <= {"argument"}
    assert ran
    for result in ran:
        same_bits(result, expected)
