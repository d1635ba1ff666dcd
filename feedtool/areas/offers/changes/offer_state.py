"""The state of an offer as flat fields: what requests ask for, and what the service has. Pure.

A request of any kind, and an offer that the service shows, are laid flat by the same names, so that
two of them are equal where they mean the same: 20 and 20.0, a tax that is listed as zero and one
that is not listed ("taxes must be listed even when zero"), delivery modes in any order, a GTIN with
and without zeros in front.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson

from feedtool.areas.offers.package_types import LEGACY_TYPES, PackageType
from feedtool.model.nouns import Item

OfferFields = dict[str, Any]
"""JSON, by the names below; a name that is absent says nothing."""

PRODUCT, CONDITION = "product", "condition"
PRICE, ORIGIN, TAXES = "price", "origin", "taxes"
MODES, PREPARATION, QUANTITY, COMMENT = "modes", "preparation", "quantity", "comment"

WHOLE = frozenset({PackageType.UPSERT, PackageType.FULL, PackageType.PURGE})
"""Types whose requests replace an offer: what they do not say is not there any more."""
UPDATABLE = frozenset({PRICE, QUANTITY})
"""Fields that are sent as an Update where nothing else has changed."""

ONE_CONDITION = frozenset({"New", "UsedLikeNew", "UsedVeryGoodState", "UsedAverageState"})
"""Conditions of a legacy zip that one condition of the JSON packages means the same as."""

BY_GTIN, BY_REFERENCE, BY_OFFER = "g", "r", "o"
"""The first letter of a stock's key: what its product is known by, or that it is known by nothing
but an offer of it."""

OTHER_NAMES = frozenset({BY_GTIN, BY_OFFER})
"""Where they occur, a reference may come to stand for another product: that of a GTIN beside which
it was named. So an Upsert that gives the reference alone may change an offer though it is the same.
"""


class ObservedOffer(NamedTuple):
    """An offer as the service shows it."""

    reference: str
    fields: OfferFields
    product: str
    """The key of its shared stock; may be empty."""


class AcceptedOffer(NamedTuple):
    """An offer as the service has last accepted it on a channel, as far as is known."""

    fields: OfferFields | None
    """Without the quantity, which is not the offer's own; None once it was deleted."""
    is_sure: bool
    """False if its last row was refused, or is of unknown outcome."""
    product: str
    """The key of its shared stock."""
    run_id: int
    """Whose row was answered last; 0 where an export alone has seen it."""
    last_price: float | None = None
    """That was accepted, or shown: it stays when the offer is deleted, or not known any more."""


def offer_fields(package_type: str, body: bytes) -> OfferFields:
    """The fields of a request, exactly as it would be sent."""
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
    """Of the attributes of an Offer; its taxes, modes and condition have names of their own."""
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
    """Taxes by code, without those that are zero."""
    return {code: value for code, value in listed if value}


def plain_gtin(value: object) -> str:
    """A GTIN without zeros in front, whether it was written as text or as a number."""
    return str(value or "").lstrip("0")


def apply(known: OfferFields | None, package_type: str, fields: OfferFields) -> OfferFields | None:
    """The fields of an offer once a request of it was accepted; None once it was deleted."""
    if package_type == PackageType.DELETE:
        return None
    own = {name: value for name, value in fields.items() if name != QUANTITY}
    return own if package_type in WHOLE else {**(known or {}), **own}


def differences(
    item: Item, fields: OfferFields, offer: AcceptedOffer | None, quantity: int | None
) -> frozenset[str] | None:
    """The names of the fields that a row would change, none of them if it leaves all as it is.

    None where that is not known, and where the row makes or deletes the offer as a whole. Whatever
    is not known for sure counts as different. So an Upsert is the same only where a whole offer is
    known that it leaves as it is, struck price and its absence included; a Delete where the offer
    was deleted before, by us. What others have changed since, and what was sold, nobody can know
    without asking: an export asks. `quantity` is the stock that the product is known to have.
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
    """An Upsert as an Update of just what has changed; None where that is more than may be.

    A row that others may have deleted meanwhile would then be refused, and is sent whole the next
    time, since it failed.
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
    """The key of the stock that all channels share for a product and condition; may be empty."""
    if condition and (plain := plain_gtin(gtin)):
        return f"{BY_GTIN}{plain}|{condition}"
    return f"{BY_REFERENCE}{reference}|{condition}" if condition and reference else ""


def offer_key(scope: str, reference: str) -> str:
    """The key of an offer of which it is not known what product it is of."""
    return f"{BY_OFFER}{scope}{reference}"


def key_of(
    package_type: str, product: str, before: AcceptedOffer | None, scope: str, reference: str
) -> str:
    """The key of the stock that a row is about.

    An Upsert that names the product's reference alone is of the same product as the offer was
    before, since that never changes; so is an Update, which names none. The condition of a legacy
    zip may stand for several of the JSON packages, and then says nothing. `product` is as in
    `Item.product`, `before` what was known of the reference, and `scope` the channel's.
    """
    gtin, _, rest = product.partition("|")
    product_reference, _, condition = rest.rpartition("|")
    is_plain = package_type not in LEGACY_TYPES or condition in ONE_CONDITION
    own = stock_key(gtin, product_reference, condition) if is_plain else ""
    old = before.product if before else ""
    if own.startswith(BY_REFERENCE) and old.startswith(BY_GTIN) and before and before.fields:
        return old if old.rpartition("|")[2] == condition else own
    if own:
        return own
    return old if old and package_type not in WHOLE else offer_key(scope, reference)


def may_be_same(kind: str, other: str) -> bool:
    """True if two channels may name one product by these, so that nobody sees that it is one."""
    return kind != other or kind == BY_OFFER
