"""GET /offers: parts "Offer (read)" and "Offers (read)" of the specification."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from sqlite3 import Row
from typing import Any

import orjson

from feedtool.areas.offers.sandbox import store
from feedtool.areas.offers.sandbox.rules import TAXES
from feedtool.sandbox.arguments import (
    HIGHEST,
    LIMIT,
    asked,
    asked_number,
    asked_page,
    known_channel,
    moment_stamp,
    page_answer,
)
from feedtool.sandbox.exchange import (
    FIELD_MISSING,
    UNKNOWN_FIELD,
    ErrorEntry,
    Exchange,
    HttpResponse,
    RequestRefused,
    SandboxSettings,
    bad_request,
)

FEEDBACK = "salesChannelFeedback"


def read_offers(exchange: Exchange) -> HttpResponse:
    """Return the seller's offers on a channel, oldest first."""
    channel = exchange.parameters.get("salesChannelId", "")
    if not channel:
        raise bad_request("salesChannelId", "salesChannelId is required.", FIELD_MISSING)
    known_channel(channel, "salesChannelId", exchange.settings)
    # No other route documents a highest limit.
    if asked_number(exchange, "limit", LIMIT) > HIGHEST:
        raise bad_request("limit", f"limit must be a number from 1 to {HIGHEST}.")
    page = asked_page(exchange)
    chosen = selection(_requested_fields(exchange))
    filters = {name: text for name in FILTERS if (text := asked(exchange, name))}
    rows = exchange.db.execute(
        OFFERS.format(conditions="".join(f" AND {FILTERS[name][0]}" for name in filters)),
        {
            **{name: FILTERS[name][1](text) for name, text in filters.items()},
            "seller": exchange.seller,
            "channel": channel,
            "after": page.after,
            "rows": page.limit + 1,
        },
    ).fetchall()
    return page_answer(
        exchange, page, rows, lambda row: offer_document(row, exchange.settings, chosen)
    )


OFFERS = f"""
SELECT {store.SHOWN_COLUMNS} FROM offer AS o JOIN stock AS s USING (seller, product, condition)
WHERE o.seller = :seller AND o.channel = :channel AND o.id > :after{{conditions}}
ORDER BY o.id LIMIT :rows
"""  # noqa: S608 - only constants are filled in


def _requested_fields(exchange: Exchange) -> list[str]:
    """Return the requested fields; with fields and expand, expand is ignored (rule 2)."""
    if (fields := exchange.parameters.get("fields")) is not None:
        return fields.split(",")
    expand = asked(exchange, "expand")
    if expand not in {None, FEEDBACK}:
        raise bad_request("expand", f"expand must be {FEEDBACK}.")
    return [FEEDBACK] if expand else []


# Filters.


def _json_list(text: str) -> str:
    return orjson.dumps(text.split(",")).decode()


def _states(text: str) -> str:
    if not {"active", "inactive"}.issuperset(text.split(",")):
        raise bad_request("offerStates", "offerStates must be active or inactive.")
    return _json_list(text)


# The same text as `store.offer_id`.
OFFER_IDS = """
  o.seller || '_' || iif(o.gtin = '', o.product_reference, o.gtin)
    || '_' || o.condition || '_' || o.channel IN (SELECT value FROM json_each(:offerIds))
"""
OFFER_STATES = """
  iif(s.quantity = 0, 'inactive', 'active') IN (SELECT value FROM json_each(:offerStates))
"""
# The subqueries use indexes; otherwise SQLite would read all offers in page order.
GTINS = """
  o.id IN (SELECT id FROM offer WHERE seller = :seller AND gtin <> ''
    AND product IN (SELECT value FROM json_each(:gtins)))
"""
REFERENCES = """
  o.id IN (SELECT id FROM offer WHERE seller = :seller AND channel = :channel
    AND reference IN (SELECT value FROM json_each(:sellerExternalReferences)))
"""

FILTERS: dict[str, tuple[str, Callable[[str], str]]] = {
    "offerIds": (OFFER_IDS, _json_list),
    "offerStates": (OFFER_STATES, _states),
    "gtins": (GTINS, lambda text: _json_list(",".join(map(store.gtin_product, text.split(","))))),
    "sellerExternalReferences": (REFERENCES, _json_list),
    "updatedAtMin": ("o.updated_at >= :updatedAtMin", partial(moment_stamp, "updatedAtMin")),
}
"""By query parameter: its SQL condition, and the function that converts its value."""


# Fields.


