import pytest

from gatewise_reports.bench.record import BenchFooter, BenchHeader, Cell, Contender, Timing, Untimed
from gatewise_reports.bench.report import BenchReport
from gatewise_reports.record import Implementation

REFERENCE, FAST, ORT, TORCH = "reference", "reference:mode=fast", "onnxruntime", "torch"


def timed(*times: tuple[str, int, int]) -> tuple[Timing, ...]:
    return tuple(Timing(contender, threads, run, 7, 5_000_000) for contender, threads, run in times)


@pytest.fixture
def bench() -> BenchReport:
    """Times chosen by hand: the ratios are powers of 2, and 3 / 4."""
    exact = Contender(
        REFERENCE,
        Implementation("reference", {"reference": "0.1.0"}, {"kernel_path": "avx2", "flags": "-O2"}),
        False,
        64.0,
    )
    contenders = (
        exact,
        Contender(FAST, Implementation("reference", {"reference": "0.1.0"}, {"mode": "fast"}), False, 128.0),
        Contender(ORT, Implementation("onnxruntime", {"onnxruntime": "1.32.0"}), True),
        Contender(TORCH, Implementation("torch", {"torch": "2.13.0"}), True),
    )
    header = BenchHeader("0.1.0", "zen4 x86_64 Linux", 2, 0.25, "2026-11-30T12:00:00+00:00", contenders, 4, 5, 0.25)
    report = BenchReport(header)
    refusal = tuple(Untimed(TORCH, threads, "torch.nn.GRU has linear_before_reset = 1 only") for threads in (1, 2))
    for record in (
        Cell("RNN", 1, 1, 1, timed((REFERENCE, 1, 400), (FAST, 1, 300), (ORT, 1, 2500), (TORCH, 1, 20_000))),
        Cell(
            "GRU0",
            64,
            1,
            64,
            timed(
                *((REFERENCE, 1, 40_000), (FAST, 1, 20_000), (ORT, 1, 80_000)),
                *((REFERENCE, 2, 40_000), (FAST, 2, 20_000), (ORT, 2, 20_000)),
            ),
            refusal,
        ),
        Cell(
            "LSTM",
            64,
            8,
            256,
            (
                Timing(REFERENCE, 1, 8_388_608, 7, 2_500_000, 3_000_000, 4_500_000),
                *timed((ORT, 1, 4_194_304), (TORCH, 1, 6_291_456), (REFERENCE, 2, 4_194_304), (ORT, 2, 4_194_304)),
            ),
            (Untimed(TORCH, 2, "output Y is 0.5 from the exact one; 1.5e-05 is allowed", failed=True),),
        ),
        BenchFooter(12.5, 1.5, "2026-11-30T12:00:13+00:00"),
    ):
        report.add(record)
    return report
