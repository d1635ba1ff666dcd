"""Offers of which some fields change; a blank cell means unchanged.

Specification, "Offers (JSON packages)" 2: the reference and at least one changed field; arrays
(taxes, delivery modes) replace the old ones; identity fields cannot change and are not sent.
"""

from feedtool.areas.offers.delivery import DELIVERY
from feedtool.areas.offers.feeds import common as offers
from feedtool.areas.offers.feeds.upsert import blank_mandatory_amounts
from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.offers.requests import REQUESTS
from feedtool.feeds.feed import Fit, Row, SheetColumns

SIMPLE = ("price.price", "price.originPrice", offers.PREPARATION, offers.QUANTITY)


def changeable(sheet: SheetColumns) -> tuple[str, ...]:
    """The keys that an Update of this sheet can change."""
    return (*SIMPLE, *offers.TAXES, *_amounts(sheet))


def missing(sheet: SheetColumns) -> list[str]:
    """The reference; and the price, where nothing changeable is there at all."""
    keys = offers.missing(sheet, (offers.REFERENCE,))
    if not sheet.fields.intersection(changeable(sheet)):
        keys.append("price.price")
    return keys


def fit(sheet: SheetColumns) -> Fit:
    """An Update, unless the sheet may as well hold new offers.

    It names no product, or it is a stock list. A price that is not understood would not travel.
    """
    price = next(filter(offers.is_price, sheet.unknown), None)
    if price and "price.price" not in sheet.fields:
        return Fit(
            is_sure=False,
            reason=f"“{price}” looks like a price, and is no known header",
            hint=f"if “{price}” is the price, call it price or map it in the profile's [columns]",
        )
    named = [key for key in offers.IDENTITY if key in sheet.fields]
    if not named:
        return Fit(reason="no column names a product")
    has_price = any(key.startswith("price.") for key in sheet.fields)
    if offers.QUANTITY in sheet.fields and offers.CONDITION not in named and not has_price:
        return Fit(reason="a stock list: no price, no condition")
    return Fit(is_sure=False, reason=f"it has {' and '.join(named)}, as new offers have")


def required(row: Row) -> list[str]:
    """The reference; and the mandatory mode where the row gives any, since the list is replaced."""
    keys = row.blanks((offers.REFERENCE,))
    amounts = _amounts(row.sheet)
    mandatory = blank_mandatory_amounts(row)
    # With one of its two amounts the mode is there, and `delivery-incomplete`.
    if len(mandatory) > 1 and len(row.blanks(amounts)) < len(amounts):
        keys += mandatory
    return keys


def _amounts(sheet: SheetColumns) -> list[str]:
    """The keys of the amounts of all delivery modes."""
    return [key for mode in sheet.modes for key in (mode.cost, mode.additional)]


def request(row: Row) -> dict[str, object]:
    """The reference and what is not blank."""
    values = row.values
    body: dict[str, object] = {"sellerExternalReference": values[offers.REFERENCE]}
    price: dict[str, object] = {
        key.removeprefix("price."): offers.number(values[key])
        for key in SIMPLE[:2]
        if values.get(key) is not None
    }
    if any(values.get(key) is not None for key in offers.TAXES):
        price["taxes"] = offers.taxes(row)
    if price:
        body["price"] = price
    modes = offers.delivery_modes(row)
    if modes:
        body["deliveryModes"] = modes
    for key in SIMPLE[2:]:
        if values.get(key) is not None:
            body[key] = values[key]
    return body


FEED = offers.offers_feed(
    kind="offers-update",
    changeable=changeable,
    package_type=PackageType.UPDATE,
    summary="Offers of which some fields change; a blank cell means unchanged.",
    columns=lambda settings: offers.template_columns(settings, offers.IDENTITY_COLUMNS[:1]),
    missing=missing,
    required=required,
    request=request,
    delivery=DELIVERY,
    action=str(PackageType.UPDATE),
    fit=fit,
    operator_sheet=offers.OPERATOR_SHEET,
    operator_columns=frozenset((offers.REFERENCE, offers.GTIN, offers.QUANTITY, "price.price")),
    is_sent=lambda key: key not in offers.IDENTITY,
    title="Change offers",
    about=(
        "Each row changes the offer that has this reference. An empty cell leaves its value as "
        "it is. Taxes and delivery modes are replaced as a whole: fill all that the offer shall"
        " have, or none. With delivery modes the preparation time is needed."
    ),
    json=REQUESTS,
)
