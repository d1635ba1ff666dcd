"""`validate --fix`: what is typed, what is said, and where the fixed copy goes."""

import re
from pathlib import Path

import pytest
from openpyxl import Workbook

from tests.cli.conftest import SAMPLES, Feedtool, rows_of
from tests.conftest import Files

HEAD = b"sellerExternalReference;price.price;quantity\r\n"
WRONG = HEAD + b"A-1 ;19,995;5\r\nB-2;2,50;-1\r\n"


@pytest.fixture
def offers() -> Path:
    path = Path("offers.csv")
    path.write_bytes(WRONG)
    return path


SPELLINGS = {
    "--fix offers.csv": 1,
    "--fix safe offers.csv": 1,
    "offers.csv --fix": 1,
    "offers.csv --fix=round": 2,
    "--fix round offers.csv": 2,
    "--fix Round,stock offers.csv": 3,
    "--fix round --fix=stock offers.csv": 3,
    "--fix=round, offers.csv --fix": 2,
}


@pytest.mark.parametrize(("arguments", "cells"), SPELLINGS.items(), ids=SPELLINGS)
def test_names_and_files(feedtool: Feedtool, offers: Path, arguments: str, cells: int) -> None:
    ran = feedtool(f"validate {arguments} --format json")
    assert ran.only["fixed"]["cells"] == cells
    assert ran.only["annotated"] == "offers.fixed.csv"
    assert offers.read_bytes() == WRONG


def test_a_file_that_is_called_like_a_fix(feedtool: Feedtool, offers: Path) -> None:
    offers.rename("round")
    assert feedtool("validate --fix round --format json").only["fixed"]["cells"] == 1


REFUSED = {
    "--fix rond offers.csv": ("there is no fix “rond”", "did you mean round?"),
    "--fix=decimal-comma,decimal-point offers.csv": (
        "the fixes decimal-comma and decimal-point contradict each other",
        "choose one of them",
    ),
    "--fix offers.csv --out offers.xlsx": (
        "the copy cannot be called “offers.xlsx”: it has the same format as the file read",
        "let its name end in .csv",
    ),
}


@pytest.mark.usefixtures("offers")
@pytest.mark.parametrize(("arguments", "error"), REFUSED.items(), ids=REFUSED)
def test_wrong_options_are_refused(
    feedtool: Feedtool, arguments: str, error: tuple[str, str]
) -> None:
    ran = feedtool(f"validate {arguments}")
    assert ran.code == 2
    assert ran.error() == error


FIXABLE = {
    "A-1;19,9951;5": ["--fix=round 1"],
    "A-1;19,99;-5\r\nA-2;2,5;-1": ["--fix=stock 2"],
    "A\u200b-1;19,9951;1,5": ["--fix 1", "--fix=round 1", "--fix=stock 1"],
    "A-1 ;19,99;5": [],  # read with a warning: no error
    "A-1;19,99;many": [],
    "A-1;19,99;5": [],
}
DELIVERIES = ("submit --dry-run", "submit --sandbox --no-failed")


@pytest.mark.parametrize(
    ("rows", "command"),
    [
        *((rows, "validate") for rows in FIXABLE),
        *(("A-1;19,9951;5", command) for command in DELIVERIES),
    ],
    ids=ascii,
)
def test_possible_fixes_are_listed(feedtool: Feedtool, rows: str, command: str) -> None:
    Path("offers.csv").write_bytes(HEAD + rows.encode() + b"\r\n")
    out = feedtool(f"{command} offers.csv").out
    matches = re.findall(r"^  help: `validate (.*)` can fix (\d) cells?: ", out, re.MULTILINE)
    assert [" ".join(of_fix) for of_fix in matches] == FIXABLE[rows]
    assert "can fix" not in feedtool(f"{command} offers.csv --format json").out


