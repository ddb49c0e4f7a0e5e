"""A page of the docs that is made, and the command that writes it."""

from collections.abc import Callable
from pathlib import Path

import click

from gatewise.cli.errors import UsageOrSetupError


def page_command(render: Callable[[], str]) -> click.Command:
    """The command that writes what ``render`` makes to the file PAGE."""

    @click.command(help="Make the page and write it to PAGE.")
    @click.argument("page", type=click.Path(path_type=Path, dir_okay=False))
    def main(page: Path) -> None:
        try:
            page.write_text(render(), encoding="utf-8")
        except OSError as error:
            raise UsageOrSetupError(f"{page}: cannot be written ({error.strerror})") from error

    return main
