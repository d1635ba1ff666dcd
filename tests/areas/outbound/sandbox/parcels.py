"""Parcels at a desk: what tests ask of the sandbox's warehouses, and how they read it."""

from typing import Any

from feedtool.areas.outbound.sandbox.history import OutboundBehaviour
from tests.sandbox.desk import Answer, Desk

QUIET = OutboundBehaviour(has_past=False)
"""No parcels but those of the test."""

MINUTE, HOUR, DAY = 60, 3600, 86400
SENT = MINUTE + 5 * HOUR
"""Seconds from the request of a shipment to its dispatch."""

ADDRESS = {
    "firstName": "Anne",
    "lastName": "Le Goff",
    "email": "anne@example.org",
    "phone": "+33639980004",
    "city": "Brest",
    "postalCode": "29200",
    "countryCode": "FR",
    "line": "Lieu-dit Kerguelen",
    "pickupId": None,
}


def products(desk: Desk) -> list[dict[str, Any]]:
    """The seller's products, by reference, GTIN and condition."""
    return list(desk.pages("/stock-seller-references"))


def item(desk: Desk, quantity: int = 2, number: int = 0, **fields: Any) -> dict[str, Any]:
    reference = products(desk)[number]["sellerProductReference"]
    ordered = {"sellerProductReference": reference, "expectedQuantity": quantity}
    return {**ordered, "delivery": {"mode": "THD"}, **fields}


def shipment(desk: Desk, *items: Any, address: Any = None, **fields: Any) -> dict[str, Any]:
    body = {"reference": "R-1", "deliveryAddress": {**ADDRESS, **(address or {})}}
    return {**body, "items": list(items) or [item(desk)], **fields}


def send(desk: Desk, body: Any = None) -> Answer:
    return desk.ask("POST", "/outbound-shipments", shipment(desk) if body is None else body)


def created_shipment(desk: Desk, body: Any = None) -> str:
    answer = send(desk, body)
    assert answer.status == 201, answer.body
    return str(answer.json["outboundShipmentId"])


def read(desk: Desk, name: str) -> Any:
    answer = desk.ask("GET", f"/outbound-shipments/{name}")
    assert answer.status == 200, answer.body
    return answer.json


def cancel(desk: Desk, name: str, reason: str = "changed his mind") -> Answer:
    body = {"outboundShipmentId": name, "reason": reason}
    return desk.ask("POST", "/outbound-cancellation-requests", body)


def line(desk: Desk, quantity: int = 1, number: int = 0, **fields: Any) -> dict[str, Any]:
    product = products(desk)[number]
    pair = {"productId": product["gtin"], "productCondition": product["productCondition"]}
    return {**pair, "quantity": quantity, **fields}


def give_back(desk: Desk, name: str, *lines: Any, **fields: Any) -> Answer:
    body = {"outboundShipmentId": name, "reference": "B-1", "reason": "Retraction"}
    return desk.ask("POST", "/returns", {**body, "lines": list(lines) or [line(desk)], **fields})


def created_return(desk: Desk, name: str, *lines: Any, **fields: Any) -> str:
    answer = give_back(desk, name, *lines, **fields)
    assert answer.status == 201, answer.body
    return str(answer.json["returnId"])


def read_return(desk: Desk, name: str) -> Any:
    answer = desk.ask("GET", f"/returns/{name}")
    assert answer.status == 200, answer.body
    return answer.json
