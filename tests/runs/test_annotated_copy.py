import pytest

from feedtool.model.nouns import Problem, Severity
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.annotated_copy import summary_sheet, summary_table
from feedtool.sheets.annotate import Link
from tests.report.conftest import make_outcome, make_problem, make_sent


@pytest.fixture
def sent() -> SheetResult:
    return make_sent()


def link(cell: str) -> Link:
    return Link(cell, "Offers", cell)


HEAD = {"File": "offers.xlsx", "Sheet": "Offers", "Kind": "offers-upsert", "Run": "run-7"}
COUNTS = {"Rows": 5, "Valid": 2, "Invalid": 3, "Skipped": 0, "Warnings": 1}
STATUSES = {"Status Invalid": 3, "Status Integrated": 1, "Status Rejected": 1}
DIGIT = ("The check digit is wrong.", "compare the number with the package.")
ABSENT = ("A mandatory value is absent.", "fill the cell")
UNKNOWN = ("A column that this kind of feed does not know.", "rename the header")
TABLE = [
    ("feedtool summary",),
    *(HEAD | COUNTS | STATUSES).items(),
    (),
    ("Code", "Severity", "Count", "Column", "First", "Meaning", "How to mend it"),
    ("gtin-checksum", "error", 2, "B gtin", link("B5"), *DIGIT),
    ("required-missing", "error", 1, "A Référence", link("A6"), *ABSENT),
    ("unknown-column", "warning", 1, "", "", *UNKNOWN),
    (),
    ("Status", "Code", "Count", "Rows", "First", "Message"),
    ("Rejected", "1324", 1, "4", link("A4"), "No product sheet <exists>"),
]


def test_the_table_counts_and_leads_to_the_first_cells(sent: SheetResult) -> None:
    assert summary_table(sent) == TABLE


def test_the_sheets_of_a_workbook_stand_below_each_other_under_bold_headings(
    sent: SheetResult,
) -> None:
    assert summary_sheet([sent]).name == "feedtool summary"
    assert summary_sheet([sent]).bold == {0, 14, 19}
    sheet = summary_sheet([sent, sent])
    assert list(sheet.table) == [*TABLE, (), *TABLE]
    assert {sheet.table[row][0] for row in sheet.bold} == {"feedtool summary", "Code", "Status"}


MANY = [make_problem(column=letter, header=f"h{letter}") for letter in "BCDEFGH"]
OF_COLUMN = make_problem(row=None, severity=Severity.WARNING)
LAST = {
    "a clean sheet has counts alone": ([], "Offers", 1, 0),
    "many columns are not all named": (MANY, "Offers", 3, "B hB, C hC, D hD, E hE …"),
    "a column leads to its header": ([OF_COLUMN], "Offers", 4, link("B2")),
    "a CSV has no links": ([make_problem()], "", 4, "B5"),
}


@pytest.mark.parametrize(("problems", "sheet", "at", "cell"), LAST.values(), ids=LAST)
def test_the_last_line(problems: list[Problem], sheet: str, at: int, cell: object) -> None:
    result = make_outcome(problems)
    result.checked.sheet = sheet
    assert summary_table(result)[-1][at] == cell
