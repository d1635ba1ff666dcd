"""What a request body must be before anyone looks at what it says.

"Upload validation is JSON structure only; business validation happens after Ready" (part "Offers
(JSON packages)", rule 5): types are checked, unknown fields are let through, nothing is required
but the GTIN of a product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
import orjson

from feedtool.sandbox.problem import FIELD_EMPTY, FIELD_MISSING, Fault, Refused, bad_request

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from feedtool.sandbox.message import Request

TEXT = {"type": ["string", "null"]}
NUMBER = {"type": ["number", "null"]}
WHOLE = {"type": ["integer", "null"]}


def _record(**properties: Any) -> dict[str, Any]:
    return {"type": ["object", "null"], "properties": properties}


def _records(**properties: Any) -> dict[str, Any]:
    return {"type": ["array", "null"], "items": {"type": "object", "properties": properties}}


OFFER_REQUESTS = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {
            "sellerExternalReference": TEXT,
            # Integrations send it both ways.
            "product": _record(gtin={"type": ["string", "integer", "null"]}, reference=TEXT),
            "condition": TEXT,
            "price": _record(
                price=NUMBER, originPrice=NUMBER, taxes=_records(code=TEXT, value=NUMBER)
            ),
            "deliveryModes": _records(code=TEXT, cost=NUMBER, additionalCost=NUMBER),
            "preparationTime": WHOLE,
            "quantity": WHOLE,
        },
    },
}
_OFFER_REQUESTS = jsonschema_rs.Draft202012Validator(OFFER_REQUESTS)

_FILES = _records(index=WHOLE, url=TEXT)
PRODUCTS = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
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
                    "attributes": _records(
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


def json_body(request: Request) -> Any:
    """The body as a document: 415 when it is said to be anything but JSON, 400 when it is not."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, f"The media type {kind!r} is not supported; send application/json.")
    try:
        return orjson.loads(request.body)
    except orjson.JSONDecodeError as error:
        raise bad_request("body", f"The body is not well-formed JSON: {error}") from error


def chosen(request: Request, name: str, values: Collection[str]) -> str:
    """The field of the body that must be one of some values, case and all; else 400."""
    document = json_body(request)
    if not isinstance(document, dict):
        raise bad_request("body", "The body must be a JSON object.")
    if name not in document:
        raise bad_request(name, f"{name} is required.", FIELD_MISSING)
    value = document[name]
    if value is None or value == "":
        raise bad_request(name, f"{name} is null or empty.", FIELD_EMPTY)
    if not isinstance(value, str) or value not in values:
        raise bad_request(name, f"{name} must be one of {', '.join(values)}.")
    return value


def offer_requests(request: Request) -> list[dict[str, Any]]:
    """The offer requests of an upload: "array or set", so a bare array or one in a wrapper.

    One that holds none is 400: there is nothing in it to be looked at after Ready.
    """
    document = json_body(request)
    if isinstance(document, dict):
        document = document.get("offerRequests")
    _check(_OFFER_REQUESTS, document, "a set of offer requests")
    rows: list[dict[str, Any]] = document
    return rows


def products(request: Request) -> list[dict[str, Any]]:
    """The products of a POST /products-integration; one without a GTIN is 400 (part "Errors")."""
    document = json_body(request)
    _check(_PRODUCTS, document, "a package of products")
    rows: list[dict[str, Any]] = document["products"]
    faults = [fault for place, row in enumerate(rows) for fault in _gtin_faults(place, row)]
    if faults:
        raise Refused(400, "Some products have no gtin.", *faults)
    return rows


def _gtin_faults(place: int, row: dict[str, Any]) -> Iterator[Fault]:
    cause = f"products[{place}].gtin"
    if "gtin" not in row:
        yield Fault(cause, "gtin is required.", FIELD_MISSING)
    elif row["gtin"] is None or not str(row["gtin"]).strip():
        yield Fault(cause, "gtin is null or empty.", FIELD_EMPTY)


def _check(validator: jsonschema_rs.Draft202012Validator, document: Any, what: str) -> None:
    """Refuse a document of another structure, and tell every place where it is wrong."""
    if not validator.is_valid(document):
        faults = [
            Fault(_place(_path(error)), error.message, _code(error))
            for error in validator.iter_errors(document)
        ]
        raise Refused(400, f"The body is not {what}.", *faults)


def _path(error: jsonschema_rs.ValidationError) -> list[str | int]:
    """Where the fault is; what is missing has a place too."""
    missing = getattr(error.kind, "property", None)
    return error.instance_path if missing is None else [*error.instance_path, missing]


def _code(error: jsonschema_rs.ValidationError) -> str:
    """ER400-7480 for what is missing, ER400-9250 for what is null or empty (part "Errors")."""
    if error.schema_path[-1] == "required":
        return FIELD_MISSING
    is_empty = error.instance is None or error.schema_path[-1] == "minItems"
    return FIELD_EMPTY if is_empty else ""


def _place(path: list[str | int]) -> str:
    """`[3].price.taxes[0].value`, as a client would write it."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).lstrip(".") or "body"
