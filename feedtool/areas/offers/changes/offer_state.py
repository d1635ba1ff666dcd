"""What an offer comes to, whatever said so: the terms by which rows and offers are compared. Pure.

A request of any kind, and an offer that the service shows, is laid flat by the same names, so that
two of them are equal where they mean the same: 20 and 20.0, a tax that is listed as zero and one
that is not listed ("taxes must be listed even when zero"), delivery modes in any order, a GTIN with
and without zeros in front.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from feedtool.areas.offers.package_types import LEGACY_TYPES, PackageType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Terms = dict[str, Any]
"""JSON, by the names below; a name that is absent says nothing."""

PRODUCT, CONDITION = "product", "condition"
PRICE, ORIGIN, TAXES = "price", "origin", "taxes"
MODES, PREPARATION, QUANTITY, COMMENT = "modes", "preparation", "quantity", "comment"

WHOLE = frozenset({PackageType.UPSERT, PackageType.FULL, PackageType.PURGE})
"""Types whose requests replace an offer: what they do not say is not there any more."""

ONE_CONDITION = frozenset({"New", "UsedLikeNew", "UsedVeryGoodState", "UsedAverageState"})
"""Conditions of a legacy zip that one condition of the JSON packages means the same as."""

BY_GTIN, BY_REFERENCE, BY_NOTHING = "g", "r", "o"
"""What a key of shared stock begins with: what its product is known by."""

OTHER_NAMES = frozenset({BY_GTIN, BY_NOTHING})
"""Where they occur, a reference may come to stand for another product: that of a GTIN beside which
it was named. So an Upsert that gives the reference alone may change an offer though it is the same.
"""

MAY_ALSO_BE = {
    BY_GTIN: frozenset({BY_REFERENCE, BY_NOTHING}),
    BY_REFERENCE: frozenset({BY_GTIN, BY_NOTHING}),
    BY_NOTHING: frozenset({BY_GTIN, BY_REFERENCE, BY_NOTHING}),
}
"""How another channel may name the same product, so that nobody sees that it is the same."""


class ObservedOffer(NamedTuple):
    """An offer as the service shows it."""

    reference: str
    terms: Terms
    product: str
    """The key of its shared stock; may be empty."""


class Accepted(NamedTuple):
    """What the service has last accepted of a reference on a channel, as far as is known."""

    terms: Terms | None
    """Without the quantity, which is not the offer's own; None once it was deleted."""
    is_sure: bool
    """Whether the last row of it was accepted: not refused, and not of unknown outcome."""
    product: str
    """The key of its shared stock."""
    run_id: int
    """Whose row was answered last; 0 where an export alone has seen it."""
    last_price: float | None = None
    """That was accepted, or shown: it stays when the offer is deleted, or not known any more."""


def terms_of(package_type: str, body: bytes) -> Terms:
    """The terms of a request, exactly as it would be sent."""
    found = orjson.loads(body)
    if package_type in LEGACY_TYPES:
        return _of_zip(package_type, found)
    return _of_request(package_type, found)


def _of_request(package_type: str, found: Mapping[str, Any]) -> Terms:
    is_whole, terms = package_type in WHOLE, Terms()
    price = found.get("price", {})
    if is_whole:
        product = found.get("product", {})
        terms[PRODUCT] = [plain_gtin(product.get("gtin")), product.get("reference") or ""]
        terms[CONDITION] = found.get("condition")
    if "price" in price:
        terms[PRICE] = price["price"]
    if is_whole or "originPrice" in price:
        terms[ORIGIN] = price.get("originPrice")
    if "taxes" in price:
        terms[TAXES] = taxes((one["code"], one["value"]) for one in price["taxes"])
    if "deliveryModes" in found:
        terms[MODES] = {
            one["code"]: [one["cost"], one["additionalCost"]] for one in found["deliveryModes"]
        }
    if "preparationTime" in found:
        terms[PREPARATION] = found["preparationTime"]
    if "quantity" in found:
        terms[QUANTITY] = found["quantity"]
    return terms


def _of_zip(package_type: str, found: Mapping[str, Any]) -> Terms:
    """Of the attributes of an Offer; its taxes, modes and condition have names of their own."""
    terms = Terms()
    if "Price" in found:
        terms[PRICE] = float(found["Price"])
    if "Stock" in found:
        terms[QUANTITY] = int(found["Stock"])
    if package_type not in WHOLE:
        return terms
    struck = found.get("StrikedPrice")
    return terms | {
        PRODUCT: [plain_gtin(found.get("ProductEan")), ""],
        CONDITION: found.get("ProductCondition"),
        ORIGIN: float(struck) if struck else None,
        TAXES: taxes((name, float(found.get(name, 0))) for name in ("Vat", "EcoPart", "DeaTax")),
        MODES: {
            one["DeliveryMode"]: [
                float(one["ShippingCharges"]),
                float(one["AdditionalShippingCharges"]),
            ]
            for one in found.get("ShippingInformation", ())
        },
        PREPARATION: int(found["PreparationTime"]),
        COMMENT: found.get("Comment", ""),
    }


def taxes(listed: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Taxes by code, without those that are zero."""
    return {code: value for code, value in listed if value}


def plain_gtin(value: object) -> str:
    """A GTIN without zeros in front, whether it was written as text or as a number."""
    return str(value or "").lstrip("0")


def merged(known: Terms | None, package_type: str, terms: Mapping[str, Any]) -> Terms | None:
    """The terms of an offer once a request of it was accepted; None once it was deleted."""
    if package_type == PackageType.DELETE:
        return None
    own = {name: value for name, value in terms.items() if name != QUANTITY}
    return own if package_type in WHOLE else {**(known or {}), **own}


def stock_key(package_type: str, product: str) -> str:
    """Under what the stock of `Item.product` is shared; empty where that does not say.

    The condition of a legacy zip may stand for several of the JSON packages.
    """
    gtin, _, rest = product.partition("|")
    reference, _, condition = rest.rpartition("|")
    if not condition or (package_type in LEGACY_TYPES and condition not in ONE_CONDITION):
        return ""
    return shared_by(gtin, reference, condition)


def shared_by(gtin: str | None, reference: str | None, condition: str | None) -> str:
    """The same of a product and a condition."""
    if condition and (plain := plain_gtin(gtin)):
        return f"{BY_GTIN}{plain}|{condition}"
    return f"{BY_REFERENCE}{reference}|{condition}" if condition and reference else ""


def unnamed(scope: str, reference: str) -> str:
    """The key of an offer of which it is not known what product it is of."""
    return f"{BY_NOTHING}{scope}{reference}"
