"""A long-lived child process that is asked one line and answers one line, each within a time limit.

It knows no protocol. The child runs in a process group of its own (POSIX), which dies with it: whatever it started
goes too. Its pipes are read without blocking, so that a child which fills standard error, or never reads its input,
holds nothing up.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

from gatewise_implementations.adapter import SetupError

CHUNK = 2**16
PIPE_LIMIT = 2**20
"""Bytes that a pipe holds at most, on Linux without privileges."""
LINE_LIMIT = 2**30
"""Bytes after which an answer without an end is given up, before it fills the memory."""
STDERR_KEPT = 4096
"""Bytes of standard error that are kept: its end, where the reason of a crash stands."""
POLL_SECONDS = 0.1
"""How often to look whether a child died whose own children still hold its standard output open."""
FAREWELL_SECONDS = 2.0
"""How long a child may take to end by itself: after its input was closed, or after it closed its output."""


class EndedError(Exception):
    """The child ended, or sent what is not one line: ``how`` says by which signal or exit code, or what it did."""

    def __init__(self, how: str) -> None:
        self.how = how
        super().__init__(how)


class Child:
    """One child process. It is gone, with all it started, after ``close`` or ``kill``, or once ``ask`` has raised."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Starts ``command``.

        Raises:
            SetupError: if there is no such program or it may not be run.
        """
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(  # noqa: S603 - starting the program under test is the purpose
                command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
            )
        except OSError as error:
            raise SetupError(f"{command[0]!r} cannot be started: {error.strerror}") from error
        streams = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._stdin, self._stdout, self._stderr = (stream.fileno() for stream in streams if stream)
        self._selector = selectors.PollSelector()
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)
        self._unsent = memoryview(b"")
        self._received = bytearray()
        self._last_words = bytearray()
        self._gone = False

    @property
    def stderr(self) -> str:
        """The end of what the child has written to standard error."""
        return self._last_words.decode(errors="replace")

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Sends ``line`` and returns the line that comes back.

        Raises:
            TimeoutError: if none has come after ``seconds``.
            EndedError: if the child ended, or sent more than one line.
        """
        try:
            return self._exchange(line, time.monotonic() + seconds)
        except BaseException:
            self.kill()
            raise

    def close(self) -> None:
        """Closes the child's input, gives it a moment to end by itself, then kills what is left of its group."""
        if self._process.stdin:
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Ends the whole process group, reaps the child, keeps its last words and closes the pipes; once."""
        if self._gone:  # its number may be another process group's by now
            return
        self._gone = True
        with contextlib.suppress(ProcessLookupError, PermissionError):  # nothing of the group may be left
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._stderr in self._selector.get_map():
            self._drain_stderr()
        self._selector.close()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                stream.close()

    def _exchange(self, line: bytes, deadline: float) -> bytes:
        self._unsent = memoryview(line)
        self._send()
        if self._unsent:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            self._attend(deadline)
        if self._unsent:
            raise EndedError("it sent a line before it had read the request")
        if end + 1 != len(self._received):
            raise EndedError("it sent more than one line for one request")
        answer = bytes(self._received)
        self._received.clear()
        return answer

    def _attend(self, deadline: float) -> None:
        """Waits until a pipe is ready, or for a moment, and does what there is to do."""
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        ready = self._selector.select(min(remaining, POLL_SECONDS))
        for key, _ in ready:
            if key.fd == self._stdin:
                self._send()
            elif key.fd == self._stderr:
                self._read_stderr()
            else:
                self._read_stdout()
        if not ready and self._process.poll() is not None:
            raise self._ended()

    def _send(self) -> None:
        """Writes what the pipe takes."""
        try:
            self._unsent = self._unsent[os.write(self._stdin, self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # whether it died or only closed its input, the reading side will tell
            self._unsent = self._unsent[:0]
        if not self._unsent and self._stdin in self._selector.get_map():
            self._selector.unregister(self._stdin)

    def _read_stdout(self) -> None:
        chunk = os.read(self._stdout, CHUNK)
        if not chunk:
            raise self._ended()
        self._received += chunk
        if len(self._received) > LINE_LIMIT:
            raise EndedError(f"it sent a line of more than {LINE_LIMIT} bytes")

    def _read_stderr(self) -> bool:
        """Keeps the end of what has come; False at the end of the stream."""
        chunk = os.read(self._stderr, CHUNK)
        self._last_words += chunk
        del self._last_words[:-STDERR_KEPT]
        if not chunk:
            self._selector.unregister(self._stderr)
        return bool(chunk)

    def _ended(self) -> EndedError:
        """How the child ended, once it has closed its output or died."""
        try:
            code = self._process.wait(FAREWELL_SECONDS)
        except subprocess.TimeoutExpired:
            return EndedError("it closed its standard output")
        return EndedError(describe_exit(code))

    def _drain_stderr(self) -> None:
        """Reads what a full pipe can hold and no more: a process that left the group may still be writing."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(PIPE_LIMIT // CHUNK):
                if not self._read_stderr():
                    break


def describe_exit(code: int) -> str:
    """An exit code as ``subprocess`` gives it, in words: "exit code 3", or the signal's name where negative."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
