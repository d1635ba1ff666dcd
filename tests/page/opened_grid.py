"""The grid in a real browser: what it shows, and how one moves in it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from feedtool.page.session import PageSession
from tests.page.conftest import SAMPLES, application, made_session, served, settle, upload_file
from tests.page.own_sheets import mixed_offers
from tests.page.site import Site

MISTAKES = SAMPLES / "offers-mistakes.xlsx"
MOST_NODES = 1_500
ACTIVE = """() => {
  const cell = document.activeElement, row = cell.parentNode;
  return [row.getAttribute("aria-rowindex") - 2, cell.getAttribute("aria-colindex") - 1];
}"""
"""The position and the column of the cell that has the focus, from 0 on."""
FOCUS = """() => {
  window.moved = new Promise((done, fail) => {
    document.addEventListener("focusin", () => done(), { once: true });
    setTimeout(() => fail("nothing got the focus"), 60_000);
  });
}"""
ROW, STATUS, FIRST = 0, 1, 2
"""The first columns of the grid; the sheet's own begin with `FIRST`."""


class OpenGrid:
    """Brings files to a page, and opens it where their rows are shown; most of them in one tab."""

    def __init__(self, browser: Browser, session: PageSession, site: Site, address: str) -> None:
        self._browser, self.session, self._site, self._address = browser, session, site, address
        self._client = application(session).test_client()
        self._ids: dict[Path, str] = {}
        self.file = ""
        self.refusals: list[str] = []
        """What the browser has complained of."""
        self._others: list[Page] = []
        """The tabs of a single test."""
        self._tab = self._opened()

    def __call__(self, path: Path, made: Path | None = None, rest: str = "", **how: Any) -> Page:
        """The page of a file, whose grid may be made otherwise; a tab of its own has it `how`."""
        if path not in self._ids:
            self._ids[path] = upload_file(self._client, path)
        self.file = self._ids[path]
        if made:
            self.place.unlink()
            self.place.hardlink_to(made)
        page = self._tab
        if how:
            page = self._opened(**how)
            self._others.append(page)
        page.goto(f"{self._address}en/files/{self.file}{rest}")
        settle(page)
        return page

    def _opened(self, **how: Any) -> Page:
        page = self._browser.new_page(**{"viewport": {"width": 1440, "height": 900}, **how})
        page.on("console", lambda message: self.refusals.append(message.text))
        page.on("pageerror", lambda error: self.refusals.append(str(error)))
        return page

    def leave(self) -> None:
        """Leaves the page, of which the browser has not complained."""
        self._tab.unroute_all()
        self._tab.goto(self._site.address)
        while self._others:
            self._others.pop().close()
        refusals, self.refusals = self.refusals, []
        assert refusals == []

    def close(self) -> None:
        self._tab.close()

    @property
    def place(self) -> Path:
        """The file of its grid."""
        return self.session.uploads.grid(self.session.uploads.file(self.file))


@pytest.fixture(scope="module")
def grid_tab(
    browser: Browser, site: Site, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OpenGrid]:
    """Opens grids, most of them in one tab."""
    folder = tmp_path_factory.mktemp("grid")
    with made_session(folder / "home") as session, served(session, site) as address:
        opened = OpenGrid(browser, session, site, address)
        yield opened
        opened.close()


@pytest.fixture
def opened(grid_tab: OpenGrid) -> Iterator[OpenGrid]:
    """Opens grids; afterwards the tab is left, and the browser must have no complaints."""
    yield grid_tab
    grid_tab.leave()


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workbook of six rows, which is drawn sooner than the sample."""
    return mixed_offers(tmp_path_factory.mktemp("few") / "few.xlsx")


def wait_for(page: Page, selector: str) -> None:
    """Wait for such an element; look at each frame, not each half second."""
    page.wait_for_function("selector => document.querySelector(selector)", arg=selector)


def cells_at(page: Page, place: int) -> list[str]:
    """The texts of a row's cells."""
    row = f".grid-body [aria-rowindex='{place + 2}']"
    wait_for(page, f"{row}[aria-busy=false]")
    return page.locator(row).locator(".grid-cell").all_inner_texts()


def focused(page: Page) -> tuple[int, int]:
    """The position and the column of the cell that has the focus, once its row is there."""
    wait_for(page, ".grid-row:focus-within[aria-busy=false]")
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
    page.evaluate("moved")
    return focused(page)


def steps(page: Page, count: int, key: str) -> list[tuple[int, int]]:
    """The cells of steps from problem to problem, all in the browser."""
    return [(place, column) for place, column in page.evaluate(STEPS, [count, key])]


STEPS = """async ([count, key]) => {
  const cells = [];
  const options = {
    key: key.split("+").at(-1), shiftKey: key.startsWith("Shift+"), bubbles: true };
  while (cells.length < count) {
    const moved = new Promise(
      (done) => document.addEventListener("focusin", done, { once: true }));
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", options));
    await moved;
    const cell = document.activeElement;
    cells.push([cell.parentNode.getAttribute("aria-rowindex") - 2,
      cell.getAttribute("aria-colindex") - 1]);
  }
  return cells;
}"""


def go_to(page: Page, place: int, column: int) -> None:
    """Click a visible cell."""
    page.locator(f"[data-place='{place}'] [data-column='{column}']").click()
    assert focused(page) == (place, column)


def nodes(page: Page) -> int:
    return int(page.evaluate("document.querySelectorAll('*').length"))


def visible_rows(page: Page) -> tuple[int, int]:
    """The positions of the first and the last row that are wholly visible."""
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
