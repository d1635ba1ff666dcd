"""A workbook read twice, by feedtool and by openpyxl, and compared cell by cell.

Every difference that is known has a name, a reason, and a book in which it occurs; what none of
them explains is a fault of one of the two.
"""

import re
import warnings
import zipfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import openpyxl
from openpyxl.cell.cell import MergedCell
from openpyxl.styles import Side
from openpyxl.styles.styleable import StyleableObject
from openpyxl.worksheet.formula import DataTableFormula

from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.errors import FileProblem
from feedtool.sheets import open_source
from tests.corpus.books import STRICT

Place = tuple[int, int]
"""Row, 1-based, and column, 0-based."""


Sheets = Mapping[str, Mapping[Place, Cell]]


class Theirs(NamedTuple):
    """A cell as openpyxl reads it."""

    value: object
    """The value with `data_only`: a formula's stored result."""
    kind: str
    """openpyxl's `data_type`."""
    formula: object
    """The value without `data_only`."""
    is_merged: bool
    """Covered by the first cell of a merged area."""
    look: str = ""
    """Number format, font, fill, borders, alignment and protection."""


NOTHING = Theirs(None, "n", None, is_merged=False)


class Pair(NamedTuple):
    """A cell, as read by both readers."""

    sheet: str
    place: Place
    ours: Cell
    theirs: Theirs


def ours(path: Path, sheets: Collection[str] | None = None) -> Sheets:
    """All cells that are not blank, of some sheets or of all. Raises FileProblem."""
    return _ours(path, path.read_bytes(), None if sheets is None else frozenset(sheets))


@lru_cache(4)  # a file and its copy are compared in several ways, one after the other
def _ours(path: Path, _: bytes, sheets: frozenset[str] | None) -> Sheets:
    with open_source(path) as source:
        return {
            entry.name: {
                (row, index): cell
                for block in source.sheet(entry.name).blocks()
                for index in range(block.width)
                for row, key in zip(block.rows, block.column(index), strict=True)
                if (cell := block.decode(key)) != BLANK
            }
            for entry in source.sheets
            if sheets is None or entry.name in sheets
        }


def theirs(path: Path) -> Mapping[str, Mapping[Place, Theirs]]:
    """All cells that are not blank, read by openpyxl; its exceptions pass."""
    return _theirs(path.read_bytes())


