"""The columns of the grid in a real browser: their widths, which stay in sight, and their marks."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, Route, expect

from tests.conftest import Files, offer
from tests.page.browsing import tab_to
from tests.page.opened_grid import (
    FIRST,
    ROW,
    STATUS,
    OpenGrid,
    cells_at,
    few,
    focused,
    go_to,
    grid_tab,
    opened,
    press,
)

__all__ = ("few", "grid_tab", "opened")
"""The fixtures of grids."""

GTIN = FIRST + 1
NARROW, WIDE = 40, 1200
"""Pixels; no column is narrower or wider."""


def header(page: Page, column: int) -> Locator:
    return page.locator(f".grid-head [data-column='{column}']")


def extent(cell: Locator) -> tuple[int, int]:
    """The begin and end of a cell on the screen."""
    box = cell.bounding_box()
    assert box
    return round(box["x"]), round(box["x"] + box["width"])


AGREE = """(column) => {
  const at = (row, of) => (
    document.querySelector(`${row} [data-column='${of}']`)?.getBoundingClientRect());
  const rows = [".grid-head", "[data-place='0']", "[data-place='1']"];
  const cells = rows.map((row) => at(row, column));
  const agrees = ({ left, right }) => left === cells[0].left && right === cells[0].right;
  if (!cells.every((cell) => cell && agrees(cell))) return null;
  return [cells[0].left, cells[0].right, at(".grid-head", column + 1).left].map(Math.round);
}"""


def width(page: Page, column: int) -> int:
    """The width of a column, once its header and cells agree; its neighbour begins at its end."""
    start, end, following = page.wait_for_function(AGREE, arg=column).json_value()
    assert following == end
    return int(end - start)


def drag(page: Page, column: int, pixels: int) -> None:
    """Drags the right edge of a column."""
    box = header(page, column).bounding_box()
    assert box
    end = round(box["x"] + box["width"])
    page.mouse.move(end - 3, box["y"] + 10)
    page.mouse.down()
    for part in (3, 1):  # a way, not a leap
        page.mouse.move(end - 3 + pixels // part, box["y"] + 30)
    page.mouse.up()


def test_columns_are_dragged_wider_or_narrower(opened: OpenGrid, few: Path) -> None:
    page = opened(few)
    cells_at(page, 0)
    for column, pixels in ((ROW, -30), (STATUS, 90), (FIRST, -30), (GTIN, 90)):
        before = width(page, column)
        drag(page, column, pixels)
        assert width(page, column) == max(NARROW, before + pixels), (column, pixels)
        page.mouse.move(700, 300)
        assert width(page, column) == max(NARROW, before + pixels), (column, pixels)
    # No column is lost.
    cell = page.locator(f"[data-place='0'] [data-column='{GTIN}']")
    for pixels, limit in ((-2000, NARROW), (5000, WIDE)):
        drag(page, GTIN, pixels)
        assert cell.evaluate("cell => cell.offsetWidth") == limit
    page.reload()
    # A double click makes it fit.
    cells_at(page, 0)
    usual = width(page, GTIN)
    for pixels in (-2000, 400):
        drag(page, GTIN, pixels)
        header(page, GTIN).locator(".grid-edge").dblclick()
        cut, spare = page.locator(f"[data-column='{GTIN}']").evaluate_all("""cells => [
          cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length,
          Math.min(...cells.map((cell) => {
            const range = document.createRange();
            range.selectNodeContents(cell);
            return cell.getBoundingClientRect().right - range.getBoundingClientRect().right;
          }))]""")
        assert (cut, spare < 20) == (0, True)
    # It keeps its width while the page is open.
    before = width(page, GTIN)
    drag(page, GTIN, 60)
    page.locator("[data-which='status:Valid']").click()
    expect(page.locator(".grid-part [role=status]")).to_have_text("4 rows")
    assert width(page, GTIN) == before + 60 != usual
    page.reload()
    cells_at(page, 0)
    assert width(page, GTIN) == usual
    # Keys and buttons do the same with the column of the focus, which stays in place.
    go_to(page, 1, GTIN)
    assert press(page, "Shift+ArrowRight", "Shift+ArrowRight") == (1, GTIN)
    assert width(page, GTIN) == usual + 48
    assert press(page, "Shift+ArrowLeft") == (1, GTIN)
    assert width(page, GTIN) == usual + 24
    page.get_by_role("button", name="Narrower column").click()
    assert width(page, GTIN) == usual
    wider = page.get_by_role("button", name="Wider column")
    assert wider.get_attribute("aria-keyshortcuts") == "Shift+ArrowRight"
    wider.focus()
    page.keyboard.press("Enter")
    assert width(page, GTIN) == usual + 24
    tab_to(page, ".grid-body [tabindex='0']")
    assert focused(page) == (1, GTIN)


def scrolled(page: Page, left: int) -> None:
    """The grid, scrolled to the right and drawn."""
    page.locator(".grid-scroll").evaluate(
        """async (element, left) => {
          element.scrollLeft = left;
          for (const _ of [1, 2, 3]) await new Promise(requestAnimationFrame);
        }""",
        left,
    )


def test_the_column_of_references_stays_visible_at_any_place(
    opened: OpenGrid, files: Files
) -> None:
    """It begins in its place, and is frozen at the left once it has scrolled there."""
    row = offer(1)
    name = row.pop("sellerExternalReference")
    notes = {f"Note {number}": "x" * 30 for number in range(12)}
    page = opened(files.csv(*[{**row, "sellerExternalReference": name, **notes}] * 9))
    cells_at(page, 0)
    at = FIRST + list(row).index("quantity") + 1
    cell = page.locator(f"[data-place='0'] [data-column='{at}']")
    left = extent(header(page, STATUS))[1]
    assert extent(cell)[0] == extent(header(page, at - 1))[1]
    scrolled(page, 200)
    assert extent(cell)[0] == extent(header(page, at - 1))[1]
    scrolled(page, 1800)
    assert (extent(cell)[0], extent(header(page, at))[0]) == (left, left)
    assert cell.evaluate(IS_ON_TOP)
    go_to(page, 0, at)
    press(page, "ArrowRight")
    following = page.locator(":focus")
    assert extent(following)[0] >= extent(cell)[1]
    press(page, "ArrowLeft", "ArrowLeft")
    assert extent(page.locator(":focus"))[0] >= left
    assert page.locator(":focus").evaluate(IS_ON_TOP)


IS_ON_TOP = """cell => {
  const { x, y, width, height } = cell.getBoundingClientRect();
  return [x + 4, x + width - 4].every((at) => (
    cell.contains(document.elementFromPoint(at, y + height / 2))));
}"""


def test_on_a_phone_only_the_row_number_is_frozen(opened: OpenGrid, few: Path) -> None:
    page = opened(few, viewport={"width": 390, "height": 844})
    cells_at(page, 0)
    go_to(page, 0, ROW)
    press(page, "End")
    frozen = page.locator("[data-place='0'] .frozen")
    assert [cell.get_attribute("data-column") for cell in frozen.all()] == [str(ROW)]
    assert page.locator(":focus").evaluate(IS_ON_TOP)


def hold(held: list[Route], route: Route) -> None:
    held.append(route)


HIDDEN = 4
"""The position of the row that is hidden in the sheet."""


def test_rows_not_yet_loaded_show_no_texts_of_earlier_rows(opened: OpenGrid, few: Path) -> None:
    page = opened(few)
    cells_at(page, 0)
    expect(page.locator(".grid-bar")).to_contain_text("SKU")
    held: list[Route] = []
    page.route(re.compile("/rows.*which=status"), lambda route: hold(held, route))
    page.locator("[data-which='status:Invalid']").click()
    waiting = page.locator(".grid-body .waiting")
    expect(waiting.first).to_be_visible()
    assert {tuple(row.locator(".grid-cell").all_inner_texts()[:4]) for row in waiting.all()} == {
        ("…", "", "", "")
    }
    assert page.locator(".grid-body .error, .grid-body .badge").count() == 0
    expect(page.locator(".grid-bar")).not_to_contain_text("SKU")
    for route in held:
        route.continue_()
    cells_at(page, 0)
    expect(page.locator(".grid-bar")).to_contain_text("D4 price.price")
    # A row that is hidden in the sheet is marked.
    page.locator("[data-which='all']").click()
    styles = []
    for place in (0, HIDDEN):
        cells_at(page, place)
        number = page.locator(f"[data-place='{place}'] [data-column='{ROW}']")
        number.click()
        styles.append(number.evaluate("cell => getComputedStyle(cell).borderLeftStyle"))
        is_told = "hidden in the sheet" in page.locator(".grid-bar").inner_text()
        assert is_told == (place == HIDDEN)
        assert bool(number.get_attribute("aria-describedby")) == is_told
    assert styles == ["solid", "dotted"]


def test_the_bar_below_follows_the_filter(opened: OpenGrid, files: Files) -> None:
    """A filter without rows empties it."""
    page = opened(files.csv(offer(1), offer(2, price__price="-1")))
    cells_at(page, 0)
    page.locator(".grid-filters [data-which='code:number-range']").click()
    bar = page.locator(".grid-bar")
    expect(bar).to_contain_text("D3 price.price -1")
    page.locator(".grid-filters [data-which='status:Valid']").click()
    expect(bar).to_contain_text("Row 2")
    expect(bar).not_to_contain_text("number-range")
    page.locator(".grid-filters [data-which='all']").evaluate(
        "(link) => { Object.assign(link.dataset, { which: 'warning', rows: 0 }); link.click(); }"
    )
    expect(page.locator(".grid-body .grid-row")).to_have_count(0)
    expect(bar).to_have_text("")
