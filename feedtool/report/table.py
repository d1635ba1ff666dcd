"""The CSV report: a line for each problem and each row's result, to filter in a spreadsheet.

It starts with a byte order mark, without which Excel takes UTF-8 for something else, and no cell
of it is ever a formula (OWASP, "CSV Injection"): an apostrophe goes before what would be one. Plain
numbers such as `-3` have none, since nothing is calculated from them.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from feedtool.model.nouns import Message, Severity, Status
from feedtool.report.as_json import error_fields
from feedtool.report.plain import clean
from feedtool.report.sheet_result import SheetResult

COLUMNS = (
    *("record", "file", "sheet", "kind"),
    *("row", "line", "column", "header", "field"),
    *("code", "severity", "value", "message", "hint"),
    *("sellerExternalReference", "status"),
)
"""`record` says what a line is: `file` (it could not be read), `problem`, or `row` (a result).

Of a row with several results each has its channel as the value of the field `salesChannelId`.
"""

FORMULA_STARTS = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""A cell that begins so is calculated by spreadsheet programs, quoted or not.

The last four are the full-width `= + - @`, which Japanese editions read as the plain ones.
"""

_NUMBER = re.compile(r"[+-][0-9]+(?:[.,][0-9]+)?")
"""A signed number and nothing else: one operand, so nothing to calculate."""

Line = dict[str, object]


def write_csv(results: Iterable[SheetResult], out: TextIO) -> None:
    """Writes the table, as UTF-8; `out` is opened with `newline=""`."""
    out.write("\ufeff")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for result in results:
        checked = result.checked
        place = {"file": checked.file, "sheet": checked.sheet, "kind": checked.kind}
        for line in _lines(result):
            line.update(place)
            writer.writerow([as_text(line.get(name)) for name in COLUMNS])


def as_text(cell: object) -> str | int:
    """A cell that no spreadsheet program calculates; numbers of our own stay numbers."""
    if isinstance(cell, int):
        return cell
    text = "" if cell is None else str(cell)
    is_formula = text[:1] in FORMULA_STARTS and not _NUMBER.fullmatch(text)
    return f"'{clean(text)}" if is_formula else clean(text)


def _lines(result: SheetResult) -> Iterator[Line]:
    if error := result.checked.error:
        yield {"record": "file", "severity": Severity.ERROR, **(error_fields(error) or {})}
    for problem in result.checked.problems():
        yield {"record": "problem", **problem._asdict()}
    for row, channel in result.results_with_channels():
        # A line for each message, one where there is none; problems of invalid rows have theirs.
        messages = () if row.status is Status.INVALID else row.messages
        for message in messages or (Message("", ""),):
            yield {
                "record": "row",
                "row": row.row,
                **({"field": "salesChannelId", "value": channel} if channel else {}),
                "code": message.code,
                "message": message.text,
                "sellerExternalReference": row.reference,
                "status": row.status,
            }
