"""The workbooks that merchandisers start from, made from what each feed declares of its columns.

`Instructions` and `Fields` explain the sheet in the user's language, the feed's own sheet stands
open behind them, and a hidden `_lists` holds the ranges of the dropdowns. The workbook is stamped
with its kind, so that it is recognised when it comes back filled.
"""

from pathlib import Path
from typing import Literal

from feedtool.dialect import Dialect
from feedtool.feeds import Feed

Language = Literal["en", "fr", "es"]


def write_template(feed: Feed, target: Path, language: Language, dialect: Dialect) -> None:
    """Writes an empty workbook to fill; the same arguments always give the same bytes.

    Args:
        feed: What its rows will be.
        target: The .xlsx to write; an existing file is replaced.
        language: Of its labels, dropdowns, messages and explanations.
        dialect: The profile's: which delivery modes and conditions there are, and bounds.
    """
    from feedtool.template.fields import contents_of
    from feedtool.template.workbook import build, save  # openpyxl, slow to import

    save(build(contents_of(feed, language, dialect)), target)
