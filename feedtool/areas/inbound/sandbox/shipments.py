"""The routes of shipments to the warehouses: part "Fulfillment", rules 1 and 2."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from sqlite3 import Connection, Row
from typing import Any

import jsonschema_rs
import orjson

from feedtool.areas.inbound.sandbox import life
from feedtool.areas.inbound.sandbox.behaviour import InboundBehaviour
from feedtool.areas.inbound.sandbox.store import add, supplied
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import (
    DRAFT,
    asked,
    asked_page,
    check_structure,
    json_body,
    moment_stamp,
    page_answer,
)
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.pdf import pdf
from feedtool.sandbox.state import stamp

TABLES = ""

SUPPLY_MODES = ("Fulfillment", "Xdock")
COUNTRIES = ("FR", "ES", "MA", "PT", "GB")
ORDERS = ("Asc", "Desc")

_FILLED = {"type": "string", "minLength": 1}
_SHIPMENT = jsonschema_rs.Draft202012Validator(
    {
        "$schema": DRAFT,
        "type": "object",
        "required": ["reference", "storageCountry", "supplyMode", "items"],
        "properties": {
            "reference": _FILLED,
            "storageCountry": {"enum": COUNTRIES},
            "supplyMode": {"enum": SUPPLY_MODES},
            "items": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["gtin", "productCondition", "quantity"],
                    "properties": {
                        "gtin": _FILLED | {"pattern": "^[0-9]{8,14}$"},
                        "productCondition": _FILLED,
                        "quantity": {"type": "integer", "minimum": 1},
                    },
                },
            },
        },
    }
)


# Routes.


@supplied
def create(exchange: Exchange) -> HttpResponse:
    """POST /inbound-shipments."""
    body = json_body(exchange.request)
    check_structure(_SHIPMENT, body, "an inbound shipment")
    behaviour = exchange.settings.of(InboundBehaviour)
    country, items = body["storageCountry"], body["items"]
    if country not in behaviour.countries:
        raise bad_request("storageCountry", f"The account is not opened for storage in {country}.")
    pairs = [(item["gtin"].zfill(14), item["productCondition"]) for item in items]
    for place, pair in enumerate(pairs):
        if pair in pairs[:place]:
            raise bad_request(f"items[{place}].gtin", f"{items[place]['gtin']} is there twice.")
    unknown = life.unknown_items(exchange.db, exchange.seller, items)
    if unknown and behaviour.refuses_unknown:
        gtin = unknown[0]["gtin"]
        raise bad_request(f"items[{items.index(unknown[0])}].gtin", f"{gtin} is not referenced.")
    name = add(exchange.db, exchange.seller, body, exchange.now, behaviour)
    effects.note(exchange, "inbound shipment", body["reference"], body)
    if not behaviour.names_created:
        return HttpResponse(201)
    return json_answer(201, {"inboundShipmentId": name})


def _one_of(name: str, values: Sequence[str], text: str) -> str:
    """A comma list as JSON, all of whose entries must be among the values."""
    entries = text.split(",")
    if not set(entries) <= set(values):
        raise bad_request(name, f"{name} must be one of {', '.join(values)}.")
    return orjson.dumps(entries).decode()


FILTERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "reference": ("reference = :reference", str),
    "code": ("code = :code", str),
    "supplyMode": (
        "supply_mode IN (SELECT value FROM json_each(:supplyMode))",
        partial(_one_of, "supplyMode", SUPPLY_MODES),
    ),
    "country": (
        "country IN (SELECT value FROM json_each(:country))",
        partial(_one_of, "country", COUNTRIES),
    ),
    "status": (
        "status IN (SELECT value FROM json_each(:status))",
        partial(_one_of, "status", life.STATUSES),
    ),
    **{
        f"{name}{end}": (f"{column} {sign} :{name}{end}", partial(moment_stamp, f"{name}{end}"))
        for name, column in (("createdAt", "created_at"), ("updatedAt", "updated_at"))
        for end, sign in (("Min", ">="), ("Max", "<="))
    },
}
"""Query parameter, the SQL condition that it adds, and how its value is bound to its name."""


def _selection(exchange: Exchange) -> tuple[str, dict[str, Any]]:
    """SQL of the seller's shipments that pass all filters, and its values."""
    given = {name: text for name in FILTERS if (text := asked(exchange, name)) is not None}
    conditions = ["seller = :seller", "visible_at <= :now"]
    conditions += [FILTERS[name][0] for name in given]
    values = {name: FILTERS[name][1](text) for name, text in given.items()}
    who = {"seller": exchange.seller, "now": stamp(exchange.now)}
    return " AND ".join(conditions), who | values


