"""An offer as it is read: parts "Offer (read)" and "Offers (read)" of the specification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from feedtool.areas.offers.sandbox.rules import TAXES
from feedtool.sandbox.problem import UNKNOWN_FIELD, ErrorEntry, RequestRefused

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

    from feedtool.sandbox.settings import SandboxSettings

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


Tree = Mapping[str, Any]
"""Names and what is chosen under each; None stands for all of it."""

EVERYTHING: Tree = dict.fromkeys(FIELDS)


def selection(paths: Iterable[str]) -> Tree:
    """What dotted paths ask for, as a tree; unknown names are all told (ER400-179)."""
    chosen: dict[str, Any] = dict.fromkeys(ALWAYS)
    faults = []
    for position, path in enumerate(paths):
        if _is_known(path):
            _choose(chosen, path.split("."))
        else:
            reason = f"The field {path!r} does not exist."
            faults.append(ErrorEntry(f"Fields[{position}]", reason, UNKNOWN_FIELD))
    if faults:
        raise RequestRefused(400, "Some names in fields do not exist.", *faults)
    return chosen


def _is_known(path: str) -> bool:
    node = FIELDS
    for step in path.split("."):
        if step not in node:
            return False
        node = node[step]
    return True


def _choose(chosen: dict[str, Any], steps: list[str]) -> None:
    """Add a path to the tree, unless a node above it is there as a whole."""
    first, *rest = steps
    if not rest:
        chosen[first] = None
    elif (inner := chosen.setdefault(first, {})) is not None:
        _choose(inner, rest)


def pick(document: Any, chosen: Tree | None) -> Any:
    """The chosen part of a document; a list stands for each of its items."""
    if chosen is None or document is None:
        return document
    if isinstance(document, list):
        return [pick(item, chosen) for item in document]
    return {name: pick(document[name], inner) for name, inner in chosen.items()}


def offer_document(row: sqlite3.Row, settings: SandboxSettings, chosen: Tree = EVERYTHING) -> Any:
    """The chosen part of an offer; what the channel says nothing about is null (rule 3)."""
    return {name: pick(NODES[name](row, settings), inner) for name, inner in chosen.items()}


def offer_id(row: sqlite3.Row) -> str:
    """The composite sellerId_product_condition_channel."""
    product = row["gtin"] or row["product_reference"]
    return f"{row['seller']}_{product}_{row['condition']}_{row['channel']}"


def _product(row: sqlite3.Row) -> dict[str, Any]:
    return {"reference": row["product_reference"] or None, "gtin": row["gtin"] or None}


def _price(row: sqlite3.Row) -> dict[str, Any]:
    """The price that the seller sent; a struck price is not given back."""
    taxes = [
        {"value": tax["value"], "code": tax["code"], "type": TAXES[tax["code"]].kind}
        for tax in orjson.loads(row["taxes"])
    ]
    return {"price": row["price"], "currencyCode": CURRENCY, "taxes": taxes}


def _delivery(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "preparationTime": row["preparation"],
        "supplyMode": "Seller",
        "quantity": row["quantity"],
        "isBestDelivery": None,
        "storageCountry": None,
        "deliveryModes": [_mode(mode) for mode in orjson.loads(row["modes"])],
    }


def _mode(mode: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "code": mode["code"],
        "legacyDeliveryModeId": None,
        "minDeliveryTime": None,
        "maxDeliveryTime": None,
        "cost": mode["cost"],
        "additionalCost": mode["additionalCost"],
    }


def _feedback(row: sqlite3.Row, settings: SandboxSettings) -> dict[str, Any] | None:
    """The little that a channel with no other seller on it has to say."""
    if row["channel"] != settings.primary_channel:
        return None
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


def _acceptance(row: sqlite3.Row, settings: SandboxSettings) -> str | None:
    return None if row["channel"] == settings.primary_channel else "Accepted"


def _comments(row: sqlite3.Row, settings: SandboxSettings) -> str | None:
    """On the primary channel alone (part "What the service does")."""
    return row["comment"] or None if row["channel"] == settings.primary_channel else None


NODES: dict[str, Callable[[sqlite3.Row, SandboxSettings], Any]] = {
    "sellerId": lambda row, _: row["seller"],
    "sellerExternalReference": lambda row, _: row["reference"],
    "offerId": lambda row, _: offer_id(row),
    "salesChannelId": lambda row, _: row["channel"],
    "condition": lambda row, _: row["condition"],
    "offerState": lambda row, _: "Active" if row["quantity"] else "Inactive",
    "salesChannelAcceptanceStatus": _acceptance,
    "product": lambda row, _: _product(row),
    "integrationPrice": lambda row, _: _price(row),
    "facialPrice": lambda row, _: {"price": row["price"]},
    "isBestOffer": lambda _row, _: None,
    "deliveryOffers": lambda row, _: [_delivery(row)],
    "createdAt": lambda row, _: row["created_at"],
    "updatedAt": lambda row, _: row["updated_at"],
    "conversionDate": lambda _row, _: None,
    "comments": _comments,
    "offerCompetition": lambda _row, _: None,
    "salesChannelFeedback": _feedback,
}
"""What stands under each name of an offer."""
