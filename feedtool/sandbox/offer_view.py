"""An offer as it is read: parts "Offer (read)" and "Offers (read)" of the specification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from feedtool.sandbox.business import TAXES
from feedtool.sandbox.problem import UNKNOWN_FIELD, Fault, Refused

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

    from feedtool.sandbox.settings import Settings

ALWAYS = ("offerId", "sellerExternalReference", "offerState", "createdAt", "updatedAt")
"""Returned even with `fields`, and alone by default (rule 1)."""

CURRENCY = "EUR"


def _leaves(names: str) -> dict[str, Any]:
    return {name: {} for name in names.split()}


FIELDS: dict[str, Any] = {
    **_leaves("sellerId sellerExternalReference offerId salesChannelId condition offerState"),
    **_leaves("salesChannelAcceptanceStatus isBestOffer createdAt updatedAt conversionDate"),
    **_leaves("comments offerCompetition"),
    "product": _leaves("reference gtin"),
    "integrationPrice": {**_leaves("price currencyCode"), "taxes": _leaves("value code type")},
    "facialPrice": _leaves("price"),
    "deliveryOffers": {
        **_leaves("preparationTime supplyMode quantity isBestDelivery storageCountry"),
        "deliveryModes": _leaves(
            "code legacyDeliveryModeId minDeliveryTime maxDeliveryTime cost additionalCost"
        ),
    },
    "salesChannelFeedback": {
        **_leaves("isOnline displayedOfferPrice deliveryCost updatedAt"),
        "offlineReason": _leaves("reason updatedAt"),
        "bestOfferDetails": {
            **_leaves("isBestOffer isBestOfferUpdatedAt updatedAt"),
            "bestOffer": _leaves("price deliveryCost updatedAt"),
        },
        "offerQuality": {
            **_leaves("offerScore updatedAt"),
            "scoreReasons": _leaves("code reason"),
        },
        "productInformation": _leaves("reviewCount productPage updatedAt"),
        "sellerGrade": _leaves("rating reviewCount updatedAt"),
        "competingOffers": _leaves(
            "sellerName sellerRating isOnline isBestOffer displayedOfferPrice deliveryCost"
            " updatedAt"
        ),
    },
}
"""Every name that `fields` may hold, as a tree."""


def selection(paths: Iterable[str]) -> dict[str, Any]:
    """The part of FIELDS that dotted paths ask for; unknown names are all told (ER400-179)."""
    chosen: dict[str, Any] = {name: {} for name in ALWAYS}
    faults = []
    for position, path in enumerate(paths):
        if (whole := _node(path)) is None:
            reason = f"The field {path!r} does not exist."
            faults.append(Fault(f"Fields[{position}]", reason, UNKNOWN_FIELD))
        else:
            _choose(chosen, path.split("."), whole)
    if faults:
        raise Refused(400, "Some names in fields do not exist.", *faults)
    return chosen


def _node(path: str) -> dict[str, Any] | None:
    node: dict[str, Any] | None = FIELDS
    for step in path.split("."):
        node = node.get(step) if node is not None else None
    return node


def _choose(chosen: dict[str, Any], steps: list[str], whole: dict[str, Any]) -> None:
    """Add a path to the tree; an asked node brings all that is under it."""
    *parents, last = steps
    for step in parents:
        chosen = chosen.setdefault(step, {})
    chosen[last] = whole


def pick(document: Any, chosen: Mapping[str, Any]) -> Any:
    """The chosen part of a document; a list stands for each of its items."""
    if not chosen or document is None:
        return document
    if isinstance(document, list):
        return [pick(item, chosen) for item in document]
    return {name: pick(document[name], inner) for name, inner in chosen.items()}


def offer_id(row: sqlite3.Row) -> str:
    """The composite sellerId_product_condition_channel."""
    product = row["gtin"] or row["product_reference"]
    return f"{row['seller']}_{product}_{row['condition']}_{row['channel']}"


def offer_document(row: sqlite3.Row, settings: Settings) -> dict[str, Any]:
    """An offer in every detail; what the channel says nothing about is null (rule 3)."""
    is_primary = row["channel"] == settings.primary_channel
    taxes = orjson.loads(row["taxes"])
    return {
        "sellerId": row["seller"],
        "sellerExternalReference": row["reference"],
        "offerId": offer_id(row),
        "salesChannelId": row["channel"],
        "condition": row["condition"],
        "offerState": "Active" if row["quantity"] else "Inactive",
        "salesChannelAcceptanceStatus": None if is_primary else "Accepted",
        "product": {"reference": row["product_reference"] or None, "gtin": row["gtin"] or None},
        "integrationPrice": {
            "price": row["price"],
            "currencyCode": CURRENCY,
            "taxes": [
                {"value": tax["value"], "code": tax["code"], "type": TAXES[tax["code"]].kind}
                for tax in taxes
            ],
        },
        "facialPrice": {"price": row["price"]},
        "isBestOffer": None,
        "deliveryOffers": [_delivery_document(row)],
        "createdAt": row["created_at"],
        "updatedAt": row["updated_at"],
        "conversionDate": None,
        "comments": None,
        "offerCompetition": None,
        "salesChannelFeedback": _feedback_document(row) if is_primary else None,
    }


def _delivery_document(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "preparationTime": row["preparation"],
        "supplyMode": "Seller",
        "quantity": row["quantity"],
        "isBestDelivery": None,
        "storageCountry": None,
        "deliveryModes": [
            {
                "code": mode["code"],
                "legacyDeliveryModeId": None,
                "minDeliveryTime": None,
                "maxDeliveryTime": None,
                "cost": mode["cost"],
                "additionalCost": mode["additionalCost"],
            }
            for mode in orjson.loads(row["modes"])
        ],
    }


def _feedback_document(row: sqlite3.Row) -> dict[str, Any]:
    """The little that a channel with no other seller on it has to say."""
    at = row["updated_at"]
    cost = min(mode["cost"] for mode in orjson.loads(row["modes"]))
    offline = None if row["quantity"] else {"reason": "OutOfStock", "updatedAt": at}
    best = {
        "isBestOffer": True,
        "isBestOfferUpdatedAt": at,
        "updatedAt": at,
        "bestOffer": {"price": row["price"], "deliveryCost": cost, "updatedAt": at},
    }
    return {
        "isOnline": offline is None,
        "displayedOfferPrice": row["price"],
        "deliveryCost": cost,
        "updatedAt": at,
        "offlineReason": offline,
        "bestOfferDetails": None if offline else best,
        "offerQuality": None,
        "productInformation": None,
        "sellerGrade": None,
        "competingOffers": [],
    }
