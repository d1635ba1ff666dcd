"""Answers about products and shipments: every shape is checked, none is trusted."""

import json
from typing import Any

import pytest

from feedtool.areas.inbound import wire
from feedtool.model.call import Reply
from feedtool.service.answers import Unreadable

GTIN = "4006381333931"
SHIPMENT = {
    "inboundShipmentId": "I-1",
    "reference": "PO-1",
    "code": "IN-1",
    "status": "Done",
    "storageCountry": "FR",
    "supplyMode": "Xdock",
    "items": [{"gtin": GTIN, "productCondition": "New", "quantity": 5}],
}


def reply(document: Any, status: int = 200, **headers: str) -> Reply:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Reply(status, headers, body)


@pytest.mark.parametrize(
    "document", [[SHIPMENT], {"items": [SHIPMENT], "itemsPerPage": 1}, SHIPMENT], ids=type
)
def test_a_list_and_a_shipment_read_alike(document: Any) -> None:
    (shipment,) = wire.shipments_of(reply(document))
    assert (shipment.id, shipment.status, shipment.country) == ("I-1", "Done", "FR")
    (item,) = shipment.items
    assert (item.pair, item.quantity, item.received) == (("0" + GTIN, "New"), 5, None)


@pytest.mark.parametrize(
    ("members", "received", "disputed"),
    [
        ({}, None, None),
        ({"receivedQuantity": 4, "inDisputeQuantity": 1}, 4, 1),
        ({"quantityReceived": 4.0, "quantityInDispute": 0}, 4, 0),
        ({"received": "4", "disputed": "1"}, 4, 1),
        ({"receivedQuantity": "many", "inDispute": True}, None, None),
        ({"receivedQuantity": 1.5}, None, None),
    ],
    ids=str,
)
def test_quantities_are_read_by_all_their_names(members: Any, received: Any, disputed: Any) -> None:
    document = {**SHIPMENT, "items": [{"gtin": GTIN, **members}]}
    ((item,),) = (shipment.items for shipment in wire.shipments_of(reply(document)))
    assert (item.received, item.disputed) == (received, disputed)


@pytest.mark.parametrize(
    ("detail", "reasons", "gtins"),
    [
        (None, (), set()),
        ("Unknown product", ("Unknown product",), set()),
        ({"reasons": ["A", "B"], "products": [{"gtin": GTIN}]}, ("A", "B"), {"0" + GTIN}),
        ([{"reason": "A", "productGtin": GTIN}, {"reason": "A"}], ("A",), {"0" + GTIN}),
        ({"message": "A", "affected": {"gtins": [GTIN]}}, ("A",), {"0" + GTIN}),
        (7, ("7",), set()),
    ],
    ids=str,
)
def test_the_reasons_of_a_refusal(detail: Any, reasons: Any, gtins: Any) -> None:
    (shipment,) = wire.shipments_of(reply({**SHIPMENT, "refuseDetail": detail}))
    assert (shipment.refusals, shipment.refused) == (reasons, gtins)


@pytest.mark.parametrize(
    "document",
    [
        *(b"{", 7, {"items": [7]}, {"items": [{}]}, {"items": {}}, {"status": "Done"}),
        {**SHIPMENT, "status": None},
    ],
    ids=str,
)
def test_documents_that_are_no_shipments_are_unreadable(document: Any) -> None:
    with pytest.raises(Unreadable):
        wire.shipments_of(reply(document))


def test_a_shipment_that_is_gone() -> None:
    assert wire.shipments_of(reply({}, 404)) == []


@pytest.mark.parametrize(
    ("headers", "document", "name"),
    [
        ({"content-location": "/v2/inbound-shipments/I-7"}, {}, "I-7"),
        ({"location": "https://a.example/v2/inbound-shipments/I-7"}, b"", "I-7"),
        ({"location": "/v2/inbound-shipments"}, {"inboundShipmentId": "I-8"}, "I-8"),
        ({}, {"id": "I-9"}, "I-9"),
        ({}, b"", None),
        ({}, b"created", None),
    ],
    ids=str,
)
def test_the_id_of_a_new_shipment(headers: Any, document: Any, name: Any) -> None:
    assert wire.created(reply(document, 201, **headers)) == name


@pytest.mark.parametrize("document", [[], {}, 7, {"gtin": ""}, b"{"], ids=str)
def test_documents_that_are_no_products_are_unreadable(document: Any) -> None:
    with pytest.raises(Unreadable):
        wire.product_of(reply(document))


def test_the_seller_is_repeated_where_he_is_a_number() -> None:
    body = b'{"gtin":"1"}'
    assert wire.reference_product(body, None).body == body
    assert json.loads(wire.reference_product(body, 42).body or b"") == {"gtin": "1", "sellerId": 42}
