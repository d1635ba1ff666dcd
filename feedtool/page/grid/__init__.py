"""The grid: what the browser shows of the sheets of a file, in one SQLite file of its own.

It is written while the sheets are checked, so that nothing is read twice, and each question of a
browser is answered from a few of its pages. It may be deleted at any time: a check makes it anew.

Reading order: `facts` (what is known of sheets, rows and problems), `tables` (the file), `writer`
(sheets, while they are checked), `results` (what became of the rows of a run), `view` (the lists by
which rows are filtered), `reader` (the answers).
"""

from feedtool.page.grid.facts import (
    ALL,
    CHECK,
    PROBLEMS,
    GridColumn,
    GridRow,
    GridSheet,
    ProblemGroup,
    RowFilter,
    of_code,
    of_status,
)
from feedtool.page.grid.reader import Grid
from feedtool.page.grid.results import NOT_CHOSEN, add_results, as_shown
from feedtool.page.grid.tables import GridUnusable
from feedtool.page.grid.writer import GridWriter

__all__ = [
    "ALL",
    "CHECK",
    "NOT_CHOSEN",
    "PROBLEMS",
    "Grid",
    "GridColumn",
    "GridRow",
    "GridSheet",
    "GridUnusable",
    "GridWriter",
    "ProblemGroup",
    "RowFilter",
    "add_results",
    "as_shown",
    "of_code",
    "of_status",
]
