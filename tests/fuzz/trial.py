"""Judge a file: it ends in rows or in a file error, and its copy keeps the rows.

With rows the copy is written, read again and written again: nothing that was read of the user's
file may have changed, and the second copy is the first.
"""

import json
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from io import StringIO
from itertools import zip_longest
from pathlib import Path

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.cells import Cell
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.nouns import Problem
from feedtool.model.sheet import CheckedSheet
from feedtool.report.as_json import write_json
from feedtool.report.file import write_csv
from feedtool.report.html import write_html
from feedtool.report.sheet_result import SheetResult
from feedtool.report.text import write_text
from feedtool.runs import row_notes
from feedtool.runs.annotated_copy import summary_sheet
from feedtool.runs.codes import all_codes
from feedtool.sheets.annotate import annotate
from tests.corpus.reading import ours

MADE = datetime(2026, 11, 23, tzinfo=UTC)

NAME = "file"
"""The name of the file in reports."""

STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that no terminal should get."""

MOST_ROWS = 5000
"""For a file with more rows only the check is tried: a row number is cheap to spoil."""


def judge(file: Path, folder: Path, sheet: str | None = None) -> str:
    """The outcome of a file: `rows`, or the code of the error that it ends in.

    Args:
        file: Anything.
        folder: Where copies may be written.
        sheet: Which of its sheets is meant.

    Raises:
        AssertionError: Something that was read is otherwise in the copy, or a report is unsafe.
        Exception: A bug.
    """
    sheets = check([Input(NAME, file)], ReadOptions(sheets=[sheet] if sheet else ()), load())
    assert sheets
    outcomes = [
        SheetResult(sheet, None, True, (), partial(row_notes.check_results, sheet))
        if sheet.error is None
        else SheetResult(sheet)
        for sheet in sheets
    ]
    _report(outcomes)
    read = [sheet for sheet in sheets if sheet.error is None]
    if not read:
        assert sheets[0].error is not None
        assert sheets[0].error.code
        assert sheets[0].error.hint
        return sheets[0].error.code
    if sum(sheet.counts().rows for sheet in read) > MOST_ROWS:
        return "rows (many)"
    copy, again = folder / f"copy{file.suffix}", folder / f"again{file.suffix}"
    for target in (copy, again):
        target.unlink(missing_ok=True)
    try:
        _annotate(file, copy, read)
    except (UsageProblem, FileProblem) as error:
        return f"rows, no copy: {getattr(error, 'code', '') or type(error).__name__}"
    _compare(file, copy, sheets, ReadOptions(sheets=[sheet] if sheet else ()))
    return "rows"


def _annotate(file: Path, target: Path, sheets: list[CheckedSheet]) -> None:
    notes = [row_notes.notes(sheet, partial(row_notes.check_results, sheet)) for sheet in sheets]
    summary = summary_sheet([SheetResult(sheet) for sheet in sheets])
    annotate(file, target, notes, summary)


def _compare(file: Path, copy: Path, sheets: list[CheckedSheet], options: ReadOptions) -> None:
    """The copy reads as the file did, and its own copy is the same."""
    copied = check([Input(NAME, copy)], options, load())
    for before, after in zip(sheets, copied, strict=True):
        pairs = zip_longest(_findings(before), _findings(after))
        assert next((pair for pair in pairs if pair[0] != pair[1]), None) is None
    assert dict(_cells(file, sheets)) == dict(_cells(copy, copied))
    again = copy.with_name(f"again{copy.suffix}")
    _annotate(copy, again, [sheet for sheet in sheets if sheet.error is None])
    assert again.read_bytes() == copy.read_bytes(), _unlike(copy, again)


def _findings(sheet: CheckedSheet) -> list[object]:
    """The result of a check, without the warning of a wrong dimension: a copy corrects that."""
    header = sheet.header and (sheet.header.row, sheet.header.after, sheet.header.columns)
    error = sheet.error and (sheet.error.code, sheet.error.message)
    rows = ((row, sheet.rows.marks[row]) for row in sheet.rows.marks)
    problems = (
        _problem(problem) for problem in sheet.problems() if problem.code != "dimension-wrong"
    )
    return [sheet.sheet, sheet.kind, error, header, *sheet.valid_items(), *rows, *problems]


def _problem(problem: Problem) -> Problem:
    """A problem without details that a copy may change: line breaks, the first odd letter."""
    if problem.code == "encoding-guessed":
        return problem._replace(message="")
    return problem._replace(line=None)


def _cells(file: Path, sheets: list[CheckedSheet]) -> Iterator[tuple[tuple[str, int, int], Cell]]:
    """All cells but ours of the sheets that were read; the others' parts are compared as such.

    Ours begin at the headings: a title line above it may reach into the same columns.
    """
    headers = {sheet.sheet or "": sheet.header for sheet in sheets if sheet.header}
    for name, cells in ours(file, headers).items():
        header = headers[name]
        for (row, index), cell in cells.items():
            if not (index in header.own and row >= header.headings_row):
                yield (name, row, index), cell


def _unlike(*paths: Path) -> object:
    """The parts in which two packages differ, with their checksums."""
    if not zipfile.is_zipfile(paths[0]):
        return [path.read_bytes() for path in paths]
    parts = []
    for path in paths:
        with zipfile.ZipFile(path) as package:
            parts.append({(info.filename, info.CRC) for info in package.infolist()})
    return parts[0] ^ parts[1]


def _report(outcomes: list[SheetResult]) -> None:
    """Every report can be written and is safe to look at."""
    for write in (
        partial(write_text, codes=all_codes()),
        partial(write_text, codes=all_codes(), is_verbose=True, width=80),
        write_csv,
        partial(write_html, codes=all_codes(), made=MADE, folder=Path()),
    ):
        out = StringIO()
        write(outcomes, out)
        out.getvalue().encode()
        found = STEERING.search(out.getvalue().replace("\r\n", "\n"))
        assert found is None, out.getvalue()[found.start() - 40 : found.end() + 20]
    out = StringIO()
    write_json(outcomes, out)
    assert STEERING.search(out.getvalue()) is None
    json.loads(out.getvalue().encode())
