"""Empty workbooks for merchandisers to fill, made from the columns that each feed declares.

The sheets `Instructions` and `Fields` explain the sheet to fill in the user's language. The sheet
to fill follows them, and the workbook opens on it. A hidden sheet `_lists` holds the ranges of the
dropdowns. The workbook is stamped with its kind, so that it is recognised when it comes back.

Reading order: `contents` collects the texts and columns, `workbook` draws them with `guide` in
front, `rows` keeps rows and writes them into the workbook. `limits` keeps all within the limits of
spreadsheets.
"""

from pathlib import Path

from msgspec.structs import replace

from feedtool.feeds.feed import Feed
from feedtool.feeds.template import Basis


def write_template(feed: Feed, target: Path, basis: Basis) -> None:
    """Write an empty .xlsx to fill, always with the same bytes; an existing file is replaced.

    UsageProblem if the columns depend on categories, and one category is not available.
    """
    from feedtool.templates.contents import contents_of
    from feedtool.templates.workbook import build, packed  # openpyxl, slow to import

    contents = contents_of(feed, basis)
    target.write_bytes(packed(build(replace(contents, file=target.name))))
