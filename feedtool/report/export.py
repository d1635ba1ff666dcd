"""The file that an export has written, in text and JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from feedtool.report.as_json import Fields, write_lines, write_objects
from feedtool.report.plain import clean, counted


@dataclass(frozen=True, slots=True)
class Exported:
    """A file that was written."""

    file: Path
    kind: str
    """A kind of feed, or of list."""
    sheet: str | None
    """The sheet with the rows; None in a CSV."""
    header_row: int
    rows: int
    skipped: int
    """Entries that are not in the file; the notes say why."""
    notes: Sequence[tuple[str, str, bool]]
    """Each is what to know, what to do, and whether something that was asked for is not there."""


def write_exported(exported: Exported, out: TextIO, form: str) -> None:
    """The file that was written: for people, as a list of one object, or as an event."""
    if form == "text":
        sheet = f", sheet {exported.sheet}" if exported.sheet else ""
        header = f"header in row {exported.header_row}"
        out.write(clean(f"{exported.file}  {exported.kind}{sheet}, {header}") + "\n")
        skipped = f", {exported.skipped:,} left out" if exported.skipped else ""
        out.write(f"{counted(exported.rows, 'row')}{skipped}\n")
    elif form == "json":
        write_objects([_fields(exported)], out)
    else:
        write_lines([{"type": "summary", **_fields(exported)}], out)


def _fields(exported: Exported) -> Fields:
    return {
        "file": str(exported.file),
        "kind": exported.kind,
        "sheet": exported.sheet,
        "headerRow": exported.header_row,
        "rows": exported.rows,
        "skipped": exported.skipped,
        "notes": [{"message": text, "hint": hint} for text, hint, _ in exported.notes],
    }
