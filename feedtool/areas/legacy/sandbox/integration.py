"""The integration of an Offer of a legacy zip: part "Legacy offer routes" of the specification.

It is laid flat as an offer request of the JSON packages is, and meets the same rules and the same
store. All its values are texts, so what they cannot be read as is refused first.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from feedtool.areas.legacy.sandbox.zip_reader import FULL
from feedtool.areas.offers.sandbox.integration import APPLY, OfferOutcome, rejected
from feedtool.areas.offers.sandbox.rules import MODE_DIGITS, OTHER_MODE, OfferRequest, upsert_codes
from feedtool.areas.offers.sandbox.settings import OfferBehaviour
from feedtool.areas.offers.sandbox.store import KnownOffer, OfferStore

AMOUNT = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,4})?", re.ASCII)
WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)

TAXES = {"Vat": ("VAT", "07"), "EcoPart": ("EcoPart", "08"), "DeaTax": ("DEA", "31")}
"""Attribute, the tax's code in the JSON packages, and the digits that stand for it in a code."""
ATTRIBUTES_OF_STOCK_AND_PRICE = (("Stock", WHOLE, "05"), ("Price", AMOUNT, "06"))
ATTRIBUTES = (
    *ATTRIBUTES_OF_STOCK_AND_PRICE,
    *((name, AMOUNT, digits) for name, (_, digits) in TAXES.items()),
    ("PreparationTime", WHOLE, "09"),
    ("StrikedPrice", AMOUNT, "18"),
)
"""Attribute, how it is written, and the digits that stand for it."""
CHARGES = ("ShippingCharges", "AdditionalShippingCharges")

CONDITIONS = {
    "1": "UsedLikeNew",
    "2": "UsedVeryGoodState",
    "3": "GoodState",
    "4": "UsedAverageState",
    "5": "Refurbished",
    "6": "New",
}
"""ProductCondition; 3 and 5 are conditions that the JSON packages do not have."""
REFURBISHED = "5"

MODES = {
    "Standard": "NotTrackedHomeDelivery",
    "Tracked": "TrackedHomeDelivery",
    "Registered": "SignedHomeDelivery",
}
"""DeliveryMode, and its name in the JSON packages."""


def number_of(condition: str) -> str:
    """The ProductCondition that an offer's condition has; empty where it has none."""
    if condition.startswith("Refurbished"):
        return REFURBISHED
    return next((number for number, name in CONDITIONS.items() if name == condition), "")


def rules_of(behaviour: OfferBehaviour) -> OfferBehaviour:
    """The behaviour by which Offers of a zip are judged: more conditions than in JSON."""
    known = (*behaviour.conditions, *CONDITIONS.values())
    return replace(behaviour, conditions=tuple(dict.fromkeys(known)))


def applied(
    kind: str,
    entry: Mapping[str, Any],
    known: KnownOffer | None,
    store: OfferStore,
    behaviour: OfferBehaviour,
) -> OfferOutcome:
    """Put an Offer in the store, or say why not.

    Args:
        kind: The zip's PackageType.
        entry: The Offer as it was read.
        known: The offer that has its SellerProductId.
        store: The seller's offers on one channel.
        behaviour: As `rules_of` makes them.
    """
    is_full = kind == FULL
    unreadable = list(dict.fromkeys(_unreadable(entry, is_full=is_full)))
    request = _request(entry, known) if is_full else _changes(entry)
    if not unreadable:
        return APPLY["Upsert" if is_full else "Update"](request, known, store, behaviour)
    others = upsert_codes(request, behaviour) if is_full else []
    # What cannot be read was left out of the request, but it is not missing.
    noted = {f"10{code[2:]}" for code in unreadable}
    return rejected(*unreadable, *(code for code in others if code not in noted))


def _unreadable(entry: Mapping[str, Any], *, is_full: bool) -> Iterator[str]:
    """The codes of texts in another form; and of the comment, which may be empty, not absent."""
    if is_full and "Comment" not in entry:
        yield "1014"
    for name, pattern, digits in ATTRIBUTES if is_full else ATTRIBUTES_OF_STOCK_AND_PRICE:
        text = entry.get(name, "")
        if text and not pattern.fullmatch(text):
            yield f"11{digits}"
    for mode in entry["ShippingInformation"] if is_full else ():
        places = MODE_DIGITS.get(_mode_code(mode), OTHER_MODE)
        for name, digits in zip(CHARGES, places, strict=True):
            text = mode.get(name, "")
            if text and not AMOUNT.fullmatch(text):
                yield f"11{digits}"


def _request(entry: Mapping[str, Any], known: KnownOffer | None) -> OfferRequest:
    """An Offer of a Full package; what it has no place for stays as it is in the store."""
    request = _changes(entry)._replace(
        condition=_condition(entry.get("ProductCondition", ""), known),
        origin_price=_amount(entry.get("StrikedPrice", "")),
        taxes=[
            {"code": code, "value": _amount(entry[name])}
            for name, (code, _) in TAXES.items()
            if entry.get(name)
        ],
        modes=[
            {
                "code": _mode_code(mode),
                "cost": _amount(mode.get(CHARGES[0], "")),
                "additionalCost": _amount(mode.get(CHARGES[1], "")),
            }
            for mode in entry["ShippingInformation"]
        ],
        preparation=_whole(entry.get("PreparationTime", "")),
    )
    if known is None:
        return request
    gtin = request.gtin or known.request.gtin
    return request._replace(gtin=gtin, product_reference=known.request.product_reference)


def _changes(entry: Mapping[str, Any]) -> OfferRequest:
    """An Offer of a StockAndPrice package: "Price and/or Stock, nothing else"."""
    return OfferRequest(
        reference=entry.get("SellerProductId", ""),
        gtin=entry.get("ProductEan", ""),
        price=_amount(entry.get("Price", "")),
        quantity=_whole(entry.get("Stock", "")),
    )


def _condition(number: str, known: KnownOffer | None) -> str:
    """The condition of a number; where it may mean several, the one that the offer has."""
    if known and number and number_of(known.request.condition) == number:
        return known.request.condition
    # The names of the JSON packages are none here.
    return CONDITIONS.get(number, number and f"condition {number}")


def _mode_code(mode: Mapping[str, str]) -> str:
    """The mode's name in the JSON packages, empty for one that a zip does not have."""
    return MODES.get(mode.get("DeliveryMode", ""), "")


def _amount(text: str) -> float | None:
    return float(text) if AMOUNT.fullmatch(text) else None


def _whole(text: str) -> int | None:
    return int(text) if WHOLE.fullmatch(text) else None
