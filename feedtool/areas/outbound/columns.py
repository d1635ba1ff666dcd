"""The columns of outbound shipments and of returns: what is filled, and what the service shows.

Source: specification, "Outbound shipment", "Return" and "Fulfillment". Other headers that mean a
column are in `locale/`.
"""

from decimal import Decimal

from msgspec.structs import replace

from feedtool.areas.outbound.codes import DELIVERY_MODE_UNKNOWN, RETURN_REASON_UNKNOWN
from feedtool.areas.outbound.settings import OutboundSettings
from feedtool.feeds.columns.choice import Choice, Country, Ignored, Suggested
from feedtool.feeds.columns.identifier import Identifier, WrittenIdentifier
from feedtool.feeds.columns.number import Money, Whole
from feedtool.feeds.columns.text import Text
from feedtool.feeds.feed import ACTION
from feedtool.feeds.template import Words
from feedtool.model.cells import CellType, Column
from feedtool.model.settings import AccountSettings

SHIPMENT, REFERENCE, REASON = "outboundShipmentId", "reference", "reason"
PRODUCT_REFERENCE, PRODUCT, CONDITION = "sellerProductReference", "productId", "productCondition"
EXPECTED, MODE, STORAGE = "expectedQuantity", "delivery.mode", "storageCountry"
AMOUNTS = PRICE, SHIPPING, CURRENCY = ("unitSalesPrice", "shippingCost", "currencyCode")
COUNTRY, PICKUP = "deliveryAddress.countryCode", "deliveryAddress.pickupId"
RETURN, COMMENT, QUANTITY = "returnId", "comment", "quantity"
CREATE, CANCEL = "Create", "Cancel"
CARRIER_REASONS = ("Undeliverable", "CustomerRefusal", "TransportDamage", "NotRetrieved")
"""Reasons that no request may have: a rule refuses them."""

WORDS = Words("feedtool.areas.outbound")
_column = WORDS.column
ACTION_TYPE = Choice({name: WORDS.of(name) for name in (CREATE, CANCEL)})
PIECES = Whole(least=Decimal(1))
NOT_READ = Ignored()


def reasons(settings: AccountSettings) -> tuple[str, ...]:
    return settings.of(OutboundSettings).return_reasons


def _shown(key: str, label: str) -> Column:
    return _column(key, NOT_READ, label, "As the service shows it; it is not sent.")


def _address(name: str, label: str, cell_type: CellType, note: str, example: str) -> Column:
    is_in_example = name not in {"firstName", "phone", "email"}
    key = f"deliveryAddress.{name}"
    return _column(key, cell_type, label, note, example, is_in_example=is_in_example)


_OF_CUSTOMER = "Of the customer."
ADDRESS_COLUMNS = WORDS.group(
    "Delivery address",
    _address("firstName", "First name", Text(), _OF_CUSTOMER, "Anne"),
    _address("lastName", "Last name", Text(), _OF_CUSTOMER, "Martin"),
    _address("line", "Address", Text(), "The number and the street.", "12 rue des Lilas"),
    _address("postalCode", "Postal code", Identifier(), _OF_CUSTOMER, "01000"),
    _address("city", "City", Text(), _OF_CUSTOMER, "Bourg-en-Bresse"),
    _address("countryCode", "Country", Country(), "A country, or its code.", "FR"),
    _address("phone", "Phone", Identifier(), "With the country's prefix.", "+33639980001"),
    _address("email", "E-mail", Identifier(), _OF_CUSTOMER, "anne@example.org"),
    _address("pickupId", "Pickup point", Identifier(), "Of a pickup point alone: PPMR.", ""),
)
PERSONAL = frozenset(column.key for column in ADDRESS_COLUMNS)
"""Keys of columns with names and addresses of people."""