def test_files_without_cells_get_no_fixes(feedtool: Feedtool) -> None:
    feedtool("convert", SAMPLES / "legacy-offers.xlsx", "Offers.xml")
    path = Path("Offers.xml")
    path.write_text(path.read_text("utf-8").replace('Price="28.9"', 'Price="28.9951"', 1), "utf-8")
    out = feedtool("validate Offers.xml").out
    assert ("number-precision" in out, "can fix" in out) == (True, False)


def test_the_text_about_fixes(feedtool: Feedtool, offers: Path) -> None:
    ran = feedtool("validate --fix=stock -v", offers)
    assert ran.code == 1
    assert ran.out.splitlines()[1:9] == [
        "2 rows: 1 valid, 1 invalid, 0 warnings",
        "Fixed: 2 cells; valid before: 0",
        "  1 cell: leave out the blanks around a text (blanks)",
        "  1 cell: round stocks down to whole pieces, and take negative ones as 0 (stock)",
        "  A2 blanks: “A-1␣” is now “A-1”",
        "  C3 stock: “-1” is now “0”",
        (
            "  help: --fix=NAME may fix more cells, if you choose it:"
            " round (1 cell: round amounts to two decimals)"
        ),
        "",
    ]
    assert "Fixed copy: offers.fixed.csv\n" in ran.out


def test_the_json_about_fixes(feedtool: Feedtool, offers: Path) -> None:
    ran = feedtool("validate --fix --format json", offers)
    assert ran.only["fixed"] == {
        "cells": 1,
        "validBefore": 0,
        "byFix": {"blanks": 1},
        "offered": {"round": 1, "stock": 1},
    }
    change = {
        "row": 2,
        "column": "A",
        "header": "sellerExternalReference",
        "field": "sellerExternalReference",
        "code": "trimmed",
        "fix": "blanks",
        "old": "A-1 ",
        "new": "A-1",
    }
    assert ran.only["fixes"] == [change]
    events = feedtool("validate --fix --format jsonl", offers).events
    place = {"type": "fix", "file": "offers.csv", "sheet": None}
    assert [event for event in events if event["type"] == "fix"] == [place | change]
    assert events[-1]["fixed"]["cells"] == 1


def test_the_copy_passes_its_own_check_equally(feedtool: Feedtool, offers: Path) -> None:
    fixed = feedtool("validate --fix round,stock --format json", offers)
    own = feedtool("validate offers.fixed.csv --format json")
    assert fixed.code == own.code == 0
    assert fixed.counts == own.counts
    again = feedtool("validate --fix round,stock offers.fixed.csv")
    assert "Fixed: nothing\n" in again.out
    assert sorted(map(str, Path().glob("*.csv"))) == ["offers.csv", "offers.fixed.csv"]


def test_a_fixed_file_can_be_fixed_again(feedtool: Feedtool, offers: Path) -> None:
    feedtool("validate --fix", offers)
    ran = feedtool("validate --fix=round offers.fixed.csv --format json")
    assert ran.only["fixed"]["byFix"] == {"round": 1}
    assert ran.only["annotated"] == "offers.fixed-2.csv"


RECIPE = """
[match]
headers = ["Réf", "PV", "Dispo"]
kind = "offers-update"
[columns]
"Réf" = "sellerExternalReference"
"PV" = "price.price"
[names]
stock = "Dispo"
[compute]
quantity = "stock / 2"
"""


def test_the_cells_of_a_merchants_own_sheet(feedtool: Feedtool) -> None:
    Path("recipes").mkdir()
    Path("recipes/own.toml").write_text(RECIPE, "utf-8")
    Path("own.csv").write_text("Réf;PV;Dispo\n A-1;19,995;8\nB-2;2,50;3\n", "utf-8")
    ran = feedtool("validate --fix=round,stock own.csv --format json")
    assert [(fix["row"], fix["header"], fix["new"]) for fix in ran.only["fixes"]] == [
        (2, "Réf", "A-1"),
        (2, "PV", "20,00"),
    ]
    # What a recipe computes stands in no cell of the sheet.
    assert [(problem["row"], problem["code"]) for problem in ran.only["problems"]] == [
        (3, "integer-required")
    ]


