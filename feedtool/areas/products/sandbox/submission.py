"""The products of a POST /products-integration, laid flat (part "Catalog endpoints").

A sheet and a submission both map the names of common fields and propertyReferences to values, so
that a message's `field` is such a name. The value of a property is `{"values": […], "files": […]}`,
that of the pictures a list of `{"index", "url"}`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from feedtool.areas.offers.sandbox.store import gtin_product
from feedtool.sandbox.arguments import DRAFT, TEXT, WHOLE, check_structure, json_body, records
from feedtool.sandbox.exchange import (
    FIELD_EMPTY,
    FIELD_MISSING,
    ErrorEntry,
    HttpRequest,
    RequestRefused,
)

PICTURES = "sellerPictureUrls"
GROUP = "variantGroupReference"
CATEGORY = "categoryCode"

TEXTS = (
    *("title", "description", "richMarketingDescription", "brand", CATEGORY, "language"),
    *("gtinReference", GROUP),
)
COMMON = (*TEXTS, PICTURES)

_FILES = records(index=WHOLE, url=TEXT)
PRODUCT = {
    "type": "object",
    "properties": {
        "gtin": {"type": ["string", "integer", "null"]},
        **dict.fromkeys(("sellerProductReference", *TEXTS), TEXT),
        PICTURES: _FILES,
        "attributes": records(
            propertyReference=TEXT,
            values={"type": ["array", "null"], "items": {"type": "string"}},
            files=_FILES,
        ),
    },
}
PRODUCTS = {
    "$schema": DRAFT,
    "type": "object",
    "required": ["products"],
    "properties": {"products": {"type": "array", "minItems": 1, "items": PRODUCT}},
}
_PRODUCTS = jsonschema_rs.Draft202012Validator(PRODUCTS)


def submitted_products(request: HttpRequest) -> list[dict[str, Any]]:
    """The products of a POST /products-integration; one without a GTIN is 400 (part "Errors")."""
    document = json_body(request)
    check_structure(_PRODUCTS, document, "a package of products")
    products: list[dict[str, Any]] = document["products"]
    faults = [fault for place, row in enumerate(products) for fault in _gtin_faults(place, row)]
    if faults:
        raise RequestRefused(400, "Some products have no gtin.", *faults)
    return products


def _gtin_faults(place: int, product: dict[str, Any]) -> Iterator[ErrorEntry]:
    cause = f"products[{place}].gtin"
    if "gtin" not in product:
        yield ErrorEntry(cause, "gtin is required.", FIELD_MISSING)
    elif product["gtin"] is None or not str(product["gtin"]).strip():
        yield ErrorEntry(cause, "gtin is null or empty.", FIELD_EMPTY)


@dataclass(frozen=True, slots=True)
class SubmittedProduct:
    """One product of a package; what was absent, null or blank is not in it."""

    gtin: str
    reference: str
    """sellerProductReference."""
    values: dict[str, Any]
    """By name, common fields only."""
    properties: dict[str, Any]
    """By propertyReference."""

    @property
    def product(self) -> str:
        """The key of the product's sheet."""
        return gtin_product(self.gtin)


def submission_of(body: Mapping[str, Any]) -> SubmittedProduct:
    """A product laid flat; unknown names are ignored."""
    values: dict[str, Any] = {
        name: text for name in TEXTS if (text := (body.get(name) or "").strip())
    }
    if pictures := _files(body.get(PICTURES)):
        values[PICTURES] = pictures
    # A property named twice has what both say.
    properties: dict[str, dict[str, Any]] = {}
    for attribute in body.get("attributes") or ():
        given = [text.strip() for text in attribute.get("values") or () if text.strip()]
        files = _files(attribute.get("files"))
        if given or files:
            reference = attribute.get("propertyReference") or ""
            entry = properties.setdefault(reference, {"values": [], "files": []})
            entry["values"] += given
            entry["files"] += files
    gtin, reference = str(body.get("gtin") or ""), body.get("sellerProductReference") or ""
    return SubmittedProduct(gtin, reference, values, properties)


def _files(given: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """Files in the order of their index; one without an index takes its place's."""
    files: list[dict[str, Any]] = [
        {
            "index": place if (index := file.get("index")) is None else index,
            "url": (file.get("url") or "").strip(),
        }
        for place, file in enumerate(given or (), 1)
    ]
    return sorted(files, key=lambda file: int(file["index"]))
