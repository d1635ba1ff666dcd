"""Stocks and prices that travel in a legacy zip (specification, "Legacy offer routes").

The zip's PackageType is StockAndPrice: of each offer it says who it is, its price and its stock,
and nothing else; a blank cell leaves what there is.
"""

from feedtool.areas.legacy.delivery import DELIVERY
from feedtool.areas.legacy.feeds import offers as legacy_offers
from feedtool.areas.legacy.feeds.offers import text_of
from feedtool.areas.legacy.offers_xml import ATTRIBUTES, SHEET, STOCK_AND_PRICE_KIND
from feedtool.areas.offers import columns as offers
from feedtool.areas.offers.package_types import PackageType
from feedtool.feeds.feed import FLOOR, Feed, Mode, Row, SheetColumns
from feedtool.model.header import Column
from feedtool.model.settings import AccountSettings

SENT = {item.key: item.name for item in ATTRIBUTES if item.has_stock_or_price}
"""Attribute by the key of its column."""
CHANGEABLE = ("price.price", offers.QUANTITY)


def columns(dialect: AccountSettings) -> tuple[Column, ...]:
    """The reference, the GTIN, the price and the stock."""
    return tuple(column for column in legacy_offers.columns(dialect) if column.key in SENT)


def modes(dialect: AccountSettings) -> tuple[Mode, ...]:
    """None of them travels; those of whole offers are known as what they are."""
    return offers.modes(dialect)


def missing(sheet: SheetColumns) -> list[str]:
    """The reference; and the price, where neither price nor stock is there."""
    keys = offers.missing(sheet, (offers.REFERENCE,))
    return keys if sheet.fields.intersection(CHANGEABLE) else [*keys, CHANGEABLE[0]]


def required(row: Row) -> list[str]:
    """The reference."""
    return row.blanks((offers.REFERENCE,))


def request(row: Row) -> dict[str, object]:
    """The attributes of the Offer as the texts that will stand in the Offers.xml."""
    return {
        name: text_of(value)
        for key, name in SENT.items()
        if (value := row.values.get(key)) is not None
    }


FEED = Feed(
    kind=STOCK_AND_PRICE_KIND,
    changeable=lambda _: CHANGEABLE,
    area="feedtool.areas.legacy",
    sheet=SHEET,
    package_type=PackageType.STOCK_AND_PRICE,
    summary="Stocks and prices of offers that travel in a legacy zip; a blank means unchanged.",
    columns=columns,
    understood=legacy_offers.understood,
    modes=modes,
    missing=missing,
    required=required,
    request=request,
    delivery=DELIVERY,
    is_sent=lambda key: key in SENT or key == FLOOR,
    needs_asking=True,
    title="Change stocks and prices by a legacy zip",
    about=(
        "Each row changes the price, the stock or both of the offer that has this reference. An"
        " empty cell leaves its value as it is."
    ),
)
