"""Write a report as a file, whole or not at all, in the form of its name's ending; and the CSV."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TextIO
from uuid import uuid4

from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.nouns import Message, Severity, Status
from feedtool.model.text import tr
from feedtool.report.as_json import error_fields, write_json
from feedtool.report.codes import Codes
from feedtool.report.plain import clean
from feedtool.report.sheet_result import SheetResult

COLUMNS = (
    *("record", "file", "sheet", "kind"),
    *("row", "line", "column", "header", "field"),
    *("code", "severity", "value", "message", "hint"),
    *("sellerExternalReference", "status"),
)
"""`record` is the type of a line: `file` (it could not be read), `problem`, or `row` (a result).

If a row has several results, each has its channel as the value of the field `salesChannelId`.
"""

FORMULA_STARTS = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""Spreadsheet programs calculate a cell that begins with one of these, quoted or not.

The last four are the full-width `= + - @`, which Japanese editions read as the plain ones.
"""

_NUMBER = re.compile(r"[+-][0-9]+(?:[.,][0-9]+)?")
"""A signed number alone, such as `-3`: it has one operand, so nothing to calculate."""

Line = dict[str, object]


def write_csv(results: Iterable[SheetResult], out: TextIO) -> None:
    """Write a line for each problem and each row's result; `out` is opened with `newline=""`.

    A byte order mark comes first, without which Excel does not recognise UTF-8. No cell is ever
    a formula (OWASP, "CSV Injection"): an apostrophe goes before a text that would be one.
    """
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
    """Return a cell that no spreadsheet program calculates; an `int` stays a number."""
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
        # A line for each message, or one without any; invalid rows have lines for their problems.
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


Write = Callable[[Iterable[SheetResult], TextIO, Codes, datetime], None]


def write_report(path: Path, results: Iterable[SheetResult], codes: Codes, made: datetime) -> None:
    """Write a report, never half of it. UsageProblem if it cannot be written."""
    write = writer_for(path)
    beside = path.with_name(f".{path.name}.{uuid4().hex[:8]}.part")
    try:
        with beside.open("x", encoding="utf-8", newline="") as out:
            write(results, out, codes, made)
        beside.replace(path)
    except OSError as reason:
        raise UsageProblem(
            tr(
                "the report {path} cannot be written: {why}",
                path=path,
                why=reason_of(reason),
            ),
            tr("name another file with --report, in a folder that exists and may be written to"),
        ) from reason
    finally:
        with suppress(OSError):
            beside.unlink()


def writer_for(path: Path) -> Write:
    """Return the writer for the ending of a file's name; UsageProblem for an unknown one."""
    match path.suffix.casefold():
        case ".html":
            from feedtool.report.html import write_html  # only here: importing jinja2 takes time

            return partial(write_html, folder=path.parent)
        case ".json":
            return lambda results, out, codes, _: write_json(results, out, codes.say)
        case ".csv":
            return lambda results, out, _, __: write_csv(results, out)
    raise UsageProblem(
        tr("{name}: a report's name says what it is", name=path.name),
        tr("end it in .json, .csv or .html"),
    )
