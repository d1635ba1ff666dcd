"""Fulfilment products: part "Fulfillment product (reference)" of the specification.

A product is of a GTIN and a condition, and has the one reference that the seller's offers have. It
is never overwritten: a second request fills what is empty, and is answered with what is there.
"""

from datetime import datetime, timedelta
from sqlite3 import Connection
from typing import Any

from msgspec import Struct

from feedtool.areas.orders.sandbox.shop import made_up_article
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import FILLED, NUMBER, TEXT
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    SandboxSettings,
    bad_request,
    json_answer,
)
from feedtool.sandbox.resources import Lists, Resource, StoredThing, equals

# The behaviour of the sandbox's warehouses.


class InboundBehaviour(Struct, frozen=True):
    """The behaviour of the warehouses. Durations are sandbox time."""

    opening_products: int = 8
    """At most so many products of a seller are referenced when the shop opens; 0 for tests."""
    opening_shipments: int = 8
    """At most so many shipments are there when the shop opens."""
    countries: tuple[str, ...] = ("FR", "GB")
    """Countries of storage that the account is opened for; Spain needs an activation."""
    refuses_unknown: bool = False
    """True if a shipment of an unreferenced product is refused at once ("Errors", rule 6), and not
    later ("Fulfillment", rule 1)."""
    names_created: bool = True
    """True if the answer to a creation says what the shipment is called."""
    visible_after: timedelta = timedelta()
    """A new shipment is listed so much later."""
    created: timedelta = timedelta(seconds=10)
    """The time in Created, and in Referenced."""
    checked: timedelta = timedelta(minutes=1)
    """The time in Referencing, and in Processing."""
    accepted: timedelta = timedelta(days=1)
    """From the acceptance to the appointment."""
    appointed: timedelta = timedelta(days=3)
    """From the appointment to the lorry at the ramp."""
    unloaded: timedelta = timedelta(days=1)
    """The time in InProgress, and in PartiallyDone."""
    never_seen: timedelta = timedelta(days=14)
    """From the appointment to the end of what never arrives."""


PRODUCT = {
    "required": ["gtin", "label", "sellerProductReference", "productCondition"],
    "properties": {
        "gtin": FILLED | {"pattern": "^[0-9]{8,14}$"},
        "label": FILLED,
        "sellerId": {"type": "integer"},
        "sellerProductReference": FILLED,
        "productCondition": FILLED,
        **dict.fromkeys(
            (
                *("dimensionMinimum", "dimensionMedium", "dimensionMaximum", "weight"),
                "productValue",
            ),
            NUMBER | {"exclusiveMinimum": 0},
        ),
        "hasExpirationDate": {"type": ["boolean", "null"]},
        **dict.fromkeys(
            (
                *("categoryUn", "categoryIcpe", "traceability", "customsReference"),
                *("originCountryCode", "language"),
            ),
            TEXT,
        ),
    },
}
REFERENCE = ("sellerProductReference", "productCondition", "gtin")
"""The members that a list shows."""
EMPTY = (None, "")


def referenced(db: Connection, seller: str, reference: str) -> StoredThing | None:
    return next(iter(PRODUCTS.every(db, seller, sellerProductReference=reference)), None)


def referenced_pair(db: Connection, seller: str, gtin: str, condition: str) -> StoredThing | None:
    return PRODUCTS.find(db, seller, f"{gtin.zfill(14)} {condition}")


def create(exchange: Exchange, body: dict[str, Any]) -> HttpResponse:
    """POST /fulfillment-products: fill empty members, and answer with the product."""
    db, seller, reference = exchange.db, exchange.seller, body["sellerProductReference"]
    known = referenced_pair(db, seller, body["gtin"], body["productCondition"])
    other = referenced(db, seller, reference)
    if known is None and other is not None:
        owner = f"{other.document['gtin']} {other.document['productCondition']}"
        raise bad_request("sellerProductReference", f"{reference} is the reference of {owner}.")
    product = known or _new_product(db, seller, body, exchange.now)
    before = product.document
    filled = {name: value for name, value in body.items() if value not in EMPTY}
    product.document = filled | {
        name: value for name, value in before.items() if value not in EMPTY
    }
    if product.document != before:
        PRODUCTS.keep(db, product)
        effects.note(exchange, "fulfilment product", reference, body)
    return json_answer(201, product.document)


def _new_product(db: Connection, seller: str, body: dict[str, Any], now: datetime) -> StoredThing:
    product = PRODUCTS.new(db, seller, now)
    product.name = f"{body['gtin'].zfill(14)} {body['productCondition']}"
    return product


def stock(db: Connection, seller: str, now: datetime, settings: SandboxSettings) -> None:
    """Store the invented articles that customers buy from a seller without offers."""
    for number in range(settings.of(InboundBehaviour).opening_products):
        article = made_up_article(db, seller, "PRIMARY", number)
        document = {
            "gtin": article.gtin,
            "label": article.title,
            "sellerId": int(seller) if seller.isdigit() else 0,
            "sellerProductReference": article.reference,
            "productCondition": "New",
            "dimensionMinimum": 10 + number,
            "dimensionMedium": 20 + number,
            "dimensionMaximum": 30 + number,
            "weight": 1.2 + number,
            "hasExpirationDate": False,
            "productValue": article.price,
            "originCountryCode": "FR",
            "language": "fr-FR",
        }
        product = _new_product(db, seller, document, now)
        product.document = document
        PRODUCTS.keep(db, product)


PRODUCTS = Resource(
    kind="fulfilment product",
    path="/fulfillment-products",
    body=PRODUCT,
    create=create,
    lists=Lists(path="/stock-seller-references", filters=equals("sellerProductReference")),
    show=lambda _, product: {name: product.document[name] for name in REFERENCE},
    opens=stock,
    indexed=("sellerProductReference",),
    counted=True,
)
