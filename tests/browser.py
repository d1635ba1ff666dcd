"""The system's Chromium for tests of pages."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.programs import missing, program


def chromium() -> str | None:
    return program("chromium-headless-shell")


@contextmanager
def opened_browser() -> Iterator[Browser]:
    """A browser without a window."""
    path = chromium()
    if path is None:
        pytest.fail(missing("chromium-headless-shell"), pytrace=False)
    expect.set_options(timeout=30_000)  # five seconds may be too few beside other work
    with sync_playwright() as driver:
        # Chromium's sandbox needs rights that a container does not give.
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
