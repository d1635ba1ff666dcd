"""What happened, told as text, JSON, CSV or HTML.

Every report is made from `Outcome`s, one for each sheet, and streams: a million problems are
never in memory. To be read in this order: `outcome`, `tally` (groups and counts), `text`,
`as_json`, `table`, `html`, `file`; `codes` knows the page of every problem code.
"""

from feedtool.report.as_json import Progress, progress_events, write_json, write_jsonl
from feedtool.report.codes import all_codes, explain
from feedtool.report.columns import write_columns
from feedtool.report.file import write_report, writer_for
from feedtool.report.outcome import Outcome
from feedtool.report.summary import summary_sheet, summary_table
from feedtool.report.table import write_csv
from feedtool.report.text import write_text

__all__ = [
    "Outcome",
    "Progress",
    "all_codes",
    "explain",
    "progress_events",
    "summary_sheet",
    "summary_table",
    "write_columns",
    "write_csv",
    "write_json",
    "write_jsonl",
    "write_report",
    "write_text",
    "writer_for",
]