SHIPMENT_COLUMN = WORDS.group(
    "Shipment",
    _column(
        SHIPMENT,
        Identifier(),
        "Shipment",
        "The shipment's identifier; empty for a new one.",
    ),
)
ACTION_COLUMN = WORDS.group(
    "To fill",
    _column(
        ACTION,
        ACTION_TYPE,
        "Action",
        "Create or Cancel. Empty creates a shipment that has no identifier yet.",
        CREATE,
    ),
)
REFERENCE_COLUMN = WORDS.group(
    "To fill",
    _column(
        REFERENCE, WrittenIdentifier(), "Reference", "Rows of one are sent together.", "OUT-2026-17"
    ),
)
PRODUCT_COLUMNS = WORDS.group(
    "To fill",
    _column(PRODUCT, Identifier(), "Product", "The service's identifier of the product."),
    _column(CONDITION, Identifier(), "Condition", "Of the product.", "New"),
)
ITEM_COLUMNS = WORDS.group(
    "To fill",
    _column(
        PRODUCT_REFERENCE,
        Identifier(),
        "Seller's reference",
        "Your own reference of the product, else Product and Condition.",
        "KETTLE-1",
    ),
    *PRODUCT_COLUMNS,
    _column(EXPECTED, PIECES, "Quantity", "The pieces to send.", "2"),
    _column(
        MODE,
        Suggested(lambda settings: settings.of(OutboundSettings).modes, DELIVERY_MODE_UNKNOWN),
        "Delivery mode",
        "How it is delivered; PPMR needs a pickup point.",
        "THD",
    ),
    _column(STORAGE, Country(), "Warehouse", "Its country; empty lets the service choose."),
)
AMOUNT_COLUMNS = WORDS.group(
    "Amounts",
    _column(PRICE, Money(), "Unit price", "Required for Switzerland.", "19.90"),
    _column(SHIPPING, Money(), "Shipping cost", "Required for Switzerland.", "4.90"),
    _column(CURRENCY, Identifier(), "Currency", "Required for Switzerland.", "CHF"),
)
CANCEL_COLUMN = WORDS.group("To fill", _column(REASON, Text(), "Reason", "Of a cancellation.", ""))
SHIPMENT_COLUMNS = (
    *(*SHIPMENT_COLUMN, *ACTION_COLUMN, *CANCEL_COLUMN, *REFERENCE_COLUMN, *ITEM_COLUMNS),
    *(*ADDRESS_COLUMNS, *AMOUNT_COLUMNS),
)
SHOWN_SHIPMENT = (
    *WORDS.group(
        "State",
        _shown("status", "Status"),
        _shown("state", "State"),
        _shown("rejection", "Reasons of the rejection"),
        _shown("createdAt", "Created"),
        _shown("statusUpdatedAt", "Status since"),
        _shown("traceability", "Serial numbers"),
    ),
    *WORDS.group(
        "Parcels",
        _shown("parcels.trackingNumber", "Tracking numbers"),
        _shown("parcels.carrier", "Carriers"),
        _shown("parcels.status", "Statuses of the parcels"),
        _shown("parcels.weight", "Weights"),
        _shown("parcels.deliveryDate", "Delivered"),
    ),
    *WORDS.group(
        "Cancellation",
        _shown("cancellation.status", "Cancellation"),
        _shown("cancellation.origin", "Cancelled by"),
        _shown("cancellation.reason", "Reason of the cancellation"),
        _shown("cancellation.timestamp", "Cancellation of"),
    ),
)

RETURN_COLUMNS = (
    *WORDS.group(
        "Return",
        _column(RETURN, Identifier(), "Return", "The return's identifier; empty for a new one."),
    ),
    *(
        replace(column, help=WORDS.of("Of which something comes back."))
        for column in SHIPMENT_COLUMN
    ),
    *REFERENCE_COLUMN,
    *WORDS.group(
        "To fill",
        _column(
            REASON,
            Suggested(reasons, RETURN_REASON_UNKNOWN, CARRIER_REASONS),
            "Reason",
            "Why the customer sends it back.",
            "Retraction",
        ),
        _column(COMMENT, Text(), "Comment", "For the warehouse; may stay empty."),
    ),
    *PRODUCT_COLUMNS,
    *WORDS.group(
        "To fill", _column(QUANTITY, PIECES, "Quantity", "The pieces that come back.", "1")
    ),
)
SHOWN_RETURN = WORDS.group(
    "State",
    _shown("type", "Sent back by"),
    _shown("status", "Status"),
    _shown("receiptedQuantity", "Received"),
    _shown("receiptedProductState", "State of the product"),
    _shown("conformity", "Conformity"),
    _shown("unexpectedQuantity", "Unexpected pieces"),
    _shown("warehouseComment", "Comment of the warehouse"),
    _shown("recommendedReturnReason", "Reason by the warehouse"),
    _shown("receiptDate", "Received on"),
    _shown("createdAt", "Created"),
    _shown("updatedAt", "Updated"),
    _shown("hasLabel", "Label"),
    _shown("orderSellerId", "Order"),
    _shown("parcelId", "Parcel"),
)
