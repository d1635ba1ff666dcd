"""From a dropped workbook to the answers, in a real browser: in each language, by keyboard alone,
and without scripts."""

import re
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from feedtool.model.text import Language, LanguageChoice
from feedtool.page.desk import Desk, now
from feedtool.runs.deliver import results
from feedtool.runs.outputs import Outputs
from tests.page.browsing import drop, spoken, tab_to
from tests.page.conftest import SAMPLES, accessible, settle

MISTAKES, OFFERS = SAMPLES / "offers-mistakes.xlsx", SAMPLES / "offers-upsert.xlsx"


@pytest.mark.parametrize("language", spoken("en", "fr"))
def test_a_workbook_with_mistakes_is_dropped_sent_and_answered(
    browser: Browser, address: str, desk: Desk, tmp_path: Path, language: Language
) -> None:
    # `test_accessible` has these pages in English.
    look = settle if language == "en" else partial(accessible, language=language)
    page = browser.new_page(locale=language, bypass_csp=True)
    page.goto(address)
    look(page)
    drop(page, MISTAKES)
    expect(page).to_have_url(re.compile(f"/{language}/files/"))
    look(page)
    page.locator("a.button.main").click()
    look(page)
    page.locator("form[action$='/send'] button").click()
    expect(page).to_have_url(re.compile("/runs/1$"), timeout=30_000)
    look(page)
    with page.expect_download() as waiting:
        page.locator("a[href*='/copies/marked']").click()
    downloaded = Path(waiting.value.path()).read_bytes()
    page.close()
    copy, speaks = tmp_path / "copy.xlsx", LanguageChoice(language, language)
    with desk.workspace() as workspace:  # as `feedtool results 1` does it
        outputs = Outputs({MISTAKES.name: copy}, language=speaks)
        results(1, workspace, now(), outputs=outputs)
    assert downloaded == copy.read_bytes()


def test_a_corrected_file_says_what_it_has_mended(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    page.set_input_files("input[type=file]", MISTAKES)
    page.locator("form[data-drop] button").click()
    expect(page).to_have_url(re.compile("/files/"))
    settle(page)
    first = page.url
    page.set_input_files("input[type=file]", OFFERS)
    page.locator("form[data-drop] button").click()
    expect(page).not_to_have_url(first)
    expect(page.locator("main [role=status]").first).to_contain_text(
        re.compile(r"^\d+ of \d+ problems are gone")
    )
    page.close()


def test_the_keyboard_is_enough(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.on("filechooser", lambda _: None)  # from now on, and not only once it is waited for
    page.goto(address)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    tab_to(page, "input[type=file]")
    with page.expect_file_chooser() as waiting:
        page.keyboard.press("Enter")
    waiting.value.set_files(OFFERS)
    tab_to(page, "form[data-drop] button")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/files/"))
    settle(page)
    tab_to(page, "a.button.main")
    page.keyboard.press("Enter")
    settle(page)
    tab_to(page, "form[action$='/send'] button")
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile("/runs/1$"), timeout=30_000)
    settle(page)
    tab_to(page, "a[href*='/copies/marked']")
    with page.expect_download():
        page.keyboard.press("Enter")
    page.close()


def test_all_works_without_scripts(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.set_input_files("input[type=file]", MISTAKES)
    page.locator("form[data-drop] button").click()
    expect(page.locator("a.button.main")).to_be_visible(timeout=30_000)
    page.locator("a.button.main").click()
    page.locator("form[action$='/send'] button").click(timeout=30_000)
    expect(page.locator("h1")).to_contain_text("Run 1", timeout=30_000)
    with page.expect_download(timeout=30_000):
        page.locator("a[href*='/copies/csv']").click()
    context.close()
