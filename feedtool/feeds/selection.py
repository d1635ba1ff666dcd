"""Options that select the rows of a command to send, and the predecessor of a file."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct


class ChosenRows(NamedTuple):
    """Some rows of a sheet."""

    file: str
    """The file's name as given."""
    sheet: str | None
    """None for the only sheet of the file."""
    rows: str
    """Row ranges for `RowRanges`: `2-5,9,40-`."""


class ReleasedGuard(NamedTuple):
    """A guard that a user has released, so that it holds nothing."""

    code: str
    who: str = ""
    """The user; "" for the user who starts the run."""
    reason: str = ""
    """Empty if none was given."""


class SelectionOptions(Struct, frozen=True):
    """Options of the selection; the default sends all rows that no guard holds."""

    changed_only: bool = False
    """Leave out unchanged rows."""
    prefer_update: bool = False
    """Send an Upsert that changes only price or stock as an Update."""
    released: tuple[ReleasedGuard, ...] = ()
    """The released guards."""
    rows: tuple[ChosenRows, ...] = ()
    """The only rows to send; all if empty."""

    def releases(self, code: str) -> bool:
        return any(guard.code == code for guard in self.released)


EVERY_ROW = SelectionOptions()
"""Every row that no guard holds."""


# The predecessor of a file.


class EarlierFile(NamedTuple):
    run_id: int
    rows: int


_MOMENT = re.compile(
    r"(?<!\d)"
    r"(?:\d{6,}|\d{2,4}(?:[-_.]\d{2,4}){1,2})"  # 20260302, 2026-03-02, 02.03.26, 14-30
    r"(?:[-_.T]\d{4})?"  # and a time of four digits
    r"(?!\d)"
)


def predecessor(name: str, files: Iterable[tuple[str, int, int | None]]) -> EarlierFile | None:
    """Return the last file of the same name, else of a name that differs only in dates and times.

    Numbered parts of one feed, `part1.csv` and `part2.csv`, are not predecessors of each other.
    `files` are path, run and rows of earlier files, the newest first; files without rows are
    skipped.
    """
    base_name, alike = Path(name).name, None
    for path, run, rows in files:
        if rows and Path(path).name == base_name:
            return EarlierFile(run, rows)
        if rows and alike is None and _without_moments(path) == _without_moments(name):
            alike = EarlierFile(run, rows)
    return alike


def _without_moments(path: str) -> str:
    return _MOMENT.sub("#", Path(path).name)