def test_an_earlier_copy_is_not_taken_for_this_ones(feedtool: Feedtool, offers: Path) -> None:
    feedtool("validate --fix", offers)
    offers.write_bytes(WRONG.replace(b"A-1 ", b"A-1"))
    warning = "warning: offers.fixed.csv was not renewed: it is from an earlier run\n"
    assert feedtool("validate --fix", offers).said == warning


def test_a_file_is_fixed_in_place_only_on_request(feedtool: Feedtool, offers: Path) -> None:
    feedtool("validate --fix --in-place", offers)
    first = offers.read_bytes()
    assert first.splitlines()[1].startswith(b"A-1;19,995;5;Invalid;")
    feedtool("validate --fix --in-place", offers)
    assert offers.read_bytes() == first
    assert list(Path().glob("*.csv")) == [offers]


def test_standard_input(feedtool: Feedtool) -> None:
    feedtool("validate --fix - --out fixed.csv", stdin=WRONG)
    assert Path("fixed.csv").read_bytes().splitlines()[1].startswith(b"A-1;19,995;5;")


def test_several_files_judged_beside_each_other(feedtool: Feedtool) -> None:
    # Fixed alone each would be right; together they have one reference twice.
    Path("a.csv").write_bytes(HEAD + b"A|1;5;5\r\n")
    Path("b.csv").write_bytes(HEAD + b"A-1;5;5\r\n B-2;5;5\r\n")
    a, b = feedtool("validate --fix=bar a.csv b.csv --format json").json
    assert (a["fixed"]["cells"], a["annotated"]) == (0, None)
    assert (b["fixed"]["cells"], b["annotated"]) == (1, "b.fixed.csv")


def test_another_spreadsheet_is_fixed_in_a_workbook(feedtool: Feedtool) -> None:
    head = HEAD.decode().strip().split(";")
    rows = (head, ["A&#8203;-1", "5", "5"], ["B-2", "5", "-1"])
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    table = "".join(f"<tr>{row}</tr>" for row in cells)
    Path("offers.xls").write_text(f"<html><table>{table}</table></html>", "utf-8")
    ran = feedtool("validate --fix=stock offers.xls --format json")
    assert ran.only["fixed"]["byFix"] == {"invisible": 1, "stock": 1}
    assert ran.only["annotated"] == "offers.fixed.xlsx"
    own = feedtool("validate offers.fixed.xlsx --format json")
    assert own.counts == ran.counts


@pytest.mark.usefixtures("catalogue")
def test_products_are_fixed_too(feedtool: Feedtool, files: Files) -> None:
    row = rows_of(SAMPLES / "products.xlsx", "Products")[0]
    row |= {"sellerProductReference": " SKU-1 ", "title": "A <b>red</b> lamp"}
    files.csv(row, name="products.csv")
    ran = feedtool("validate --fix=plain-text products.csv --format json")
    assert ran.only["fixed"]["byFix"] == {"blanks": 1, "plain-text": 1}
    assert [fix["new"] for fix in ran.only["fixes"]] == ["SKU-1", "A red lamp"]
    assert ran.only["valid"] == ran.only["fixed"]["validBefore"] + 1


def test_a_workbook_with_several_sheets(feedtool: Feedtool) -> None:
    book = Workbook()
    for title, reference in (("Offers", " A-1"), ("Notes", " of no use")):
        sheet = book.create_sheet(title)
        sheet.append(HEAD.decode().strip().split(";") if title == "Offers" else ["Text"])
        sheet.append([reference, 5, 5])
    book.remove(book.worksheets[0])
    book.save("offers.xlsx")
    assert feedtool("validate --fix offers.xlsx --format json").only["fixed"]["cells"] == 1


def test_the_help_names_every_fix(feedtool: Feedtool) -> None:
    out = feedtool("validate --help").out
    safe, _, named = out.partition("Made by --fix:")[2].partition("Made by --fix=NAME:")
    assert "  blanks " in safe
    assert "  round " in named
