"""Calls for fulfilment products and shipments to the warehouses, and readers of their answers.

Specification, "Fulfillment product (reference)", "Inbound shipment" and "Fulfillment". Names that
it does not show are read by what they hold: `receivedQuantity`, `quantityReceived`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import quote

import orjson

from feedtool.areas.inbound.settings import InboundSettings
from feedtool.model.call import CREATED, JSON, READ, Call, Reply
from feedtool.model.text import tr
from feedtool.service.answers import (
    SMALL,
    Unreadable,
    amount,
    country,
    created_id,
    items_of,
    loads,
    spelled,
    text,
)

READ_OR_GONE = READ | {404}
"""A shipment that does not exist is an answer, too."""
PAGE = 1000
"""References, and shipments, of a page; the specification names no limit."""
MOST_ITEMS = 10_000
SHIPMENTS, ID = "/inbound-shipments", "inboundShipmentId"
STATUSES = (
    *("Created", "Referencing", "Referenced", "Processing", "Accepted", "Refused"),
    *("AppointmentScheduled", "InProgress", "PartiallyDone", "Done", "AutomaticallyDone"),
)
MODES = ("Fulfillment", "Xdock")

_PRODUCT = re.compile("gtin|condition|reference|product")
"""Part of the names of members with a product, and no reason, of a refusal."""

Pair = tuple[str, str]
"""A product for the warehouses: its GTIN of 14 digits, and its condition."""


def pair_of(fields: Mapping[str, Any]) -> Pair:
    """The product in a document; its GTIN may be empty."""
    gtin = text(fields.get("gtin"))
    condition = text(fields.get("productCondition")) or text(fields.get("condition"))
    return (gtin.zfill(14) if gtin else "", condition)


# Products.


def reference_product(body: bytes, seller: int | None) -> Call:
    """Reference a product; the request repeats the seller's number."""
    if seller is not None:
        body = orjson.dumps({**orjson.loads(body), "sellerId": seller})
    return Call("POST", "/fulfillment-products", CREATED, headers=JSON, body=body)


def product_of(reply: Reply) -> Mapping[str, Any]:
    """The product as the warehouses know it now; Unreadable for anything else."""
    document = loads(reply.body, SMALL)
    if not isinstance(document, dict) or not text(document.get("gtin")):
        raise Unreadable(tr("the answer is not a product"))
    return document


def read_references(reference: str = "") -> Call:
    """The references of the seller's products, or one of them."""
    query = (("sellerProductReference", reference),) if reference else ()
    return Call("GET", "/stock-seller-references", READ, query=(*query, ("limit", str(PAGE))))


def references_of(reply: Reply) -> list[Mapping[str, Any]]:
    return [item for item in items_of(reply, tr("references")) if isinstance(item, dict)]


# Shipments.


class ShippedItem(NamedTuple):
    """A product in a shipment."""

    pair: Pair
    quantity: int | None
    received: int | None
    disputed: int | None
    """None until the service shows it."""
    document: Mapping[str, Any]


class InboundShipment(NamedTuple):
    """A shipment to a warehouse."""

    id: str
    reference: str
    code: str
    status: str
    country: str
    mode: str
    items: tuple[ShippedItem, ...]
    refusals: tuple[str, ...]
    """The reasons why it was refused."""
    refused: frozenset[str]
    """The GTINs, of 14 digits, of the products that it was refused for."""
    has_note: bool
    document: Mapping[str, Any]
    """The document of the service."""


def create(body: bytes) -> Call:
    return Call("POST", SHIPMENTS, CREATED, headers=JSON, body=body)


def created(reply: Reply) -> str | None:
    return created_id(reply, SHIPMENTS, ID, "id")


def read_shipment(name: str) -> Call:
    return Call("GET", f"{SHIPMENTS}/{quote(name, safe='')}", READ_OR_GONE)


def read_shipments(query: Iterable[tuple[str, str]] = ()) -> Call:
    """A page of shipments, the oldest first: new shipments do not move the others."""
    paged = (*query, ("orderBy", "Asc"), ("limit", str(PAGE)))
    return Call("GET", SHIPMENTS, READ, query=paged)


def read_count() -> Call:
    return Call("GET", f"{SHIPMENTS}/count", READ)


def shipments_of(reply: Reply) -> list[InboundShipment]:
    """The shipments of a page, or of an answer with one; Unreadable if an entry is no shipment."""
    if reply.status not in READ:
        return []
    document = loads(reply.body)
    # A shipment has items, as a page has.
    if isinstance(document, dict) and "items" in document and text(document.get(ID)):
        return [_shipment(document)]
    return [_shipment(item) for item in items_of(reply, tr("shipments"))]


def _shipment(fields: Any) -> InboundShipment:
    fields = fields if isinstance(fields, dict) else {}
    name, status = text(fields.get(ID)), spelled(fields.get("status"), STATUSES)
    if not name or not status:
        raise Unreadable(tr("the answer holds something that is not a shipment"))
    items = fields.get("items")
    listed = items[:MOST_ITEMS] if isinstance(items, list) else []
    refusals = [*_strings(_like(fields, "refus"))]
    return InboundShipment(
        *(name, text(fields.get("reference")), text(fields.get("code")), status),
        *(country(fields.get("storageCountry")), spelled(fields.get("supplyMode"), MODES)),
        tuple(_item(item) for item in listed if isinstance(item, dict)),
        tuple(dict.fromkeys(value for key, value in refusals if not _PRODUCT.search(key))),
        frozenset(value.zfill(14) for key, value in refusals if "gtin" in key),
        _like(fields, "deliverynote") is True,
        fields,
    )


def _item(fields: Mapping[str, Any]) -> ShippedItem:
    return ShippedItem(
        pair_of(fields),
        _pieces(fields.get("quantity")),
        _pieces(_like(fields, "receiv")),
        _pieces(_like(fields, "disput")),
        fields,
    )


def _pieces(value: object) -> int | None:
    number = amount(value)
    return int(number) if isinstance(number, Decimal) and number == int(number) else None


def reception_of(shipment: InboundShipment) -> Any:
    return _like(shipment.document, "recept")


def _like(fields: Mapping[str, Any], part: str) -> Any:
    """The first member whose name contains a word, or None."""
    return next((value for name, value in fields.items() if part in name.casefold()), None)


def _strings(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The texts in a document, each with the name of its member in lower case."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _strings(inner, str(name).casefold())
    elif isinstance(value, list):
        for inner in value[:MOST_ITEMS]:
            yield from _strings(inner, key)
    elif content := text(value):
        yield key, content


# Delivery notes.


def read_note(settings: InboundSettings, name: str) -> Call:
    """The delivery note of a shipment."""
    accept = (("Accept", "application/pdf, application/problem+json"),)
    path = settings.delivery_note.replace("{id}", quote(name, safe=""))
    return Call("GET", path, READ, headers=accept)
