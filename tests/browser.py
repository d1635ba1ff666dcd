"""The system's Chromium for tests of pages."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
MISSING = "no Chromium: `apt install chromium`, or put one on the PATH"


def chromium() -> str | None:
    """The path of the system's Chromium."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def install() -> None:
    """Installs Chromium where there is none and Debian's tools can; `tests/run.py` asks for it."""
    apt = shutil.which("apt-get")
    if chromium() is None and apt and os.geteuid() == 0:
        packages = ("install", "-y", "-qq", "--no-install-recommends", "chromium")
        for words in (("update", "-qq"), packages):
            subprocess.run([apt, *words], check=False, stdout=subprocess.DEVNULL)  # noqa: S603


@contextmanager
def opened_browser() -> Iterator[Browser]:
    """A browser without a window; without one the test fails, so that green says: all was tried."""
    path = chromium()
    if path is None:
        pytest.fail(MISSING, pytrace=False)
    with sync_playwright() as driver:
        # Its own sandbox needs rights that a container does not give.
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


if __name__ == "__main__":
    install()
