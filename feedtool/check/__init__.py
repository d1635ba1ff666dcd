"""Reading and judging files: from a path to valid Items and to Problems, nothing sent.

One bad file never stops the next: what cannot be read becomes the `error` of its `CheckedSheet`.

Reading order: `read_options` (what is to be read, and how), `files` (all files of a command),
`sheet_selection` (which of their sheets are feeds), `headers` and `kinds` (of which kind), `sheet`
(the rows of one), `not_rows` (which of them are totals), `locate` (where a fault is), `requests`
(each request against its schema), `rules` (what any sheet must keep to) and `fixes` (what can be
fixed of it).
"""

from feedtool.check.files import check, check_source, open_input, unreadable
from feedtool.check.read_options import EVERY_ROW, Input, ReadOptions, RecipeBook
from feedtool.model.markers import HEADINGS, OURS, ROW, SUMMARY

__all__ = [
    "EVERY_ROW",
    "HEADINGS",
    "OURS",
    "ROW",
    "SUMMARY",
    "Input",
    "ReadOptions",
    "RecipeBook",
    "check",
    "check_source",
    "open_input",
    "unreadable",
]
