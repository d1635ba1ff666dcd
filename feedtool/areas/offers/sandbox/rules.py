"""The behaviour of the sandbox's offers, and its rules for requests once a package is Ready.

Parts "Offer package and offer request", "Offers (JSON packages)" and "Delivery modes on orders";
gaps are filled by the field's practice. Every rule is a line in a table, its result a code of
`messages`; a request gets all codes that apply.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from msgspec import Struct

SMALL_PARCELS = (
    *("TrackedHomeDelivery", "SignedHomeDelivery", "ExpressHomeDelivery"),
    "NotTrackedHomeDelivery",
)
LARGE_PARCELS = ("FixedDateHomeDelivery", "SpecificRoomHomeDelivery", "WithSetupHomeDelivery")
# "Still present and to be removed" (part "Versioning", 2).
RETIRING_MODES = ("Standard", "Express")

CONDITIONS = (
    *("New", "UsedLikeNew", "UsedVeryGoodState", "UsedAverageState"),
    *("RefurbishedLikeNew", "RefurbishedVeryGoodState", "RefurbishedCorrectState"),
)


class OfferBehaviour(Struct, frozen=True):
    """Settings of offers and their packages. All durations are sandbox time."""

    settle: timedelta = timedelta(seconds=1)
    """The time after an upload in which PATCH answers 400."""
    pend: timedelta = timedelta(seconds=1)
    """The time from Ready to IntegrationPending."""
    integrate: timedelta = timedelta(seconds=2)
    """The time from Ready to Integrated or Rejected."""
    delays: tuple[timedelta, ...] = ()
    """Added to `integrate`, one per package in turn; different delays change the order of
    integration."""
    open_life: timedelta = timedelta(hours=6)
    """The time until an open package expires (part "Limits")."""
    results_life: timedelta = timedelta(days=3)
    """The time for which results are readable after processing (part "Limits")."""
    upload_limit: int = 100
    package_limit: int = 50_000
    conditions: tuple[str, ...] = CONDITIONS
    delivery_modes: tuple[str, ...] = SMALL_PARCELS + LARGE_PARCELS + RETIRING_MODES
    """The modes configured for every seller."""
    modes_without_tracked: tuple[str, ...] = LARGE_PARCELS
    """An offer with one of these needs no TrackedHomeDelivery."""
    reference_length: int = 50
    """The longest sellerExternalReference and product.reference, in characters."""


MOST_STOCK = 9_999_999_999
LONGEST_PREPARATION = 999

GTIN = re.compile(r"[0-9]{8}|[0-9]{12,14}")
PRODUCT_REFERENCE = re.compile(r"[A-Za-z0-9.-]*")
UNWANTED = re.compile(r"[|\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""Characters refused in references: `|` and invisible ones (joiners inside emoji are allowed)."""


Items = Iterable[Mapping[str, Any]]
"""The entries of `taxes` or `deliveryModes`."""


class OfferRequest(NamedTuple):
    """A flat offer request; an absent or null field becomes None (or an empty text).

    An empty list is not absent: "arrays replace the existing array" (rule 2).
    """

    reference: str = ""
    gtin: str = ""
    product_reference: str = ""
    condition: str = ""
    price: float | None = None
    origin_price: float | None = None
    taxes: list[dict[str, Any]] | None = None
    modes: list[dict[str, Any]] | None = None
    preparation: int | None = None
    quantity: int | None = None


def read_request(body: Mapping[str, Any]) -> OfferRequest:
    """Flatten a request; "unrecognized fields are ignored"."""
    product, price = body.get("product") or {}, body.get("price") or {}
    gtin = product.get("gtin")
    return OfferRequest(
        reference=body.get("sellerExternalReference") or "",
        gtin=str(int(gtin)) if isinstance(gtin, int | float) else gtin or "",
        product_reference=product.get("reference") or "",
        condition=body.get("condition") or "",
        price=_number(float, price.get("price")),
        origin_price=_number(float, price.get("originPrice")),
        taxes=price.get("taxes"),
        modes=body.get("deliveryModes"),
        # As in JSON Schema, 7.0 is an integer.
        preparation=_number(int, body.get("preparationTime")),
        quantity=_number(int, body.get("quantity")),
    )


