"""Offers that travel in a legacy zip (specification, "Legacy offer routes").

Of a sheet of the JSON feeds the same columns are understood, delivery modes included; the product
reference has no place in the format.
"""

from decimal import Decimal
from functools import partial

from msgspec.structs import replace

from feedtool.areas.legacy.delivery import DELIVERY
from feedtool.areas.legacy.offers_xml import (
    ATTRIBUTES,
    KIND,
    SHEET,
    STOCK_AND_PRICE_KIND,
    cost_keys,
)
from feedtool.areas.offers import columns as offers
from feedtool.areas.offers.columns import CONDITIONS, LEGACY_CONDITIONS, PARTS
from feedtool.areas.offers.package_types import PackageType
from feedtool.feeds.columns import ColumnReader
from feedtool.feeds.columns.choice import Condition
from feedtool.feeds.columns.text import Comment
from feedtool.feeds.feed import (
    Feed,
    Mode,
    Recognition,
    Requests,
    Row,
    SheetColumns,
    SheetDesign,
    TemplatePage,
    Travel,
)
from feedtool.feeds.template import Words
from feedtool.model.header import Column
from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr

_WORDS = Words("feedtool.areas.legacy")
(COMMENT,) = _WORDS.group(
    "Other",
    _WORDS.column(
        "comment",
        Comment(),
        "Comment",
        "What the customer reads of this offer; may stay empty.",
        tr("Delivered with its manual"),
        is_in_example=False,
    ),
)
LEGACY_WRITINGS = {
    "UsedLikeNew": ("1", "LikeNew"),
    "UsedVeryGoodState": ("2", "VeryGoodState"),
    "GoodState": ("3",),
    "UsedAverageState": ("4", "AverageState"),
    "Refurbished": ("5",),
    "New": ("6",),
}
"""Further writings of a condition in a sheet that becomes a legacy zip."""
IN_STEAD = {"taxes.EcoPart": "0", "taxes.DEA": "0", "comment": ""}
"""What a blank is sent as: the format has no offer without these."""
SENT = {item.key: item.name for item in ATTRIBUTES if item.has_stock_or_price}
"""What a StockAndPrice package says of an offer: attribute by the key of its column."""
CHANGEABLE = ("price.price", offers.QUANTITY)


class LegacyCondition(Condition, frozen=True):
    """The condition of an offer in a legacy zip, by its name or its number."""

    def allowed(self, column: ColumnReader) -> tuple[str, ...]:
        """Those that the profile has a number for."""
        return tuple(column.dialect.legacy_conditions)


LEGACY_CONDITION = LegacyCondition(
    {
        name: (*labels, *LEGACY_WRITINGS.get(name, ()))
        for name, labels in {**CONDITIONS, **LEGACY_CONDITIONS}.items()
    },
    PARTS,
)


def columns(dialect: AccountSettings) -> tuple[Column, ...]:
    """Every column of an offer, and the channel whose pool it is for."""
    reference, gtin, _, condition = offers.IDENTITY_COLUMNS
    return (
        reference,
        gtin,
        replace(condition, type=LEGACY_CONDITION),
        *offers.CHANGEABLE_COLUMNS,
        *(column for code in dialect.legacy_modes for column in _mode_columns(code, dialect)),
        *offers.STOCK_COLUMNS,
        COMMENT,
        *(column for column in offers.SPLITTING_COLUMNS if column.key == offers.CHANNEL),
    )


def _mode_columns(code: str, dialect: AccountSettings) -> tuple[Column, ...]:
    """The amounts of a mode, known by the names of the JSON mode that means the same, too."""
    own = offers.mode_columns(code)
    same = offers.mode_columns(dialect.legacy_modes[code] or code)
    return tuple(
        replace(
            other, key=item.key, aliases=(*item.labels, *item.aliases, other.key, *other.aliases)
        )
        for item, other in zip(own, same, strict=True)
    )


def modes(dialect: AccountSettings) -> tuple[Mode, ...]:
    """Standard, Tracked, Registered, and what the profile adds."""
    return tuple(offers.mode(code, same) for code, same in dialect.legacy_modes.items())


def missing(sheet: SheetColumns) -> list[str]:
    """A reference, a condition, a price, VAT, preparation time, stock and the mandatory mode."""
    return offers.missing_of_whole(sheet, mandatory_amounts(sheet.context.settings))


