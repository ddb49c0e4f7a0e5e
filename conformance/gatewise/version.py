"""The version of gatewise."""

from importlib.metadata import version


def suite_version() -> str:
    """The version that is installed."""
    return version("gatewise")
