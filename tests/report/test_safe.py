"""Every report shows texts of files and answers as text and nothing more."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree, html

from feedtool.areas.offers.delivery import PackageType
from feedtool.cli.validate import explained
from feedtool.model.cells import Header
from feedtool.model.errors import Interrupted
from feedtool.model.nouns import Message, PackageSummary, RowResult, Severity, Status
from feedtool.model.text import Translator
from feedtool.report.as_json import progress_events, write_json, write_jsonl
from feedtool.report.explained_row import write_columns
from feedtool.report.file import write_csv, write_report
from feedtool.report.html import write_html
from feedtool.report.plain import clean, printable, value
from feedtool.report.sheet_result import SheetResult
from feedtool.report.text import write_text
from feedtool.runs import row_notes
from feedtool.runs.annotated_copy import summary_sheet
from feedtool.runs.codes import all_codes
from feedtool.sheets import CorruptXml
from feedtool.sheets.annotate import DataBar, Link, Styled, SummaryCell, annotate, shown
from tests.corpus.books import plain
from tests.hostile import SAMPLES, TEXTS, Structure, cells_of, is_calculated, steering
from tests.report.conftest import MADE, make_outcome, make_problem

AS_TEXT = partial(write_text, codes=all_codes())
AS_COLUMNS = partial(write_columns, say=Translator("en"))
AS_PAGE = partial(write_html, codes=all_codes(), made=MADE, folder=Path())
PLAIN = "plain"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"
SHEET = "xl/worksheets/sheet1.xml"


def results_with(text: str) -> list[SheetResult]:
    """A sheet with this text wherever one may come from outside, and an unreadable file."""
    everywhere = dict.fromkeys(("header", "field", "value", "message", "hint"), text)
    problems = [
        make_problem(row=3, **everywhere),
        make_problem(row=3, **everywhere, code="enum-value", column="C"),
        make_problem(row=None, column=None, **everywhere, severity=Severity.WARNING, code="x"),
    ]
    said = (Message(text, text), Message("", text))
    sent = make_outcome(
        problems,
        RowResult(2, text, Status.REJECTED, said),
        RowResult(3, text, Status.INVALID, said),
        RowResult(4, text, Status.INTEGRATED, (Message(text, ""),)),
        file=text,
        valid=(2, 4),
        packages=[PackageSummary(text, PackageType.UPSERT, text, text, 2, 1)],
    )
    sent.checked.sheet = text
    sent.checked.header = Header(
        1, 1, {}, {0: text, 1: text}, ((0, text), (1, None)), frozenset(), {0: text}
    )
    sent.run = text
    sent.explained = explained(sent.checked)
    sent.annotated = Path("folder", text.replace("\0", ""))
    sent.stopped = Interrupted(text, text)
    unreadable = make_outcome(file=text)
    unreadable.checked.error = CorruptXml(text, text)
    return [sent, unreadable]


def written(write: Callable[..., None], text: str, **how: Any) -> str:
    out = io.StringIO(newline="")
    write(results_with(text), out, **how)
    return out.getvalue()


@cache
def plainly_written(write: Callable[..., None], **how: Any) -> str:
    return written(write, PLAIN, **how)


@cache
def plain_structure() -> Structure:
    return Structure(plainly_written(AS_PAGE))


@given(text=TEXTS, width=st.sampled_from([None, 40, 80]), is_verbose=st.booleans())
@example(text=" " * 700, width=40, is_verbose=False)
def test_reports_hold_no_control_characters(
    text: str, width: int | None, *, is_verbose: bool
) -> None:
    told = written(AS_TEXT, text, is_verbose=is_verbose, width=width)
    coloured = written(AS_TEXT, text, is_verbose=is_verbose, width=width, is_colour=True)
    assert steering(told) == set()
    assert steering(coloured, is_terminal=True) == set()
    plain = plainly_written(AS_TEXT, is_verbose=is_verbose)
    assert told.count("\n") == plain.count("\n") or width is not None
    assert width is not None or value(text) in told


@given(text=TEXTS)
def test_explained_columns_hold_no_control_characters(text: str) -> None:
    told = written(AS_COLUMNS, text)
    assert steering(told) == set()
    assert told.count("\n") == plainly_written(AS_COLUMNS).count("\n")
    assert max(map(len, told.splitlines())) < 100 + 2 * len(clean(text))


def assert_page(text: str) -> None:
    """A page shows the text, and has its own elements and policy."""
    page = written(AS_PAGE, text)
    hostile, plain = Structure(page), plain_structure()
    assert hostile.elements == plain.elements
    assert hostile.others == plain.others == ["doctype html"]
    assert steering(page) == set()
    shows = "".join(hostile.texts)
    assert shows.count(clean(text)) >= 3
    assert shows.count(printable(text)) >= 5
    parsed: Any = html.document_fromstring(page)
    (policy,) = parsed.xpath("//meta[@http-equiv]/@content")
    assert policy.startswith(POLICY)
    assert policy.count("'") == 6
    assert len(parsed.xpath("//script")) == 1
    assert parsed.xpath("//@src | //@*[starts-with(name(), 'on')]") == []
    links = parsed.xpath("//@href")
    assert all(re.fullmatch(r"#s[0-9]+-code-[0-9]+|(?![/:])[\w.~/%-]+", link) for link in links)


def assert_csv(text: str) -> None:
    """No field of the CSV report is calculated."""
    told = written(write_csv, text)
    records = list(csv.reader(io.StringIO(told.removeprefix("\ufeff"), newline="")))
    plain = list(csv.reader(io.StringIO(plainly_written(write_csv)[1:])))
    assert list(map(len, records)) == list(map(len, plain))
    assert [field for record in records for field in record if is_calculated(field)] == []
    assert steering(told.removeprefix("\ufeff").replace("\r\n", "\n")) == set()
    shows = {record[0]: record for record in records[1:]}
    assert clean(text) in {field.removeprefix("'") for field in shows["problem"]} | set(
        shows["problem"]
    )


def assert_json(text: str) -> None:
    """JSON always parses and gives the text back."""
    told = written(write_json, text)
    assert steering(told) == set()
    sheet, unreadable = json.loads(told.encode())
    assert {sheet["file"], sheet["sheet"], sheet["run"], sheet["stopped"]["hint"]} == {text}
    assert {sheet["packages"][0][name] for name in ("packageId", "state")} == {text}
    assert {problem[name] for problem in sheet["problems"] for name in ("value", "hint")} == {text}
    assert sheet["results"][0]["messages"][0] == {"resultCode": text, "message": text}
    assert {column["header"] for column in sheet["columns"]} == {text}
    assert unreadable["error"] == {"code": "corrupt-xml", "message": text, "hint": text}


def assert_json_lines(text: str) -> None:
    """Each line of JSON lines is an event."""
    out = io.StringIO()
    progress_events(out)(text, 1, None, text)
    told = out.getvalue() + written(write_jsonl, text)
    assert steering(told) == set()
    events = [json.loads(line) for line in told.encode().splitlines()]
    assert len(told.splitlines()) == len(events)
    assert [event["type"] for event in events] == [
        *("progress", "file", *["problem"] * 3, *["row"] * 3, "summary", "file", *["summary"])
    ]
    assert events[0]["step"] == events[5]["sellerExternalReference"] == text


REPORTS = pytest.mark.parametrize(
    "assert_safe", [assert_page, assert_csv, assert_json, assert_json_lines]
)


@REPORTS
@settings(max_examples=20)
@given(text=TEXTS)
def test_a_report_shows_any_text_as_text(assert_safe: Callable[[str], None], text: str) -> None:
    assert_safe(text)


@pytest.mark.long
@REPORTS
@settings(max_examples=300)
@given(text=TEXTS)
def test_a_report_shows_many_texts_as_text(assert_safe: Callable[[str], None], text: str) -> None:
    assert_safe(text)


@pytest.mark.parametrize("name", ["r.json", "r.csv", "r.html"])
def test_any_text_can_be_written_to_a_file(tmp_path: Path, name: str) -> None:
    for text in SAMPLES:
        write_report(tmp_path / name, results_with(text), all_codes(), MADE)
        assert steering((tmp_path / name).read_text("utf-8-sig")) == set()


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "offers.xlsx"
    path.write_bytes(plain())
    return path


@settings(max_examples=10)
@given(text=TEXTS)
def test_a_copy_holds_texts_and_never_formulas(book: Path, text: str) -> None:
    assert_copy_holds_texts(book, text)


@pytest.mark.long
@settings(max_examples=300)
@given(text=TEXTS)
def test_many_copies_hold_texts_and_never_formulas(book: Path, text: str) -> None:
    assert_copy_holds_texts(book, text)


def assert_copy_holds_texts(book: Path, text: str) -> None:
    sent, _ = results_with(text)
    sent.checked.sheet = "Offers"
    notes = row_notes.notes(sent.checked, sent.every_verdict)
    told = list(row_notes.notes(sent.checked, sent.every_verdict).notes)
    summary = summary_sheet([sent])
    copy = book.with_name("copy.xlsx")
    annotate(book, copy, [notes], summary, overwrite=True)
    ours = {1: notes.headings} | {one.row: (one.status, one.message, one.code) for one in told}
    assert cells(copy, "Offers", 4) == {
        (row, column): shown(text)
        for row, texts in ours.items()
        for column, text in enumerate(texts, 4)
        if text
    }
    shown_cells = {
        (row, column): shown(text_of(cell))
        for row, line in enumerate(summary.table, 1)
        for column, cell in enumerate(line)
        if text_of(cell)
    }
    assert cells(copy, summary.name, 0) == shown_cells
    assert_nothing_runs(copy, book)


def text_of(cell: SummaryCell) -> str:
    match cell:
        case Styled(value=value):
            return str(value)
        case Link(text=text):
            return text
        case DataBar(number=number):
            return str(number)
    return str(cell)


def cells(path: Path, sheet: str, first: int) -> dict[tuple[int, int], str]:
    """Row, column and text of all cells from a column on; a formula is not text."""
    return {place: cell.text for place, cell in cells_of(path, sheet, first).items()}


def assert_nothing_runs(copy: Path, source: Path) -> None:
    """The copy has no formula in a cell and no link that leads out of it."""
    with zipfile.ZipFile(copy) as package, zipfile.ZipFile(source) as original:
        names = [name for name in package.namelist() if name.endswith((".xml", ".rels"))]
        roots = {name: etree.fromstring(package.read(name)) for name in names}
        new = set(names) - set(original.namelist())
    notes = ("comments1.xml", "worksheets/_rels/sheet1.xml.rels")
    assert new - {f"xl/{name}" for name in notes} == {"xl/worksheets/sheet2.xml"}
    for root in roots.values():
        found = [(etree.QName(one).localname, one) for one in root.iter("{*}*")]
        assert [one for name, one in found if name in {"f", "oleLink"}] == []
        names = [str(one.text) for name, one in found if name == "definedName"]  # of our filter
        assert all(re.fullmatch(r"'Offers'!\$A\$\d+:\$[A-Z]+\$\d+", name) for name in names)
        assert all("External" not in one.attrib.values() for _, one in found)
        links = [one for name, one in found if name == "hyperlink"]
        assert all(set(map(str, link.attrib)) <= {"ref", "location", "display"} for link in links)
        starts = "'Offers'!", "'feedtool summary'!"
        assert all(str(link.get("location")).startswith(starts) for link in links)
