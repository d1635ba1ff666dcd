"""The state of an offer as flat fields, from requests and from the service. Pure.

Requests of any kind, and offers of the service, become fields of the same names, which are equal if
they mean the same: 20 and 20.0, a tax of zero and an absent tax ("taxes must be listed even when
zero"), delivery modes in any order, a GTIN with and without leading zeros.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson

from feedtool.areas.offers.delivery import LEGACY_TYPES, PackageType
from feedtool.model.nouns import Item

OfferFields = dict[str, Any]
"""JSON values by the names below; an absent name is unknown."""

PRODUCT, CONDITION = "product", "condition"
PRICE, ORIGIN, TAXES = "price", "origin", "taxes"
MODES, PREPARATION, QUANTITY, COMMENT = "modes", "preparation", "quantity", "comment"

WHOLE = frozenset({PackageType.UPSERT, PackageType.FULL, PackageType.PURGE})
"""Types whose requests replace an offer: fields that they lack are removed."""
UPDATABLE = frozenset({PRICE, QUANTITY})
"""Fields that are sent as an Update if nothing else has changed."""

ONE_CONDITION = frozenset({"New", "UsedLikeNew", "UsedVeryGoodState", "UsedAverageState"})
"""Conditions of a legacy zip that equal exactly one condition of the JSON packages."""

BY_GTIN, BY_REFERENCE, BY_OFFER = "g", "r", "o"
"""The first letter of a stock key: its product is identified by GTIN, by reference, or only by an
offer."""

OTHER_NAMES = frozenset({BY_GTIN, BY_OFFER})
"""If these occur, a reference may later identify another product: the product of a GTIN that was
given with it. So an unchanged Upsert that gives only the reference may still change an offer."""


class ObservedOffer(NamedTuple):
    """An offer as the service shows it."""

    reference: str
    fields: OfferFields
    product: str
    """The key of its shared stock, or ""."""


class AcceptedOffer(NamedTuple):
    """An offer as last accepted on a channel, as far as known."""

    fields: OfferFields | None
    """The fields without the quantity, which belongs to the stock; None for a deleted offer."""
    is_sure: bool
    """False if its last row was refused, or its outcome is unknown."""
    product: str
    """The key of its shared stock."""
    run_id: int
    """The run of the last answered row; 0 if only an export has shown the offer."""
    last_price: float | None = None
    """The last price accepted or shown; it stays after the offer is deleted or becomes unknown."""


def offer_fields(package_type: str, body: bytes) -> OfferFields:
    """Return the fields of a request, exactly as sent."""
    request = orjson.loads(body)
    if package_type in LEGACY_TYPES:
        return _zip_fields(package_type, request)
    is_whole, fields = package_type in WHOLE, OfferFields()
    price = request.get("price", {})
    if is_whole:
        product = request.get("product", {})
        fields[PRODUCT] = [plain_gtin(product.get("gtin")), product.get("reference") or ""]
        fields[CONDITION] = request.get("condition")
    if "price" in price:
        fields[PRICE] = price["price"]
    if is_whole or "originPrice" in price:
        fields[ORIGIN] = price.get("originPrice")
    if "taxes" in price:
        fields[TAXES] = nonzero_taxes((tax["code"], tax["value"]) for tax in price["taxes"])
    if "deliveryModes" in request:
        fields[MODES] = {
            mode["code"]: [mode["cost"], mode["additionalCost"]]
            for mode in request["deliveryModes"]
        }
    if "preparationTime" in request:
        fields[PREPARATION] = request["preparationTime"]
    if "quantity" in request:
        fields[QUANTITY] = request["quantity"]
    return fields


def _zip_fields(package_type: str, request: Mapping[str, Any]) -> OfferFields:
    """Return the fields of an Offer; names of taxes, modes and conditions are the zip's own."""
    fields = OfferFields()
    if "Price" in request:
        fields[PRICE] = float(request["Price"])
    if "Stock" in request:
        fields[QUANTITY] = int(request["Stock"])
    if package_type not in WHOLE:
        return fields
    struck, taxes = request.get("StrikedPrice"), ("Vat", "EcoPart", "DeaTax")
    return fields | {
        PRODUCT: [plain_gtin(request.get("ProductEan")), ""],
        CONDITION: request.get("ProductCondition"),
        ORIGIN: float(struck) if struck else None,
        TAXES: nonzero_taxes((name, float(request.get(name, 0))) for name in taxes),
        MODES: {
            mode["DeliveryMode"]: [
                float(mode["ShippingCharges"]),
                float(mode["AdditionalShippingCharges"]),
            ]
            for mode in request.get("ShippingInformation", ())
        },
        PREPARATION: int(request["PreparationTime"]),
        COMMENT: request.get("Comment", ""),
    }


