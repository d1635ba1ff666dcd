"""The file before another: the last of its name, or else of its name on another day.

Numbered parts of one feed, `part1.csv` and `part2.csv`, are none of each other's.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from feedtool.areas.offers.changes.guards import EarlierFile

_MOMENT = re.compile(
    r"(?<!\d)"
    r"(?:\d{6,}|\d{2,4}(?:[-_.]\d{2,4}){1,2})"  # 20260302, 2026-03-02, 02.03.26, 14-30
    r"(?:[-_.T]\d{4})?"  # and a time that is nothing but four digits
    r"(?!\d)"
)


def predecessor(name: str, files: Iterable[tuple[str, int, int | None]]) -> EarlierFile | None:
    """The file before one of this name.

    Args:
        name: Its path.
        files: Path, run and rows of earlier ones, the newest first; those without rows are none.

    Returns:
        The first of just this name; where there is none, the first whose name differs in nothing
        but what looks like a date or a time.
    """
    own, alike = Path(name).name, None
    for path, run, rows in files:
        if rows and Path(path).name == own:
            return EarlierFile(run, rows)
        if rows and alike is None and _without_moments(path) == _without_moments(name):
            alike = EarlierFile(run, rows)
    return alike


def _without_moments(path: str) -> str:
    return _MOMENT.sub("#", Path(path).name)
