"""From a dropped workbook to the answers, in a real browser: in each language, by keyboard alone,
and without scripts."""

import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from feedtool.model.text import LANGUAGES, Language, LanguageChoice
from feedtool.page.desk import Desk, now
from feedtool.runs.annotated_copy import Outputs
from feedtool.runs.deliver import results
from tests.page.conftest import SAMPLES, served

MISTAKES, OFFERS = SAMPLES / "offers-mistakes.xlsx", SAMPLES / "offers-upsert.xlsx"
DROP = """
([name, content]) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  for (const type of ["dragenter", "dragover", "drop"]) {
    const how = { dataTransfer: transfer, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new DragEvent(type, how));
  }
}
"""


@pytest.fixture
def address(desk: Desk) -> Iterator[str]:
    with served(desk) as address:
        yield address


def settle(page: Page) -> None:
    """Waits until the page waits for nothing."""
    expect(page.locator("[data-poll]")).to_have_count(0, timeout=60_000)


def accessible(page: Page) -> None:
    """Axe finds nothing, and nothing is wider than the screen."""
    settle(page)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_workbook_with_mistakes_is_dropped_sent_and_answered(
    browser: Browser, address: str, desk: Desk, tmp_path: Path, language: Language
) -> None:
    page = browser.new_page(locale=language, bypass_csp=True)
    page.goto(address)
    accessible(page)
    page.evaluate(DROP, [MISTAKES.name, b64encode(MISTAKES.read_bytes()).decode()])
    expect(page).to_have_url(re.compile(f"/{language}/files/"))
    accessible(page)
    page.locator("a.button.main").click()
    accessible(page)
    page.locator("form[action$='/send'] button").click()
    expect(page).to_have_url(re.compile("/runs/1$"), timeout=30_000)
    accessible(page)
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


MOST_STOPS = 80
"""Tab stops on the way to anything of a page."""


def tab_to(page: Page, selector: str) -> None:
    """Presses Tab until an element has the focus."""
    wanted = page.locator(selector).first
    for _ in range(MOST_STOPS):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {selector}")


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
