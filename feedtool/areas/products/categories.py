"""The categories of a template, by the codes that were named. Pure."""

from collections.abc import Sequence

from feedtool.areas.products.catalog import Catalog, Category
from feedtool.areas.products.catalog.model import DEEPEST
from feedtool.model.errors import UsageProblem

NAMED = 5
"""Categories that are named in place of all that a higher one holds."""


def below(catalog: Catalog, code: str) -> list[str]:
    """The categories that take products in one of a higher level; none in one that does itself."""
    code = code.strip().upper()
    category = catalog.category(code)
    if category is None or category.level == DEEPEST:
        return []
    every = catalog.categories.values()
    inside = (item.reference for item in every if item.takes_products)
    return [reference for reference in inside if reference.startswith(code)]


def listed(codes: Sequence[str]) -> str:
    """The first of some codes."""
    return ", ".join(codes[:NAMED]) + (" …" if len(codes) > NAMED else "")


def chosen(catalog: Catalog, codes: Sequence[str]) -> list[Category]:
    """The categories of these codes, each once.

    Raises:
        UsageProblem: of some there is no template; all of them are named, each with the reason.
    """
    references = list(dict.fromkeys(code.strip().upper() for code in codes))
    refusals = list(filter(None, (refusal(catalog, code) for code in references)))
    if refusals:
        reasons, hints = zip(*refusals, strict=True)
        raise UsageProblem("; ".join(reasons), "; ".join(dict.fromkeys(hints)))
    return [catalog.categories[code] for code in references]


def refusal(catalog: Catalog, code: str) -> tuple[str, str] | None:
    """The reason that there is no template for a category, and a hint."""
    category = catalog.category(code)
    if category is None:
        near = catalog.near_categories(code)
        hint = f"did you mean {', '.join(near)}?" if near else _SEARCH
        return f"there is no category “{code}”", hint
    named = f"{code} ({category.label})"
    if category.level != DEEPEST:
        shown = listed(below(catalog, code))
        reason = f"{named} is of level {category.level}, and products go into level {DEEPEST}"
        return reason, f"it holds {shown}" if shown else _SEARCH
    if not category.is_active:
        return f"{named} is not active, so it takes no products", _SEARCH
    if catalog.properties(code) is None:
        return f"the properties of {named} were not brought", "`feedtool catalog sync` brings them"
    return None


_SEARCH = "`feedtool catalog search TEXT` finds categories"
