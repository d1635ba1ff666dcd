"""Spreadsheets in and out, losslessly and in constant memory; knows nothing of marketplaces.

Reading order: `opening` decides what a file is; `package` and `workbook` open a workbook,
`xlsx` reads its sheets, cut into pieces (`cut`) that are written plainly (`plain`), by pattern
(`scanner`) where that is proven safe and by a parser (`events`) elsewhere; `delimited` reads CSV
(`quoting` proves its quotation marks). All come out as `feedtool.model.cells.Block`.
`filled` writes rows into a workbook of ours, or a CSV.
"""

from feedtool.model.limits import Limits
from feedtool.sheets.opening import open_source
from feedtool.sheets.package import DEFAULT_LIMITS, Package
from feedtool.sheets.source import HeadRow, Merge, Notice, Sheet, Source
from feedtool.sheets.workbook import SheetEntry

__all__ = [
    "DEFAULT_LIMITS",
    "HeadRow",
    "Limits",
    "Merge",
    "Notice",
    "Package",
    "Sheet",
    "SheetEntry",
    "Source",
    "open_source",
]
