"""Parcels of the weeks before a shop opened, and what came back."""

from datetime import timedelta
from typing import Any, NamedTuple

from msgspec import Struct

from feedtool.areas.orders.sandbox.shop import PEOPLE

PIECES = 5
"""In a shipment of the past: enough for several returns."""


class SentParcel(NamedTuple):
    """A shipment of the past."""

    hours: float
    """Since it was asked for."""
    is_known: bool = True
    """False if the warehouses do not know its product."""
    is_cancelled: bool = False


class GivenBack(NamedTuple):
    """A return of the past."""

    hours: float
    of: int
    """The number of its shipment."""
    reason: str


PAST: tuple[SentParcel | GivenBack, ...] = (
    SentParcel(500),
    SentParcel(400),
    GivenBack(320, 1, "Retraction"),
    GivenBack(290, 2, "Damaged"),
    GivenBack(260, 1, "ReferenceError"),
    GivenBack(220, 2, "Damaged"),
    SentParcel(150),
    SentParcel(40),
    SentParcel(20),
    SentParcel(12, is_cancelled=True),
    SentParcel(10, is_known=False),
    SentParcel(3),
    SentParcel(0.5),
    SentParcel(0.005),
    GivenBack(3, 2, "Retraction"),
    GivenBack(0.05, 1, "UnpackingDefect"),
)
"""Oldest first, and returns behind what they are of."""


def made_up_shipment(reference: str, number: int, product: str) -> dict[str, Any]:
    """The request of a shipment of one product."""
    person = PEOPLE[number % len(PEOPLE)].split(";")
    first, last, _, line, _, postal_code, city, country, phone = person
    address = {"firstName": first, "lastName": last, "email": f"buyer-{number}@example.org"}
    place = {"phone": phone, "city": city, "postalCode": postal_code, "countryCode": country}
    return {
        "reference": reference,
        "storageCountry": "FR",
        "deliveryAddress": {**address, **place, "line": line, "pickupId": None},
        "items": [
            {
                "sellerProductReference": product,
                "expectedQuantity": PIECES,
                "delivery": {"mode": "THD"},
            }
        ],
    }


# The behaviour of the sandbox's warehouses with parcels.


class OutboundBehaviour(Struct, frozen=True):
    """The behaviour with outbound shipments and returns. Durations are sandbox time."""

    has_past: bool = True
    """True if a shop that opens has sent parcels already."""
    decided_after: timedelta = timedelta(minutes=1)
    """From the creation of a shipment to its acceptance, or rejection."""
    begun_after: timedelta = timedelta(hours=1)
    """From the acceptance to the preparation."""
    prepared_after: timedelta = timedelta(hours=4)
    """From there to the dispatch."""
    completed_after: timedelta = timedelta(days=1)
    """From the first parcel to the last of several."""
    delivered_after: timedelta = timedelta(days=2)
    """From the dispatch to the customer."""
    cancelled_after: timedelta = timedelta(hours=2)
    """Until the logistics partner has decided on a cancellation."""
    label_after: timedelta = timedelta(minutes=12)
    """From the request of a return to its label."""
    without_label: int = 404
    """The answer without a label: 404, or 200 with an empty body."""
    visible_after: timedelta = timedelta()
    """A new shipment, or return, is shown so much later."""
    countries: tuple[str, ...] = ("FR", "ES", "GB")
    """Countries with warehouses that the seller may use."""
