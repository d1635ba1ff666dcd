"""Corrections of products."""

import re

from feedtool.areas.products.columns.common import CATEGORY_CODE_CUT, CATEGORY_PADDED
from feedtool.areas.products.columns.prose import HTML_NOT_ALLOWED, Title
from feedtool.feeds.columns.fixes import as_read
from feedtool.feeds.fix import Fix, FlawedCell, NewValue
from feedtool.model.text import tr

_BLOCK = re.compile(r"\s*</?(?:br|div|h[1-6]|li|ol|p|table|td|tr|ul)\b[^<>]*>\s*", re.IGNORECASE)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)


def remove_tags(flawed: FlawedCell) -> NewValue | None:
    """Return the text without tags, with entities as characters and paragraphs as lines."""
    from html import unescape  # large, and rarely needed

    between = " " if isinstance(flawed.type, Title) else "\n"
    text = _TAG.sub("", _BLOCK.sub(between, flawed.cell.text))
    return unescape(text).strip() or None


FIXES = (
    Fix(
        "category",
        tr("write a category's code as the catalogue has it, with the zeros that were lost"),
        (CATEGORY_PADDED, CATEGORY_CODE_CUT),
        as_read,
        is_safe=True,
    ),
    Fix("plain-text", tr("take the HTML out of a plain text"), (HTML_NOT_ALLOWED,), remove_tags),
)
