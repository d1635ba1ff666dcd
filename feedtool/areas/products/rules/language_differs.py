"""Rows in another language than the local catalogue.

The choices of properties are checked by their labels in the language of the local catalogue, and
the service may know them by other ones in the row's language. Said once for a sheet.

Example: `es-ES` in a row, while the catalogue was brought in French.

To mend it, run `feedtool catalog sync --language` with the row's language, and name it when the
sheet is checked.
"""

from collections.abc import Iterator

from feedtool.areas.products.columns.common import LANGUAGE_TAGS
from feedtool.feeds.feed import Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue, Severity

CODE = code(__name__, __doc__, Severity.WARNING)
KINDS = ("products",)

ONCE = True
"""Said once for a sheet."""


def check(row: Row) -> Iterator[Issue]:
    """The first row whose language is not the catalogue's."""
    catalog = row.sheet.context.catalog(None)
    named = row.values.get("language")
    if catalog and named and named != LANGUAGE_TAGS.get(catalog.language):
        yield Issue(
            CODE,
            f"there are rows in {named}, and the local catalogue is in {catalog.language}",
            f"bring it in that language: `feedtool catalog sync --language {str(named)[:2]}`",
            "language",
            str(named),
        )
