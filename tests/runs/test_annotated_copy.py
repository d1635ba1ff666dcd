"""The summary: a headline, facts, statuses with their bars, and a line for each problem."""

from datetime import UTC, datetime

import pytest

from feedtool.feeds.columns.text import Text
from feedtool.model.cells import Column, Header
from feedtool.model.nouns import CellFix, PackageSummary, Problem, RowResult, Severity, Status
from feedtool.model.text import Translator
from feedtool.report.sheet_result import FixedCells, RunFacts, SheetResult
from feedtool.runs.annotated_copy import summary_sheet, summary_table
from feedtool.sheets.annotate import DataBar, Link, Styled
from tests.report.conftest import make_outcome, make_problem, make_sent

FACTS = RunFacts(datetime(2026, 11, 23, 2, 5, tzinfo=UTC), "S-1", "https://service.example")


@pytest.fixture
def sent() -> SheetResult:
    result = make_sent()
    result.run_facts = FACTS
    return result


def band(*headings: str) -> list[Styled]:
    return [Styled(heading, "band") for heading in headings]


def fact(name: str, value: str | int) -> list[Styled]:
    return [Styled(name, "label"), Styled(value, "fact")]


def link(ref: str, text: str = "") -> Link:
    return Link(text or ref, "Offers", ref)


TOOK = "The service has accepted the row."
LOOKED = "Not sent: the checks found something wrong, which the message tells."
REFUSED = "The service has refused the row, or the package as a whole; the message says why."
CREATE = "Check the value; `feedtool template products` is for a product that does not exist yet."
TABLE = [
    [Styled("1 of 5 rows accepted, 4 to correct", "title")],
    [],
    fact("File", "offers.xlsx"),
    fact("Sheet", "Offers"),
    fact("Kind", "offers-upsert"),
    fact("Date", "2026-11-23 02:05 UTC"),
    fact("Account", "S-1, https://service.example"),
    fact("Channel", "PRIMARY"),
    fact("Run", "run-7"),
    fact("Warnings", 1),
    [Styled("First to correct", "label"), Link("Row 4", "Offers", "4", "jump")],
    [],
    band("Status", "Rows", "Share", "", "First", "What it means"),
    [
        *(Styled("Integrated", "good"), 1, Styled("20 %", "share"), DataBar(1, 5, "good")),
        *(link("A3", "3"), TOOK),
    ],
    [
        *(Styled("Invalid", "bad"), 3, Styled("60 %", "share"), DataBar(3, 5, "bad")),
        *(link("A5", "5"), LOOKED),
    ],
    [
        *(Styled("Rejected", "bad"), 1, Styled("20 %", "share"), DataBar(1, 5, "bad")),
        *(link("A4", "4"), REFUSED),
    ],
    [],
    band("Problem", "Count", "Severity", "Column", "First", "What it means", "What to do"),
    [
        *(Styled("gtin-checksum", "bad"), 2, "error", "B gtin", link("B5")),
        *("The check digit is wrong.", "Compare the number with the package."),
    ],
    [
        *(Styled("required-missing", "bad"), 1, "error", "A Référence", link("A6")),
        *("A required value is missing.", "Fill the cell"),
    ],
    [
        *(Styled("unknown-column", "open"), 1, "warning", "", ""),
        *("A column that this kind of feed does not know.", "Rename the header"),
    ],
    [],
    band("Status", "Rows", "Code", "In rows", "First", "What the service says", "What to do"),
    [
        *(Styled("Rejected", "bad"), 1, "1324", "4", link("4", "A4")),
        *("No product sheet <exists>", CREATE),
    ],
]


def test_the_table_counts_and_leads_to_the_first_cells(sent: SheetResult) -> None:
    assert [list(line) for line in summary_table(sent)] == TABLE


def test_sheets_of_a_workbook_are_listed_below_each_other(sent: SheetResult) -> None:
    sheet = summary_sheet([sent, sent])
    assert sheet.name == "feedtool summary"
    assert [list(line) for line in sheet.table] == [*TABLE, [], [], *TABLE]


MANY = [make_problem(column=letter, header=f"h{letter}") for letter in "BCDEFGH"]
OF_COLUMN = make_problem(row=None, severity=Severity.WARNING)
LAST = {
    "many columns are not all named": (MANY, "Offers", 3, "B hB\nC hC\nD hD\nE hE\n…"),
    "a column leads to its header": ([OF_COLUMN], "Offers", 4, link("B2")),
    "a CSV has no links": ([make_problem()], "", 4, "B5"),
}


@pytest.mark.parametrize(("problems", "sheet", "at", "cell"), LAST.values(), ids=LAST)
def test_the_last_line(problems: list[Problem], sheet: str, at: int, cell: object) -> None:
    result = make_outcome(problems)
    result.checked.sheet = sheet
    assert summary_table(result)[-1][at] == cell


def row(number: int, status: Status) -> RowResult:
    return RowResult(number, "", status, ())


HEADLINES = {
    "a check": (make_outcome([make_problem()]), "2 of 3 rows valid, 1 to correct"),
    "all is well": (make_outcome(), "2 of 2 rows valid"),
    "something is open": (
        make_outcome((), row(3, Status.PENDING), row(4, Status.HELD)),
        "0 of 2 rows valid, 2 still open",
    ),
}


@pytest.mark.parametrize(("result", "headline"), HEADLINES.values(), ids=HEADLINES)
def test_the_headline(result: SheetResult, headline: str) -> None:
    assert summary_table(result)[0] == [Styled(headline, "title")]


def test_a_check_shows_rows_by_validity() -> None:
    table = summary_table(make_outcome([make_problem()]))
    bars = [line for line in table if any(isinstance(cell, DataBar) for cell in line)]
    assert [line[0] for line in bars] == [Styled("Valid", "good"), Styled("Invalid", "bad")]
    assert [line[4] for line in bars] == [link("A3", "3"), link("A5", "5")]


def test_a_column_is_called_as_the_sheet_calls_it() -> None:
    result = make_outcome([make_problem()])
    gtin = Column("product.gtin", Text(), ("", "", ""), ("", "", ""))
    result.checked.header = Header(
        2, 2, {1: gtin}, {1: "product.gtin"}, (), frozenset(), labels={1: "Code barre *"}
    )
    assert summary_table(result)[-1][3] == "B Code barre"


def test_fixed_cells_are_counted() -> None:
    result = make_outcome()
    fix = CellFix(3, "E", "price", "price.price", "number-precision", "round", "1.005", "1.01")
    result.fixed = FixedCells([fix])
    assert fact("Cells fixed: round", 1) in [list(line) for line in summary_table(result)]


def test_each_channel_is_named_once() -> None:
    packages = [PackageSummary(None, "Upsert", name, None, 1, 1) for name in ("P", "S", "P")]
    table = summary_table(make_outcome((), packages=packages))
    assert fact("Channel", "P, S") in [list(line) for line in table]


def test_a_status_has_its_translation_beside_its_name(
    sent: SheetResult,
) -> None:
    table = summary_table(sent, Translator("fr"))
    status = next(line for line in table if line and line[0] == Styled("Rejected", "bad"))
    assert str(status[5]).startswith("Rejetée\u00a0: ")
