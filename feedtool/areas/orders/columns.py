"""The columns of orders: what identifies a line, what the user fills, what the service shows.

Source: specification, "Order", "Shipment declaration item", "Cancellation and commercial gesture".
Other headers that mean a column are in `locale/`.
"""

from decimal import Decimal

from msgspec.structs import replace

from feedtool.areas.orders.codes import CARRIER_UNKNOWN
from feedtool.areas.orders.settings import OrderSettings
from feedtool.feeds.columns.choice import Choice, Ignored, Suggested, YesNo
from feedtool.feeds.columns.identifier import Identifier, WrittenIdentifier
from feedtool.feeds.columns.number import Money, Whole
from feedtool.feeds.columns.text import Text
from feedtool.feeds.feed import ACTION, CHANNEL
from feedtool.feeds.template import Words
from feedtool.model.cells import CellType, Column

ORDER, LINE, OFFER = "orderId", "lineId", "offerId"
CARRIER, PARCEL, TRACKING = "carrierName", "parcelNumber", "trackingUrl"
REASON, REFUND = "reason", "shippingCostRefund"
AMOUNT, DETAILS = "gesture.amount", "gesture.details"
STATUS, LINE_STATUS, SUPPLY = "status", "line.status", "supplyMode"
LINES, TOTAL, PRODUCT = "order.lines", "line.total", "product.reference"
INVOICE, AVAILABLE = "invoice.status", "gesture.available"

OTHER = "Other"
"""The reason of a gesture that needs details."""
ACCEPT, REFUSE, SHIP, CANCEL, GESTURE = "Accept", "Refuse", "Ship", "Cancel", "Gesture"

WORDS = Words("feedtool.areas.orders")
_column = WORDS.column
ACTION_TYPE = Choice({name: WORDS.of(name) for name in (ACCEPT, REFUSE, SHIP, CANCEL, GESTURE)})
OTHER_WORDS = frozenset(WORDS.aliases(OTHER))
"""The reason Other as people write it, in lower case."""
_ADDRESS = {
    "firstName": "First name",
    "lastName": "Last name",
    "companyName": "Company",
    "addressLine1": "Address",
    "addressLine2": "Address, line 2",
    "postalCode": "Postal code",
    "city": "City",
    "countryCode": "Country",
    "phone": "Phone",
    "email": "E-mail",
    "pickupId": "Pickup point",
    "pickupName": "Name of the pickup point",
}
_BILLING = {
    "name": "Billed to",
    "company": "Billed company",
    "companyVatNumber": "VAT number",
    "companyRegistrationNumber": "Registration number",
    "country": "Billing country",
}


_CARRIER = Suggested(lambda settings: settings.of(OrderSettings).carriers, CARRIER_UNKNOWN)
IDENTITY_COLUMNS = WORDS.group(
    "Order",
    _column(ORDER, Identifier(), "Order", "The order's identifier; it stays as it is.", "24A17F09"),
    _column(
        LINE,
        Identifier(),
        "Line",
        "The line's identifier; it stays as it is.",
        "24A17F09-1",
        is_in_example=False,
    ),
    _column(OFFER, Identifier(), "Offer", "The offer's identifier; it stays as it is."),
)
SHIPPING_COLUMNS = WORDS.group(
    "To fill",
    _column(CARRIER, _CARRIER, "Carrier", "Of the parcel.", "Colissimo"),
    _column(
        PARCEL, WrittenIdentifier(), "Parcel number", "As it stands on the label.", "8R00123456789"
    ),
    _column(TRACKING, Identifier(), "Tracking address", "An address on the web; may stay empty."),
)
ACTION_COLUMN = WORDS.group(
    "To fill",
    _column(
        ACTION,
        ACTION_TYPE,
        "Action",
        "What is done with the line; empty with a parcel number means Ship, else nothing.",
        SHIP,
    ),
)
OTHER_COLUMNS = WORDS.group(
    "To fill",
    _column(REASON, Text(), "Reason", "Of a cancellation, or of a commercial gesture."),
    _column(
        REFUND,
        YesNo(),
        "Refund shipping",
        "Yes or No: whether a cancellation gives the shipping cost back.",
    ),
    _column(
        AMOUNT,
        Money(above=Decimal(0)),
        "Gesture",
        "The amount of a commercial gesture, in the order's currency.",
    ),
    _column(DETAILS, Text(), "Details", "Of a gesture; required where the reason is Other."),
)
FILLED_COLUMNS = (*ACTION_COLUMN, *SHIPPING_COLUMNS, *OTHER_COLUMNS)
FILLED = tuple(column.key for column in FILLED_COLUMNS)
"""The keys of columns that a user fills: one filled cell makes a request."""

