"""The HTML report in a real browser: accessible to all, on any screen, in every language."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from feedtool.model.text import Language
from feedtool.report.html import write_html
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.codes import all_codes
from tests.looks import assert_accessible
from tests.page.browsing import spoken
from tests.report.conftest import MADE


def written(path: Path, language: Language, *results: SheetResult) -> str:
    """The address of a report."""
    with path.open("w", encoding="utf-8") as out:
        write_html(results, out, all_codes(language), MADE, path.parent)
    return path.as_uri()


@pytest.mark.parametrize("language", spoken("en"))
def test_axe_finds_no_fault_and_the_page_is_not_too_wide(
    browser: Browser,
    sent: SheetResult,
    unreadable: SheetResult,
    tmp_path: Path,
    language: Language,
) -> None:
    sent.annotated, sent.failed = tmp_path / "o.result.xlsx", tmp_path / "o.failed.xlsx"
    address = written(tmp_path / "report.html", language, sent, unreadable)
    page = browser.new_page(bypass_csp=True)
    page.goto(address)
    assert page.get_attribute("html", "lang") == language
    assert_accessible(page, language)
    page.close()


def test_the_filter_hides_rows_and_paper_shows_them(
    browser: Browser, sent: SheetResult, tmp_path: Path
) -> None:
    page = browser.new_page()
    page.goto(written(tmp_path / "report.html", "en", sent))
    page.uncheck("input[value=Invalid]")
    rows = page.locator("tr[data-status=Invalid]")
    assert (rows.count(), page.locator("tr[data-status=Invalid]:visible").count()) == (3, 0)
    page.check("input[value=Invalid]")
    page.emulate_media(media="print")
    assert page.locator("tr[data-status]:visible").count() == rows.count() + 2
    assert not page.locator("fieldset.filter").is_visible()
    page.close()
