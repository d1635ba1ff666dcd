"""The body of a POST /products-integration: JSON structure, and a GTIN for each product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs

from feedtool.sandbox.bodies import DRAFT, TEXT, WHOLE, check_structure, json_body, records
from feedtool.sandbox.problem import FIELD_EMPTY, FIELD_MISSING, ErrorEntry, RequestRefused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from feedtool.sandbox.message import HttpRequest

_FILES = records(index=WHOLE, url=TEXT)
PRODUCTS = {
    "$schema": DRAFT,
    "type": "object",
    "required": ["products"],
    "properties": {
        "products": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "gtin": {"type": ["string", "integer", "null"]},
                    **dict.fromkeys(
                        (
                            *("sellerProductReference", "title", "description", "brand"),
                            *("richMarketingDescription", "categoryCode", "language"),
                            *("gtinReference", "variantGroupReference"),
                        ),
                        TEXT,
                    ),
                    "sellerPictureUrls": _FILES,
                    "attributes": records(
                        propertyReference=TEXT,
                        values={"type": ["array", "null"], "items": {"type": "string"}},
                        files=_FILES,
                    ),
                },
            },
        }
    },
}
_PRODUCTS = jsonschema_rs.Draft202012Validator(PRODUCTS)


def products(request: HttpRequest) -> list[dict[str, Any]]:
    """The products of a POST /products-integration; one without a GTIN is 400 (part "Errors")."""
    document = json_body(request)
    check_structure(_PRODUCTS, document, "a package of products")
    rows: list[dict[str, Any]] = document["products"]
    faults = [fault for place, row in enumerate(rows) for fault in _gtin_faults(place, row)]
    if faults:
        raise RequestRefused(400, "Some products have no gtin.", *faults)
    return rows


def _gtin_faults(place: int, row: dict[str, Any]) -> Iterator[ErrorEntry]:
    cause = f"products[{place}].gtin"
    if "gtin" not in row:
        yield ErrorEntry(cause, "gtin is required.", FIELD_MISSING)
    elif row["gtin"] is None or not str(row["gtin"]).strip():
        yield ErrorEntry(cause, "gtin is null or empty.", FIELD_EMPTY)
