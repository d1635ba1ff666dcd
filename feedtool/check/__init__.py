"""Read and check files: from a path to valid Items and Problems; nothing is sent.

One bad file never stops the next: a file that cannot be read becomes the `error` of a
`CheckedSheet`.

Reading order: `read_options` (options of reading), `files` (all files of a command),
`sheet_selection` (the sheets that are feeds), `headers` and `kinds` (the kind of a sheet), `sheet`
(its rows), `summary_rows` (totals and other rows that are no offers), `problems` (places of
faults), `requests` (the schema of requests), `rules` (the rules of all sheets) and `fixes`
(corrections).
"""

from feedtool.check.files import check, check_source, open_input, unreadable
from feedtool.check.read_options import EVERY_ROW, Input, ReadOptions, RecipeBook
from feedtool.model.files import HEADINGS, OURS, ROW, SUMMARY

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
