"""Set-up errors as the command line tells them: one sentence, exit code 2."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from gatewise.known_failures import KnownFailuresError
from gatewise_corpus.onnx_model import FormatError
from gatewise_implementations.adapter import SetupError
from gatewise_reports.report import ReportError


class UsageOrSetupError(click.ClickException):
    """What the user can put right."""

    exit_code = 2


@contextmanager
def told_in_a_sentence() -> Iterator[None]:
    """Turns the errors of bad input into a sentence on standard error."""
    try:
        yield
    except (FormatError, KnownFailuresError, ReportError, SetupError) as error:
        raise UsageOrSetupError(str(error)) from error
