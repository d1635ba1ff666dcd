import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Message, RowResult, Status
from feedtool.report.file import COLUMNS, as_text, write_csv, write_report
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.codes import all_codes
from tests.report.conftest import MADE, make_outcome

CODES = all_codes()


STARTS = {
    "r.json": b'[\n  {\n    "file": "offers.xlsx"',
    "r.csv": b"\xef\xbb\xbfrecord,file,",
    "R.HTML": b"<!doctype html>",
}


@pytest.mark.parametrize("name", STARTS)
def test_the_name_sets_the_form(mistaken: SheetResult, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("an earlier one, which is replaced")
    write_report(tmp_path / name, [mistaken], CODES, MADE)
    assert (tmp_path / name).read_bytes().startswith(STARTS[name])
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["report", "report.xlsx", "report.txt"])
def test_another_name_is_refused_naming_the_three(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageProblem, match="says what it is") as caught:
        write_report(tmp_path / name, [], CODES, MADE)
    assert caught.value.hint == "end it in .json, .csv or .html"


@pytest.mark.parametrize("name", ["missing/r.csv", "folder.csv"])
def test_an_unwritable_report_is_one_clear_error(
    mistaken: SheetResult, tmp_path: Path, name: str
) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UsageProblem, match=r"the report .* cannot be written: "):
        write_report(tmp_path / name, [mistaken], CODES, MADE)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


def test_a_report_that_breaks_off_leaves_the_old_one(mistaken: SheetResult, tmp_path: Path) -> None:
    def breaking() -> Iterator[SheetResult]:
        yield mistaken
        raise OSError(28, "No space left on device")

    path = tmp_path / "r.json"
    path.write_text("old")
    with pytest.raises(UsageProblem, match="No space left on device"):
        write_report(path, breaking(), CODES, MADE)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["r.json"]


def lines(*outcomes: SheetResult) -> list[dict[str, str]]:
    out = io.StringIO(newline="")
    write_csv(outcomes, out)
    text = out.getvalue()
    assert text.startswith("\ufeffrecord,file,")
    return list(csv.DictReader(io.StringIO(text[1:], newline="")))


def test_problems_and_results_are_lines(sent: SheetResult, unreadable: SheetResult) -> None:
    found = lines(sent, unreadable)
    assert [(one["record"], one["row"], one["code"], one["status"]) for one in found] == [
        ("problem", "", "unknown-column", ""),
        ("problem", "5", "gtin-checksum", ""),
        ("problem", "6", "required-missing", ""),
        ("problem", "7", "gtin-checksum", ""),
        ("row", "3", "8000", "Integrated"),
        ("row", "4", "1324", "Rejected"),
        ("row", "5", "", "Invalid"),
        ("row", "6", "", "Invalid"),
        ("row", "7", "", "Invalid"),
        ("file", "", "zip-bomb", ""),
    ]
    assert tuple(found[0]) == COLUMNS
    assert found[1]["header"] == "gtin"
    assert found[1]["value"] == "4006381333932"
    assert found[8]["sellerExternalReference"] == "'=cmd()"


def test_each_message_of_a_row_is_a_line() -> None:
    said = (Message("2503", "Known under another product"), Message("1324", "No product sheet"))
    refused = RowResult(3, "SKU-1", Status.REJECTED, said)
    assert [line["code"] for line in lines(make_outcome((), refused))] == ["2503", "1324"]


def test_each_of_several_results_of_a_row_has_its_channel(two_channels: SheetResult) -> None:
    assert [(line["row"], line["field"], line["value"]) for line in lines(two_channels)] == [
        ("3", "salesChannelId", "FIRST"),
        ("3", "salesChannelId", "SECOND"),
        ("4", "", ""),
    ]


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        *((it, it) for it in ("-3", "+1.5", "-19,99", "a=1", -5)),
        *(
            (it, f"'{it}")
            for it in ("-", "-3+4", "+1.5.2", "-1e3", "-A1", "=1", "-\u0663", "@SUM(1)")
        ),
        ("-3\n", "'-3<U+000A>"),
        ("\t=1", "'<U+0009>=1"),
        ("\r=1", "'<U+000D>=1"),
        ("＝1", "'＝1"),  # noqa: RUF001  # full-width on purpose
        ("\x1b[2J", "<U+001B>[2J"),
        (None, ""),
    ],
)
def test_no_cell_is_ever_a_formula(cell: object, safe: object) -> None:
    assert as_text(cell) == safe
