"""Parcels of the weeks before a shop opened, and what came back."""

from typing import Any, NamedTuple

from feedtool.areas.orders.sandbox.made_up import PEOPLE

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


def made_up_shipment(reference: str, number: int, product: str, **item: object) -> dict[str, Any]:
    """The request of a shipment of one product."""
    first, last, _, line, _, postal_code, city, country, phone = PEOPLE[number % len(PEOPLE)].split(
        ";"
    )
    address = {"firstName": first, "lastName": last, "email": f"buyer-{number}@example.org"}
    place = {"phone": phone, "city": city, "postalCode": postal_code, "countryCode": country}
    ordered = {"sellerProductReference": product, "expectedQuantity": PIECES}
    return {
        "reference": reference,
        "storageCountry": "FR",
        "deliveryAddress": {**address, **place, "line": line, "pickupId": None},
        "items": [{**ordered, "delivery": {"mode": "THD"}, **item}],
    }