@supplied
def count(exchange: Exchange) -> HttpResponse:
    """GET /inbound-shipments/count."""
    where, values = _selection(exchange)
    query = f"SELECT COUNT(*) FROM inbound_shipment WHERE {where}"  # noqa: S608 - only constants of ours are filled in
    (number,) = exchange.db.execute(query, values).fetchone()
    return json_answer(200, {"count": number})


@supplied
def read_all(exchange: Exchange) -> HttpResponse:
    """GET /inbound-shipments: by creation, page after page."""
    page, (where, values) = asked_page(exchange), _selection(exchange)
    order = asked(exchange, "orderBy") or "Desc"
    if order not in ORDERS:
        raise bad_request("orderBy", "orderBy must be Asc or Desc.")
    sign = ">" if order == "Asc" else "<"
    rows = exchange.db.execute(
        f"SELECT * FROM inbound_shipment WHERE {where}"  # noqa: S608 - as above
        f" AND (:after = 0 OR id {sign} :after) ORDER BY id {order} LIMIT :size",
        {**values, "after": page.after, "size": page.limit + 1},
    ).fetchall()
    return page_answer(exchange, page, rows, lambda row: orjson.loads(row["document"]))


@supplied
def read(exchange: Exchange) -> HttpResponse:
    """GET /inbound-shipments/{inboundShipmentId}."""
    return json_answer(200, orjson.loads(_asked_shipment(exchange)["document"]))


@supplied
def read_delivery_note(exchange: Exchange) -> HttpResponse:
    """The delivery note, once the shipment is Accepted."""
    shipment = orjson.loads(_asked_shipment(exchange)["document"])
    if not shipment["hasDeliveryNote"]:
        raise not_found("The delivery note")
    return HttpResponse(200, {"Content-Type": "application/pdf"}, pdf(_note(shipment)))


def _asked_shipment(exchange: Exchange) -> Row:
    row: Row | None = exchange.db.execute(
        "SELECT * FROM inbound_shipment WHERE seller = ? AND shipment_id = ? AND visible_at <= ?",
        (exchange.seller, exchange.ids["inboundShipmentId"], stamp(exchange.now)),
    ).fetchone()
    if row is None:
        raise not_found("The inbound shipment")
    return row


def _note(shipment: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a delivery note."""
    yield f"Delivery note {shipment['code']} {shipment['reference']}"
    yield from (f"{item['gtin']} x {item['quantity']}" for item in shipment["items"])


ROUTES: tuple[Route, ...] = (
    Route("POST", "/inbound-shipments", create, counted=True),
    Route("GET", "/inbound-shipments/count", count, counted=True),
    Route("GET", "/inbound-shipments", read_all, counted=True),
    Route("GET", "/inbound-shipments/{inboundShipmentId}", read, counted=True),
    Route(
        "GET",
        "/inbound-shipments/{inboundShipmentId}/delivery-notes",
        read_delivery_note,
        counted=True,
    ),
)


def next_due(_: Connection) -> str | None:
    """Never: what shipments do by themselves is in `store`."""
    return None


def step(_db: Connection, _settings: SandboxSettings) -> None:
    """Nothing."""
