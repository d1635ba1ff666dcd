"""What there was when a shop opened: parcels of the last weeks, and what came back.

A seller's first request about parcels opens the shop.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import wraps
from sqlite3 import Connection
from typing import Any, NamedTuple

from feedtool.areas.inbound.sandbox.products import PRODUCTS
from feedtool.areas.orders.sandbox.made_up import PEOPLE
from feedtool.areas.outbound.sandbox import life, return_life, store
from feedtool.areas.outbound.sandbox.behaviour import OutboundBehaviour
from feedtool.areas.outbound.sandbox.store import StoredParcel
from feedtool.sandbox.exchange import Exchange, HttpResponse, SandboxSettings
from feedtool.sandbox.resources import StoredThing
from feedtool.sandbox.state import moment_of, stamp

PIECES = 5
"""In a shipment of the past: enough for several returns."""


class SentParcel(NamedTuple):
    """A shipment of the past."""

    hours: float
    """Since it was asked for."""
    is_known: bool = True
    """False where its product is not known to the warehouses."""
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


def opened(answer: Callable[[Exchange], HttpResponse]) -> Callable[[Exchange], HttpResponse]:
    """A route's function that first opens the seller's shop, where it is not open yet."""

    @wraps(answer)
    def answer_in_shop(exchange: Exchange) -> HttpResponse:
        db, seller = exchange.db, exchange.seller
        PRODUCTS.open(db, seller, exchange.now, exchange.settings)
        new = db.execute("INSERT OR IGNORE INTO parcel_shop VALUES (?)", (seller,)).rowcount
        products = PRODUCTS.every(db, seller)
        if new and products and exchange.settings.of(OutboundBehaviour).has_past:
            for event in PAST:
                _remember(db, seller, event, products, exchange.now, exchange.settings)
            for parcel in store.every(db, return_life.SORT, seller):
                return_life.go_on(parcel, exchange.now, exchange.settings.of(OutboundBehaviour))
                store.write(db, parcel, exchange.now)
        return answer(exchange)

    return answer_in_shop


def _remember(
    db: Connection,
    seller: str,
    event: SentParcel | GivenBack,
    products: Sequence[StoredThing],
    now: datetime,
    settings: SandboxSettings,
) -> None:
    """Let something have happened, and all that has followed from it."""
    at = now - timedelta(hours=event.hours)
    if isinstance(event, GivenBack):
        _give_back(db, seller, event, at, settings)
        return
    number = store.new(db, life.SORT, seller).number
    product = products[number % len(products)].document
    reference = product["sellerProductReference"] if event.is_known else f"UNKNOWN-{number}"
    body = made_up_shipment(f"OUT-{number:04d}", number, reference)
    shipment = life.new_shipment(db, seller, body, at, settings)
    store.write(db, shipment, at)
    while shipment.next_at and shipment.next_at <= stamp(now):
        if event.is_cancelled and shipment.status == life.ACCEPTED:
            _cancel(shipment, settings)
            break
        go_on(db, shipment, moment_of(shipment.next_at), settings)
    store.write(db, shipment, at)


def made_up_shipment(reference: str, number: int, product: str, **item: object) -> dict[str, Any]:
    """The request of a shipment of one product to somebody."""
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


def _cancel(shipment: StoredParcel, settings: SandboxSettings) -> None:
    at = moment_of(str(shipment.next_at))
    shipment.document["cancellationRequest"] = {
        "status": "Accepted",
        "origin": "Seller",
        "reason": "The customer has changed his mind.",
        "timestamp": stamp(at),
    }
    life.move(shipment, life.CANCELLED, at, settings)


def _give_back(
    db: Connection,
    seller: str,
    event: GivenBack,
    at: datetime,
    settings: SandboxSettings,
) -> None:
    shipment = next(it for it in store.every(db, life.SORT, seller) if it.number == event.of)
    (item, *_) = shipment.document["items"]
    line: Mapping[str, Any] = {**item, "quantity": 1}
    number = store.new(db, return_life.SORT, seller).number
    body = {"reason": event.reason, "reference": f"RET-{number:04d}", "lines": [line]}
    behaviour = settings.of(OutboundBehaviour)
    parcel = return_life.new_return(db, shipment, body, at, behaviour)
    store.write(db, parcel, at)


def go_on(db: Connection, shipment: StoredParcel, at: datetime, settings: SandboxSettings) -> None:
    """Let a shipment do what it does next; one in nine is not delivered, and comes back."""
    if shipment.status == life.SHIPPED and return_life.comes_back(shipment):
        behaviour = settings.of(OutboundBehaviour)
        return_life.bring_back(db, shipment, at, behaviour)
    else:
        life.BY_ITSELF[shipment.status](db, shipment, at, settings)
