"""The workbooks that merchandisers start from, made from what each feed declares of its columns.

`Instructions` and `Fields` explain the sheet in the user's language, the feed's own sheet stands
open behind them, and a hidden `_lists` holds the ranges of the dropdowns. The workbook is stamped
with its kind, so that it is recognised when it comes back filled.

Reading order: `contents` says what a template holds, `workbook` draws it with `guide` in front,
`rows` writes rows into it, all within the `limits` of spreadsheet programs.
"""

from pathlib import Path

from msgspec.structs import replace

from feedtool.feeds.feed import Feed
from feedtool.feeds.template import Basis


def write_template(feed: Feed, target: Path, basis: Basis) -> None:
    """Writes an empty .xlsx to fill, always with the same bytes; an existing file is replaced.

    Raises:
        UsageProblem: the columns depend on categories, and one of them cannot be had.
    """
    from feedtool.templates.contents import contents_of
    from feedtool.templates.workbook import build, packed  # openpyxl, slow to import

    contents = contents_of(feed, basis)
    target.write_bytes(packed(build(replace(contents, file=target.name))))
