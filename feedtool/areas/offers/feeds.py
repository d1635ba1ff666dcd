"""The feeds of offers that travel as JSON (specification, "Offers (JSON packages)" 1 to 3)."""

import re
from functools import cache, partial

from feedtool.areas.offers import columns
from feedtool.areas.offers.columns import REFERENCE, TAXES
from feedtool.areas.offers.delivery import DELIVERY, PRODUCT
from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.offers.rows import REQUESTS
from feedtool.feeds.columns.choice import Ignored
from feedtool.feeds.columns.placeholders import PLACEHOLDER
from feedtool.feeds.feed import (
    EXPORTED,
    ExtraColumns,
    Feed,
    Fit,
    HeaderContext,
    OperatorTemplate,
    Recognition,
    Requests,
    Row,
    SheetColumns,
    SheetDesign,
    TemplatePage,
    Travel,
    always,
)
from feedtool.model.header import Column
from feedtool.model.settings import AccountSettings
from feedtool.model.text import FieldName, joined, tr

SIMPLE = ("price.price", "price.originPrice", columns.PREPARATION, columns.QUANTITY)
"""Keys of what an Update can change, beside taxes and delivery modes."""
OPERATOR_SHEET = "Fichier Intégration Offre"
"""In every language, of whole offers as of stock and price (source: the field's files)."""
SHOWN = frozenset(
    (
        *("sellerId", "offerId", "offerState", "salesChannelAcceptanceStatus", "isBestOffer"),
        *("integrationPrice", "facialPrice", "deliveryOffers", "createdAt", "updatedAt"),
        *("conversionDate", "offerCompetition", "salesChannelFeedback"),
    )
)
"""Fields of an offer that the service shows and nobody sends (specification, "Offer (read)")."""
_PRICE_NAME = re.compile(
    r"price|prix|precio(?!u)|preis|prezz|prijs|preço|"
    r"(?<![^\W_])(?:tarifa?s?|pvp|pvc|rrp|msrp|cena)(?![^\W\d_])",
    re.IGNORECASE,
)
"""Is found in a header that plainly means a price, whichever."""
_TAX_NAMES = tuple((key, key.removeprefix("taxes.")) for key in TAXES)


def _extra_columns(sheet: HeaderContext) -> ExtraColumns:
    """The columns that an export adds, such as `salesChannelFeedback.isOnline`: not sent."""
    # Without the stamp of an export a column `comments` may be meant to be sent.
    names = SHOWN | {"comments"} if EXPORTED in sheet.stamp else SHOWN
    paths = (header for header in sheet.headers if header.partition(".")[0] in names)
    note = columns.WORDS.of("As the service shows it; it is not sent.")
    return ExtraColumns(
        sheet.context,
        tuple(Column(path, Ignored(), (path, path, path), note) for path in dict.fromkeys(paths)),
    )


def _template(settings: AccountSettings, identity: tuple[Column, ...]) -> tuple[Column, ...]:
    """The columns of a template whose rows may fill all of an offer but for its identity."""
    return (
        *identity,
        *columns.CHANGEABLE_COLUMNS,
        *columns.columns_of_modes(settings.delivery_modes),
        *columns.STOCK_COLUMNS,
        *columns.SPLITTING_COLUMNS,
    )


def _amounts(sheet: SheetColumns) -> list[str]:
    """The keys of the amounts of all delivery modes."""
    return [key for mode in sheet.modes for key in (mode.cost, mode.additional)]


@cache
def _mandatory_amounts(mode: str | None) -> tuple[str, ...]:
    """The keys of the amounts that every Upsert gives, unless it goes as a large parcel."""
    return (columns.mode(mode).cost, columns.mode(mode).additional) if mode else ()


def _blank_mandatory_amounts(row: Row) -> list[str]:
    amounts = _mandatory_amounts(row.sheet.context.settings.mandatory_mode)
    return columns.blank_amounts(row, amounts)


def _taxes(row: Row) -> list[dict[str, object]]:
    """`price.taxes[]`: all of them, since taxes are listed even when zero."""
    dialect = row.sheet.context.settings
    listed: list[dict[str, object]] = []
    for key, name in _TAX_NAMES:
        value = row.values.get(key) or columns.ZERO
        if name == "VAT" and dialect.vat_scale == 1:
            value = value / columns.HUNDRED
        listed.append({"code": dialect.tax_codes[name], "value": columns.number(value)})
    return listed


