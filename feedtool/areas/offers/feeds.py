"""The feeds of offers in JSON packages (specification, "Offers (JSON packages)" 1 to 3)."""

import re
from functools import cache, partial

from feedtool.areas.offers import columns
from feedtool.areas.offers.columns import REFERENCE, TAXES
from feedtool.areas.offers.delivery import DELIVERY, PRODUCT, PackageType
from feedtool.areas.offers.rows import REQUESTS
from feedtool.areas.offers.settings import OfferSettings
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
from feedtool.model.cells import Column
from feedtool.model.settings import AccountSettings
from feedtool.model.text import FieldName, joined, tr

SIMPLE = ("price.price", "price.originPrice", columns.PREPARATION, columns.QUANTITY)
"""Keys that an Update can change, beside taxes and delivery modes."""
OPERATOR_SHEET = "Fichier Intégration Offre"
"""The operator's sheet in every language, for both templates (source: the field's files)."""
SHOWN = frozenset(
    (
        *("sellerId", "offerId", "offerState", "salesChannelAcceptanceStatus", "isBestOffer"),
        *("integrationPrice", "facialPrice", "deliveryOffers", "createdAt", "updatedAt"),
        *("conversionDate", "offerCompetition", "salesChannelFeedback"),
    )
)
"""Fields of an offer that are shown, but never sent (specification, "Offer (read)")."""
_PRICE_NAME = re.compile(
    r"price|prix|precio(?!u)|preis|prezz|prijs|preço|"
    r"(?<![^\W_])(?:tarifa?s?|pvp|pvc|rrp|msrp|cena)(?![^\W\d_])",
    re.IGNORECASE,
)
"""Matches a header that clearly means some price."""
_TAX_NAMES = tuple((key, key.removeprefix("taxes.")) for key in TAXES)


def _extra_columns(sheet: HeaderContext) -> ExtraColumns:
    """Return the columns that an export adds, such as `salesChannelFeedback.isOnline`: not sent."""
    # Without the stamp of an export a column `comments` may be meant to be sent.
    names = SHOWN | {"comments"} if EXPORTED in sheet.stamp else SHOWN
    paths = (header for header in sheet.headers if header.partition(".")[0] in names)
    note = columns.WORDS.of("As the service shows it; it is not sent.")
    return ExtraColumns(
        sheet.context,
        tuple(Column(path, Ignored(), (path, path, path), note) for path in dict.fromkeys(paths)),
    )


def _template(settings: AccountSettings, identity: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the columns of a template: some columns of identity, and all others of an offer."""
    return (
        *identity,
        *columns.CHANGEABLE_COLUMNS,
        *columns.columns_of_modes(settings.of(OfferSettings).delivery_modes),
        *columns.STOCK_COLUMNS,
        *columns.SPLITTING_COLUMNS,
    )


def _amounts(sheet: SheetColumns) -> list[str]:
    return [key for mode in sheet.modes for key in (mode.cost, mode.additional)]


@cache
def _mandatory_amounts(mode: str | None) -> tuple[str, ...]:
    """Return the keys of the amounts that every Upsert needs, except for large parcels."""
    return (columns.mode(mode).cost, columns.mode(mode).additional) if mode else ()


def _blank_mandatory_amounts(row: Row) -> list[str]:
    amounts = _mandatory_amounts(row.sheet.context.settings.mandatory_mode)
    return columns.blank_amounts(row, amounts)


def _taxes(row: Row) -> list[dict[str, object]]:
    """Return `price.taxes[]` with every tax, since taxes are listed even when zero."""
    settings = row.sheet.context.settings.of(OfferSettings)
    listed: list[dict[str, object]] = []
    for key, name in _TAX_NAMES:
        value = row.values.get(key) or columns.ZERO
        if name == "VAT" and settings.vat_scale == 1:
            value = value / columns.HUNDRED
        listed.append({"code": settings.tax_codes[name], "value": columns.number(value)})
    return listed


def _delivery_modes(row: Row) -> list[dict[str, object]]:
    """Return `deliveryModes[]`: the modes whose amounts are both given."""
    number = columns.number
    return [
        {"code": code, "cost": number(cost), "additionalCost": number(additional)}
        for code, cost, additional in columns.filled_modes(row)
    ]


# Upsert.


def _upsert_missing(sheet: SheetColumns) -> list[str]:
    """Return missing keys: reference, product, condition, price, VAT, times, stock, mode."""
    amounts = _mandatory_amounts(sheet.context.settings.mandatory_mode)
    keys = columns.missing_of_whole(sheet, amounts)
    if not {columns.GTIN, columns.PRODUCT_REFERENCE} & sheet.fields:
        keys.insert(1, columns.GTIN)
    return keys


def _upsert_required(row: Row) -> list[str]:
    """Return blank keys; a row without GTIN and product reference is reported on the GTIN."""
    keys = row.blanks(columns.ALWAYS)
    if row.is_blank(columns.GTIN) and row.is_blank(columns.PRODUCT_REFERENCE):
        keys.append(columns.GTIN)
    return keys + _blank_mandatory_amounts(row)


def _upsert_request(row: Row) -> dict[str, object]:
    """Return the whole offer; a blank EcoPart or DEA is sent as 0."""
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
    return (*SIMPLE, *TAXES, *_amounts(sheet))


def _update_missing(sheet: SheetColumns) -> list[str]:
    """Return missing keys: the reference, and the price if nothing else can change."""
    keys = columns.missing(sheet, (REFERENCE,))
    return keys if sheet.fields.intersection(_changeable(sheet)) else [*keys, "price.price"]


def _update_required(row: Row) -> list[str]:
    """Return blank keys: the reference, and the mandatory mode if the row has any mode.

    An Update replaces the whole list of modes.
    """
    keys, amounts = row.blanks((REFERENCE,)), _amounts(row.sheet)
    mandatory = _blank_mandatory_amounts(row)
    # A mode with one of its two amounts is `delivery-incomplete` instead.
    if len(mandatory) > 1 and len(row.blanks(amounts)) < len(amounts):
        keys += mandatory
    return keys


def _update_request(row: Row) -> dict[str, object]:
    """Return the reference and all other filled cells, without identity."""
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
    """Fit as an Update, unless the sheet may contain new offers.

    It fits if it names no product, or is a stock list. An unknown price column would not be sent.
    """
    price = next(filter(_PRICE_NAME.search, sheet.unknown), None)
    if price and "price.price" not in sheet.fields:
        return Fit(
            is_sure=False,
            reason=tr("“{price}” looks like a price, and is not a known header", price=price),
            hint=tr(
                "if “{price}” is the price, call it price or map it in the profile's [columns]",
                price=price,
            ),
        )
    identity = [key for key in columns.IDENTITY if key in sheet.fields]
    if not identity:
        return Fit(reason=tr("no column names a product"))
    has_price = any(key.startswith("price.") for key in sheet.fields)
    if columns.QUANTITY in sheet.fields and columns.CONDITION not in identity and not has_price:
        return Fit(reason=tr("a stock list: no price, no condition"))
    fields = joined(map(FieldName, identity))
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
    # Offers that were sent with a placeholder must be removable.
    tolerated=frozenset({PLACEHOLDER.name}),
)
FEEDS = (UPSERT, UPDATE, DELETE)
