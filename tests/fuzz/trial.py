"""One file judged: it ends in rows or in a file error, and where there are rows they stay so.

With rows the copy is written, read again and written again: nothing that was read of the user's
file may have changed, and the second copy is the first.
"""

import json
import re
import zipfile
from collections.abc import Iterator
from functools import partial
from io import StringIO
from itertools import zip_longest
from pathlib import Path

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.cells import BLANK, Cell
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
from feedtool.sheets import open_source
from feedtool.sheets.annotate import annotate

NAME = "file"
"""What the file is called in reports, wherever it is."""

STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What no terminal should be sent."""

MOST_ROWS = 5000
"""Of a file with more only the check is tried: a row number is cheap to spoil."""


def judge(file: Path, folder: Path, asked: ReadOptions | None = None) -> str:
    """What came of a file: `rows`, or the code of the error that it ends in.

    Args:
        file: Anything.
        folder: Where copies may be written.
        asked: How to read it, where not as usual.

    Raises:
        AssertionError: Something that was read is otherwise in the copy, or a report is unsafe.
        Exception: A bug.
    """
    asked = asked or ReadOptions()
    sheets = check([Input(NAME, file)], asked, load())
    assert sheets
    outcomes = [
        SheetResult(sheet, None, True, (), partial(row_notes.of_check, sheet))
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
        _annotate(file, copy, read, asked)
    except (UsageProblem, FileProblem) as error:
        return f"rows, no copy: {getattr(error, 'code', '') or type(error).__name__}"
    _compare(file, copy, sheets, asked)
    return "rows"


def _annotate(file: Path, target: Path, sheets: list[CheckedSheet], asked: ReadOptions) -> None:
    notes = [row_notes.notes(sheet, partial(row_notes.of_check, sheet)) for sheet in sheets]
    summary = summary_sheet([SheetResult(sheet) for sheet in sheets])
    annotate(file, target, notes, summary, csv_fallback=asked.dialect.csv_fallback)


def _compare(file: Path, copy: Path, sheets: list[CheckedSheet], asked: ReadOptions) -> None:
    """The copy reads as the file did, and its own copy is the same."""
    copied = check([Input(NAME, copy)], asked, load())
    for before, after in zip(sheets, copied, strict=True):
        told, retold = _told(before), _told(after)
        assert {name for name in told if told[name] != retold[name]} == set(), _first_difference(
            told, retold
        )
    fallback = asked.dialect.csv_fallback
    assert dict(_cells(file, sheets, fallback)) == dict(_cells(copy, copied, fallback))
    again = copy.with_name(f"again{copy.suffix}")
    _annotate(copy, again, [sheet for sheet in sheets if sheet.error is None], asked)
    assert again.read_bytes() == copy.read_bytes(), _unlike(copy, again)


def _told(sheet: CheckedSheet) -> dict[str, object]:
    """What a check says of a sheet, but that it announces too little: a copy mends that."""
    return {
        "sheet": sheet.sheet,
        "kind": sheet.kind,
        "error": sheet.error and (sheet.error.code, sheet.error.message),
        "header": sheet.header and (sheet.header.row, sheet.header.after, sheet.header.columns),
        "valid": list(sheet.valid_items()),
        "rows": [(row, sheet.marks[row]) for row in sheet.marks],
        "problems": [_problem(one) for one in sheet.problems() if one.code != "dimension-wrong"],
    }


def _problem(problem: Problem) -> Problem:
    """Without what a message of ours may change: line breaks, and the first odd letter."""
    if problem.code == "encoding-guessed":
        return problem._replace(message="")
    return problem._replace(line=None)


def _first_difference(one: dict[str, object], other: dict[str, object]) -> str:
    for name, value in one.items():
        if isinstance(value, list) and isinstance(there := other[name], list):
            for before, after in zip_longest(value, there):
                if before != after:
                    return f"{name}: {before} became {after}"
        elif value != other[name]:
            return f"{name}: {value} became {other[name]}"
    return ""


def _cells(
    file: Path, sheets: list[CheckedSheet], fallback: str
) -> Iterator[tuple[tuple[str, int, int], Cell]]:
    """All cells but ours of the sheets that were read; the others' parts are compared as such.

    Ours begin at the header: a title line above it may reach into the same columns.
    """
    headers = {sheet.sheet: sheet.header for sheet in sheets if sheet.header}
    with open_source(file, csv_fallback=fallback) as source:
        for entry in source.sheets:
            header = headers.get(entry.name)
            if header is None:
                continue
            for block in source.sheet(entry.name).blocks():
                for index in range(block.width):
                    is_own = index in header.own
                    for row, key in zip(block.rows, block.column(index), strict=True):
                        if is_own and row >= header.row:
                            continue
                        if (cell := block.decode(key)) != BLANK:
                            yield (entry.name, row, index), cell


def _unlike(one: Path, other: Path) -> str:
    """The first part in which two packages differ."""
    if not zipfile.is_zipfile(one):
        return f"{one.read_bytes()!r} became {other.read_bytes()!r}"
    with zipfile.ZipFile(one) as before, zipfile.ZipFile(other) as after:
        for was, now in zip_longest(before.infolist(), after.infolist()):
            if not (was and now) or (was.filename, was.CRC) != (now.filename, now.CRC):
                parts = [book.read(info) for book, info in ((before, was), (after, now)) if info]
                return f"{was} became {now}: {parts}"
    return "the same parts"


def _report(outcomes: list[SheetResult]) -> None:
    """Every report can be written and is safe to look at."""
    for write in (
        partial(write_text, codes=all_codes()),
        partial(write_text, codes=all_codes(), is_verbose=True, width=80),
        write_csv,
        partial(write_html, codes=all_codes()),
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