def nonzero_taxes(listed: Iterable[tuple[str, float]]) -> dict[str, float]:
    return {code: value for code, value in listed if value}


def plain_gtin(value: object) -> str:
    """Return a GTIN, from text or number, without leading zeros."""
    return str(value or "").lstrip("0")


def apply(known: OfferFields | None, package_type: str, fields: OfferFields) -> OfferFields | None:
    """Return an offer's fields after an accepted request; None once it is deleted."""
    if package_type == PackageType.DELETE:
        return None
    changes = {name: value for name, value in fields.items() if name != QUANTITY}
    return changes if package_type in WHOLE else {**(known or {}), **changes}


def differences(
    item: Item, fields: OfferFields, offer: AcceptedOffer | None, quantity: int | None
) -> frozenset[str] | None:
    """Return the names of the fields that a row would change.

    None if that is unknown, or if the row creates or deletes the offer. Uncertain values count as
    different. So an Upsert changes nothing only if the whole offer is known and equal, including
    the absence of a struck price; a Delete only if we deleted the offer before. Changes by others
    and sales are unknown without a new export. `quantity` is the known stock of the product.
    """
    if offer is None or not offer.is_sure:
        return None
    if item.package_type == PackageType.DELETE:
        return frozenset() if offer.fields is None else None
    if offer.fields is None:
        return None
    known = {**offer.fields, QUANTITY: quantity}
    return frozenset(
        name for name, value in fields.items() if name not in known or known[name] != value
    )


def as_update(item: Item, fields: OfferFields, changed: frozenset[str]) -> Item | None:
    """Return an Upsert as an Update of the changed fields; None if too much has changed.

    If others have deleted the offer meanwhile, the Update is refused; the row is then sent whole
    the next time, since it failed.
    """
    if item.package_type != PackageType.UPSERT or not changed or changed - UPDATABLE:
        return None
    body: dict[str, object] = {"sellerExternalReference": item.reference}
    if PRICE in changed:
        body["price"] = {"price": fields[PRICE]}
    if QUANTITY in changed:
        body["quantity"] = fields[QUANTITY]
    return item._replace(package_type=PackageType.UPDATE, body=orjson.dumps(body))


def stock_key(gtin: str | None, reference: str | None, condition: str | None) -> str:
    """Return the key of the stock that channels share for a product and condition, or ""."""
    if condition and (plain := plain_gtin(gtin)):
        return f"{BY_GTIN}{plain}|{condition}"
    return f"{BY_REFERENCE}{reference}|{condition}" if condition and reference else ""


def offer_key(scope: str, reference: str) -> str:
    """Return the stock key of an offer whose product is unknown."""
    return f"{BY_OFFER}{scope}{reference}"


def key_of(
    package_type: str, product: str, before: AcceptedOffer | None, scope: str, reference: str
) -> str:
    """Return the stock key of a row.

    An Upsert that gives only the product's reference has the product of the offer before, since
    that never changes; so has an Update, which gives none. A condition of a legacy zip may equal
    several of the JSON packages, and then decides nothing. `product` is as in `Item.product`,
    `before` the known offer of the reference, and `scope` the channel's.
    """
    gtin, _, rest = product.partition("|")
    product_reference, _, condition = rest.rpartition("|")
    is_plain = package_type not in LEGACY_TYPES or condition in ONE_CONDITION
    row_key = stock_key(gtin, product_reference, condition) if is_plain else ""
    old_key = before.product if before else ""
    is_renamed = row_key.startswith(BY_REFERENCE) and old_key.startswith(BY_GTIN)
    if is_renamed and before and before.fields:
        return old_key if old_key.rpartition("|")[2] == condition else row_key
    if row_key:
        return row_key
    return old_key if old_key and package_type not in WHOLE else offer_key(scope, reference)


def may_be_same(kind: str, other: str) -> bool:
    """True if two keys may belong to one product that channels identify differently."""
    return kind != other or kind == BY_OFFER
