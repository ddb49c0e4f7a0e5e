"""The client's side of an implementation: a worker process that outlives the cases that kill it."""

import os
import tempfile
from types import TracebackType
from typing import Self

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.onnx_model import to_model
from gatewise_corpus.outcome import Crashed, Outcome, TimedOut
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.child import Child, EndedError
from gatewise_implementations.protocol import (
    Answer,
    DescribeRequest,
    DescriptionAnswer,
    ProtocolError,
    RaisedAnswer,
    Request,
    RunRequest,
    decode_answer,
    encode,
    from_answer,
    from_description_answer,
    to_message,
)
from gatewise_implementations.specs import Spec, parse_spec

TIME_LIMIT = 10.0
"""Seconds for one case."""
START_LIMIT = 120.0
"""Seconds for a program to start: some runtimes take long to load."""
FRESH_MEMORY = "165"
"""What glibc fills fresh memory with, so that an output which was never written shows (mallopt(3), M_PERTURB)."""


class Worker:
    """One implementation in a process of its own, started again after every crash; a context manager.

    Args:
        spec: the SPEC, or its text.
        time_limit: seconds for one case.
        start_limit: seconds until the program must have said what it is.
    """

    def __init__(self, spec: Spec | str, time_limit: float = TIME_LIMIT, start_limit: float = START_LIMIT) -> None:
        """Starts nothing yet.

        Raises:
            SetupError: if the SPEC names nothing that there is.
        """
        self._spec = parse_spec(spec) if isinstance(spec, str) else spec
        self._time_limit = time_limit
        self._start_limit = start_limit
        self._child: Child | None = None
        self._last_id = 0
        self._scratch = tempfile.TemporaryDirectory(prefix="gatewise-")
        self._description: Description | None = None

    def __enter__(self) -> Self:
        """Starts the program.

        Raises:
            SetupError: if it cannot be started or does not say what it is.
        """
        try:
            self._running_child()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the program and all that it started, and removes what it left in its folder for temporary files."""
        if self._child is not None:
            self._child.close()
            self._child = None
        self._scratch.cleanup()

    def describe(self) -> Description:
        """What runs there.

        Raises:
            SetupError: if the program cannot be started or does not say what it is.
        """
        self._running_child()
        if self._description is None:
            raise SetupError(f"{self._spec.text}: did not say what it is")
        return self._description

    def run(self, case: Case) -> Outcome:
        """What comes of ``case``; whatever it is, the next case finds a running program.

        Raises:
            SetupError: if the program, after a crash, cannot be started again.
            ProtocolError: if the case holds a tensor that the protocol does not carry (strings).
        """
        model = to_model(case).SerializeToString() if self._spec.is_foreign else None
        request = RunRequest(self._next_id(), to_message(case), model)
        child = self._running_child()
        try:
            outcome = from_answer(self._ask(child, request, self._time_limit))
        except TimeoutError:
            self._kill()
            return TimedOut(self._time_limit)
        except (EndedError, ProtocolError) as error:
            self._kill()
            return Crashed(str(error), child.stderr)
        except BaseException:
            self._kill()
            raise
        return outcome

    def _running_child(self) -> Child:
        if self._child is None:
            self._child = Child(self._spec.command, self._environment())
            try:
                self._description = self._ask_description(self._child)
            except BaseException:
                self._kill()
                raise
        return self._child

    def _ask_description(self, child: Child) -> Description:
        try:
            answer = self._ask(child, DescribeRequest(self._next_id()), self._start_limit)
        except TimeoutError:
            raise SetupError(f"{self._spec.text}: did not start within {self._start_limit:g} seconds") from None
        except (EndedError, ProtocolError) as error:
            child.kill()
            raise SetupError(f"{self._spec.text}: did not start: {error}{_quoted(child.stderr)}") from error
        if isinstance(answer, DescriptionAnswer):
            return from_description_answer(answer)
        if isinstance(answer, RaisedAnswer):
            raise SetupError(f"{self._spec.text}: {answer.message}")
        raise SetupError(f"{self._spec.text}: did not say what it is")

    def _ask(self, child: Child, request: Request, seconds: float) -> Answer:
        return decode_answer(child.ask(encode(request), seconds), request.id)

    def _kill(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child = None

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def _environment(self) -> dict[str, str]:
        return {"MALLOC_PERTURB_": FRESH_MEMORY, **os.environ, "TMPDIR": self._scratch.name}


def _quoted(stderr: str) -> str:
    """The last line of standard error: of a traceback, the one that says what is wrong."""
    lines = stderr.strip().splitlines()
    return f" ({lines[-1].strip()})" if lines else ""