def _delivery_modes(row: Row) -> list[dict[str, object]]:
    """`deliveryModes[]`: the modes of which both amounts are given."""
    number = columns.number
    return [
        {"code": code, "cost": number(cost), "additionalCost": number(additional)}
        for code, cost, additional in columns.filled_modes(row)
    ]


# Upsert.


def _upsert_missing(sheet: SheetColumns) -> list[str]:
    """A reference, a product, a condition, a price, VAT, times, stock and the mandatory mode."""
    amounts = _mandatory_amounts(sheet.context.settings.mandatory_mode)
    keys = columns.missing_of_whole(sheet, amounts)
    if not {columns.GTIN, columns.PRODUCT_REFERENCE} & sheet.fields:
        keys.insert(1, columns.GTIN)
    return keys


def _upsert_required(row: Row) -> list[str]:
    """A row without GTIN and product reference is reported on the GTIN."""
    keys = row.blanks(columns.ALWAYS)
    if row.is_blank(columns.GTIN) and row.is_blank(columns.PRODUCT_REFERENCE):
        keys.append(columns.GTIN)
    return keys + _blank_mandatory_amounts(row)


def _upsert_request(row: Row) -> dict[str, object]:
    """The whole offer; a blank EcoPart or DEA is sent as 0."""
    values = row.values
    product: dict[str, object] = {}
    if (gtin := values.get(columns.GTIN)) is not None:
        product["gtin"] = int(str(gtin)) if row.sheet.context.settings.gtin_as == "number" else gtin
    if (reference := values.get(columns.PRODUCT_REFERENCE)) is not None:
        product["reference"] = reference
    price: dict[str, object] = {"price": columns.number(values["price.price"])}
    if (struck := values.get("price.originPrice")) is not None:
        price["originPrice"] = columns.number(struck)
    price["taxes"] = _taxes(row)
    return {
        "sellerExternalReference": values[REFERENCE],
        "product": product,
        "condition": values[columns.CONDITION],
        "price": price,
        "deliveryModes": _delivery_modes(row),
        "preparationTime": values[columns.PREPARATION],
        "quantity": values[columns.QUANTITY],
    }


# Update: a blank cell means unchanged.


def _changeable(sheet: SheetColumns) -> tuple[str, ...]:
    """The keys that an Update of this sheet can change."""
    return (*SIMPLE, *TAXES, *_amounts(sheet))


def _update_missing(sheet: SheetColumns) -> list[str]:
    """The reference; and the price, where nothing changeable is there at all."""
    keys = columns.missing(sheet, (REFERENCE,))
    return keys if sheet.fields.intersection(_changeable(sheet)) else [*keys, "price.price"]


def _update_required(row: Row) -> list[str]:
    """The reference; and the mandatory mode where the row gives any, since the list is replaced."""
    keys, amounts = row.blanks((REFERENCE,)), _amounts(row.sheet)
    mandatory = _blank_mandatory_amounts(row)
    # With one of its two amounts the mode is there, and `delivery-incomplete`.
    if len(mandatory) > 1 and len(row.blanks(amounts)) < len(amounts):
        keys += mandatory
    return keys


def _update_request(row: Row) -> dict[str, object]:
    """The reference and what is not blank; of identity nothing is sent."""
    values = row.values
    body: dict[str, object] = {"sellerExternalReference": values[REFERENCE]}
    price: dict[str, object] = {
        key.removeprefix("price."): columns.number(values[key])
        for key in SIMPLE[:2]
        if values.get(key) is not None
    }
    if any(values.get(key) is not None for key in TAXES):
        price["taxes"] = _taxes(row)
    if price:
        body["price"] = price
    if modes := _delivery_modes(row):
        body["deliveryModes"] = modes
    return body | {key: values[key] for key in SIMPLE[2:] if values.get(key) is not None}