def _number(kind: Callable[[float], Any], value: float | None) -> Any:
    return None if value is None else kind(value)


class TaxRule(Struct, frozen=True):
    """The digits of a tax in result codes, and its highest value."""

    digits: str
    highest: float
    kind: str
    """The tax's type in an offer that is read: Amount for amount taxes."""


AMOUNT = "Amount"

TAXES = {
    "VAT": TaxRule("07", 100, "Rate"),
    "EcoPart": TaxRule("08", float("inf"), AMOUNT),
    "DEA": TaxRule("31", float("inf"), AMOUNT),
}
"""All taxes; any other is refused, not ignored."""

MODE_DIGITS = {
    "Standard": ("11", "15"),
    "NotTrackedHomeDelivery": ("11", "15"),
    "TrackedHomeDelivery": ("12", "16"),
    "SignedHomeDelivery": ("13", "17"),
}
"""The digits of a mode's cost and additional cost in result codes."""
OTHER_MODE = ("28", "28")

REQUIRED: tuple[tuple[str, Callable[[OfferRequest], object]], ...] = (
    ("1003", lambda request: request.reference.strip()),
    ("1001", lambda request: request.gtin or request.product_reference),
    ("1002", lambda request: request.condition),
    ("1006", lambda request: request.price is not None),
    ("1009", lambda request: request.preparation is not None),
    ("1005", lambda request: request.quantity is not None),
)
"""Code and required value of an Upsert; taxes and delivery modes are checked below."""

CHANGEABLE = ("price", "origin_price", "taxes", "modes", "preparation", "quantity")
"""Fields of an OfferRequest that an Update may change; product and condition never (rule 2)."""


def upsert_codes(request: OfferRequest, behaviour: OfferBehaviour) -> list[str]:
    """Return the codes that refuse an Upsert regardless of stored offers; [] for a valid one."""
    return _distinct(
        *(code for code, value_of in REQUIRED if not value_of(request)),
        *_identity_codes(request, behaviour),
        *(["1302"] if request.condition and request.condition not in behaviour.conditions else []),
        *_missing_taxes(request.taxes or ()),
        *_missing_tracked(request.modes or (), behaviour),
        *_value_codes(request, behaviour),
        *_coherence_codes(request),
    )


def update_codes(
    request: OfferRequest, known: OfferRequest, behaviour: OfferBehaviour
) -> list[str]:
    """Return the codes that refuse an Update of the known offer; [] for a valid one."""
    changes = [name for name in CHANGEABLE if getattr(request, name) is not None]
    if not changes:
        return ["1028"]
    return _distinct(
        *(["1009"] if request.modes is not None and request.preparation is None else []),
        *([] if request.taxes is None else _missing_taxes(request.taxes)),
        *([] if request.modes is None else _missing_tracked(request.modes, behaviour)),
        *_value_codes(request, behaviour),
        *_coherence_codes(with_changes(request, known)),
    )


def with_changes(request: OfferRequest, known: OfferRequest) -> OfferRequest:
    """Return the known offer with the changes; "arrays replace the existing array" (rule 2)."""
    changes = {name: getattr(request, name) for name in CHANGEABLE}
    return known._replace(**{name: value for name, value in changes.items() if value is not None})


def _distinct(*codes: str) -> list[str]:
    return list(dict.fromkeys(codes))


def _identity_codes(request: OfferRequest, behaviour: OfferBehaviour) -> Iterator[str]:
    if len(request.reference) > behaviour.reference_length:
        yield "1203"
    if UNWANTED.search(request.reference):
        yield "1103"
    if request.gtin and not is_gtin(request.gtin):
        yield "1101"
    # "Not alphanumeric with optional dash or dot" (part "Errors", ER400-8614).
    if not PRODUCT_REFERENCE.fullmatch(request.product_reference):
        yield "1124"
    if len(request.product_reference) > behaviour.reference_length:
        yield "1224"