NOT_READ = Ignored()
_SHOWN = "As the service shows it; it is not sent."


def _shown(key: str, label: str, cell_type: CellType = NOT_READ) -> Column:
    return _column(key, cell_type, label, _SHOWN)


STATE_COLUMNS = WORDS.group(
    "State",
    _shown(STATUS, "Order status", Text()),
    _shown(LINE_STATUS, "Line status", Text()),
    _shown("line.number", "Line no."),
    _shown(LINES, "Lines of the order", Whole()),
    _shown("deadline.accept", "Accept by"),
    _shown(CHANNEL, "Sales channel", Text()),
    _shown("reference", "Reference"),
    _shown("businessOrder", "Business order"),
    _shown(SUPPLY, "Supply mode", Text()),
    _shown("shippingCountry", "Shipping country"),
    _shown("createdAt", "Created"),
    _shown("updatedAt", "Updated"),
    _shown("shippedAt", "Shipped"),
)
PRODUCT_COLUMNS = WORDS.group(
    "Product",
    _shown("product.title", "Product"),
    _shown(PRODUCT, "Seller's reference", Identifier()),
    _shown("product.gtin", "GTIN"),
    _shown("deliveryMode", "Delivery mode"),
    _shown("quantity", "Quantity"),
    _shown("unitSalesPrice", "Unit price"),
    _shown("shippingCost", "Shipping cost"),
    _shown(TOTAL, "Line total", Money()),
    _shown("currencyCode", "Currency"),
)
ADDRESS_COLUMNS = WORDS.group(
    "Shipping address",
    *(_shown(f"shippingAddress.{name}", label) for name, label in _ADDRESS.items()),
)
BILLING_COLUMNS = WORDS.group(
    "Billing address",
    *(_shown(f"billingAddress.{name}", label) for name, label in _BILLING.items()),
)
PARCEL_COLUMNS = WORDS.group(
    "Shipped parcels",
    _shown("parcels.number", "Shipped parcels"),
    _shown("parcels.carrier", "Shipped by"),
    _shown("parcels.url", "Tracking of the parcels"),
    _shown("parcels.trackingId", "Tracking id"),
)
SHOWN_COLUMNS = (
    *(*STATE_COLUMNS, *PRODUCT_COLUMNS, *ADDRESS_COLUMNS, *BILLING_COLUMNS, *PARCEL_COLUMNS),
    *WORDS.group("State", _shown(INVOICE, "Invoice"), _shown(AVAILABLE, "Gesture still possible")),
)
PERSONAL = frozenset(column.key for column in (*ADDRESS_COLUMNS, *BILLING_COLUMNS))
"""Keys of columns with names and addresses of people."""
FOLDED = PERSONAL | {OFFER}
"""Keys of columns that are folded away."""

EVERY_COLUMN = (*IDENTITY_COLUMNS, *FILLED_COLUMNS, *SHOWN_COLUMNS)


# The carrier's file.

_ALSO = {column.key: WORDS.aliases(f"shipments.{column.key}") for column in EVERY_COLUMN}
SHIPMENT_COLUMNS = tuple(
    replace(column, aliases=(*column.aliases, *_ALSO[column.key]))
    for column in (
        IDENTITY_COLUMNS[0],
        *SHIPPING_COLUMNS[1:2],
        *SHIPPING_COLUMNS[:1],
        *SHIPPING_COLUMNS[2:],
        IDENTITY_COLUMNS[1],
        *WORDS.group(
            "Order",
            _column(
                PRODUCT,
                Identifier(),
                "Seller's reference",
                "In the place of the line: the product, where one line of the order has it.",
                "SKU-1",
                is_in_example=False,
            ),
        ),
    )
)
"""Columns of a carrier's or a warehouse's file, with their usual names."""
