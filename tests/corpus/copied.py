"""A file's annotated copy: nothing differs but what is ours, and it reads as the file does."""

import zipfile
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from feedtool.check import ReadOptions
from feedtool.model.errors import FileProblem
from tests.corpus.copies import (
    SUMMARY,
    Plan,
    annotated,
    assert_only_ours_differs,
    our_columns,
    plan_of,
)
from tests.corpus.reading import (
    Place,
    Theirs,
    both_read,
    differing,
    explanation,
    ours,
    pairs,
    theirs,
)
from tests.fuzz.trial import judge

Cell = TypeVar("Cell")

NO_ROOM = "rows, no copy: NoRoom"
"""The sheet's last columns are used."""


def annotate_and_compare(source: Path, folder: Path) -> bool:
    """True if there was something to annotate in a file, and it was done well, twice."""
    plan = plan_of(source)
    if plan is None:
        return False
    folder.mkdir(exist_ok=True)
    copy, again = folder / f"copy{source.suffix}", folder / f"again{source.suffix}"
    for target in (copy, again):
        target.unlink(missing_ok=True)
    annotated(source, copy, plan)
    earlier, columns = our_columns(source, plan), our_columns(copy, plan)
    before, after = ours(source), ours(copy)
    columns |= earlier
    assert without(after, plan.sheet, columns) == without(before, plan.sheet, columns)
    annotated(copy, again, plan)
    assert again.read_bytes() == copy.read_bytes()
    if source.read_bytes().startswith(b"PK"):
        _compare_workbooks(source, copy, plan, columns)
        return True
    written = [cell.text for place, cell in after[""].items() if place[1] in columns]
    assert not any(text.startswith(("=", "+", "-", "@", "\t", "\r")) for text in written)
    if not earlier:
        rest = iter(copy.read_bytes())
        assert all(byte in rest for byte in source.read_bytes())
    return True


def _compare_workbooks(source: Path, copy: Path, plan: Plan, columns: frozenset[int]) -> None:
    assert_only_ours_differs(source, copy, plan)
    if not both_read(source):
        return
    assert both_read(copy)
    before, after = (_looks_kept(theirs(path), source) for path in (source, copy))
    assert without(after, plan.sheet, columns) == without(before, plan.sheet, columns)
    assert [pair for pair in differing(copy) if explanation(pair) is None] == []
    written = [
        pair
        for pair in pairs(copy)
        if pair.sheet == SUMMARY or (pair.sheet == plan.sheet and pair.place[1] in columns)
    ]
    assert written
    assert not any(pair.theirs.formula for pair in written)


def _looks_kept(
    cells: dict[str, dict[Place, Theirs]], source: Path
) -> dict[str, dict[Place, Theirs]]:
    """Without looks where the source had no font: of what it then is each program has its idea."""
    with zipfile.ZipFile(source) as package:
        if any(b"<fonts" in package.read(name) for name in package.namelist()):
            return cells
    return {
        sheet: {place: cell._replace(look="") for place, cell in found.items()}
        for sheet, found in cells.items()
    }


def without(
    cells: dict[str, dict[Place, Cell]], sheet: str, columns: frozenset[int]
) -> dict[str, dict[Place, Cell]]:
    """The cells of a workbook but those of our columns and of the summary."""
    return {
        name: {
            place: cell for place, cell in found.items() if name != sheet or place[1] not in columns
        }
        for name, found in cells.items()
        if name != SUMMARY
    }


def assert_copied(file: Path, folder: Path, asked: ReadOptions | None = None) -> str:
    """Annotates a file twice: with a note on every row of any sheet, and with what checking says.

    Returns:
        `rows`, NO_ROOM, or the code of the error that checking the file ends in.
    """
    folder.mkdir()
    outcome = judge(file, folder, asked)
    if outcome == NO_ROOM:
        return outcome
    fallback = asked.dialect.csv_fallback if asked else "cp1252"
    with suppress(FileProblem):
        if fallback == "cp1252" or file.read_bytes().startswith(b"PK"):
            annotate_and_compare(file, folder)
    return outcome
