"""Files that cells name, in a real browser: it says what is missing, takes it, and sends it.

The same is done without scripts, from the sheet to the answers.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import load_workbook
from playwright.sync_api import Page, expect

from feedtool.cli import run
from feedtool.model.nouns import Status
from feedtool.model.text import Language, tr
from feedtool.page.session import PageSession
from feedtool.page.texts import PageTranslator
from tests.areas.invoices.made_invoices import pdf, ubl, zipped
from tests.page.browsing import drop, spoken, tab_to
from tests.page.conftest import Tabs, accessible, reload, settle

INDEX = "orderId;file\n8716E011;march/118.pdf\n5503E014;C:\\Factures\\119.pdf\n"
MISSING, FILES = "details li.value", "#named"
SPOILT = tr("the ZIP {name} cannot be unpacked: {why}", name="bad.zip", why="")
GONE = tr("{gone:,} of {before:,} problems are gone.", gone=1, before=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A list of invoices, and these in a folder and in a ZIP."""
    (tmp_path / "index.csv").write_text(INDEX, "utf-8")
    (tmp_path / "march").mkdir()
    for name in ("118.pdf", "119.pdf", ".hidden"):
        (tmp_path / "march" / name).write_bytes(pdf(name))
    (tmp_path / "all.zip").write_bytes(zipped({"x/119.pdf": pdf("119.pdf")}))
    return tmp_path


def statuses(session: PageSession, number: int = 1) -> dict[Status, int]:
    with session.workspace() as workspace:
        return dict(workspace.ledger.statuses(number))


def send(page: Page, look: Callable[[Page], None] = settle) -> None:
    """Sends what can be sent, and waits for the answers."""
    page.locator("a.button.main").click(timeout=30_000)
    look(page)
    page.locator("form[action$='/send'] button").click(timeout=30_000)
    look(page)
    expect(page.locator("a[href*='/runs/1/copies/marked']")).to_be_visible(timeout=60_000)


def wait_for_missing_files(page: Page, look: Callable[[Page], None] = settle) -> None:
    look(page)
    expect(page.locator(FILES)).to_be_attached(timeout=30_000)


def assert_refused(page: Page, says: str) -> None:
    shown, text = page.locator("form[data-drop]").first, re.compile(re.escape(says), re.IGNORECASE)
    expect(shown.locator("[data-status]")).to_contain_text(text, timeout=30_000)
    expect(shown.locator("button")).to_be_enabled()


@pytest.mark.parametrize("language", spoken("en"))
def test_missing_files_are_dropped_and_the_corrected_sheet_is_sent_with_them(
    tabs: Tabs, address: str, session: PageSession, folder: Path, language: Language
) -> None:
    page = tabs(locale=language, bypass_csp=True)
    (folder / "index.csv").write_text(INDEX.replace("5503E014", "(1)"), "utf-8")
    (folder / "march" / "paid").mkdir()
    for name in ("other.csv", "march/paid/118.PDF"):
        (folder / name).write_bytes(b"x")
    (folder / "bad.zip").write_bytes(b"PK\3\4")
    page.goto(address)
    # What is refused is explained, and another can be brought.
    say = PageTranslator(language)
    drop(page, folder / "index.csv", folder / "other.csv")
    assert_refused(page, say(tr("these are several tables")))
    drop(page, folder / "march")
    assert_refused(page, say(tr("two of these files have the same name")))
    assert session.uploads.files() == []
    drop(page, folder / "march" / "119.pdf", folder / "index.csv")  # the sheet goes first
    wait_for_missing_files(page)
    drop(page, folder / "bad.zip", on=FILES)
    assert_refused(page, say(SPOILT).rstrip("\N{NO-BREAK SPACE}: "))
    assert len(session.uploads.files()) == 1
    expect(page.locator(MISSING)).to_have_text(["march/118.pdf"])
    expect(page.locator("a.button.main")).to_have_count(0)
    drop(page, folder / "march" / "118.pdf")
    expect(page.locator("details.good")).to_be_visible(timeout=30_000)
    expect(page.locator(FILES)).not_to_be_visible()
    # A corrected sheet keeps the files.
    (folder / "index.csv").write_text(INDEX, "utf-8")
    first = page.url
    drop(page, folder / "index.csv")
    expect(page).not_to_have_url(first, timeout=30_000)
    expect(page.locator("details.good")).to_be_visible(timeout=30_000)
    expect(page.locator("main [role=status]").first).to_have_text(say(GONE))
    accessible(page, language)  # as `test_accessible` does where files are missing
    send(page)
    assert statuses(session) == {Status.SUCCESS: 2}


