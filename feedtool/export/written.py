"""The file: a workbook of a template's shape with its rows, or a CSV of the same columns."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from feedtool.export.gathered import Gathered
from feedtool.limits import Limits
from feedtool.sheets.annotate.place import cannot_write, placed
from feedtool.sheets.filled import Value, fill_csv, fill_workbook
from feedtool.template.contents import Contents
from feedtool.template.workbook import KEY_ROW, build, save

CSV = ".csv"
ENDINGS = (".xlsx", CSV)


def is_csv(target: Path) -> bool:
    """Whether the name asks for a CSV."""
    return target.suffix.lower() == CSV


def write(target: Path, contents: Contents, rows: Gathered, limits: Limits) -> int:
    """Write the rows under the columns of a template; the number of the row with the keys.

    In a workbook what is folded away is shown if any row fills it, unless all rows have the same
    to say there; a CSV leaves such columns out where they are empty.

    Raises:
        UsageProblem: the file cannot be written, or has no room for them.
        NotAsWritten: it does not read back as it was written.
    """
    with placed(target) as place, TemporaryDirectory(prefix="feedtool-") as folder:
        try:
            if is_csv(target):
                keys = [
                    field.key
                    for field in contents.fields
                    if field.key in rows.columns or not field.is_folded
                ]
                fill_csv(place, keys, _values(rows, keys))
                return 1
            empty = Path(folder) / "empty.xlsx"
            save(build(contents), empty)
            keys = [field.key for field in contents.fields]
            fill_workbook(empty, place, contents.sheet, _values(rows, keys), limits)
        except OSError as error:
            if error.filename not in (None, str(place)):
                raise
            raise cannot_write(target, error) from error
    return KEY_ROW


def unfolded(contents: Contents, rows: Gathered, kept: frozenset[str]) -> Contents:
    """Contents whose filled columns are all in sight, but for those in `kept`."""
    fields = tuple(
        replace(
            field,
            is_folded=field.is_folded and (field.key not in rows.columns or field.key in kept),
        )
        for field in contents.fields
    )
    return replace(contents, fields=fields)


def _values(rows: Gathered, keys: list[str]) -> Iterator[list[Value]]:
    return ([row.get(key) for key in keys] for row in rows)
