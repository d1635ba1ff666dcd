"""Offers that travel in a legacy zip with an Offers.xml (specification, "Legacy offer routes").

Not registered until such a zip can be delivered: then this file loses the `_` of its name.

Of a sheet of the JSON feeds the same columns are understood, delivery modes included; the product
reference has no place in the format.
"""

from dataclasses import replace
from decimal import Decimal

from feedtool.columns.choice import LegacyCondition
from feedtool.columns.text import Comment
from feedtool.dialect import Dialect
from feedtool.feeds import Column, Feed, Mode, Row, SheetColumns
from feedtool.feeds import _offers as offers
from feedtool.model import PackageType
from feedtool.offers_xml import ATTRIBUTES, KIND, SHEET

ALWAYS = (
    offers.REFERENCE,
    offers.CONDITION,
    "price.price",
    "taxes.VAT",
    offers.PREPARATION,
    offers.QUANTITY,
)
COMMENT = Column(
    "comment",
    Comment(),
    ("Comment", "Commentaire offre", "Comentario"),
    (
        "What the customer reads of this offer; may stay empty.",
        "Ce que le client lit de cette offre, facultatif.",
        "Lo que el cliente lee de esta oferta, opcional.",
    ),
    "Delivered with its manual",
    ("commentaire", "offer comment", "comentario de la oferta"),
)
IN_STEAD = {"taxes.EcoPart": "0", "taxes.DEA": "0", "comment": ""}
"""What a blank is sent as: the format has no offer without these."""


def columns(dialect: Dialect) -> tuple[Column, ...]:
    """Every column of an offer, and the channel whose pool it is for."""
    reference, gtin, _, condition = offers.IDENTITY_COLUMNS
    return (
        reference,
        gtin,
        replace(condition, type=LegacyCondition()),
        *offers.CHANGEABLE_COLUMNS,
        *(column for code in dialect.legacy_modes for column in _mode_columns(code, dialect)),
        *offers.STOCK_COLUMNS,
        COMMENT,
        *(column for column in offers.SPLITTING_COLUMNS if column.key == offers.CHANNEL),
    )


def _mode_columns(code: str, dialect: Dialect) -> tuple[Column, ...]:
    """The amounts of a mode, known by the names of the JSON mode that means the same, too."""
    own = offers.mode_columns(code)
    same = offers.mode_columns(dialect.legacy_modes[code] or code)
    return tuple(
        replace(
            other,
            key=one.key,
            aliases=(*one.labels, *one.aliases, other.key, *other.aliases),
        )
        for one, other in zip(own, same, strict=True)
    )


def modes(dialect: Dialect) -> tuple[Mode, ...]:
    """Standard, Tracked, Registered, and what the profile adds."""
    return tuple(map(offers.mode, dialect.legacy_modes))


def missing(sheet: SheetColumns) -> list[str]:
    """A reference, a condition, a price, VAT, the preparation time and the stock."""
    return offers.missing(sheet, ALWAYS)


def required(row: Row) -> list[str]:
    """The same of every row."""
    return row.blanks(ALWAYS)


def request(row: Row) -> dict[str, object]:
    """The attributes of the Offer as the texts that will stand in the Offers.xml."""
    values, dialect = row.values, row.sheet.dialect
    body: dict[str, object] = {}
    for attribute in ATTRIBUTES:
        value = values.get(attribute.key)
        text = IN_STEAD.get(attribute.key) if value is None else text_of(value)
        if text is not None:
            body[attribute.name] = text
    body["ProductCondition"] = dialect.legacy_conditions[values[offers.CONDITION]]
    body["ShippingInformation"] = [
        {
            "DeliveryMode": mode.code,
            "ShippingCharges": text_of(charges),
            "AdditionalShippingCharges": text_of(additional),
        }
        for mode in row.sheet.modes
        if (charges := values.get(mode.cost)) is not None
        and (additional := values.get(mode.additional)) is not None
    ]
    return body


def text_of(value: object) -> str:
    """A value as an attribute's text: amounts with a point, and without zeros that say nothing."""
    if not isinstance(value, Decimal):
        return str(value)
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


FEED = Feed(
    kind=KIND,
    sheet=SHEET,
    package_type=PackageType.FULL,
    summary="Offers that travel in a legacy zip with an Offers.xml.",
    columns=columns,
    understood=columns,
    modes=modes,
    missing=missing,
    required=required,
    request=request,
    needs_asking=True,
)
