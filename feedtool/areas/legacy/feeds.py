"""Offers that travel in a legacy zip (specification, "Legacy offer routes").

The columns of the JSON feeds are read, delivery modes included; the format has no product
reference.
"""

from collections.abc import Iterator
from decimal import Decimal
from functools import partial

from msgspec.structs import replace

from feedtool.areas.legacy.delivery import DELIVERY, PRESENT
from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.legacy.writer import ATTRIBUTES, KIND, SHEET, STOCK_AND_PRICE_KIND, cost_keys
from feedtool.areas.offers import columns as offers
from feedtool.areas.offers.columns import CONDITIONS, LEGACY_CONDITIONS, PARTS
from feedtool.areas.offers.delivery import PackageType
from feedtool.feeds.columns import ColumnReader
from feedtool.feeds.columns.choice import Condition
from feedtool.feeds.columns.text import Comment, visible
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
from feedtool.feeds.rule import Problems, Rule, notices
from feedtool.feeds.template import Words
from feedtool.model.cells import Column
from feedtool.model.nouns import Issue
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
"""More spellings of a condition in a sheet that becomes a legacy zip."""
BLANK_VALUES = {"taxes.EcoPart": "0", "taxes.DEA": "0", "comment": ""}
"""The text sent for a blank: the format requires these attributes."""
SENT = {item.key: item.name for item in ATTRIBUTES if item.has_stock_or_price}
"""The attributes of an offer in a StockAndPrice package, by the keys of their columns."""
CHANGEABLE = ("price.price", offers.QUANTITY)


class LegacyCondition(Condition, frozen=True):
    """The condition of an offer in a legacy zip, by its name or its number."""

    def allowed(self, column: ColumnReader) -> tuple[str, ...]:
        return tuple(column.settings.of(LegacySettings).legacy_conditions)


LEGACY_CONDITION = LegacyCondition(
    {
        name: (*labels, *LEGACY_WRITINGS.get(name, ()))
        for name, labels in {**CONDITIONS, **LEGACY_CONDITIONS}.items()
    },
    PARTS,
)


def columns(settings: AccountSettings) -> tuple[Column, ...]:
    """Return every column of an offer, and the channel that selects the pool."""
    reference, gtin, _, condition = offers.IDENTITY_COLUMNS
    return (
        reference,
        gtin,
        replace(condition, type=LEGACY_CONDITION),
        *offers.CHANGEABLE_COLUMNS,
        *(column for mode in modes(settings) for column in _mode_columns(mode)),
        *offers.STOCK_COLUMNS,
        COMMENT,
        *(column for column in offers.SPLITTING_COLUMNS if column.key == offers.CHANNEL),
    )


def _mode_columns(mode: Mode) -> tuple[Column, ...]:
    """Return the columns of a mode's amounts, which also have the names of the same JSON mode."""
    legacy_columns = offers.mode_columns(mode.code)
    json_columns = offers.mode_columns(mode.same or mode.code)
    return tuple(
        replace(
            other, key=item.key, aliases=(*item.labels, *item.aliases, other.key, *other.aliases)
        )
        for item, other in zip(legacy_columns, json_columns, strict=True)
    )


def modes(settings: AccountSettings) -> tuple[Mode, ...]:
    """Return Standard, Tracked, Registered, and the modes that the profile adds."""
    legacy = settings.of(LegacySettings)
    return tuple(offers.mode(code, same) for code, same in legacy.legacy_modes.items())


def missing(sheet: SheetColumns) -> list[str]:
    return offers.missing_of_whole(sheet, mandatory_amounts(sheet.context.settings))


def missing_of_change(sheet: SheetColumns) -> list[str]:
    """Return missing keys: the reference, and the price if neither price nor stock is there."""
    keys = offers.missing(sheet, (offers.REFERENCE,))
    return keys if sheet.fields.intersection(CHANGEABLE) else [*keys, CHANGEABLE[0]]


def required(row: Row) -> list[str]:
    """Return blank keys that every row needs; a large parcel needs no mandatory mode."""
    amounts = offers.blank_amounts(row, mandatory_amounts(row.sheet.context.settings))
    return row.blanks(offers.ALWAYS) + amounts


def mandatory_amounts(settings: AccountSettings) -> tuple[str, ...]:
    """Return the keys of the amounts of the legacy mode that means the mandatory mode."""
    mandatory = settings.mandatory_mode
    codes = [mode.code for mode in modes(settings) if mandatory and mode.same == mandatory]
    return tuple(key for code in codes[:1] for key in cost_keys(code))


def request(row: Row) -> dict[str, object]:
    """Return the attributes of the Offer as texts of the Offers.xml."""
    values, settings = row.values, row.sheet.context.settings
    body: dict[str, object] = {}
    for attribute in ATTRIBUTES:
        value = values.get(attribute.key)
        text = BLANK_VALUES.get(attribute.key) if value is None else text_of(value)
        if text is not None:
            body[attribute.name] = text
    numbers = settings.of(LegacySettings).legacy_conditions
    body["ProductCondition"] = numbers[values[offers.CONDITION]]
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
    """Return the filled attributes that a StockAndPrice package has."""
    values = ((name, row.values.get(key)) for key, name in SENT.items())
    return {name: text_of(value) for name, value in values if value is not None}


def text_of(value: object) -> str:
    """Return a value as an attribute's text: amounts with a point, without trailing zeros."""
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
    travel=Travel(
        package_type=PackageType.FULL,
        protocol=DELIVERY,
        purge_type=PackageType.PURGE,
        present=PRESENT,
    ),
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
        modes=offers.modes,  # none is sent; columns of modes are still recognised
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


# Rules about rows and files; their pages for users are in `problems.md`.


PROBLEMS = Problems("feedtool.areas.legacy")

CHANNEL_NOT_CARRIED = PROBLEMS.error("channel-not-carried")
XML_IRREGULAR = PROBLEMS.warning("xml-irregular")


def check_channel(row: Row) -> Iterator[Issue]:
    """Report a row that is for another channel than the primary one."""
    primary = row.sheet.context.settings.primary_channel
    if row.channel in ("", primary):  # a row without a channel is not sent
        return
    yield Issue(
        CHANNEL_NOT_CARRIED,
        tr(
            "a StockAndPrice package cannot say that it is for {channel}: it changes the offers of"
            " {primary}",
            channel=visible(row.channel),
            primary=primary,
        ),
        tr("send it with --as offers-update; or set primary_channel in the profile if this is it"),
        "salesChannelId",
    )


RULES = (
    Rule(CHANNEL_NOT_CARRIED, check_channel, kinds=(STOCK_AND_PRICE_KIND,)),
    Rule(
        XML_IRREGULAR,
        check_sheet=notices(XML_IRREGULAR, tr("correct the program that makes the file")),
    ),
)
