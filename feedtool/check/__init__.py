"""Reading and judging files: from a path to valid Items and to Problems, nothing sent.

One bad file never stops the next: what cannot be read becomes the `error` of its `CheckedSheet`.

Reading order: `asked` (what is to be read, and how) and `result` (what was found), `files` (all
files of a command), `choosing` (which of their sheets are feeds), `kinds` (of which kind), `sheet`
(the rows of one), `not_rows` (which of them are totals), `placing` (where a fault is) and `gate`
(each request against its schema); `ours` names what an annotated copy has more than its input.
"""

from feedtool.check.files import check, check_source, open_input, unreadable
from feedtool.check.read_options import EVERY_ROW, Asked, Input
from feedtool.model.markers import HEADINGS, OURS, ROW, SUMMARY

__all__ = [
    "EVERY_ROW",
    "HEADINGS",
    "OURS",
    "ROW",
    "SUMMARY",
    "Asked",
    "Input",
    "check",
    "check_source",
    "open_input",
    "unreadable",
]
