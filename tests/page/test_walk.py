"""From a dropped workbook to the answers, in a real browser: in each language, by keyboard alone,
and without scripts."""

import re
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Page, expect

from feedtool.model.text import Language, LanguageChoice
from feedtool.page.runs import COPY
from feedtool.page.session import PageSession, now
from feedtool.runs.deliver import results
from feedtool.runs.outputs import Outputs
from tests.conftest import Files, offer
from tests.page.browsing import drop, spoken, tab_to
from tests.page.conftest import Tabs, reload, settle
from tests.page.opened_grid import wait_for
from tests.page.own_sheets import mixed_offers


@pytest.mark.parametrize("language", spoken("fr"))
def test_a_workbook_with_mistakes_is_dropped_sent_and_answered(
    tabs: Tabs, address: str, session: PageSession, tmp_path: Path, language: Language
) -> None:
    page = tabs(locale=language)
    page.goto(address)
    book = mixed_offers(tmp_path / "offers.xlsx")
    drop(page, book)
    page.wait_for_url(re.compile(f"/{language}/files/"))
    settle(page)
    page.locator("a.button.main").click()
    settle(page)
    page.locator("form[action$='/send'] button").click()
    page.wait_for_url(re.compile("/runs/1$"))
    settle(page)
    written, link = Event(), page.locator("a[href*='/copies/marked']")
    session.jobs.start(f"{COPY}1 {language} marked 0", "check", lambda _: hold(written))
    with page.expect_download() as waiting:
        link.click()
        wait_for(page, "a[href*='/copies/marked'] + div progress")
        expect(page.locator("a[href*='/copies/marked'] + div progress")).to_be_visible()
        page.route("**/copies/marked*", lambda route: route.abort())  # as if feedtool had ended
        wait_for(page, "[role=alert]")
        expect(page.get_by_role("alert")).to_be_visible()
        page.unroute_all()
        written.set()
    downloaded = Path(waiting.value.path()).read_bytes()
    expect(page).to_have_url(re.compile("/runs/1$"))
    expect(page.locator("main progress:visible, main [role=alert]")).to_have_count(0)
    copy, speaks = tmp_path / "copy.xlsx", LanguageChoice(language, language)
    with session.workspace() as workspace:  # as `feedtool results 1` does it
        outputs = Outputs({book.name: copy}, language=speaks)
        results(1, workspace, now(), outputs=outputs)
    assert downloaded == copy.read_bytes()


def hold(written: Event) -> None:
    """A copy that takes long to write."""
    written.wait(30)


def test_the_keyboard_is_enough(tab: Page, address: str, files: Files) -> None:
    tab.on("filechooser", lambda _: None)  # from now on, and not only once it is waited for
    tab.goto(address)
    tab.keyboard.press("Tab")
    expect(tab.locator(".skip")).to_be_focused()
    tab_to(tab, "input[type=file]")
    with tab.expect_file_chooser() as waiting:
        tab.keyboard.press("Enter")
    waiting.value.set_files(files.csv(offer(1), offer(2)))
    tab_to(tab, "form[data-drop] button")
    tab.keyboard.press("Enter")
    tab.wait_for_url(re.compile("/files/"))
    settle(tab)
    tab_to(tab, "a.button.main")
    tab.keyboard.press("Enter")
    settle(tab)
    tab_to(tab, "form[action$='/send'] button")
    tab.keyboard.press("Space")
    tab.wait_for_url(re.compile("/runs/1$"))
    settle(tab)
    tab_to(tab, "a[href*='/copies/marked']")
    with tab.expect_download():
        tab.keyboard.press("Enter")


def test_all_works_without_scripts(
    plain_tab: Page, address: str, files: Files, tmp_path: Path
) -> None:
    plain_tab.goto(address)
    plain_tab.set_input_files("input[type=file]", mixed_offers(tmp_path / "mistakes.xlsx"))
    plain_tab.locator("form[data-drop] button").click()
    expect(plain_tab.locator("a.button.main")).to_be_visible(timeout=30_000)  # by itself
    # A corrected file lists solved problems.
    first = plain_tab.url
    plain_tab.set_input_files("input[type=file]", files.book({"Offers": [offer(1), offer(2)]}))
    plain_tab.locator("form[data-drop] button").click()
    reload(plain_tab)
    expect(plain_tab).not_to_have_url(first)
    expect(plain_tab.locator("main [role=status]").first).to_contain_text(
        re.compile(r"^\d+ of \d+ problems are gone")
    )
    plain_tab.locator("a.button.main").click()
    reload(plain_tab)
    plain_tab.locator("form[action$='/send'] button").click()
    reload(plain_tab)
    expect(plain_tab.locator("h1")).to_contain_text("Run 1", timeout=30_000)
    with plain_tab.expect_download(timeout=30_000):
        plain_tab.locator("a[href*='/copies/csv']").click()
