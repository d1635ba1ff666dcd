"""The grid: the sheets of a file for the browser, in one separate SQLite file.

It is written while the sheets are checked, so that nothing is read twice, and each request of a
browser reads a few of its pages. It may be deleted at any time: a check makes it again.

Reading order: `facts` (records of sheets, rows and problems), `tables` (the file), `writer`
(sheets, while they are checked), `results` (the results of a run's rows), `view` (the lists by
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
from feedtool.page.grid.results import NOT_CHOSEN, add_results, with_page_status
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
    "of_code",
    "of_status",
    "with_page_status",
]
