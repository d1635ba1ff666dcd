"""What happened, told as text, JSON, CSV or HTML.

Every report is made from `Outcome`s, one for each sheet, and streams: a million problems are
never in memory.
"""

from feedtool.report.as_json import Progress, progress_events, write_json, write_jsonl
from feedtool.report.codes import all_codes, explain
from feedtool.report.outcome import Outcome
from feedtool.report.text import write_text

__all__ = [
    "Outcome",
    "Progress",
    "all_codes",
    "explain",
    "progress_events",
    "write_json",
    "write_jsonl",
    "write_text",
]