def is_gtin(text: str) -> bool:
    """True for 8, 12, 13 or 14 digits with a correct check digit (GS1).

    Zeros alone have a correct check digit, but are no GTIN.
    """
    if not GTIN.fullmatch(text) or not text.strip("0"):
        return False
    characters = text.encode()
    once, thrice = characters[-1::-2], characters[-2::-2]
    total = sum(once) + 3 * sum(thrice) - ord("0") * (len(once) + 3 * len(thrice))
    return total % 10 == 0


def _missing_taxes(taxes: Items) -> Iterator[str]:
    """Yield codes of missing taxes: "taxes must be listed even when zero"."""
    listed = {tax.get("code") for tax in taxes}
    return ("10" + rule.digits for code, rule in TAXES.items() if code not in listed)


def _missing_tracked(modes: Items, behaviour: OfferBehaviour) -> Iterator[str]:
    """Yield a code if TrackedHomeDelivery, "mandatory everywhere" for small parcels, is missing."""
    codes = {mode.get("code") for mode in modes}
    if not codes.intersection({"TrackedHomeDelivery", *behaviour.modes_without_tracked}):
        yield "1012"


def _value_codes(request: OfferRequest, behaviour: OfferBehaviour) -> Iterator[str]:
    if request.price is not None and request.price <= 0:
        yield "1906"
    if _splits_cents(request.price):
        yield "1106"
    if _splits_cents(request.origin_price):
        yield "1118"
    for tax in request.taxes or ():
        yield from _tax_codes(tax)
    for code in _repeated(request.taxes or ()):
        yield "28" + TAXES[code].digits if code in TAXES else "1328"
    for mode in request.modes or ():
        yield from _mode_codes(mode, behaviour)
    for code in _repeated(request.modes or ()):
        yield "28" + MODE_DIGITS.get(code, OTHER_MODE)[0]
    if request.preparation is not None and not 0 <= request.preparation <= LONGEST_PREPARATION:
        yield "1709"
    if request.quantity is not None and not 0 <= request.quantity <= MOST_STOCK:
        yield "1705"


def _repeated(items: Items) -> Iterator[str]:
    """Return codes that several items of a list have, which makes them ambiguous."""
    counts = Counter(item.get("code") or "" for item in items)
    return (code for code, count in counts.items() if code and count > 1)


def _splits_cents(amount: float | None) -> bool:
    return amount is not None and round(amount, 2) != amount


def _tax_codes(tax: Mapping[str, Any]) -> Iterator[str]:
    rule = TAXES.get(tax.get("code") or "")
    if rule is None:
        yield "1328"
    else:
        is_money = rule.kind == AMOUNT
        yield from _amount_codes(tax.get("value"), rule.digits, rule.highest, is_money=is_money)


def _mode_codes(mode: Mapping[str, Any], behaviour: OfferBehaviour) -> Iterator[str]:
    code = mode.get("code") or ""
    if code not in behaviour.delivery_modes:
        yield "4028"
    digits, additional_digits = MODE_DIGITS.get(code, OTHER_MODE)
    yield from _amount_codes(mode.get("cost"), digits)
    yield from _amount_codes(mode.get("additionalCost"), additional_digits)


def _amount_codes(
    value: float | None, digits: str, highest: float = float("inf"), *, is_money: bool = True
) -> Iterator[str]:
    if value is None:
        yield "10" + digits
    elif not 0 <= value <= highest:
        yield "17" + digits
    elif is_money and _splits_cents(value):
        yield "11" + digits


def _coherence_codes(request: OfferRequest) -> Iterator[str]:
    """Yield the codes of a price that does not fit its struck price or its taxes."""
    if request.price is None or request.price <= 0:
        return
    if request.origin_price is not None and request.origin_price < request.price:
        yield "2318"
    amounts = (tax.get("value") or 0 for tax in request.taxes or () if tax.get("code") != "VAT")
    # Rounded, since 0.7 + 0.1 as floats is less than 0.8.
    if request.price <= round(sum(amounts), 6):
        yield "2906"
