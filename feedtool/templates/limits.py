"""The limits of spreadsheet programs; all that a template writes passes through this module.

Excel refuses a workbook beyond one of these limits, or repairs it and loses dropdowns. A text is
cut with an ellipsis; anything that loses information when it is cut stops the template.

Source: Microsoft's "Excel specifications and limits", [MS-OI29500] and the schema of ISO/IEC
29500-1, part "dataValidation". Excel counts in UTF-16: an emoji is two characters.
"""

import re
from collections.abc import Collection, Iterator
from itertools import accumulate

from openpyxl.cell import Cell, MergedCell
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from feedtool.feeds.template import CELL_TEXT, UNWRITABLE, length
from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr

ROWS, COLUMNS = 1_048_576, 16_384
SHEET_NAME = 31
NAME = 255
"""Characters of a defined name."""
RULE_TEXTS = {"promptTitle": 32, "prompt": 255, "errorTitle": 32, "error": 224}
"""Characters of the texts of a validation."""
PROPERTY = 255
"""Characters of a custom document property that is a text."""
COLUMN_WIDTH = 255
"""In characters."""
ROW_HEIGHT = 409
"""In points."""

ELLIPSIS = "…"

_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_CELL_REFERENCE = re.compile(r"[A-Za-z]{1,3}[0-9]+|[Rr][0-9]*(?:[Cc][0-9]*)?|[Cc][0-9]*")
_NOT_IN_SHEET_NAME = re.compile(r"[\[\]:*?/\\]")


def cut(text: str, longest: int) -> str:
    """Return the text, or its beginning and an ellipsis if it is longer than `longest`."""
    if length(text) <= longest:
        return text
    ends = accumulate(map(length, text), initial=len(ELLIPSIS))
    kept = sum(end <= longest for end in ends) - 1
    return text[:kept].rstrip() + ELLIPSIS


def _written(text: str, longest: int) -> str:
    """Return a text for the XML: without illegal characters, and with `_x0041_` escaped."""
    legible = UNWRITABLE.sub("\ufffd", text.replace("\r\n", "\n"))
    return _ESCAPE.sub("_x005F_", cut(legible, longest))


def put(sheet: Worksheet, row: int, column: int, text: str) -> Cell | MergedCell:
    """Write a text, also one that looks like a formula; UsageProblem outside of the sheet."""
    if row > ROWS or column > COLUMNS:
        raise UsageProblem(
            tr(
                "a sheet has {rows:,} rows and {columns:,} columns, and “{title}” needs more",
                rows=ROWS,
                columns=COLUMNS,
                title=sheet.title,
            ),
            tr("choose fewer categories"),
        )
    cell = sheet.cell(row, column)
    cell.value = _written(text, CELL_TEXT)
    cell.data_type = "s"
    return cell


def shape(sheet: Worksheet, letter: str, width: float) -> None:
    sheet.column_dimensions[letter].width = min(width, COLUMN_WIDTH)


def raise_row(sheet: Worksheet, row: int, height: float) -> None:
    sheet.row_dimensions[row].height = min(height, ROW_HEIGHT)


def add_rule(sheet: Worksheet, rule: DataValidation) -> None:
    """Add a validation, or a prompt; texts that are too long are cut."""
    for attribute, longest in RULE_TEXTS.items():
        if text := getattr(rule, attribute):
            setattr(rule, attribute, _written(text, longest))
    sheet.add_data_validation(rule)


def sheet_name(text: str, taken: Collection[str] = ()) -> str:
    """Return a legal and unique name of a sheet, as close to the text as possible."""
    legal = cut(_NOT_IN_SHEET_NAME.sub("_", UNWRITABLE.sub("_", text)), SHEET_NAME)
    legal = re.sub("^'|'$", "_", legal) or "_"
    if legal.casefold() == "history":  # reserved by Excel
        legal += "_"
    return _distinct(legal, taken, SHEET_NAME)


def defined_name(text: str, taken: Collection[str] = ()) -> str:
    """Return a legal and unique name of a range, in ASCII: programs differ in other letters."""
    legal = re.sub("[^A-Za-z0-9_.]", "_", text)
    if not re.match("[A-Za-z_]", legal) or _CELL_REFERENCE.fullmatch(legal):
        legal = "_" + legal
    return _distinct(legal[:NAME], taken, NAME)


def _distinct(name: str, taken: Collection[str], longest: int) -> str:
    """Return the name, or its beginning and a number; names that differ only in case are equal."""
    others = {other.casefold() for other in taken}
    candidate, number = name, 1
    while candidate.casefold() in others:
        number += 1
        candidate = f"{name[: longest - len(f'_{number}')]}_{number}"
    return candidate


def properties(name: str, items: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield a list with commas as custom properties `name`, `name.2` …; no item is split."""
    parts = [""]
    for item in items:
        longer = f"{parts[-1]},{item}" if parts[-1] else item
        if length(longer) <= PROPERTY:
            parts[-1] = longer
        elif length(item) <= PROPERTY:
            parts.append(item)
        else:
            raise ValueError(f"a custom property is longer than {PROPERTY} characters")
    for number, part in enumerate(parts, start=1):
        yield (name if number == 1 else f"{name}.{number}"), part