@lru_cache(4)
def _theirs(content: bytes) -> Mapping[str, Mapping[Place, Theirs]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        formulas = results = openpyxl.load_workbook(BytesIO(content))
        if _has_formulas(formulas):
            results = openpyxl.load_workbook(BytesIO(content), data_only=True)
    found: dict[str, dict[Place, Theirs]] = {}
    looks: dict[int, str] = {}
    for sheet in results.worksheets:
        written = formulas[sheet.title]
        cells = found[sheet.title] = {}
        for row, column in list(sheet._cells):  # noqa: SLF001  # the cells that are there, not the grid
            cell = sheet.cell(row, column)
            formula = written.cell(row, column)
            cells[row, column - 1] = Theirs(
                cell.value,
                cell.data_type,
                _formula(formula.value) if formula.data_type == "f" else None,
                isinstance(cell, MergedCell),
                looks.get(cell.style_id) or looks.setdefault(cell.style_id, _look(cell)),
            )
    return found


def _has_formulas(book: openpyxl.Workbook) -> bool:
    """True if a cell has a formula; without any, both ways of reading are the same."""
    cells = (cell for sheet in book.worksheets for cell in sheet._cells.values())  # noqa: SLF001
    return any(cell.data_type == "f" for cell in cells)


def _formula(value: object) -> object:
    """A formula's text; a data table has only attributes."""
    return dict(value) if isinstance(value, DataTableFormula) else getattr(value, "text", value)


def _look(cell: StyleableObject) -> str:
    looks = (cell.font, cell.fill, cell.border, cell.alignment, cell.protection)
    # A workbook without borders gets one that has no sides.
    return "\n".join((cell.number_format, *map(repr, looks))).replace(repr(Side()), "None")


def pairs(path: Path) -> Iterator[Pair]:
    """Every cell that holds something for one of the two.

    Raises FileProblem where feedtool does not read the file, and anything where openpyxl does not.
    """
    mine, others = ours(path), theirs(path)
    assert list(mine) == list(others), path
    for sheet in mine:
        for place in sorted({*mine[sheet], *others[sheet]}):
            yield Pair(
                sheet,
                place,
                mine[sheet].get(place, BLANK),
                others[sheet].get(place, NOTHING),
            )


def differing(path: Path) -> list[Pair]:
    """The cells that the two readers read differently."""
    return [pair for pair in pairs(path) if not agree(pair.ours, pair.theirs)]


def both_read(path: Path) -> bool:
    """True if both readers read the file."""
    try:
        ours(path)
    except FileProblem:
        return False
    if _is_strict(path):
        return False
    try:
        # Of a sheet whose part's name is written in another case it says nothing.
        return bool(theirs(path))
    except Exception:  # noqa: BLE001  # it raises all kinds of things
        return False


def _is_strict(path: Path) -> bool:
    """True if a part is of a strict workbook: openpyxl reads no cells of it, without an error."""
    with zipfile.ZipFile(path) as archive:
        parts = (archive.read(name) for name in archive.namelist())
        return any(STRICT.encode(codec) in part for part in parts for codec in _CODECS)


_CODECS = ("utf-8", "utf-16-le", "utf-16-be")


def agree(cell: Cell, other: Theirs) -> bool:  # noqa: PLR0911  # one for each kind
    """True if both readers read the same kind and the same value."""
    value = other.value
    match cell.kind:
        case Kind.BLANK:
            return value is None or value == ""
        case Kind.TEXT:
            return other.kind in {"s", "inlineStr"} and value == cell.text
        case Kind.NUMBER:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return is_number and float(cell.text) == float(str(value))
        case Kind.BOOLEAN:
            return value is (cell.text == "TRUE")
        case Kind.ERROR:
            return other.kind == "e" and value == cell.text
        case Kind.DATE:
            return _moments_agree(cell.text, value)
        case Kind.NO_RESULT:
            return value is None and other.formula == cell.text


_LAST_DIGIT = timedelta(milliseconds=1)
"""Spreadsheets show milliseconds, and so do we; openpyxl counts microseconds."""


def _moments_agree(text: str, value: object) -> bool:
    if isinstance(value, timedelta):
        return abs(_duration(text) - value) <= _LAST_DIGIT if text.startswith("PT") else False
    if isinstance(value, time):
        day = date(2000, 1, 1)
        with suppress(ValueError):
            mine = datetime.combine(day, time.fromisoformat(text))
            return abs(mine - datetime.combine(day, value)) <= _LAST_DIGIT
    if isinstance(value, datetime):
        with suppress(ValueError):
            return abs(datetime.fromisoformat(text) - value) <= _LAST_DIGIT
    return type(value) is date and value.isoformat() == text


def _duration(text: str) -> timedelta:
    hours, _, rest = text.removeprefix("PT").partition("H")
    minutes, _, seconds = rest.partition("M")
    return timedelta(
        hours=int(hours), minutes=int(minutes), seconds=float(seconds.removesuffix("S"))
    )


_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")


def _resolved(text: str) -> str:
    text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_number_to_python(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


DIFFERENCES = {
    # openpyxl leaves the _xHHHH_ of texts as they are written (ECMA-376, 22.9.2.19).
    "escape": "escapes",
    # Of shared strings openpyxl only takes the x005F_ out, wherever it stands.
    "escaped underscore": "escaped_underscores",
    # Spreadsheets show day 60 as a day that never was, openpyxl as the day before.
    "29 February 1900": "dates",
    # Spreadsheets show a negative date as ####; we keep the number, openpyxl counts backwards.
    "before 1900": "absurd_dates",
    # Counted from 1904, day 0 is the first of January; openpyxl shows the time alone.
    "day 0 of 1904": "first_days_of_1904",
    # A date beyond the calendar is no error in the file; we keep its number.
    "after 9999": "absurd_dates",
    # A value under a merged area is in the file, and nothing that is there is left out by us.
    "merged": "titles_and_merges",
    # What Python takes for a number (1_000, other alphabets' digits) is none in a spreadsheet.
    "digits": "lenient",
    # A text in the wrong element of an inline string is a text, and would be lost to openpyxl.
    "inline without <is>": "lenient",
}
"""Known differences, by name, each with one of `BOOKS` in which it occurs."""
LAST_DAY = 2_958_465
NO_STYLE = "it wants the style of every cell to be there"
UNREADABLE_TO_OPENPYXL = {
    "strict": "it knows the transitional namespace only",
    "other_names": "it minds the case of part names",
    "part names with backslashes": "it minds the slashes of part names",
    "an absolute part name": "it minds the slash in front of a part's name",
    "a workbook in another folder": "it looks for xl/workbook.xml alone",
    "a sheet's name like a formula": "it wants a sheet's name without a colon and slashes",
    "a chart between the sheets": "it wants what is inside a chart",
    "formatted rows down to the grid's end": NO_STYLE,
}
"""The workbooks that only feedtool reads, and why."""


def explanation(pair: Pair) -> str | None:
    """The name of the known difference of a pair, or None."""
    cell, other = pair.ours, pair.theirs
    kind, text, value = cell.kind, cell.text, other.value
    is_text, is_date = kind is Kind.TEXT, kind is Kind.DATE
    is_lost = value is None and kind is not Kind.BLANK
    is_escape = is_text and isinstance(value, str) and text != value
    odd = is_text and other.kind in {"n", "d"} and not re.fullmatch("[0-9.eE+-]+", text)
    known = {
        "escape": is_escape and "_x" in str(value) and _resolved(str(value)) == text,
        "escaped underscore": is_escape and text.replace("x005F_", "") == value,
        "29 February 1900": text == "1900-02-29" and value == datetime(1900, 2, 28),  # noqa: DTZ001
        "before 1900": is_date and text.startswith("-") and isinstance(value, datetime),
        "day 0 of 1904": is_date
        and isinstance(value, time)
        and text == f"1904-01-01T{value.isoformat()}",
        "after 9999": is_date and value == "#VALUE!" and abs(float(text)) > LAST_DAY,
        "merged": is_lost and other.is_merged,
        "digits": odd and _is_number_to_python(text),
        "inline without <is>": is_lost and is_text and other.kind == "inlineStr",
    }
    return next((name for name, holds in known.items() if holds), None)


def assert_read_alike(path: Path, name: str) -> None:
    """Assert that a workbook is read as by openpyxl, apart from known differences.

    Differences for which the workbook of this name is made do occur.
    """
    assert ours(path)
    assert both_read(path) is (name not in UNREADABLE_TO_OPENPYXL)
    if name not in UNREADABLE_TO_OPENPYXL:
        explained = [(pair, explanation(pair)) for pair in differing(path)]
        assert [pair for pair, why in explained if why is None] == []
        made_for = {why for why, book in DIFFERENCES.items() if book == name}
        assert made_for <= {why for _, why in explained}
