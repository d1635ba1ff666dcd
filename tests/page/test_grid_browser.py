"""The grid in a real browser: what it shows, its keys, its filters, and large sheets."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from feedtool.model.row_ranges import RowRanges
from feedtool.page.grid import ALL, PROBLEMS, Grid, RowFilter, of_code
from tests.conftest import Files, offer
from tests.looks import assert_accessible
from tests.page.conftest import settle
from tests.page.made_grid import write_made_grid
from tests.page.opened_grid import (
    ACTIVE,
    FIRST,
    MISTAKES,
    MOST_NODES,
    ROW,
    STATUS,
    OpenGrid,
    cells_at,
    few,
    focused,
    go_to,
    grid_tab,
    nodes,
    opened,
    press,
    step,
    steps,
    visible_rows,
)

__all__ = ("few", "grid_tab", "opened")
"""The fixtures of grids."""


LAST = FIRST + 32
MOVES = {
    "down": (["ArrowDown", "ArrowDown"], (2, FIRST)),
    "up at the top": (["ArrowUp"], (0, FIRST)),
    "right": (["ArrowRight"], (0, FIRST + 1)),
    "left to the number": (["ArrowLeft", "ArrowLeft", "ArrowLeft"], (0, ROW)),
    "home": (["Home"], (0, ROW)),
    "end": (["End"], (0, LAST)),
    "the last cell": (["Control+End"], (43, LAST)),
    "there and back": (["Control+End", "Control+Home"], (0, ROW)),
    "beyond the last row": (["Control+End", "PageDown", "ArrowDown"], (43, LAST)),
}


def test_rows_are_those_of_the_sheet_and_keys_move_the_focus(opened: OpenGrid) -> None:
    page = opened(MISTAKES)
    row, status, *cells = cells_at(page, 0)
    assert (row, status, cells[:2]) == ("3", "Valid", ["SAMPLE-301", "3760452703016"])
    headers = page.locator(".grid-head .grid-cell").all_inner_texts()
    assert headers[:4] == ["Row", "Status", "A\nSeller reference *", "B\nGTIN (EAN) (*)"]
    table = page.locator("[role=grid]")
    assert table.get_attribute("aria-rowcount") == "45"
    assert table.get_attribute("aria-colcount") == str(len(headers))
    expect(page.locator(".grid-body [tabindex='0']")).to_have_count(1)
    expect(page.locator(".grid-part [role=status]")).to_have_text("44 rows")
    assert nodes(page) <= MOST_NODES
    # Guilty cells are marked.
    bad = page.locator(".grid-body [aria-rowindex='3'] [aria-invalid=true]")
    expect(bad).to_have_count(1)
    expect(bad).to_have_class(re.compile(r"\berror\b"))
    assert bad.evaluate("cell => getComputedStyle(cell).borderLeftWidth") == "4px"
    # Keys move the focus.
    for name, (keys, place) in MOVES.items():
        page.locator(f"[data-place='0'] [data-column='{FIRST}']").focus()
        assert press(page, *keys) == place, name
        first, last = visible_rows(page)
        assert first <= place[0] <= last, name
        expect(page.locator(".grid-body [tabindex='0']")).to_have_count(1)
        if place[0] > 0:
            press(page, "Control+Home")
    # Page down shows the next rows.
    go_to(page, 0, FIRST)
    _, last = visible_rows(page)
    assert press(page, "PageDown", "PageDown")[0] > last
    assert press(page, "PageUp", "PageUp") == (0, FIRST)


def test_the_bar_describes_cells_and_rows_are_found_by_text_and_filter(opened: OpenGrid) -> None:
    page = opened(MISTAKES)
    cells_at(page, 0)
    step(page)
    bar, said = page.locator(".grid-bar"), page.locator(".grid-part [role=status]")
    expect(bar).to_contain_text("E4 Price (VAT included)")
    expect(bar).to_contain_text("error required-missing Price (VAT included) is missing. Fill the")
    described = page.locator(":focus").get_attribute("aria-describedby")
    assert described == bar.get_attribute("id")
    page.keyboard.press("Enter")
    expect(bar).to_be_focused()
    page.keyboard.press("Tab")
    expect(bar.locator("a")).to_be_focused()
    assert (bar.locator("a").get_attribute("href") or "").endswith("/explain/required-missing")
    assert press(page, "Escape") == (1, FIRST + 4)
    press(page, "Home")
    expect(bar).to_contain_text("Row 4")
    expect(bar).to_contain_text("E4: Price (VAT included) is missing")
    # A text is found cell by cell.
    with Grid(opened.place) as grid:
        found = [
            row.position for row in grid.rows(RowFilter(0), 1, 99) if "SAMPLE-34" in row.cells[0]
        ]
        filtered = [*map(str, grid.rows_of(RowFilter(0, which=of_code("number-range"))))]
    field = page.locator("input[name=q]")
    field.fill("sample-34")
    for at in [*found, found[0]]:
        field.press("Enter")
        assert focused(page) == (at, FIRST)
    field.fill("nowhere to be found")
    field.press("Enter")
    expect(said).to_have_text("No cell has this text.")
    # A filter shows its rows, and stays in the address.
    page.locator("[data-which='code:number-range']").click()
    expect(said).to_have_text("3 rows")
    expect(page).to_have_url(re.compile(r"\?which=code%3Anumber-range$"))
    assert focused(page)[0] == 0
    expect(page.locator(":focus")).to_have_class(re.compile(r"\berror\b"))
    expect(page.locator(".grid-body .grid-row")).to_have_count(3)
    assert [cells_at(page, place)[0] for place in range(3)] == filtered
    page.reload()
    assert [cells_at(page, place)[0] for place in range(3)] == filtered
    current = page.locator("[aria-current][data-which]")
    expect(current).to_have_attribute("data-which", "code:number-range")
    assert [step(page)[0] for _ in range(4)] == [0, 1, 2, 0]
    page.go_back()
    expect(said).to_have_text("44 rows")
    assert cells_at(page, 1)[0] == "4"


def hold(held: list[Route], route: Route) -> None:
    held.append(route)


def test_a_failed_request_is_repeated_f8_visits_problems_and_late_answers_are_not_drawn(
    opened: OpenGrid, few: Path
) -> None:
    said = ".grid-part [role=status]"
    page = opened(few, rest="?plain=1")
    page.route(re.compile("/rows"), lambda route: route.abort())
    page.locator("text=Show the cells").click()
    expect(page.locator(said)).to_contain_text("cannot be read")
    page.unroute_all()
    cells_at(page, 0)
    expect(page.locator(said)).to_have_text("6 rows")
    opened.refusals.clear()
    # F8 goes to each cell with a problem in order, and after the last to the first again.
    with Grid(opened.place) as grid:
        columns = {
            column.letters: index + FIRST for index, column in enumerate(grid.sheets[0].columns)
        }
        cells = [
            (row.position, column)
            for row in grid.rows(RowFilter(0, which=PROBLEMS), 0, 99)
            for column in sorted(
                {columns[problem.column] if problem.column else ROW for problem in row.problems}
            )
        ]
    assert len(cells) > len({at for at, _ in cells}) > 2
    assert ROW in {column for _, column in cells}
    assert step(page) == cells[0]
    assert steps(page, len(cells), "F8") == [*cells[1:], cells[0]]
    assert step(page, "Shift+F8") == cells[-1]
    assert steps(page, len(cells) - 1, "Shift+F8") == cells[-2::-1]
    assert opened.refusals == []
    # The answer for an earlier filter arrives after the present one.
    page.locator("[data-which='status:Valid']").click()
    expect(page.locator(said)).to_have_text("4 rows")
    held: list[Route] = []
    page.route(re.compile("/rows.*which=all"), lambda route: hold(held, route))
    page.locator("[data-which=all]").click()
    page.locator("[data-which='status:Invalid']").click()
    expect(page.locator(".grid-body [aria-rowindex='2']")).to_contain_text("Invalid")
    for route in held:
        route.continue_()
    shown = cells_at(page, 0)
    assert (shown[ROW], shown[STATUS]) == ("4", "Invalid")
    assert held
    opened.refusals.clear()


TEXTS = ("", "5", "2-5,9,40-", "9, 4 3", "3-3", "1-5,4-8", "7-9,3-5,6", "12-,20-30")


def test_rows_are_ticked_for_the_form_and_seen_before_they_are_sent(opened: OpenGrid) -> None:
    page = opened(MISTAKES, rest="/plan")
    expect(page.locator(".grid-part")).to_be_visible(timeout=30_000)
    cells_at(page, 0)
    assert page.evaluate(WRITTEN, [*TEXTS]) == [str(RowRanges(text)) for text in TEXTS]
    rows, only = page.locator("[data-ticked]"), page.locator("#only-rows")
    form, every = page.locator("form[action$='/send']"), page.get_by_label("All that are valid")
    send, show = form.locator("button"), page.locator("button[form]")
    for box in map(page.get_by_label, ("Send nothing unless", "Leave out rows")):
        box.check()
        expect(send).to_be_disabled()
        box.uncheck()
        expect(send).to_be_enabled()
    rows.fill("3-5")
    expect(only).to_be_checked()
    expect(send).to_be_disabled()
    rows.fill("")
    every.check()
    expect(send).to_be_enabled()
    expect(show).to_be_hidden()
    go_to(page, 0, ROW + 1)
    page.keyboard.press("Space")
    page.locator("[data-place='2'] .grid-tick").click()
    expect(rows).to_have_value("3,5")
    expect(only).to_be_checked()
    expect(send).to_be_disabled()
    expect(page.locator("[aria-selected=true]")).to_have_count(2)
    expect(page.locator(".grid-part [role=status]")).to_have_text("Ticked rows: 2")
    go_to(page, 1, ROW + 1)
    page.keyboard.press("Space")
    expect(rows).to_have_value("3-5")
    page.keyboard.press("Space")
    page.locator("[data-which='status:Valid']").click()
    page.locator("[data-tick=all]").click()
    with Grid(opened.place) as grid:
        valid = {*grid.rows_of(RowFilter(0, "plan", "status:Valid")), 3, 5}
    expect(rows).to_have_value(re.compile(r"^3,5,"))
    assert page.evaluate(RANGES, [rows.input_value(), max(valid)]) == sorted(valid)
    page.locator("[data-tick=none]").click()
    expect(rows).to_have_value("")
    page.locator("[data-place='0'] .grid-tick").click()
    show.click()
    settle(page)
    expect(send).to_have_text("Send 1 row to the sandbox")
    expect(send).to_be_enabled()


RANGES = """async ([text, last]) => {
  const { RowRanges } = await import(
    document.querySelector("script[src*='grid.js']").src.replace("grid.js", "grid_ranges.js"));
  const ranges = new RowRanges(text);
  return Array.from({ length: last }, (_, row) => row + 1).filter((row) => ranges.has(row));
}"""
WRITTEN = """async (texts) => {
  const { RowRanges } = await import(
    document.querySelector("script[src*='grid.js']").src.replace("grid.js", "grid_ranges.js"));
  return texts.map((text) => new RowRanges(text).toString());
}"""
"""The script's ranges are written as the command writes them."""


