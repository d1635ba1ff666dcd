import csv
import io

import pytest

from feedtool.model.nouns import Message, RowResult, Status
from feedtool.report import SheetResult
from feedtool.report.table import COLUMNS, as_text, write_csv
from tests.report.conftest import make_outcome


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
    refused = make_outcome()
    said = (Message("2503", "Known under another product"), Message("1324", "No product sheet"))
    refused.is_submitted = True
    refused.verdicts = lambda: iter([RowResult(3, "SKU-1", Status.REJECTED, said)])
    assert [one["code"] for one in lines(refused)] == ["2503", "1324"]


def test_of_several_results_of_a_row_each_has_its_channel(two_channels: SheetResult) -> None:
    assert [(one["row"], one["field"], one["value"]) for one in lines(two_channels)] == [
        ("3", "salesChannelId", "FIRST"),
        ("3", "salesChannelId", "SECOND"),
        ("4", "", ""),
    ]


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("-3", "-3"),
        ("+1.5", "+1.5"),
        ("-19,99", "-19,99"),
        ("-", "'-"),
        ("-3\n", "'-3<U+000A>"),
        ("-3+4", "'-3+4"),
        ("+1.5.2", "'+1.5.2"),
        ("-1e3", "'-1e3"),
        ("-A1", "'-A1"),
        ("=1", "'=1"),
        ("-\u0663", "'-\u0663"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\t=1", "'<U+0009>=1"),
        ("\r=1", "'<U+000D>=1"),
        ("＝1", "'＝1"),  # noqa: RUF001  # full-width on purpose
        ("a=1", "a=1"),
        ("\x1b[2J", "<U+001B>[2J"),
        (None, ""),
        (-5, -5),
    ],
)
def test_no_cell_is_ever_a_formula(cell: object, safe: object) -> None:
    assert as_text(cell) == safe
