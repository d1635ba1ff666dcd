"""The way in: decides by the file's content which copy is made, and where it may be put."""

from collections.abc import Sequence
from pathlib import Path

from feedtool.sheets.annotate.notes import SheetNotes, Summary
from feedtool.sheets.annotate.place import cannot_write, placed
from feedtool.sheets.annotate.workbook import annotate_workbook

_ZIP = b"PK\x03\x04"


def annotate(
    source: Path,
    target: Path,
    sheets: Sequence[SheetNotes],
    summary: Summary | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Write the annotated copy of a workbook or CSV."""
    with placed(target) as result:
        try:
            annotate_workbook(source, result, sheets, summary)
        except OSError as error:
            raise cannot_write(target, error) from error
