"""The grid in a real browser: what it shows, and how one moves in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, expect

from feedtool.page.desk import Desk
from tests.page.conftest import SAMPLES, brought, served

MISTAKES = SAMPLES / "offers-mistakes.xlsx"
MOST_NODES = 1_500
ACTIVE = """() => {
  const cell = document.activeElement, row = cell.parentNode;
  return [row.getAttribute("aria-rowindex") - 2, cell.getAttribute("aria-colindex") - 1];
}"""
"""The position and the column of the cell that has the focus, from 0 on."""
FOCUS = """() => {
  window.focusMoved = new Promise((moved) => {
    document.addEventListener("focusin", () => moved(), { once: true });
  });
}"""
ROW, STATUS, FIRST = 0, 1, 2
"""The first columns of the grid; the sheet's own begin with `FIRST`."""


class OpenGrid:
    """Brings files to a page, and opens it where their rows are shown."""

    def __init__(self, browser: Browser, client: FlaskClient, desk: Desk, address: str) -> None:
        self._browser, self._client, self.desk, self._address = browser, client, desk, address
        self.file = ""
        self.refusals: list[str] = []
        """What the browser has complained of."""

    def __call__(self, path: Path, made: Path | None = None, rest: str = "", **how: Any) -> Page:
        """The page of a file, whose grid may be made otherwise."""
        self.file = brought(self._client, path)
        if made:
            self.place.unlink()
            self.place.hardlink_to(made)
        page = self._browser.new_page(**{"viewport": {"width": 1440, "height": 900}, **how})
        page.on("console", lambda message: self.refusals.append(message.text))
        page.on("pageerror", lambda error: self.refusals.append(str(error)))
        page.goto(f"{self._address}en/files/{self.file}{rest}")
        return page

    @property
    def place(self) -> Path:
        """The file of its grid."""
        return self.desk.shelf.grid(self.desk.shelf.file(self.file))


@contextmanager
def grids_opened(browser: Browser, client: FlaskClient, desk: Desk) -> Iterator[OpenGrid]:
    """Opens grids, and sees in the end that the browser had nothing to complain of."""
    with served(desk) as address:
        opened = OpenGrid(browser, client, desk, address)
        yield opened
        for context in browser.contexts:
            context.close()
        assert opened.refusals == []


def cells_at(page: Page, place: int) -> list[str]:
    """What a row shows."""
    row = page.locator(f".grid-body [aria-rowindex='{place + 2}']")
    expect(row).to_have_attribute("aria-busy", "false")
    return row.locator(".grid-cell").all_inner_texts()


def focused(page: Page) -> tuple[int, int]:
    """The position and the column of the cell that has the focus, once its row is there."""
    expect(page.locator(".grid-row:focus-within")).to_have_attribute("aria-busy", "false")
    place, column = page.evaluate(ACTIVE)
    return place, column


def press(page: Page, *keys: str) -> tuple[int, int]:
    """Presses keys; the cell that has the focus then."""
    for key in keys:
        page.keyboard.press(key)
    return focused(page)


def step(page: Page, key: str = "F8") -> tuple[int, int]:
    """Goes to the next problem, for which the server may be asked; its cell."""
    page.evaluate(FOCUS)
    page.keyboard.press(key)
    page.evaluate("window.focusMoved")
    return focused(page)


def go_to(page: Page, place: int, column: int) -> None:
    """Clicks a cell that is in sight."""
    page.locator(f"[data-place='{place}'] [data-column='{column}']").click()
    assert focused(page) == (place, column)


def nodes(page: Page) -> int:
    """All elements of the page."""
    return int(page.evaluate("document.querySelectorAll('*').length"))


def in_sight(page: Page) -> tuple[int, int]:
    """The positions of the first and the last row that are wholly in sight."""
    first, last = page.evaluate("""() => {
      const scroller = document.querySelector(".grid-scroll").getBoundingClientRect();
      const top = document.querySelector(".grid-head").getBoundingClientRect().bottom;
      const places = [...document.querySelectorAll(".grid-body .grid-row")].filter((row) => {
        const { top: y, bottom } = row.getBoundingClientRect();
        return y >= top - 2 && bottom <= scroller.bottom + 2;
      }).map((row) => Number(row.dataset.place));
      return [Math.min(...places), Math.max(...places)];
    }""")
    return first, last
