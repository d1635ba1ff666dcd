"""A desk at the ramp: what tests send to the warehouses, and how it is read."""

from typing import Any

from feedtool.areas.inbound.sandbox.products import InboundBehaviour
from feedtool.areas.inbound.sandbox.shipments import UNKNOWN_GTIN
from tests.sandbox.desk import Answer, Desk

QUIET = InboundBehaviour(opening_shipments=0)
"""Products, and no shipments but those of the test."""

GTINS = ("3760452000009", "3760452000016", "3760452000023")
"""GTINs of products that are referenced when the shop opens."""


def item(number: int = 0, quantity: int = 5, **changes: Any) -> dict[str, Any]:
    gtin = GTINS[number] if number >= 0 else UNKNOWN_GTIN
    return {"gtin": gtin, "productCondition": "New", "quantity": quantity, **changes}


def announce(desk: Desk, reference: str = "PO-A", *items: Any, **changes: Any) -> Answer:
    body = {"reference": reference, "storageCountry": "FR", "supplyMode": "Fulfillment"}
    whole = {**body, "items": list(items) or [item()], **changes}
    sent = {name: value for name, value in whole.items() if value is not ...}
    return desk.ask("POST", "/inbound-shipments", sent)


def announced(desk: Desk, *items: Any) -> str:
    answer = announce(desk, "PO-A", *items)
    assert answer.status == 201, answer.body
    return str(answer.json["inboundShipmentId"])


def shown(desk: Desk, name: str) -> Any:
    answer = desk.ask("GET", f"/inbound-shipments/{name}")
    assert answer.status == 200, answer.body
    return answer.json
