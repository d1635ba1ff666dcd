"""The template for rows that are there already: with the columns that they fill."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from feedtool.areas.offers.feeds import common as offers
from feedtool.areas.products.template import chosen, products_contents
from feedtool.areas.registry import load
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import DEPRECATED_MODES, Context
from feedtool.templates import PRODUCTS, Language
from feedtool.templates.contents import Contents
from feedtool.templates.fields import contents_of


def contents_for(
    kind: str, keys: Iterable[str], codes: Sequence[str], language: Language, context: Context
) -> Contents:
    """The template's of a kind, with columns for retiring modes where rows fill them.

    Args:
        kind: What the rows are.
        keys: The columns that any row fills.
        codes: Of products the categories.
        language: Of the labels.
        context: The profile's settings and the catalogue.

    Raises:
        UsageProblem: the catalogue lacks what is needed for the columns of products.
    """
    if kind == PRODUCTS:
        return _of_products(codes, language, context)
    dialect = context.settings
    filled = set(keys)
    retiring = (mode for mode in DEPRECATED_MODES if offers.mode(mode).cost in filled)
    modes = (*dialect.delivery_modes, *retiring)
    return contents_of(load().feeds[kind], language, replace(dialect, delivery_modes=modes))


def _of_products(codes: Sequence[str], language: Language, context: Context) -> Contents:
    catalog = context.catalog(language)
    if catalog is None:
        raise UsageProblem(
            "the columns of products are the catalogue's, and there is none here yet",
            "bring it with `feedtool catalog sync`",
        )
    known = [
        code
        for code in dict.fromkeys(codes)
        if (one := catalog.category(code))
        and one.takes_products
        and one.is_active
        and catalog.properties(code) is not None
    ]
    if not known:
        chosen(catalog, codes)
    return products_contents(catalog, known, context.settings)
