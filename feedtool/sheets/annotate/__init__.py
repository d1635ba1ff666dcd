"""Write a result beside every row of the user's file, and leave everything else unchanged.

Reading order: `notes` (the results to write), `workbook_copy` (the copy, step by step),
`sheet_plan`, `sheet_scan` and `sheet_patch` (the rows, by patterns or by a parser),
`sheet_envelope` (the sheet around its rows), `cell_formats`, `cell_notes` and `workbook_parts`
(other parts that change), `zip_copy` (the package), `csv_copy` (the same for CSV).

"Our" cells, columns, headings and formats are feedtool's; all others are the user's.
"""

import errno
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.limits import ReadingLimits
from feedtool.model.text import tr
from feedtool.sheets.annotate.csv_copy import annotate_csv, is_annotated_csv
from feedtool.sheets.annotate.notes import (
    DataBar,
    Finish,
    Link,
    Note,
    SheetNotes,
    Styled,
    Summary,
    SummaryCell,
    Table,
)
from feedtool.sheets.annotate.workbook_copy import annotate_workbook, is_annotated_workbook
from feedtool.sheets.atomic_write import atomic_write, cannot_write
from feedtool.sheets.cell_text import shown
from feedtool.sheets.read.package import DEFAULT_LIMITS

__all__ = [
    "DataBar",
    "Finish",
    "Link",
    "Note",
    "SheetNotes",
    "Styled",
    "Summary",
    "SummaryCell",
    "Table",
    "annotate",
    "is_package",
    "refuse_place",
    "shown",
]


class TargetExists(UsageProblem):
    """The target exists and is no earlier result of feedtool."""


def annotate(
    source: Path,
    target: Path,
    sheets: Sequence[SheetNotes],
    summary: Summary | None = None,
    *,
    overwrite: bool = False,
    is_private: bool = False,
    finish: Finish = "full",
    csv_fallback: str = "",
    limits: ReadingLimits = DEFAULT_LIMITS,
    confirm: Callable[[], None] = lambda: None,
) -> None:
    """Write the annotated copy of a workbook (.xlsx, .xlsm) or a CSV.

    The copy is read again before it replaces `target`; until then, and after any failure, `target`
    does not change. `source` is only read; it may be the target with `overwrite`.

    Args:
        source: The user's file.
        target: The path of the copy. An earlier result there is replaced.
        sheets: The notes of each sheet to annotate; of a CSV exactly one.
        summary: A sheet that becomes the workbook's last one, or replaces the one of its name.
        overwrite: Replace any file at `target`.
        is_private: A new copy can be read by its owner alone.
        finish: The extent of the formats that are added to a workbook.
        csv_fallback: The encoding of a CSV that is not UTF-8; "" guesses it by its words.
        limits: The limits of unpacking a workbook.
        confirm: Called before the copy replaces the target; an exception prevents that.

    Raises:
        UsageProblem: `target` is no earlier result or cannot be written, or a sheet does not exist
            or has no room for three more columns.
        FileProblem: `source` cannot be read.
        NotAsWritten: The copy did not read back as it was written.
        ValueError: The notes are not in ascending order, or a row is not in the sheet.
    """
    if len({notes.sheet for notes in sheets}) != len(sheets) or not sheets:
        raise ValueError("one or more sheets are to be annotated, each of them once")
    if not overwrite:
        refuse_place(source, target, sheets, summary, csv_fallback, limits)
    is_workbook = is_package(source)
    with atomic_write(target, is_private=is_private) as result:
        try:
            if is_workbook:
                annotate_workbook(source, result, sheets, summary, finish, limits)
            else:
                annotate_csv(source, result, sheets[0], csv_fallback)
            confirm()
        except OSError as error:
            if error.filename not in (None, str(result)):
                raise  # about another file: the input, or a source of the notes
            raise cannot_write(target, error) from error


def is_package(path: Path) -> bool:
    """True if a file is a workbook, which can have a summary, and no CSV."""
    with path.open("rb") as file:
        return file.read(2) == b"PK"


def refuse_place(
    source: Path,
    target: Path,
    sheets: Sequence[SheetNotes],
    summary: Summary | None,
    csv_fallback: str,
    limits: ReadingLimits,
) -> None:
    """Raise UsageProblem, before any work is done, if a copy could not be written to `target`.

    It cannot if `target` is no earlier result, its folder does not exist or cannot be written to,
    or its name is too long. Of notes and summary only names and headings are used.
    """
    if not target.parent.is_dir():
        raise cannot_write(target, FileNotFoundError())
    if not os.access(target.parent, os.W_OK):
        raise cannot_write(target, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    try:
        is_there = target.exists()
    except OSError as error:
        raise cannot_write(target, error) from error
    if not is_there:
        return
    if target.samefile(source):
        raise TargetExists(
            tr("{target} is the input itself", target=target),
            tr("name another file, or use --in-place"),
        )
    with suppress(FileProblem, OSError):
        if is_package(target):
            is_ours = is_annotated_workbook(target, sheets, summary, limits)
        else:
            is_ours = is_annotated_csv(target, sheets[0], csv_fallback)
        if is_ours:
            return
    raise TargetExists(
        tr("{target} exists and is not a result of feedtool, so it is not replaced", target=target),
        tr("move it away, or name another file with --out"),
    )