def test_without_scripts_rows_are_a_table_with_links(opened: OpenGrid) -> None:
    page = opened(MISTAKES, java_script_enabled=False)
    rows = page.locator(".grid-plain tbody tr")
    expect(rows).to_have_count(44)
    assert "E4: Price (VAT included) is missing" in rows.nth(1).inner_text()
    page.locator("[data-which='code:number-range']").click()
    expect(rows).to_have_count(3)


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file in whose place made grids are shown."""
    return Files(tmp_path_factory.mktemp("one")).csv(offer(1))


def test_the_plain_table_has_pages(opened: OpenGrid, one: Path, tmp_path: Path) -> None:
    made = write_made_grid(tmp_path / "made.sqlite", 201, 5)
    page = opened(one, made=made)
    cells_at(page, 0)
    page.locator("text=Show as a plain table").click()
    firsts = [page.locator(".grid-plain tbody th").first.inner_text()]
    for _ in range(2):
        page.locator("[rel=next]").click()
        firsts.append(page.locator(".grid-plain tbody th").first.inner_text())
    assert firsts == ["2", "102", "202"]
    expect(page.locator("[rel=next]")).to_have_count(0)
    page.locator("[rel=prev]").click()
    expect(page.locator(".grid-plain tbody th").first).to_have_text("102")


def test_axe_finds_no_fault_and_the_page_is_not_too_wide(opened: OpenGrid, few: Path) -> None:
    page = opened(few, bypass_csp=True)
    cells_at(page, 0)
    step(page)
    assert_accessible(page)
    # A plain table with a filter.
    page.goto(f"{page.url}?plain=1&which=warning")
    settle(page)
    assert_accessible(page)


MILLION, WIDTH = 1_000_000, 6
MIDDLE = 500_030
"""A row that is in sight where the bar is in the middle of its way, at the 4,000,000th pixel."""


def test_any_of_a_million_rows_is_reached_by_key_and_by_the_bar(
    opened: OpenGrid, one: Path, tmp_path: Path
) -> None:
    made = write_made_grid(tmp_path / "made.sqlite", MILLION, WIDTH)
    page = opened(one, made=made, rest="?from=30")  # a page may begin at any row
    assert cells_at(page, 30)[FIRST] == "r30c0"
    first, last = visible_rows(page)
    assert first <= 30 <= last
    scroller = page.locator(".grid-scroll")
    scroller.evaluate("element => { element.scrollTop = 0; }")
    assert cells_at(page, 0)[FIRST] == "r0c0"
    go_to(page, 0, FIRST)
    assert press(page, "Control+End") == (MILLION - 1, FIRST + WIDTH - 1)
    assert cells_at(page, MILLION - 1)[FIRST] == "r999999c0"
    assert visible_rows(page)[1] == MILLION - 1
    assert press(page, "Control+Home") == (0, ROW)
    assert visible_rows(page)[0] == 0
    # Keys move by single rows, and by problems.
    assert step(page) == (999, FIRST + 4)
    assert step(page) == (1999, FIRST + 4)
    assert press(page, *["ArrowDown"] * 10) == (2009, FIRST + 4)
    assert cells_at(page, 2009)[FIRST] == "r2009c0"
    assert step(page, "Shift+F8") == (1999, FIRST + 4)
    press(page, "Control+Home")
    # The bar leads to the last row, and to the middle.
    scroller.evaluate("element => { element.scrollTop = element.scrollHeight; }")
    assert cells_at(page, MILLION - 1)[FIRST] == "r999999c0"
    assert visible_rows(page)[1] == MILLION - 1
    scroller.evaluate("element => { element.scrollTop = 0; }")
    go_to(page, 3, FIRST + 1)
    scroller.evaluate("element => { element.scrollTop = 4e6; }")
    assert cells_at(page, MIDDLE)[FIRST] == f"r{MIDDLE}c0"
    assert nodes(page) <= MOST_NODES
    # The focus stays where it was when its row is scrolled away.
    expect(page.locator(f"[data-place='{MIDDLE}']")).to_be_visible()
    assert page.evaluate(ACTIVE) == [3, FIRST + 1]
    assert press(page, "ArrowDown") == (4, FIRST + 1)
    assert visible_rows(page)[0] <= 4
    # Pages that were left behind are no longer asked for.
    page.route(re.compile("from=[1-9]"), lambda _: None)
    with page.expect_event("requestfailed") as waiting:
        scroller.evaluate("element => { element.scrollTop = 2e6; }")
        expect(page.locator(".grid-body .waiting").first).to_be_visible()
        scroller.evaluate("element => { element.scrollTop = 0; }")
    assert "ABORTED" in str(waiting.value.failure)


def test_only_visible_columns_are_drawn(opened: OpenGrid, one: Path, tmp_path: Path) -> None:
    made = write_made_grid(tmp_path / "made.sqlite", 500, 300)
    page = opened(one, made=made)
    cells_at(page, 0)
    go_to(page, 0, FIRST)
    assert press(page, "End") == (0, FIRST + 299)
    expect(page.locator(":focus")).to_have_text("r0c299")
    expect(page.locator(".grid-body [tabindex='0']")).to_have_count(1)
    assert nodes(page) <= MOST_NODES
    assert press(page, *["ArrowLeft"] * 5) == (0, FIRST + 294)
    page.locator(".grid-scroll").evaluate("element => { element.scrollLeft = 0; }")
    expect(page.locator(f"[data-place='0'] [data-column='{FIRST + 1}']")).to_be_visible()
    assert page.evaluate(ACTIVE) == [0, FIRST + 294]
    assert press(page, "Home") == (0, ROW)
    expect(page.locator(f"[data-place='0'] [data-column='{FIRST}']")).to_have_text("r0c0")


def test_cells_with_any_content_are_text(opened: OpenGrid, files: Files) -> None:
    text = "<img src=x onerror=document.title='run'><b>bold</b>"
    page = opened(files.csv(offer(1) | {"product.reference": text, "<i>header</i>": "1"}))
    assert text in cells_at(page, 0)
    assert "<i>header</i>" in " ".join(page.locator(".grid-head .grid-cell").all_inner_texts())
    step(page)
    assert page.title() != "run"
    assert page.locator(".grid-part img, .grid-part b, .grid-part i").count() == 0


def test_a_sheet_without_problems_or_rows_is_shown(opened: OpenGrid, files: Files) -> None:
    path = files.csv(offer(1))
    for which, count in ((ALL, 1), (PROBLEMS, 0)):
        page = opened(path, rest=f"?which={which}")
        expect(page.locator(".grid-body .grid-row")).to_have_count(count)
        page.keyboard.press("F8")
        expect(page.locator(".grid-part [role=status]")).to_have_text("No further problem.")
