"""The adapter of the C reference: one case on each of its kernel paths and numbers of threads."""

from collections.abc import Sequence
from dataclasses import dataclass

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.outcome import Ran, digest
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.options import Options
from gatewise_implementations.reference_library import MAX_THREADS, MODES, Plan, build_info, kernel_paths

THREADS = (1, 3)
"""The numbers of threads that run where the options name none (the note, section "Exact mode")."""
ACTIVATION_ERRORS = {
    # Correctly rounded values below 1 lie within half of 2^-24; the hundredth is the model's own float64.
    "exact": {"Sigmoid": 0.51, "Tanh": 0.51},
    # Measured over all inputs on every path: docs/fast-mode.md.
    "fast": {"Sigmoid": 1.5, "Tanh": 1.5},
}
"""The errors of each mode's activation functions, in units of 2^-24."""


@dataclass(frozen=True)
class Configuration:
    """One way to run the reference: a kernel path and a number of threads, the calling one counted."""

    kernel_path: str
    threads: int

    def __str__(self) -> str:
        return f"{self.kernel_path},threads={self.threads}"


class Reference:
    """The C reference library.

    ``run`` returns the outputs of the first configuration, and the digests of all, which must be equal: in exact mode
    on all kernel paths, in fast mode for all numbers of threads.
    """

    def __init__(self, configurations: Sequence[Configuration], mode: str = "exact") -> None:
        self.configurations = tuple(configurations)
        self.mode = mode

    def describe(self) -> Description:
        """The library's version, compiler and flags, and the configurations that run."""
        build = build_info()
        configurations = " ".join(map(str, self.configurations))
        return Description(
            name="reference",
            versions={"reference": build["version"], "compiler": build["compiler"]},
            settings={"mode": self.mode, "configurations": configurations, "flags": build["flags"]},
            activation_errors=ACTIVATION_ERRORS[self.mode],
        )

    def run(self, case: Case) -> Ran:
        """The outputs of the first configuration and the digests of all.

        Raises:
            RefusalError: if the library refuses the case.
        """
        ran = [
            (str(configuration), Plan(case, configuration.kernel_path, self.mode).workspace(configuration.threads))
            for configuration in self.configurations
        ]
        outputs = [(name, workspace.run(case.inputs)) for name, workspace in ran]
        return Ran(outputs[0][1], {name: digest(values) for name, values in outputs})


def make_adapter(argument: str) -> Reference:
    """The adapter with a kernel path, ``threads=N`` and ``mode=exact`` or ``mode=fast``.

    Without a number 1 and 3 threads run; without a path all of them, or in fast mode, whose bits depend on the path,
    the widest.

    Raises:
        SetupError: if an option is neither, or names a path that is not there or a number out of range.
    """
    known = {path.name: path for path in kernel_paths()}
    available = tuple(name for name, path in known.items() if path.available)
    options = Options("reference", argument)
    path = options.word(list(known))
    count = options.integer("threads", default=1, least=1)
    mode = options.choice("mode", MODES, default="exact")
    options.finish()
    if count > MAX_THREADS:
        raise SetupError(f"reference: threads={count}, but must be at most {MAX_THREADS}")
    if path is not None and path not in available:
        raise SetupError(
            f"reference: kernel path {path} needs {known[path].needs}, which this processor does not have"
        )
    chosen = available if mode == "exact" else available[-1:]
    paths = chosen if path is None else (path,)
    threads = (count,) if "threads=" in argument else THREADS
    return Reference([Configuration(name, number) for name in paths for number in threads], mode)
