"""Lists of the service in a real browser: exported, edited, sent back; for everybody."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from openpyxl import load_workbook
from playwright.sync_api import Page, expect

from feedtool.model.nouns import Severity
from feedtool.page.checks import grid_of
from feedtool.page.session import PageSession
from tests.page.conftest import (
    accessible,
    made_session,
    reload,
    served,
    settle,
    with_catalogue,
)
from tests.page.routes.test_held import home as made_home
from tests.page.site import Site
from tests.pairs import sample

held_home = made_home  # a fixture

Look = Callable[[Page], None]
"""Waits until the work that a page shows is done."""

ADDRESSES = (
    *("exports", "exports/orders", "held", "templates", "explain", "explain/gtin-checksum"),
    "templates/categories?kind=products&language=en&search=t-shirt&category=011B",
)
ALIKE = "exports/operations", "exports/offers?since=soon", "explain/2403"
"""Pages that are others with less, or with other texts."""
EVERY = ADDRESSES + ALIKE


@pytest.fixture(scope="module")
def held_address(held_home: Path, catalogue: Path, site: Site) -> Iterator[str]:
    """The address of a page with held rows and a catalogue."""
    home = with_catalogue(catalogue, held_home)
    with made_session(home) as session, served(session, site) as address:
        yield address


def edited(path: Path) -> int:
    """Accepts the orders of a workbook that wait for it; their number of rows."""
    book = load_workbook(path)
    sheet = book["Orders"]
    keys = {str(cell.value): number for number, cell in enumerate(sheet[2], start=1)}
    rows = [
        row
        for row in range(3, sheet.max_row + 1)
        if sheet.cell(row, keys["status"]).value == "WaitingAcceptance"
    ]
    for row in rows:
        sheet.cell(row, keys["action"]).value = "Accept"
    book.save(path)
    return len(rows)


def exported(page: Page, look: Look, address: str, folder: Path) -> Path:
    """The orders of the sandbox, by the form of the page."""
    page.goto(f"{address}en/exports")
    page.get_by_role("link", name="orders", exact=True).click()
    page.get_by_role("button", name="Export").click()
    expect(page).to_have_url(re.compile(r"/exports/orders/[\w-]{16}$"))
    look(page)
    with page.expect_download(timeout=30_000) as waiting:
        page.get_by_role("link", name="Download orders.xlsx").click()
    path = folder / "orders.xlsx"
    waiting.value.save_as(path)
    return path


@pytest.mark.parametrize("has_scripts", [True, pytest.param(False, marks=pytest.mark.long)])
def test_orders_are_exported_edited_and_sent_back(
    tab: Page,
    plain_tab: Page,
    session: PageSession,
    address: str,
    tmp_path: Path,
    *,
    has_scripts: bool,
) -> None:
    page, look = (tab, settle) if has_scripts else (plain_tab, reload)
    path = exported(page, look, address, tmp_path)
    count = edited(path)
    assert count > 1
    page.set_input_files("input[type=file]", path)
    page.get_by_role("button", name="Check the file").click()
    page.wait_for_url(re.compile("/files/"))
    look(page)
    page.locator("a.button.main").click()
    with grid_of(session, session.uploads.file(page.url.split("/")[-2])) as grid:
        assert [group for group in grid.groups(0) if group.severity is Severity.ERROR] == []
    look(page)
    button = page.locator("form[action$='/send'] button")
    expect(button).to_contain_text(f"Send {count} rows")
    button.click()
    look(page)
    expect(page.locator("h1")).to_contain_text("Run 1: orders.xlsx", timeout=30_000)
    expect(page.locator("main")).to_contain_text(re.compile(rf"{count}\s*Accepted"))


@pytest.mark.parametrize(
    ("language", "addresses"),
    sample([("en", ADDRESSES), ("en", ALIKE), ("fr", EVERY), ("es", EVERY)], 1),
)
def test_each_page_is_for_everybody_on_any_screen(
    bare_tab: Page, held_address: str, language: str, addresses: tuple[str, ...]
) -> None:
    page = bare_tab
    for address in addresses:
        page.goto(f"{held_address}{language}/{address}")
        assert page.get_attribute("html", "lang") == language
        accessible(page, language)
    page.goto(f"{held_address}{language}/exports/return-labels")
    page.locator("form button").click()
    settle(page)
    expect(page.locator("a[href$='/documents']")).to_be_visible()
    accessible(page, language)
    page.goto(f"{held_address}{language}/exports/operations")
    page.locator("form button").click()
    expect(page.locator("[role=alert]")).to_be_visible()
    accessible(page, language)


def test_held_rows_are_sent_without_scripts(plain_tab: Page, held_address: str) -> None:
    plain_tab.goto(f"{held_address}en/held")
    plain_tab.get_by_label("Reason").fill("a new supplier")
    plain_tab.get_by_role("button", name="Show what would be sent").click()
    reload(plain_tab)
    plain_tab.locator("form[action$='/send'] button").click()
    reload(plain_tab)
    expect(plain_tab.locator("h1")).to_contain_text("Run 3: offers.csv", timeout=30_000)
    plain_tab.goto(f"{held_address}en/held")
    expect(plain_tab.locator("main")).to_contain_text("Nothing is held back.")


def test_a_template_comes_without_scripts(plain_tab: Page, held_address: str) -> None:
    plain_tab.goto(f"{held_address}fr/templates")
    plain_tab.locator("input[value=products]").check()
    plain_tab.locator("select[name=language]").select_option("en")
    plain_tab.locator("form button").click()
    plain_tab.locator("input[name=search]").fill("t-shirt")
    plain_tab.locator("form button").first.click()
    plain_tab.locator("input[value='1E012C']").check()
    with plain_tab.expect_download(timeout=30_000) as waiting:
        plain_tab.locator("button.main").click()
    assert waiting.value.suggested_filename == "products.xlsx"
