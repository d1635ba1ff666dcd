"""The body of an upload of offer requests.

"Upload validation is JSON structure only; business validation happens after Ready" (part "Offers
(JSON packages)", rule 5): types are checked, unknown fields are let through, nothing is required.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs

from feedtool.sandbox.bodies import (
    DRAFT,
    NUMBER,
    TEXT,
    WHOLE,
    check_structure,
    json_body,
    record,
    records,
)

if TYPE_CHECKING:
    from feedtool.sandbox.message import HttpRequest

OFFER_REQUESTS = {
    "$schema": DRAFT,
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {
            "sellerExternalReference": TEXT,
            # Integrations send it both ways.
            "product": record(gtin={"type": ["string", "integer", "null"]}, reference=TEXT),
            "condition": TEXT,
            "price": record(
                price=NUMBER, originPrice=NUMBER, taxes=records(code=TEXT, value=NUMBER)
            ),
            "deliveryModes": records(code=TEXT, cost=NUMBER, additionalCost=NUMBER),
            "preparationTime": WHOLE,
            "quantity": WHOLE,
        },
    },
}
_OFFER_REQUESTS = jsonschema_rs.Draft202012Validator(OFFER_REQUESTS)


def offer_requests(request: HttpRequest) -> list[dict[str, Any]]:
    """The offer requests of an upload: "array or set", so a bare array or one in a wrapper.

    One that holds none is 400: there is nothing in it to be looked at after Ready.
    """
    document = json_body(request)
    if isinstance(document, dict):
        document = document.get("offerRequests")
    check_structure(_OFFER_REQUESTS, document, "a set of offer requests")
    rows: list[dict[str, Any]] = document
    return rows