def missing_of_change(sheet: SheetColumns) -> list[str]:
    """The reference; and the price, where neither price nor stock is there."""
    keys = offers.missing(sheet, (offers.REFERENCE,))
    return keys if sheet.fields.intersection(CHANGEABLE) else [*keys, CHANGEABLE[0]]


def required(row: Row) -> list[str]:
    """What `missing` asks for, of every row; the mode not where it goes as a large parcel."""
    amounts = offers.blank_amounts(row, mandatory_amounts(row.sheet.context.settings))
    return row.blanks(offers.ALWAYS) + amounts


def mandatory_amounts(dialect: AccountSettings) -> tuple[str, ...]:
    """The keys of the amounts of the mode that means the mandatory one."""
    wanted = dialect.mandatory_mode
    own = [code for code, same in dialect.legacy_modes.items() if wanted and same == wanted]
    return tuple(key for code in own[:1] for key in cost_keys(code))


def request(row: Row) -> dict[str, object]:
    """The attributes of the Offer as the texts that will stand in the Offers.xml."""
    values, dialect = row.values, row.sheet.context.settings
    body: dict[str, object] = {}
    for attribute in ATTRIBUTES:
        value = values.get(attribute.key)
        text = IN_STEAD.get(attribute.key) if value is None else text_of(value)
        if text is not None:
            body[attribute.name] = text
    body["ProductCondition"] = dialect.legacy_conditions[values[offers.CONDITION]]
    body["ShippingInformation"] = [
        {
            "DeliveryMode": code,
            "ShippingCharges": text_of(charges),
            "AdditionalShippingCharges": text_of(additional),
        }
        for code, charges, additional in offers.filled_modes(row)
    ]
    return body


def request_of_change(row: Row) -> dict[str, object]:
    """Those of the attributes that a StockAndPrice package has, and the row fills."""
    values = ((name, row.values.get(key)) for key, name in SENT.items())
    return {name: text_of(value) for name, value in values if value is not None}


def text_of(value: object) -> str:
    """A value as an attribute's text: amounts with a point, and without zeros that say nothing."""
    if not isinstance(value, Decimal):
        return str(value)
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


_sheet = partial(
    SheetDesign,
    name=SHEET,
    every_column=lambda settings: (*columns(settings), *offers.GUARDING_COLUMNS),
    name_of=offers.name_of,
)
FULL_FEED = Feed(
    kind=KIND,
    area="feedtool.areas.legacy",
    summary=tr("Offers that travel in a legacy zip with an Offers.xml."),
    sheet=_sheet(columns=columns, modes=modes),
    recognition=Recognition(needs=missing, only_if_asked=True, is_named_elsewhere=True),
    requests=Requests(
        make=request,
        reference=offers.REFERENCE,
        required=required,
        is_required_by_blanks=True,
        identity=offers.IDENTITY,
        floor=offers.FLOOR,
    ),
    travel=Travel(package_type=PackageType.FULL, protocol=DELIVERY, purge_type=PackageType.PURGE),
    template=TemplatePage(
        "Create or replace offers by a legacy zip",
        "Each row becomes an Offer of an Offers.xml: it creates an offer, or replaces the offer"
        " that has the same reference. The whole offer is replaced: where an optional cell is "
        "left empty, its old value is gone.",
    ),
    is_for_sale=True,
)
STOCK_AND_PRICE_FEED = Feed(
    kind=STOCK_AND_PRICE_KIND,
    area="feedtool.areas.legacy",
    summary=tr("Stocks and prices of offers that travel in a legacy zip; a blank means unchanged."),
    sheet=_sheet(
        columns=lambda settings: tuple(item for item in columns(settings) if item.key in SENT),
        modes=offers.modes,  # none travels; those of whole offers are known as what they are
    ),
    recognition=Recognition(needs=missing_of_change, only_if_asked=True),
    requests=Requests(
        make=request_of_change,
        reference=offers.REFERENCE,
        required=(offers.REFERENCE,),
        changeable=lambda _: CHANGEABLE,
        floor=offers.FLOOR,
        is_sent=lambda key: key in SENT or key == offers.FLOOR,
    ),
    travel=Travel(package_type=PackageType.STOCK_AND_PRICE, protocol=DELIVERY),
    template=TemplatePage(
        "Change stocks and prices by a legacy zip",
        "Each row changes the price, the stock or both of the offer that has this reference. An"
        " empty cell leaves its value as it is.",
    ),
    is_for_sale=True,
)
