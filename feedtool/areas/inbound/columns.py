"""The columns of fulfilment products, and of shipments to the warehouses.

Source: specification, "Fulfillment product (reference)" and "Inbound shipment". Other headers that
mean a column are in `locale/`.
"""

from decimal import Decimal
from functools import partial

from msgspec.structs import replace

from feedtool.areas.inbound.codes import WORD_UNKNOWN
from feedtool.areas.inbound.settings import InboundSettings
from feedtool.feeds.columns import ColumnReader
from feedtool.feeds.columns.choice import NO, Choice, Country, Ignored, Suggested, YesNo
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.identifier import Identifier, WrittenIdentifier
from feedtool.feeds.columns.number import Measure, Money, Whole
from feedtool.feeds.columns.text import Reference, Text
from feedtool.feeds.template import Words
from feedtool.model.cells import CellType, Column
from feedtool.model.settings import AccountSettings

GTIN, REFERENCE, CONDITION = "gtin", "sellerProductReference", "productCondition"
DIMENSIONS = ("dimensionMinimum", "dimensionMedium", "dimensionMaximum")
WEIGHT, VALUE, EXPIRES = "weight", "productValue", "hasExpirationDate"
SHIPMENT, SHIPMENT_REFERENCE = "inboundShipmentId", "reference"
COUNTRY, MODE, QUANTITY = "storageCountry", "supplyMode", "quantity"
RECEIVED, DISPUTED = "received", "inDispute"
NOTE = "deliveryNote"

WORDS = Words("feedtool.areas.inbound")
_column = WORDS.column


class StorageCountry(Country, frozen=True):
    """The country of a warehouse, by the profile's list."""

    def allowed(self, column: ColumnReader) -> tuple[str, ...]:
        return column.settings.of(InboundSettings).storage_countries


_CONDITION = Suggested(lambda settings: settings.of(InboundSettings).conditions, WORD_UNKNOWN)
_TRACEABILITY = Suggested(lambda settings: settings.of(InboundSettings).traceability, WORD_UNKNOWN)
_MODES = Choice(dict.fromkeys(("Fulfillment", "Xdock"), ()))
_LANGUAGES = Choice(dict.fromkeys(("fr-FR", "en-US", "es-ES"), ()))
_MEASURE = Measure(above=Decimal(0))
_OF_GTIN = "The product's GTIN (EAN), as on the package."
_OF_CONDITION = "Of the product, as New."

# Products.

IDENTITY_COLUMNS = WORDS.group(
    "Product",
    _column(
        REFERENCE,
        Reference(),
        "Seller's reference",
        "The same as on the sales channels; one for each GTIN and condition.",
        "SKU-1001",
    ),
    _column(GTIN, Gtin(), "GTIN (EAN)", _OF_GTIN, "4006381333931"),
    _column(CONDITION, _CONDITION, "Condition", _OF_CONDITION, "New"),
    _column("label", Text(), "Label", "What the product is called.", "Kettle 1.7 l"),
)
_OF_DIMENSION = "Of the packed product; the smallest first."
_optional = partial(_column, is_in_example=False)
SIZE_COLUMNS = WORDS.group(
    "Packed product",
    _optional(DIMENSIONS[0], _MEASURE, "Smallest side", _OF_DIMENSION, "12"),
    _optional(DIMENSIONS[1], _MEASURE, "Middle side", _OF_DIMENSION, "20"),
    _optional(DIMENSIONS[2], _MEASURE, "Longest side", _OF_DIMENSION, "25.5"),
    _optional(WEIGHT, _MEASURE, "Weight", "Of the packed product.", "1.2"),
)
FURTHER_COLUMNS = WORDS.group(
    "Further data",
    _column(EXPIRES, YesNo(), "Has an expiration date", "Yes or No.", NO),
    _column("traceability", _TRACEABILITY, "Traced by", "As SerialNumber; may stay empty."),
    _column("categoryUn", Text(), "UN category", "Of dangerous goods; may stay empty."),
    _column("categoryIcpe", Text(), "ICPE category", "Of classified goods; may stay empty."),
    _column("customsReference", Identifier(), "Customs reference", "May stay empty."),
    _optional(VALUE, Money(above=Decimal(0)), "Value", "Of the product; may stay empty.", "19.90"),
    _optional("originCountryCode", Country(), "Country of origin", "A country or its code.", "FR"),
    _column("language", _LANGUAGES, "Language", "Of the label.", "en-US"),
)
_PRODUCT_COLUMNS = (*IDENTITY_COLUMNS, *SIZE_COLUMNS, *FURTHER_COLUMNS)


def product_columns(settings: AccountSettings) -> tuple[Column, ...]:
    """The columns of products, with the units that the profile names."""
    inbound = settings.of(InboundSettings)
    units = dict.fromkeys(DIMENSIONS, inbound.dimension_unit) | {WEIGHT: inbound.weight_unit}
    return tuple(_with_unit(column, units.get(column.key, "")) for column in _PRODUCT_COLUMNS)


def _with_unit(column: Column, unit: str) -> Column:
    if not unit:
        return column
    first, second, third = (f"{text} ({unit})" for text in column.help)
    return replace(column, help=(first, second, third))


# Shipments.

NOT_READ = Ignored()
_SHOWN = "As the service shows it; it is not sent."


def _shown(key: str, label: str, cell_type: CellType = NOT_READ) -> Column:
    return _column(key, cell_type, label, _SHOWN)


HEADER_COLUMNS = WORDS.group(
    "Shipment",
    _column(
        SHIPMENT_REFERENCE,
        WrittenIdentifier(),
        "Reference",
        "Your own name of the shipment; its rows have the same.",
        "PO-2026-118",
    ),
    _column(COUNTRY, StorageCountry(), "Storage country", "Of the warehouse.", "FR"),
    _column(MODE, _MODES, "Supply mode", "Fulfillment or Xdock.", "Fulfillment"),
)
ITEM_COLUMNS = WORDS.group(
    "Item",
    _column(GTIN, Gtin(), "GTIN (EAN)", _OF_GTIN, "4006381333931"),
    _column(CONDITION, _CONDITION, "Condition", _OF_CONDITION, "New"),
    _column(QUANTITY, Whole(least=Decimal(1)), "Quantity", "The pieces that are sent.", "120"),
)
ID_COLUMNS = WORDS.group(
    "State", _shown(SHIPMENT, "Shipment", Identifier()), _shown("code", "Code")
)
STATE_COLUMNS = WORDS.group(
    "State",
    _shown("status", "Status"),
    _shown(RECEIVED, "Received"),
    _shown(DISPUTED, "In dispute"),
    _shown("receptionDate", "Received on"),
    _shown("refuse.reasons", "Refused because"),
    _shown(NOTE, "Delivery note"),
    _shown("createdAt", "Created"),
    _shown("updatedAt", "Updated"),
)
FILLED_COLUMNS = (*HEADER_COLUMNS, *ITEM_COLUMNS)
FILLED = tuple(column.key for column in FILLED_COLUMNS)
SHOWN_COLUMNS = (*ID_COLUMNS, *STATE_COLUMNS)
EVERY_COLUMN = (*FILLED_COLUMNS, *SHOWN_COLUMNS)
