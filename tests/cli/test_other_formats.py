"""A spreadsheet of another format, and several sheets at once, at the command line."""

import gzip

import pytest
from openpyxl import load_workbook

from tests.cli.conftest import Feedtool, rows_of, sandbox_offers
from tests.conftest import Files, offer

RESULT = "list.result.xlsx"


@pytest.fixture
def page(files: Files) -> str:
    """A web page by the name of a workbook, as shops export it: a good row and a bad one."""
    rows = [offer(1, sellerExternalReference="007"), offer(2, quantity="#N/A")]
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    cells = ["".join(f"<td>{text}</td>" for text in line) for line in lines]
    table = "".join(f"<tr>{line}</tr>" for line in cells)
    return files.text(f"<html><table>{table}</table></html>", "list.xls").name


def test_the_answers_are_in_a_workbook_of_the_same_rows(
    feedtool: Feedtool, files: Files, page: str
) -> None:
    feedtool(f"submit {page} --sandbox --no-wait --no-failed")
    (files.folder / page).unlink()
    assert feedtool("results 1").code == 1
    good, bad = rows_of(RESULT, header=1)
    assert (good["feedtool status"], bad["feedtool status"]) == ("Integrated", "Invalid")
    assert (good["feedtool code"], good["sellerExternalReference"]) == ("8000", "007")
    assert [listed["sellerExternalReference"] for listed in sandbox_offers()] == ["007"]
    judged = feedtool("validate", RESULT, "--format", "json")
    assert judged.counts[:2] == [2, 1]


def test_a_packed_csv_is_answered_in_a_workbook_too(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1), offer(2, quantity="x"), name="list.csv")
    files.text(gzip.compress(path.read_bytes()), "list.gz")
    path.unlink()
    assert feedtool("submit list.gz --sandbox --no-failed").code == 1
    statuses = [row["feedtool status"] for row in rows_of(RESULT, header=1)]
    assert statuses == ["Integrated", "Invalid"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--in-place", "is no .xlsx, and its copy is one"),
        ("--out copy.xls", "copy.xls"),
        ("--out copy.csv", "cannot be called “copy.csv”: it is a workbook"),
    ],
)
def test_wrong_places_of_the_copy_are_refused(
    feedtool: Feedtool, page: str, options: str, said: str
) -> None:
    ran = feedtool(f"validate {page} {options}")
    assert (ran.code, said in ran.err) == (2, True)


def test_several_sheets_are_sent_and_answered_in_one_workbook(
    feedtool: Feedtool, files: Files
) -> None:
    book = files.book(
        {"March": [offer(1)], "April": [offer(2, quantity="-1")], "Notes": [{"a": "b"}]}
    )
    options = ("--sandbox", "--no-failed", "--format", "json")
    ran = feedtool("submit", book, "--sheet", "all", *options)
    assert ran.code == 1
    sheets = ran.json
    assert [(sheet["sheet"], sheet["rows"]) for sheet in sheets] == [("March", 1), ("April", 1)]
    copy = load_workbook(book.with_suffix(".result.xlsx"))
    assert copy.sheetnames == ["March", "April", "Notes", "feedtool summary"]
    second = {name: [cell.value for cell in copy[name][2]] for name in ("March", "April")}
    assert "Integrated" in second["March"]
    assert "Invalid" in second["April"]
    assert feedtool("results 1").code == 1
    assert feedtool("submit", book, "--dry-run", "--sheet", "March", "--sheet", "april").code == 1
