"""Offers that are created, or replaced as a whole (specification, "Offers (JSON packages)" 1)."""

from functools import cache

from feedtool.areas.offers.delivery import DELIVERY, PRODUCT
from feedtool.areas.offers.feeds import common as offers
from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.offers.requests import REQUESTS
from feedtool.feeds.feed import Row, SheetColumns


def missing(sheet: SheetColumns) -> list[str]:
    """A reference, a product, a condition, a price, VAT, times, stock and the mandatory mode."""
    keys = offers.missing_of_whole(sheet, mandatory_amounts(sheet.context.settings.mandatory_mode))
    if not {offers.GTIN, offers.PRODUCT_REFERENCE} & sheet.fields:
        keys.insert(1, offers.GTIN)
    return keys


def required(row: Row) -> list[str]:
    """A row without GTIN and product reference is reported on the GTIN."""
    keys = row.blanks(offers.ALWAYS)
    if row.is_blank(offers.GTIN) and row.is_blank(offers.PRODUCT_REFERENCE):
        keys.append(offers.GTIN)
    return keys + blank_mandatory_amounts(row)


def blank_mandatory_amounts(row: Row) -> list[str]:
    """The blank amounts of the mandatory mode; none where the row has a large-parcel mode."""
    return offers.blank_amounts(row, mandatory_amounts(row.sheet.context.settings.mandatory_mode))


@cache
def mandatory_amounts(mode: str | None) -> tuple[str, ...]:
    """The keys of the amounts that every Upsert gives, unless it goes as a large parcel."""
    return (offers.mode(mode).cost, offers.mode(mode).additional) if mode else ()


def request(row: Row) -> dict[str, object]:
    """The whole offer; a blank EcoPart or DEA is sent as 0."""
    values = row.values
    product: dict[str, object] = {}
    if (gtin := values.get(offers.GTIN)) is not None:
        product["gtin"] = int(str(gtin)) if row.sheet.context.settings.gtin_as == "number" else gtin
    if (reference := values.get(offers.PRODUCT_REFERENCE)) is not None:
        product["reference"] = reference
    price: dict[str, object] = {"price": offers.number(values["price.price"])}
    if (struck := values.get("price.originPrice")) is not None:
        price["originPrice"] = offers.number(struck)
    price["taxes"] = offers.taxes(row)
    return {
        "sellerExternalReference": values[offers.REFERENCE],
        "product": product,
        "condition": values[offers.CONDITION],
        "price": price,
        "deliveryModes": offers.delivery_modes(row),
        "preparationTime": values[offers.PREPARATION],
        "quantity": values[offers.QUANTITY],
    }


FEED = offers.offers_feed(
    kind="offers-upsert",
    package_type=PackageType.UPSERT,
    summary="Offers that are created, or replaced as a whole.",
    columns=lambda settings: offers.template_columns(settings, offers.IDENTITY_COLUMNS),
    missing=missing,
    required=required,
    request=request,
    delivery=DELIVERY,
    needs=PRODUCT,
    action=str(PackageType.UPSERT),
    operator_sheet=offers.OPERATOR_SHEET,
    identity=offers.IDENTITY,
    title="Create or replace offers",
    about=(
        "Each row creates an offer, or replaces the offer that has the same reference. The "
        "whole offer is replaced: where an optional cell is left empty, its old value is gone."
    ),
    json=REQUESTS,
)