def test_a_folder_of_invoices_is_a_sheet_that_grows(tab: Page, address: str, folder: Path) -> None:
    for name, content in {"8716E011.pdf": pdf(), "5503E014.XML": ubl()}.items():
        (folder / "march" / name).write_bytes(content)
    for name in ("118.pdf", "119.pdf"):
        (folder / "march" / name).unlink()
    (folder / "0148048802000012.pdf").write_bytes(pdf())
    tab.goto(address)
    drop(tab, folder / "march")
    expect(tab.locator("h1")).to_have_text("invoices.xlsx", timeout=30_000)
    expect(tab.locator("summary")).to_have_text("All files that cells name are here: 2")
    drop(tab, folder / "0148048802000012.pdf")
    expect(tab.locator("summary")).to_contain_text("here: 3", timeout=30_000)


@pytest.mark.long
def test_the_keyboard_is_enough(tab: Page, address: str, folder: Path) -> None:
    tab.on("filechooser", lambda _: None)  # from now on, and not only once it is waited for
    tab.goto(address)
    choose(tab, "#file", folder / "index.csv")
    expect(tab.locator(MISSING)).to_have_count(2, timeout=30_000)
    choose(tab, FILES, folder / "march" / "118.pdf", folder / "march" / "119.pdf")
    expect(tab.locator("details.good")).to_be_visible(timeout=30_000)
    tab_to(tab, "summary")
    tab.keyboard.press("Enter")
    expect(tab.locator(FILES)).to_be_visible()


def choose(page: Page, selector: str, *paths: Path) -> None:
    """Chooses files, and presses the button behind."""
    tab_to(page, selector)
    with page.expect_file_chooser() as waiting:
        page.keyboard.press("Enter")
    waiting.value.set_files([*paths])
    tab_to(page, f"form:has({selector}) button")
    page.keyboard.press("Enter")


def test_all_works_without_scripts(
    plain_tab: Page, address: str, session: PageSession, folder: Path
) -> None:
    (folder / "index.csv").write_text(INDEX.replace("5503E014", "(1)"), "utf-8")
    plain_tab.goto(address)
    plain_tab.set_input_files("#file", folder / "index.csv")
    plain_tab.locator("form:has(#file) button").click()
    expect(plain_tab.locator(FILES)).to_be_attached(timeout=30_000)  # by itself
    expect(plain_tab.locator(MISSING)).to_have_count(2)
    plain_tab.set_input_files(FILES, [folder / "march" / "118.pdf", folder / "all.zip"])
    plain_tab.locator(f"form:has({FILES}) button").click()
    reload(plain_tab)
    expect(plain_tab.locator("details.good")).to_be_visible(timeout=30_000)
    # A corrected file lists solved problems.
    (folder / "index.csv").write_text(INDEX, "utf-8")
    first = plain_tab.url
    plain_tab.set_input_files("#file", folder / "index.csv")
    plain_tab.locator("form:has(#file) button").click()
    reload(plain_tab)
    expect(plain_tab).not_to_have_url(first)
    gone = PageTranslator("en")(GONE)
    expect(plain_tab.locator("main [role=status]").first).to_have_text(gone)
    send(plain_tab, reload)
    assert statuses(session) == {Status.SUCCESS: 2}
    expect(plain_tab.locator("h1")).to_contain_text("Run 1")
    with plain_tab.expect_download(timeout=30_000):
        plain_tab.locator("a[href*='/copies/csv']").click()


# The walks above drop folders, and files together; `test_bringing` sends what cells name.
@pytest.mark.long
def test_a_reply_is_sent_with_its_file(
    tab: Page, address: str, session: PageSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert run(["export", "discussions", "--sandbox", "--home", "home"]) == 0
    fill(
        folder / "discussions.xlsx",
        {"reply": "Here is the label that you asked for.", "attachment.1": "labels/label.pdf"},
    )
    (folder / "labels").mkdir()
    (folder / "labels" / "label.pdf").write_bytes(pdf("a label"))
    (folder / "labels" / "other.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    tab.goto(address)
    drop(tab, folder / "labels", folder / "discussions.xlsx")
    expect(tab.locator(MISSING)).to_have_text(["other.png"], timeout=30_000)  # no cell names it
    settle(tab)
    send(tab)
    assert statuses(session)[Status("Sent")] == 1
    monkeypatch.chdir(folder)
    assert run(["export", "attachments", "--sandbox", "--home", "home", "--out", "got"]) == 0
    assert pdf("a label") in [
        path.read_bytes() for path in Path("got").rglob("*") if path.is_file()
    ]


def fill(path: Path, fields: dict[str, str]) -> None:
    """Fills the row of the first discussion that is open."""
    book = load_workbook(path)
    sheet = book["Discussions"]
    columns = {str(cell.value): place for place, cell in enumerate(sheet[2], start=1)}
    row = next(
        row
        for row in range(3, sheet.max_row + 1)
        if sheet.cell(row, columns["isOpen"]).value != "false"
    )
    for key, value in fields.items():
        sheet.cell(row, columns[key]).value = value
    book.save(path)
