"""The routes of outbound shipments: parts "Outbound shipment" and "Fulfillment".

What is wrong with a shipment does not keep it from being created: it is rejected a little later. A
reference may be used again.
"""

from functools import partial
from sqlite3 import Connection

import jsonschema_rs

from feedtool.areas.outbound.sandbox import life, store
from feedtool.areas.outbound.sandbox.behaviour import OutboundBehaviour
from feedtool.areas.outbound.sandbox.life import SORT
from feedtool.areas.outbound.sandbox.past import go_on, opened
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import DRAFT, NUMBER, TEXT, check_structure, json_body, record
from feedtool.sandbox.exchange import Exchange, HttpResponse, Route, SandboxSettings, json_answer

TABLES = store.TABLES

WORDS = {
    "status": (
        *(life.CREATED, life.ACCEPTED, life.IN_PREPARATION, life.SHIPPED),
        *(life.PARTLY, life.DELIVERED, life.CANCELLED, life.REJECTED),
    ),
    "state": ("Valid", "Invalid"),
}
FILTERS = {
    "status": store.is_in("status"),
    "state": store.is_in("state.value"),
    "deliveryCountry": store.is_in("deliveryAddress.countryCode"),
    "reference": store.is_in("reference"),
    **store.dates(
        createdAt="createdAt", updatedAt="statusUpdatedAt", statusUpdatedAt="statusUpdatedAt"
    ),
}
_FILLED = {"type": "string", "minLength": 1}
_ADDRESS = ("firstName", "lastName", "email", "phone", "city", "postalCode", "countryCode", "line")
_SHIPMENT = jsonschema_rs.Draft202012Validator(
    {
        "$schema": DRAFT,
        "type": "object",
        "required": ["reference", "deliveryAddress", "items"],
        "properties": {
            "reference": _FILLED,
            "storageCountry": TEXT,
            "deliveryAddress": {
                "type": "object",
                "properties": dict.fromkeys((*_ADDRESS, "pickupId"), TEXT),
            },
            "items": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["expectedQuantity"],
                    "properties": {
                        "productId": TEXT,
                        "productCondition": TEXT,
                        "sellerProductReference": TEXT,
                        "expectedQuantity": {"type": "integer", "minimum": 1},
                        "delivery": record(mode=TEXT),
                        "unitSalesPrice": NUMBER,
                        "shippingCost": NUMBER,
                        "currencyCode": TEXT,
                    },
                },
            },
        },
    }
)


@opened
def create(exchange: Exchange) -> HttpResponse:
    """POST /outbound-shipments: taken as it is, and looked at later."""
    body = json_body(exchange.request)
    check_structure(_SHIPMENT, body, "an outbound shipment")
    shipment = life.new_shipment(
        exchange.db, exchange.seller, body, exchange.now, exchange.settings
    )
    later = exchange.settings.of(OutboundBehaviour).visible_after
    store.write(exchange.db, shipment, exchange.now, later)
    effects.note(exchange, "outbound shipment", body["reference"], body)
    return json_answer(201, {"outboundShipmentId": shipment.name, "status": life.CREATED})


next_due = partial(store.next_due, sort=SORT)


def step(db: Connection, settings: SandboxSettings) -> None:
    """Let the shipment change whose time has come first."""
    shipment, at = store.first_due(db, SORT)
    go_on(db, shipment, at, settings)
    store.write(db, shipment, at)


@opened
def read_all(exchange: Exchange) -> HttpResponse:
    """GET /outbound-shipments: cursor pages."""
    return store.list_answer(exchange, SORT, FILTERS, WORDS)


@opened
def count(exchange: Exchange) -> HttpResponse:
    """The count of outbound shipments, by the filters of the list."""
    return store.count_answer(exchange, SORT, FILTERS, WORDS)


@opened
def read(exchange: Exchange) -> HttpResponse:
    """GET /outbound-shipments/{id}."""
    shipment = store.asked_for(exchange, SORT, "The outbound shipment", "outboundShipmentId")
    return json_answer(200, shipment.document)


ROUTES: tuple[Route, ...] = (
    Route("POST", "/outbound-shipments", create, counted=True),
    Route("GET", "/outbound-shipments", read_all, counted=True),
    Route("GET", "/outbound-shipments/count", count, counted=True),
    Route("GET", "/outbound-shipments/{outboundShipmentId}", read, counted=True),
)
