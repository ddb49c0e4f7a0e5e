"""Folders and files that commands write, with what goes wrong told in a sentence."""

from pathlib import Path

from gatewise.cli.errors import UsageOrSetupError


def made_folder(folder: Path) -> Path:
    """The folder, made if it is not there.

    Raises:
        UsageOrSetupError: if it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageOrSetupError(f"{folder}: cannot be made ({error.strerror})") from error
    return folder
