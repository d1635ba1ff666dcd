"""Acts of tests on the page in a real browser."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from feedtool.model.text import LANGUAGES, Language
from tests.page.conftest import settle

COPY = 1
"""The browser's number of a drag's effect."""


def drop(page: Page, *paths: Path, on: str = "h1") -> None:
    """Drops files, or folders, on an element of the page, as a file manager does."""
    settle(page)  # before its scripts are there a drop would open the file
    box = page.locator(on).first.bounding_box()
    assert box, on
    files = {"items": [], "files": [*map(str, paths)], "dragOperationsMask": COPY}
    session = page.context.new_cdp_session(page)
    for event in ("dragEnter", "dragOver", "drop"):
        place = {"x": box["x"] + 5, "y": box["y"] + 5}
        session.send("Input.dispatchDragEvent", {"type": event, "data": files, **place})
    session.detach()


def spoken(*usual: Language) -> list[Any]:
    """The languages, all but the usual ones for the long run."""
    long = pytest.mark.long
    return [it if it in usual else pytest.param(it, marks=long) for it in LANGUAGES]


MOST_STOPS = 80
"""Tab stops on the way to anything of a page."""
HAS_FOCUS = "selector => document.querySelector(selector) === document.activeElement"
"""True if the first such element has the focus."""


def tab_to(page: Page, selector: str) -> None:
    """Presses Tab until an element has the focus."""
    page.locator(selector).first.wait_for(state="attached")
    for _ in range(MOST_STOPS):
        if page.evaluate(HAS_FOCUS, selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {selector}")
