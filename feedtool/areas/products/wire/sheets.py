"""What the list of products says. Pure; every shape is checked, none is trusted.

Specification, part "Catalog" (the product read item). Only the creating seller sees all fields of
a product; to others its `sellers` and most of the rest are absent, and so None or empty here.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from feedtool.areas.products.catalog.wire import CatalogPage, next_page
from feedtool.model.call import READ, Call, Reply
from feedtool.service.answers import text
from feedtool.service.bodies import Unreadable, items_of

MOST_ATTRIBUTES = 5_000
MOST_VALUES = 1_000
"""Of one attribute, and pictures or sellers of one product."""


class SheetAttribute(NamedTuple):
    """What a product says of one property."""

    values: tuple[str, ...]
    """In the product's language; choices by their labels."""
    urls: tuple[str, ...]
    """Of its files, by their index."""


class SheetSeller(NamedTuple):
    """What ties a seller to a product."""

    product_reference: str | None
    """The sellerProductReference, character for character."""
    gtin_reference: str | None
    is_creator: bool


class ProductSheet(NamedTuple):
    """A product as the service has it; texts are character for character."""

    gtin: str
    label: str | None
    """Its title."""
    description: str | None
    marketing_description: str | None
    language: str | None
    """`fr-FR`."""
    brand: str | None
    """Its name."""
    category: str | None
    """The reference."""
    group: str | None
    """`groupReference`, of a variant."""
    pictures: Mapping[int, str]
    """Addresses by their index, 1-based."""
    attributes: Mapping[str, SheetAttribute]
    """By propertyReference, those by which variants differ among them."""
    sellers: Mapping[str, SheetSeller]
    """By the seller's id; none where another seller has created the product."""


class SheetsPage(NamedTuple):
    """One page of products."""

    sheets: list[ProductSheet]
    next: CatalogPage | None
    strange: int
    """Items that are no products."""


def sheets_page(reply: Reply, page: CatalogPage) -> SheetsPage:
    """A page of products.

    Raises:
        Unreadable: the body is no list, holds nothing that can be read, or its link leads away.
    """
    items = items_of(reply, "products")
    sheets = [found for item in items if (found := _sheet(item))]
    if items and not sheets:
        raise Unreadable(f"the answer holds {len(items)} products and none can be read")
    return SheetsPage(sheets, next_page(reply, page, items), len(items) - len(sheets))


def _sheet(item: Any) -> ProductSheet | None:
    if not isinstance(item, dict) or not (gtin := text(item.get("gtin"))):
        return None
    attributes: dict[str, SheetAttribute] = {}
    for name in ("variantAttributes", "attributes"):
        attributes |= dict(islice(_attributes(item.get(name)), MOST_ATTRIBUTES))
    brand, category = item.get("brand"), item.get("category")
    return ProductSheet(
        gtin=gtin,
        label=_text(item.get("label")),
        description=_text(item.get("description")),
        marketing_description=_text(item.get("marketingDescription")),
        language=_text(item.get("language")),
        brand=_text(brand.get("name")) if isinstance(brand, dict) else None,
        category=_text(category.get("reference")) if isinstance(category, dict) else None,
        group=_text(item.get("groupReference")),
        pictures=_addresses(item.get("pictures")),
        attributes=attributes,
        sellers=dict(_sellers(item.get("sellers"))),
    )


def _attributes(value: Any) -> Iterator[tuple[str, SheetAttribute]]:
    for one in _objects(value):
        reference = text(one.get("reference"))
        said = one.get("values")
        values = tuple(
            found
            for entry in islice(said if isinstance(said, list) else [], MOST_VALUES)
            if (found := entry if isinstance(entry, str) else text(entry))
        )
        urls = tuple(_addresses(one.get("files")).values())
        if reference and (values or urls):
            yield reference, SheetAttribute(values, urls)


def _addresses(value: Any) -> dict[int, str]:
    """Addresses by their index; one without an index comes behind the others."""
    found: dict[int, str] = {}
    for one in islice(_objects(value), MOST_VALUES):
        index, url = one.get("index"), _text(one.get("url"))
        if url:
            if not isinstance(index, int) or isinstance(index, bool) or index < 1:
                index = max(found, default=0) + 1
            found[index] = url
    return dict(sorted(found.items()))


def _sellers(value: Any) -> Iterator[tuple[str, SheetSeller]]:
    for one in islice(_objects(value), MOST_VALUES):
        if seller := text(one.get("reference")):
            yield (
                seller,
                SheetSeller(
                    _text(one.get("productReference")),
                    _text(one.get("gtinReference")),
                    one.get("isCreator") is True,
                ),
            )


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    return (one for one in value if isinstance(one, dict)) if isinstance(value, list) else iter(())


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


# Calls.


PRODUCTS_SIZE = 100
"""Products that a page is asked for; no default and no highest is shown (part "Limits")."""


def read_products(page: int = 1, *, link: str | None = None, size: int = PRODUCTS_SIZE) -> Call:
    """A page of the seller's products; the answer is read by `product_sheets.sheets_page`.

    The specification shows no parameters of GET /products but `Gtin`; pages are asked for as those
    of the other lists of the catalogue are. `link` is the address that the page before gave, and
    is followed as it is.
    """
    if link is not None:
        return Call("GET", link, READ)
    query = (("pageIndex", str(page)), ("pageSize", str(size)))
    return Call("GET", "/products", READ, query=query)
