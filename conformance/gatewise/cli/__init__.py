"""The command line: one file for each command, imported when it is called."""

import errno
import os
import sys
from importlib import import_module
from inspect import cleandoc
from types import MappingProxyType
from typing import Any

import click

COMMANDS = MappingProxyType(
    {
        "gate": "Judge the corpus and freshly generated cases: the gate of a CI.",
        "check": "Judge cases in the ONNX backend test format, and one-node models.",
        "fuzz": "Fuzz an implementation with generated cases.",
        "run": "Run one case and write its outputs, unjudged.",
        "corpus": "Keep the store of cases.",
        "record": "Record ONNX Runtime's outputs into the corpus.",
        "hash": "Hash every output bit on this machine, in every configuration.",
        "compare": "Compare the hash reports of machines.",
        "matrix": "Show many implementations beside each other, feature by feature.",
        "bench": "Time the reference and other runtimes.",
        "show": "Show a report, or one of its results in full.",
        "implementations": "List what can run here, and why the rest cannot.",
    }
)
"""The commands in the order in which they are listed. Each is an object of its name in a module of its name."""


_EXAMPLES = "\b\nExamples:"


def examples_last(command: click.Command) -> click.Command:
    """The command, its examples moved from the end of its text to the end of its help, below the options."""
    text, mark, examples = cleandoc(command.help or "").partition(_EXAMPLES)
    if mark:
        command.help, command.epilog = text, mark + examples
    if isinstance(command, click.Group):
        for own in command.commands.values():
            examples_last(own)
    return command


class _LazyGroup(click.Group):
    """Imports a command's module only when that command is called, so that the others start fast."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Runs the command line; where the system refuses a file or standard output, says so."""
        try:
            try:
                return super().main(*args, **extra)
            finally:
                sys.stdout.flush()
        except OSError as error:
            # What is left in the buffer would be tried again at the exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if error.errno != errno.EPIPE:  # whoever read has read enough
                what = error.filename or "standard output cannot be written"
                click.echo(f"Error: {what} ({error.strerror})", err=True)
            sys.exit(2)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"gatewise.cli.{cmd_name}"), cmd_name)
        return examples_last(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gatewise")
def main() -> None:
    """Test implementations of ONNX RNN, GRU and LSTM against their specification.

    Exit codes: 0 all as expected, 1 findings, 2 usage or set-up.

    \b
    Examples:
      gatewise gate -i onnxruntime
      gatewise check ./my-cases -i backend:my_runtime.backend
    """


examples_last(main)
