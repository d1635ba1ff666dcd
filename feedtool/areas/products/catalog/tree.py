"""Categories as a tree: which is in which. Pure."""

from collections.abc import Iterable, Mapping

from feedtool.areas.products.catalog.model import Category


def with_paths(categories: Mapping[str, Category]) -> dict[str, Category]:
    """The same categories, each with the labels of all that it is in."""
    return {
        reference: category._replace(
            path=tuple(item.label or item.reference for item in _lineage(category, categories))
        )
        for reference, category in categories.items()
    }


def within(wanted: Iterable[str], categories: Mapping[str, Category]) -> frozenset[str]:
    """The references of these categories and of all that are in them, however deep."""
    tops = frozenset(wanted)
    return frozenset(
        reference
        for reference, category in categories.items()
        if any(item.reference in tops for item in _lineage(category, categories))
    )


def _lineage(category: Category, categories: Mapping[str, Category]) -> list[Category]:
    """From the top down to itself; a tree that bites its own tail ends where it does."""
    chain: dict[str, Category] = {}
    at: Category | None = category
    while at is not None and at.reference not in chain:
        chain[at.reference] = at
        at = categories.get(at.parent) if at.parent else None
    return [*reversed(chain.values())]
