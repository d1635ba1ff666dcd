"""Count the problems that a corrected file has solved."""

from collections.abc import Iterator

from feedtool.model.text import MessageText, tr
from feedtool.page.checks import grid_of
from feedtool.page.grid import PROBLEMS, Grid, GridUnusable, RowFilter
from feedtool.page.session import PageSession
from feedtool.page.uploads import FileUpload, NotHere

MOST = 5_000
"""Most rows with problems that are compared."""
READ = 500

ProblemKey = tuple[str, str | None, str]
"""The row's reference, else its number; the field, if the problem has one; the code."""


def problems_gone(session: PageSession, file: FileUpload) -> MessageText | None:
    """Return `29 of 32 problems are gone, 1 is new`; None without problems to compare."""
    if not file.replaces:
        return None
    try:
        with (
            grid_of(session, session.uploads.file(file.replaces)) as former,
            grid_of(session, file) as present,
        ):
            before, after = set(_problems(former)), set(_problems(present))
    except (NotHere, GridUnusable):
        return None
    if not before:
        return None
    gone, new = len(before - after), len(after - before)
    text = tr("{gone:,} of {before:,} problems are gone.", gone=gone, before=len(before))
    return tr("{text} {new:,} are new.", text=text, new=new) if new else text


def _problems(grid: Grid) -> Iterator[ProblemKey]:
    for sheet in grid.sheets:
        rows = RowFilter(sheet.number, which=PROBLEMS)
        slots = [column.index for column in sheet.columns]
        slot = slots.index(sheet.reference) if sheet.reference in slots else None
        for start in range(0, MOST, READ):
            read = grid.rows(rows, start, READ)
            for row in read:
                reference = row.cells[slot] if slot is not None and slot < len(row.cells) else ""
                name = reference or str(row.row)
                yield from ((name, problem.field, problem.code) for problem in row.problems)
            if len(read) < READ:
                break
