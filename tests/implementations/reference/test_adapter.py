"""The adapter: its options, what it says of itself, and a digest for each configuration."""

from collections.abc import Callable, Mapping

import pytest

from gatewise_corpus.case import Array, Case
from gatewise_corpus.outcome import digest
from gatewise_implementations.adapter import RefusalError, SetupError
from gatewise_implementations.reference import make_adapter
from gatewise_implementations.reference_library import kernel_paths

MakeCase = Callable[..., Case]
SameBits = Callable[[Mapping[str, Array], Mapping[str, Array]], None]

PATHS = [path.name for path in kernel_paths() if path.available]


@pytest.mark.parametrize(
    ("argument", "configurations"),
    [
        ("", [f"{path},threads={threads}" for path in PATHS for threads in (1, 3)]),
        ("scalar", ["scalar,threads=1", "scalar,threads=3"]),
        ("scalar,threads=3", ["scalar,threads=3"]),
        ("threads=256", [f"{path},threads=256" for path in PATHS]),
    ],
)
def test_options(make_case: MakeCase, same_bits: SameBits, argument: str, configurations: list[str]) -> None:
    case = make_case("LSTM", lengths=(6, 0, 3, 1, 5), direction="bidirectional", constants=("W", "B"))
    adapter = make_adapter(argument)
    ran = adapter.run(case)
    assert adapter.describe().settings["configurations"] == " ".join(configurations)
    assert list(ran.digests) == configurations
    assert set(ran.digests.values()) == {digest(ran.outputs)}
    same_bits(dict(ran.outputs), dict(make_adapter("scalar,threads=1").run(case).outputs))


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("avx9", r"reference: there is no option 'avx9'; allowed: .*scalar.*"),
        ("threads=0", "reference: threads=0, but must be an integer from 1 to 2147483647"),
        ("threads=257", "reference: threads=257, but must be at most 256"),
        ("threads=3.0", "reference: threads=3.0, but must be an integer from 1 to 2147483647"),
        ("scalar,color=red", "reference: there is no option 'color'; allowed: .*threads=N, mode=exact\\|fast"),
        ("scalar=1", "reference: option scalar takes no value"),
    ],
)
def test_an_unknown_option_is_refused_with_what_is_allowed(argument: str, message: str) -> None:
    with pytest.raises(SetupError, match=f"^{message}$"):
        make_adapter(argument)


def test_a_refusal_passes_through(make_case: MakeCase) -> None:
    with pytest.raises(RefusalError) as refusal:
        make_adapter("").run(make_case("GRU", direction="sideways"))
    assert (refusal.value.kind, refusal.value.reason) == ("invalid", "direction")


def test_it_declares_half_a_unit_for_the_bounded_functions() -> None:
    description = make_adapter("").describe()
    assert description.name == "reference"
    assert description.activation_errors == {"Sigmoid": 0.51, "Tanh": 0.51}
    assert description.decisions == ()
