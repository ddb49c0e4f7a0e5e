import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PROGRAMS = ("chromium", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """A browser without a window, for tests with the marker ``browser``."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as driver, driver.chromium.launch(executable_path=program) as browser:
        yield browser
