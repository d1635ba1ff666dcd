"""The results of a command as text, JSON, CSV or HTML.

Every report is made from `SheetResult`s, one for each sheet, and streams: a million problems are
never in memory. To be read in this order: `sheet_result`, `tally` (groups and counts), `text`,
`as_json`, `html`, `file`; the pages of problem `codes` are handed in.
"""

from feedtool.report.as_json import Progress, progress_events, write_json, write_jsonl
from feedtool.report.codes import Codes
from feedtool.report.file import write_csv, write_report, writer_for
from feedtool.report.sheet_result import SheetResult
from feedtool.report.text import write_columns, write_text

__all__ = [
    "Codes",
    "Progress",
    "SheetResult",
    "progress_events",
    "write_columns",
    "write_csv",
    "write_json",
    "write_jsonl",
    "write_report",
    "write_text",
    "writer_for",
]