ALWAYS = ("offerId", "sellerExternalReference", "offerState", "createdAt", "updatedAt")
"""Fields returned always, and the only ones by default (rule 1)."""


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
        "offerQuality": {**_leaves("offerScore updatedAt"), "scoreReasons": _leaves("code reason")},
        "productInformation": _leaves("reviewCount productPage updatedAt"),
        "sellerGrade": _leaves("rating reviewCount updatedAt"),
        "competingOffers": _leaves(
            "sellerName sellerRating isOnline isBestOffer displayedOfferPrice deliveryCost"
            " updatedAt"
        ),
    },
}
"""Every name that `fields` may hold, as a tree."""


def _paths(tree: dict[str, Any], above: str = "") -> Iterator[str]:
    for name, inner in tree.items():
        yield f"{above}{name}"
        yield from _paths(inner, f"{above}{name}.")


PATHS = frozenset(_paths(FIELDS))


def selection(paths: Iterable[str]) -> frozenset[str]:
    """Return the dotted paths to show; the refusal lists all unknown names (ER400-179)."""
    chosen = list(paths)
    if faults := [
        ErrorEntry(f"Fields[{position}]", f"The field {path!r} does not exist.", UNKNOWN_FIELD)
        for position, path in enumerate(chosen)
        if path not in PATHS
    ]:
        raise RequestRefused(400, "Some names in fields do not exist.", *faults)
    return frozenset((*ALWAYS, *chosen))


def _pick(node: Any, chosen: Collection[str], above: str = "") -> Any:
    """Return the chosen part of a document; the paths apply to each item of a list."""
    if isinstance(node, list):
        return [_pick(item, chosen, above) for item in node]
    if not isinstance(node, dict):
        return node
    result = {}
    for name, inner in node.items():
        path = f"{above}{name}"
        if path in chosen:
            result[name] = inner
        elif any(other.startswith(f"{path}.") for other in chosen):
            result[name] = _pick(inner, chosen, f"{path}.")
    return result


def offer_document(
    row: Row, settings: SandboxSettings, chosen: Collection[str] = tuple(FIELDS)
) -> Any:
    """Return the chosen part of an offer; fields unknown to the channel are null (rule 3)."""
    return _pick(_document(row, is_primary=row["channel"] == settings.primary_channel), chosen)


def _document(row: Row, *, is_primary: bool) -> dict[str, Any]:
    """Return an offer with every field. The struck price is never returned."""
    modes = orjson.loads(row["modes"])
    unknown = ("legacyDeliveryModeId", "minDeliveryTime", "maxDeliveryTime")
    return {
        "sellerId": row["seller"],
        "sellerExternalReference": row["reference"],
        "offerId": store.offer_id(row),
        "salesChannelId": row["channel"],
        "condition": row["condition"],
        "offerState": "Active" if row["quantity"] else "Inactive",
        "salesChannelAcceptanceStatus": None if is_primary else "Accepted",
        "product": {"reference": row["product_reference"] or None, "gtin": row["gtin"] or None},
        "integrationPrice": {
            "price": row["price"],
            "currencyCode": "EUR",
            "taxes": [
                {"value": tax["value"], "code": tax["code"], "type": TAXES[tax["code"]].kind}
                for tax in orjson.loads(row["taxes"])
            ],
        },
        "facialPrice": {"price": row["price"]},
        "isBestOffer": None,
        "deliveryOffers": [
            {
                "preparationTime": row["preparation"],
                "supplyMode": "Seller",
                "quantity": row["quantity"],
                "isBestDelivery": None,
                "storageCountry": None,
                "deliveryModes": [
                    dict.fromkeys(unknown)
                    | {name: mode[name] for name in ("code", "cost", "additionalCost")}
                    for mode in modes
                ],
            }
        ],
        "createdAt": row["created_at"],
        "updatedAt": row["updated_at"],
        "conversionDate": None,
        # On the primary channel only (part "What the service does").
        "comments": (row["comment"] or None) if is_primary else None,
        "offerCompetition": None,
        FEEDBACK: _feedback(row, min(mode["cost"] for mode in modes)) if is_primary else None,
    }


def _feedback(row: Row, cost: float) -> dict[str, Any]:
    """Return the feedback of a channel without other sellers."""
    updated_at, price = row["updated_at"], row["price"]
    best = {
        "isBestOffer": True,
        "isBestOfferUpdatedAt": updated_at,
        "updatedAt": updated_at,
        "bestOffer": {"price": price, "deliveryCost": cost, "updatedAt": updated_at},
    }
    return {
        "isOnline": bool(row["quantity"]),
        "displayedOfferPrice": price,
        "deliveryCost": cost,
        "updatedAt": updated_at,
        "offlineReason": None
        if row["quantity"]
        else {"reason": "OutOfStock", "updatedAt": updated_at},
        "bestOfferDetails": best if row["quantity"] else None,
        "offerQuality": None,
        "productInformation": None,
        "sellerGrade": None,
        "competingOffers": [],
    }
