"""Brands, categories and their properties: part "Catalog endpoints" of the specification.

None of these routes needs a SellerId (part "Authentication", 1).
"""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from feedtool.areas.products.sandbox.catalogue import (
    DEEPEST,
    LANGUAGES,
    CatalogueCategory,
    Use,
    catalogue,
    published_brands,
    text_in,
)
from feedtool.sandbox.arguments import asked, asked_numbered_page, language_of, next_page_link
from feedtool.sandbox.exchange import (
    UNKNOWN_FIELD,
    ErrorEntry,
    Exchange,
    HttpResponse,
    RequestRefused,
    Route,
    bad_request,
    json_answer,
    not_found,
)

CATEGORY_REFERENCE = "ER400-2108"

REFERENCE = re.compile(r"(?:[A-Z0-9]{2}){1,3}")


def read_brands(exchange: Exchange) -> HttpResponse:
    """GET /brands: "only validated published brands", by reference."""
    names = asked_fields(exchange, ("brandReference", "name")) or ()
    page = asked_numbered_page(exchange)
    brands = published_brands(exchange.db, exchange.now)
    items = [
        {"brandReference": brand.reference} | ({"name": brand.name} if "name" in names else {})
        for brand in page.of(brands)
    ]
    return json_answer(200, {"items": items}, next_page_link(exchange, page, len(brands)))


def read_categories(exchange: Exchange) -> HttpResponse:
    """GET /categories: all levels, by reference unless `sort` says otherwise."""
    language = language_of(exchange.request, LANGUAGES[0])
    fields = asked_fields(exchange, CATEGORY_FIELDS)
    page = asked_numbered_page(exchange)
    categories = sorted(catalogue().categories.values(), key=_order(exchange, language))
    items = [category_document(category, language, fields) for category in page.of(categories)]
    document = {"itemsPerPage": page.size, "items": items}
    return json_answer(200, document, {"Content-Language": language})


def read_category(exchange: Exchange) -> HttpResponse:
    """GET /categories/{categoryReference}."""
    language = language_of(exchange.request, LANGUAGES[0])
    document = category_document(_category(exchange), language)
    return json_answer(200, document, {"Content-Language": language})


def read_properties(exchange: Exchange) -> HttpResponse:
    """GET /categories/{categoryReference}/properties: none above level 3, all on one page.

    They come in the order of their references; `index` is the one to show them in.
    """
    language = language_of(exchange.request, LANGUAGES[0])
    uses = sorted(_category(exchange).uses, key=lambda use: use.known.reference)
    document = {"items": [property_document(use, language) for use in uses]}
    return json_answer(200, document, {"Content-Language": language})


def asked_fields(exchange: Exchange, known: Collection[str]) -> list[str] | None:
    """The names in `fields`, or None without any; all unknown ones are reported (ER400-179)."""
    text = exchange.parameters.get("fields")
    if text is None:
        return None
    names = text.split(",")
    faults = [
        ErrorEntry(f"Fields[{position}]", f"The field {name!r} does not exist.", UNKNOWN_FIELD)
        for position, name in enumerate(names)
        if name not in known
    ]
    if faults:
        raise RequestRefused(400, "Some names in fields do not exist.", *faults)
    return names


def _category(exchange: Exchange) -> CatalogueCategory:
    reference = exchange.ids["categoryReference"]
    if not REFERENCE.fullmatch(reference):
        reason = "A category reference is 2, 4 or 6 alphanumeric uppercase characters."
        raise bad_request("Reference", reason, CATEGORY_REFERENCE)
    if reference not in catalogue().categories:
        raise not_found(f"The category {reference}")
    return catalogue().categories[reference]


Show = Callable[[CatalogueCategory, str], Any]
"""A field of a category, in a language."""

CATEGORY_FIELDS: Mapping[str, Show] = {
    "categoryReference": lambda category, _: category.reference,
    "label": lambda category, language: text_in(category.label, language),
    "level": lambda category, _: category.level,
    "isActive": lambda category, _: category.is_active,
    "parentReference": lambda category, _: category.parents[-1] if category.parents else None,
    "parentReferences": lambda category, _: category.parents,
    # "Level 3 only".
    "isBrandMandatory": lambda category, _: (
        category.is_brand_mandatory if category.level == DEEPEST else None
    ),
    "isVariant": lambda category, _: category.is_variant,
    "isTranslated": lambda category, _: len(category.label) > 1,
}
SORTS: Mapping[str, Show] = {
    **{name: CATEGORY_FIELDS[name] for name in ("level", "isActive")},
    "reference": lambda category, _: category.reference,
    "label": lambda category, language: text_in(category.label, language).casefold(),
    "isBrandMandatory": lambda category, _: category.is_brand_mandatory,
    "parentReference": lambda category, _: category.parents[-1:],
}


def _order(exchange: Exchange, language: str) -> Callable[[CatalogueCategory], tuple[Any, ...]]:
    """A sort key of the names in `sort`, one after the other, rising."""
    text = asked(exchange, "sort")
    names = text.split(",") if text else []
    if unknown := [name for name in names if name not in SORTS]:
        raise bad_request("sort", f"sort cannot be {', '.join(unknown)}.")
    return lambda category: tuple(SORTS[name](category, language) for name in names)


def category_document(
    category: CatalogueCategory, language: str, fields: Collection[str] | None = None
) -> dict[str, Any]:
    """A category as it is read; its reference is in every one, whatever `fields` says."""
    return {
        name: show(category, language)
        for name, show in CATEGORY_FIELDS.items()
        if fields is None or name in fields or name == "categoryReference"
    }


def property_document(use: Use, language: str) -> dict[str, Any]:
    """A property of a category as it is read."""
    known = use.known
    return {
        "propertyReference": known.reference,
        "index": use.index,
        "necessity": use.necessity,
        "label": text_in(known.label, language),
        "unit": known.unit and text_in(known.unit, language),
        "isRanged": bool(known.choices),
        "isNumeric": known.is_numeric,
        "isMultiple": known.is_multiple,
        "isVariation": known.is_variation,
        "isSize": known.is_size,
        "choices": known.choices_in(language),
        "allowedFileTypes": list(known.file_types),
        "isTranslated": len(known.label) > 1,
    }


ROUTES: tuple[Route, ...] = (
    Route("GET", "/brands", read_brands, seller=False),
    Route("GET", "/categories", read_categories, seller=False),
    Route("GET", "/categories/{categoryReference}", read_category, seller=False),
    Route("GET", "/categories/{categoryReference}/properties", read_properties, seller=False),
)
