"""From a workbook to the answers by the keyboard alone, in a real browser and each language."""

import re
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import expect

from feedtool.model.text import Language, LanguageChoice
from feedtool.page.routes import files
from feedtool.page.runs import COPY
from feedtool.page.session import PageSession, now
from feedtool.runs.deliver import results
from feedtool.runs.outputs import Outputs
from tests.page.browsing import spoken, tab_to
from tests.page.conftest import LOOK, Tabs, settle
from tests.page.opened_grid import wait_for
from tests.page.own_sheets import mixed_offers


@pytest.mark.parametrize("language", spoken("fr"))
def test_a_workbook_with_mistakes_is_sent_and_answered_by_the_keyboard_alone(
    tabs: Tabs,
    address: str,
    session: PageSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    language: Language,
) -> None:
    page = tabs(locale=language)
    page.on("filechooser", lambda _: None)  # from now on, and not only once it is waited for
    page.goto(address)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    book = mixed_offers(tmp_path / "offers.xlsx")
    tab_to(page, "input[type=file]")
    with page.expect_file_chooser() as choosing:
        page.keyboard.press("Enter")
    choosing.value.set_files(book)
    tab_to(page, "form[data-drop] button")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"/{language}/files/"))
    settle(page)
    tab_to(page, "a.button.main")
    page.keyboard.press("Enter")
    settle(page)
    tab_to(page, "form[action$='/send'] button")
    page.keyboard.press("Space")
    page.wait_for_url(re.compile("/runs/1$"))
    settle(page)
    written = Event()
    monkeypatch.setattr(files, "SOON", LOOK)
    session.jobs.start(f"{COPY}1 {language} marked 0", "check", lambda _: hold(written))
    tab_to(page, "a[href*='/copies/marked']")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
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