def _fit(sheet: SheetColumns) -> Fit:
    """An Update, unless the sheet may as well hold new offers.

    It names no product, or it is a stock list. A price that is not understood would not travel.
    """
    price = next(filter(_PRICE_NAME.search, sheet.unknown), None)
    if price and "price.price" not in sheet.fields:
        return Fit(
            is_sure=False,
            reason=tr("“{price}” looks like a price, and is no known header", price=price),
            hint=tr(
                "if “{price}” is the price, call it price or map it in the profile's [columns]",
                price=price,
            ),
        )
    named = [key for key in columns.IDENTITY if key in sheet.fields]
    if not named:
        return Fit(reason=tr("no column names a product"))
    has_price = any(key.startswith("price.") for key in sheet.fields)
    if columns.QUANTITY in sheet.fields and columns.CONDITION not in named and not has_price:
        return Fit(reason=tr("a stock list: no price, no condition"))
    fields = joined(map(FieldName, named))
    return Fit(is_sure=False, reason=tr("it has {fields}, as new offers have", fields=fields))


# The feeds.


_sheet = partial(
    SheetDesign,
    name="Offers",
    every_column=columns.understood,
    modes=columns.modes,
    with_retired=columns.with_retired,
    extra_columns=_extra_columns,
    name_of=columns.name_of,
)
_requests = partial(Requests, reference=REFERENCE, is_required_by_blanks=True, floor=columns.FLOOR)
_feed = partial(Feed, area="feedtool.areas.offers", json=REQUESTS)

UPSERT = _feed(
    kind="offers-upsert",
    summary=tr("Offers that are created, or replaced as a whole."),
    sheet=_sheet(columns=lambda settings: _template(settings, columns.IDENTITY_COLUMNS)),
    recognition=Recognition(
        needs=_upsert_missing,
        action=str(PackageType.UPSERT),
        operator=OperatorTemplate(OPERATOR_SHEET),
        is_usual=True,
    ),
    requests=_requests(make=_upsert_request, required=_upsert_required, identity=columns.IDENTITY),
    travel=Travel(package_type=PackageType.UPSERT, protocol=DELIVERY, needs=PRODUCT),
    template=TemplatePage(
        "Create or replace offers",
        "Each row creates an offer, or replaces the offer that has the same reference. The "
        "whole offer is replaced: where an optional cell is left empty, its old value is gone.",
    ),
    is_for_sale=True,
)
UPDATE = _feed(
    kind="offers-update",
    summary=tr("Offers of which some fields change; a blank cell means unchanged."),
    sheet=_sheet(columns=lambda settings: _template(settings, columns.IDENTITY_COLUMNS[:1])),
    recognition=Recognition(
        needs=_update_missing,
        action=str(PackageType.UPDATE),
        fit=_fit,
        operator=OperatorTemplate(
            OPERATOR_SHEET, frozenset((REFERENCE, columns.GTIN, columns.QUANTITY, "price.price"))
        ),
    ),
    requests=_requests(
        make=_update_request,
        required=_update_required,
        changeable=_changeable,
        is_sent=lambda key: key not in columns.IDENTITY,
    ),
    travel=Travel(package_type=PackageType.UPDATE, protocol=DELIVERY),
    template=TemplatePage(
        "Change offers",
        tr(
            "Each row changes the offer that has this reference. An empty cell leaves its value "
            "as it is. Taxes and delivery modes are replaced as a whole: fill all that the offer "
            "shall have, or none. With delivery modes the preparation time is required."
        ),
    ),
    is_for_sale=True,
)
DELETE = _feed(
    kind="offers-delete",
    summary=tr("Offers that are removed from the channel."),
    sheet=_sheet(columns=always(columns.IDENTITY_COLUMNS[0], *columns.SPLITTING_COLUMNS)),
    recognition=Recognition(needs=(REFERENCE,), action=str(PackageType.DELETE), only_if_asked=True),
    requests=_requests(
        make=lambda row: {"sellerExternalReference": row.values[REFERENCE]},
        required=(REFERENCE,),
        is_sent=lambda key: key in {REFERENCE, columns.CHANNEL, columns.ACTION},
    ),
    travel=Travel(package_type=PackageType.DELETE, protocol=DELIVERY),
    template=TemplatePage(
        "Remove offers",
        "Each row removes the offer that has this reference from the sales channel. To sell the"
        " product again, create the offer anew.",
    ),
    tolerated=frozenset({PLACEHOLDER.name}),  # or an offer that was sent so could never go
)
FEEDS = (UPSERT, UPDATE, DELETE)
