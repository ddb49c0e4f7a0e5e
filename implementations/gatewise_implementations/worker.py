"""The worker process: ``python -m gatewise_implementations.worker SPEC`` answers requests until its input ends."""

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable
from threading import Thread
from typing import BinaryIO

from gatewise_corpus.outcome import Crashed, Raised, Ran, Refused
from gatewise_implementations.adapter import Adapter, CrashError, RefusalError
from gatewise_implementations.protocol import (
    Answer,
    CaseMessage,
    DescribeRequest,
    RaisedAnswer,
    Request,
    decode_request,
    encode,
    from_message,
    to_answer,
    to_description_answer,
)
from gatewise_implementations.specs import make_adapter

PARENT_SECONDS = 1.0
"""How often a worker looks whether the process that started it is still there."""


def main() -> None:
    """Serves the adapter that the first argument names."""
    work(lambda: make_adapter(sys.argv[1]))


def work(make: Callable[[], Adapter]) -> None:
    """Serves the adapter that ``make`` makes on standard input and output, until the input ends."""
    # A crash is an expected outcome here; hundreds of core files are not.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    requests, answers = _take_standard_streams()
    Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    serve(make, requests, answers)


def serve(make: Callable[[], Adapter], requests: Iterable[bytes], answers: BinaryIO) -> None:
    """Answers each line of ``requests``; the adapter is made at the first, so that its failure is an answer too."""
    adapter: Adapter | None = None
    for line in requests:
        request = decode_request(line)
        try:
            adapter = adapter or make()
            answer = _answer(adapter, request)
        except Exception as error:  # noqa: BLE001 - whatever the implementation raises is its outcome
            answer = RaisedAnswer(request.id, type(error).__name__, _message(error))
        answers.write(encode(answer))
        answers.flush()


def _answer(adapter: Adapter, request: Request) -> Answer:
    if isinstance(request, DescribeRequest):
        return to_description_answer(request.id, adapter.describe())
    return to_answer(request.id, _run(adapter, request.case))


def _run(adapter: Adapter, message: CaseMessage) -> Ran | Refused | Raised | Crashed:
    case = from_message(message)
    try:
        return adapter.run(case)
    except RefusalError as error:
        return Refused(str(error), error.kind, error.reason)
    except CrashError as error:
        return Crashed(error.how, error.stderr)


def _take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for the protocol alone: what a runtime reads is empty, what it prints goes to stderr.

    The descriptors themselves move, because runtimes print from C.
    """
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _end_with_parent(parent: int) -> None:
    """Ends this process and what it started once ``parent`` is gone: a hanging case would outlive a killed gate."""
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)
    os.killpg(0, signal.SIGKILL)


def _message(error: Exception) -> str:
    return str(error) or type(error).__name__


if __name__ == "__main__":
    main()
