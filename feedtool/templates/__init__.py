"""The workbooks that merchandisers start from, made from what each feed declares of its columns.

`Instructions` and `Fields` explain the sheet in the user's language, the feed's own sheet stands
open behind them, and a hidden `_lists` holds the ranges of the dropdowns. The workbook is stamped
with its kind, so that it is recognised when it comes back filled.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from feedtool.feeds.feed import Feed
from feedtool.model.settings import Dialect

if TYPE_CHECKING:
    from feedtool.areas.products.catalog import Catalog

Language = Literal["en", "fr", "es"]

PRODUCTS = "products"
"""The kind whose template is made for categories."""


def write_template(feed: Feed, target: Path, language: Language, dialect: Dialect) -> None:
    """Writes an empty workbook to fill; the same arguments always give the same bytes.

    Args:
        feed: What its rows will be.
        target: The .xlsx to write; an existing file is replaced.
        language: Of its labels, dropdowns, messages and explanations.
        dialect: The profile's: which delivery modes and conditions there are, and bounds.
    """
    from feedtool.templates.fields import contents_of
    from feedtool.templates.workbook import build, save  # openpyxl, slow to import

    save(build(contents_of(feed, language, dialect)), target)


def write_products_template(
    catalog: "Catalog", codes: Sequence[str], target: Path, dialect: Dialect
) -> None:
    """Writes an empty workbook for products of some categories, in the catalogue's language.

    Args:
        catalog: What the categories demand; it has to be open still.
        codes: Of categories that take products.
        target: The .xlsx to write; an existing file is replaced.
        dialect: The profile's: which common fields must be filled.

    Raises:
        UsageProblem: a category is unknown, takes no products, or was not brought.
    """
    from feedtool.areas.products.template import products_contents
    from feedtool.templates.workbook import build, save  # openpyxl, slow to import

    save(build(products_contents(catalog, codes, dialect, has_example=True)), target)
