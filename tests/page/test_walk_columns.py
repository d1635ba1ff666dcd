"""A supplier's own list in a real browser: from its drop over its columns to a clean check."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from feedtool.model.text import Language
from feedtool.page.checks import grid_of
from feedtool.page.session import PageSession
from tests.conftest import Files, offer, table
from tests.page.browsing import drop, spoken, tab_to
from tests.page.conftest import Tabs, accessible, reload, settle
from tests.page.own_sheets import ADDITIONAL, CONDITION, COST, LIST, two_sheets

COLUMNS, CHECK = re.compile("/columns$"), re.compile("/files/[^/]+$")
SAVE = "form.columns button.main"


def is_clean(session: PageSession) -> bool:
    """True if each row of the file that was brought can be sent."""
    (file,) = session.uploads.files()
    with grid_of(session, file) as grid:
        (sheet,) = grid.sheets
        return sheet.error is None and sheet.counts["valid"] == sheet.rows == 3


def field_named(name: str) -> str:
    return f'[name="{name}"]'


@pytest.mark.parametrize("language", spoken("en"))
def test_a_sheet_of_a_dropped_list_is_chosen_mapped_and_clean(
    tabs: Tabs, address: str, session: PageSession, tmp_path: Path, language: Language
) -> None:
    page = tabs(locale=language, bypass_csp=True)
    page.goto(address)
    drop(page, two_sheets(tmp_path / "list.xlsx"))
    page.wait_for_url(COLUMNS)
    page.get_by_label("Soldes").check()
    page.locator("form[action$='/reading'] button").last.click()
    expect(page.locator("main nav [aria-current]")).to_have_text("Soldes")
    page.locator(SAVE).click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.locator(field_named(COST)).fill("free")
    page.locator(SAVE).click()
    expect(page.locator("[aria-invalid]")).to_have_attribute("name", COST)
    accessible(page, language)
    page.locator(field_named(COST)).fill("4,90")
    page.locator(field_named(ADDITIONAL)).fill("2")
    page.locator(field_named(CONDITION)).select_option("UsedAverageState")
    page.locator(field_named("every")).click()
    page.wait_for_url(re.compile("/recipe$"))
    page.locator("form[action$='/recipe/keep'] button").click()
    expect(page.get_by_role("status")).to_contain_text("list")
    page.locator("summary").click()  # as it is shown before it is kept
    accessible(page, language)
    page.locator("a.button.main").click()
    page.wait_for_url(CHECK)
    settle(page)
    assert is_clean(session)


def test_rows_are_chosen_by_everybody(tabs: Tabs, address: str, files: Files) -> None:
    page = tabs(locale="en", bypass_csp=True)
    page.goto(address)
    total = {"sellerExternalReference": "Total", "quantity": "14"}
    drop(page, files.text(table([offer(1), offer(2), total]), "offers.csv"))
    page.wait_for_url(CHECK)
    page.goto(f"{page.url}/columns")
    page.get_by_label("Row 4").check()
    accessible(page)


def brought_to_columns(page: Page, address: str, files: Files) -> None:
    """Brings the list by the button."""
    page.goto(address)
    page.set_input_files("input[type=file]", files.text(LIST, "list.csv"))
    page.locator("form[data-drop] button").click()
    page.wait_for_url(COLUMNS)


@pytest.mark.long
def test_the_keyboard_is_enough(
    tab: Page, address: str, session: PageSession, files: Files
) -> None:
    brought_to_columns(tab, address, files)
    # Help follows the field that is chosen.
    chosen, told = tab.locator(field_named("column:8")), tab.locator("[id='column:8-help']")
    chosen.select_option("price.floor")
    expect(told).to_contain_text("A lower price is held")
    chosen.select_option("-")
    expect(told).to_have_text("")
    # All fields are reached by the keyboard.
    tab.locator("h1").click()
    for name, text in ((COST, "4.90"), (ADDITIONAL, "2")):
        tab_to(tab, field_named(name))
        tab.keyboard.type(text)
    tab_to(tab, field_named("column:8"))
    tab.keyboard.type("Packaging")  # a list is searched by typing
    expect(tab.locator(field_named("column:8"))).to_have_value("PackagingUnit")
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowDown")
    expect(tab.locator(field_named("column:8"))).to_have_value("-")
    tab_to(tab, field_named(CONDITION))
    tab.keyboard.type("Used - av")
    tab_to(tab, SAVE)
    tab.keyboard.press("Enter")
    tab.wait_for_url(CHECK)
    settle(tab)
    assert is_clean(session)


@pytest.mark.long
def test_all_works_without_scripts(
    plain_tab: Page, address: str, session: PageSession, files: Files
) -> None:
    brought_to_columns(plain_tab, address, files)
    plain_tab.locator(field_named(COST)).fill("4.90")
    plain_tab.locator(field_named(ADDITIONAL)).fill("2")
    plain_tab.locator(field_named(CONDITION)).select_option("UsedAverageState")
    plain_tab.locator(SAVE).click()
    reload(plain_tab)
    expect(plain_tab.locator("a.button.main")).to_be_visible(timeout=30_000)
    assert is_clean(session)
