"""The adapter of the C reference: one case on each of its kernel paths and numbers of threads."""

from dataclasses import dataclass

from gatewise_corpus.case import Case
from gatewise_corpus.outcome import Ran, digest
from gatewise_implementations.adapter import Description
from gatewise_implementations.reference_library import MAX_THREADS, Plan, build_info, kernel_paths

THREADS = (1, 3)
"""The numbers of threads that run where the options name none (the note, section "Exact mode")."""


@dataclass(frozen=True)
class Configuration:
    """One way to run the reference: a kernel path and a number of threads, the calling one counted."""

    kernel_path: str
    threads: int

    def __str__(self) -> str:
        return f"{self.kernel_path},threads={self.threads}"


class Reference:
    """The C reference library.

    ``run`` returns the outputs of the first configuration, and the digests of all: exact mode requires that they are
    equal.
    """

    def __init__(self, options: str = "") -> None:
        """Reads the options of ``reference:OPTIONS``.

        Args:
            options: a kernel path, ``threads=N`` (1 to 256), both with a comma between, or nothing: every kernel
                path that this processor runs, with 1 and with 3 threads.

        Raises:
            ValueError: if an option is none of these; the message lists what is allowed.
        """
        self.configurations = _configurations(options)

    def describe(self) -> Description:
        """The library's version, compiler and flags, and the configurations that run."""
        build = build_info()
        configurations = " ".join(map(str, self.configurations))
        return Description(
            name="reference",
            versions={"reference": build["version"], "compiler": build["compiler"]},
            settings={"configurations": configurations, "flags": build["flags"]},
            # Correctly rounded values below 1 lie within half of 2^-24; a hair more for float64's own error.
            activation_errors={"Sigmoid": 0.51, "Tanh": 0.51},
        )

    def run(self, case: Case) -> Ran:
        """The outputs of the first configuration and the digests of all.

        Raises:
            RefusalError: if the library refuses the case.
        """
        ran = [
            (str(configuration), Plan(case, configuration.kernel_path).workspace(configuration.threads))
            for configuration in self.configurations
        ]
        outputs = [(name, workspace.run(case.inputs)) for name, workspace in ran]
        return Ran(outputs[0][1], {name: digest(values) for name, values in outputs})


def _configurations(options: str) -> tuple[Configuration, ...]:
    available = tuple(path.name for path in kernel_paths() if path.available)
    paths = available
    threads: tuple[int, ...] = THREADS
    for option in filter(None, options.split(",")):
        name, equals, value = option.partition("=")
        if option in available:
            paths = (option,)
        elif name == "threads" and equals and value.isdecimal() and 1 <= int(value) <= MAX_THREADS:
            threads = (int(value),)
        else:
            allowed = f"{', '.join(available)}, threads=N with N from 1 to {MAX_THREADS}"
            raise ValueError(f"option {option!r} of reference is not one of {allowed}")
    return tuple(Configuration(path, count) for path in paths for count in threads)
