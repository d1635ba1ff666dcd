"""The service's answers about orders: alternative names, and hostile shapes."""

import json
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.areas.orders import wire
from feedtool.model.call import Call, Reply
from feedtool.service.answers import Unreadable, counted

ORDER = {"orderId": "O1", "status": "InPreparation"}


def answer(document: Any, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Reply(status, named, body, "https://service.example/v2/orders")


def order(**fields: Any) -> wire.Order:
    found = wire.order_of(answer({**ORDER, **fields}))
    assert found
    return found


def line(**fields: Any) -> wire.Line:
    (found,) = order(lines=[fields]).lines
    return found


ALTERNATIVES: dict[str, tuple[Callable[[], object], object]] = {
    "a channel": (lambda: order(salesChannelId="PRIMARY").channel, "PRIMARY"),
    "a channel as an object": (lambda: order(salesChannel={"id": "PRIMARY"}).channel, "PRIMARY"),
    "the channel itself first": (
        lambda: order(salesChannelId="A", salesChannel={"id": "B"}).channel,
        "A",
    ),
    "no channel": (lambda: order(salesChannel="PRIMARY").channel, ""),
    "a number as identifier": (lambda: order(orderId=17).id, "17"),
    "an orderLineId": (lambda: line(orderLineId="L1", lineId="L2", id="L3").id, "L1"),
    "a lineId": (lambda: line(lineId="L2", id="L3").id, "L2"),
    "an id": (lambda: line(id=3).id, "3"),
    "no id": (lambda: line(orderLineId=None, id=[]).id, ""),
    "an offerId": (lambda: line(offer={"offerId": "A", "id": "B"}).offer_id, "A"),
    "an offer's id": (lambda: line(offer={"id": "B"}).offer_id, "B"),
    "no offer": (lambda: line(offer=["B"]).offer_id, ""),
    "a line's supply mode": (lambda: line(supplyMode="Xdock").supply_mode, "Xdock"),
    "an offer's": (lambda: line(offer={"supplyMode": "Seller"}).supply_mode, "Seller"),
    "parcels": (
        lambda: line(parcels=[{"parcelNumber": 8, "carrierName": "UPS", "trackingUrl": None}, 7]),
        wire.Line(
            *("", "", "", "", (wire.OrderParcel("8", "UPS", "", ""),)),
            {"parcels": [{"parcelNumber": 8, "carrierName": "UPS", "trackingUrl": None}, 7]},
        ),
    ),
    "no parcels": (lambda: line(parcels={"parcelNumber": "8"}).parcels, ()),
    "no lines": (lambda: order(lines={"0": {}}).lines, ()),
    "lines that are none": (lambda: len(order(lines=[None, 1, "x", {}, []]).lines), 1),
    "lines beyond any": (
        lambda: len(order(lines=[{}] * (wire.MOST_LINES + 5)).lines),
        wire.MOST_LINES,
    ),
    "a line's status": (lambda: order().status_of(line(status="Shipped")), "Shipped"),
    "the order's, where it has none": (lambda: order().status_of(line()), "InPreparation"),
    "the seller's": (lambda: order(supplyMode="SELLER").is_sellers(line()), True),
    "the warehouse's": (lambda: order(supplyMode="Fulfillment").is_sellers(line()), False),
    "the line's counts": (
        lambda: order(supplyMode="Fulfillment").is_sellers(line(supplyMode="Seller")),
        True,
    ),
    "where nothing says it": (lambda: order().is_sellers(line()), True),
}


@pytest.mark.parametrize(("read", "expected"), ALTERNATIVES.values(), ids=ALTERNATIVES)
def test_an_order_is_read_by_the_names_it_has(read: Callable[[], object], expected: object) -> None:
    assert read() == expected


@pytest.mark.parametrize("document", [{"items": [ORDER]}, [ORDER]], ids=["items", "a bare list"])
def test_a_page_of_orders(document: Any) -> None:
    assert [found.id for found in wire.orders_of(answer(document))] == ["O1"]


@pytest.mark.parametrize("document", [None, {}, 1, "x", {"items": {}}, [ORDER, {}], [None]])
def test_a_page_with_an_invalid_order_is_unreadable(document: Any) -> None:
    with pytest.raises(Unreadable):
        wire.orders_of(answer(document))


REASONS: dict[str, tuple[Any, list[tuple[str, str]]]] = {
    "texts": (["a", "b"], [("a", "a"), ("b", "b")]),
    "objects": ([{"code": "a", "label": "Broken"}], [("a", "Broken")]),
    "by other names": (
        [{"reason": "a"}, {"name": "b", "label": 7}, {"code": "c", "reason": "d"}],
        [("a", "a"), ("b", "7"), ("c", "c")],
    ),
    "wrapped": ({"items": ["a"]}, [("a", "a")]),
    "what is none": (["", None, {}, [], True, {"label": "x"}], []),
}


@pytest.mark.parametrize(("document", "expected"), REASONS.values(), ids=REASONS)
def test_reasons(document: Any, expected: list[tuple[str, str]]) -> None:
    assert wire.reasons_of(answer(document)) == expected


CREATED: dict[str, tuple[Reply, str | None]] = {
    "Content-Location": (answer({}, content_location="/requests/R1"), "R1"),
    "Location": (answer({}, location="https://service.example/v2/requests/R%201?x=1"), "R 1"),
    "the first of both": (answer({}, content_location="/a/1", location="/a/2"), "1"),
    "requestId": (answer({"requestId": "R1", "id": "2"}), "R1"),
    "cancellationRequestId": (answer({"cancellationRequestId": 7}), "7"),
    "partialCancellationRequestId": (answer({"partialCancellationRequestId": "R1"}), "R1"),
    "id": (answer({"id": "R1"}), "R1"),
    "nothing": (answer({}), None),
    "no body": (answer(b""), None),
    "no JSON": (answer(b"<html>"), None),
    "a list": (answer(["R1"]), None),
}


@pytest.mark.parametrize(("reply", "expected"), CREATED.values(), ids=CREATED)
def test_the_id_of_a_created_object(reply: Reply, expected: str | None) -> None:
    assert wire.created(reply) == expected


AVAILABLE: dict[str, tuple[Any, Decimal | None]] = {
    "allowableAmount": ({"grantedAmount": 9, "allowableAmount": 12.5}, Decimal("12.5")),
    "as text": ({"allowableAmount": "12.50"}, Decimal("12.5")),
    "the known name first": ({"maximum": 9, "allowableAmount": 1}, Decimal(1)),
    "another name": ({"grantedAmount": 9, "maximumAmount": 3}, Decimal(3)),
    "available": ({"availableAmount": 0}, Decimal(0)),
    "only what was granted": ({"grantedAmount": 9}, None),
    "no number": ({"allowableAmount": "much"}, None),
    "a list": ([12], None),
    "no document": (None, None),
}


@pytest.mark.parametrize(("document", "expected"), AVAILABLE.values(), ids=AVAILABLE)
def test_the_amount_available_for_gestures(document: Any, expected: Decimal | None) -> None:
    assert wire.available_of(answer(document)) == expected
    assert wire.available_of(answer(document, 404)) is None


def test_a_page_of_gestures() -> None:
    document = [{"requestId": 1, "orderSellerId": "O1", "amount": "5.00"}, None, {"id": "G2"}]
    gestures = wire.gestures_of(answer({"items": document}))
    assert [(it.id, it.order, it.amount) for it in gestures] == [
        ("1", "O1", Decimal("5.00")),
        ("G2", "", None),
    ]


@pytest.mark.parametrize(
    ("document", "expected"),
    [(7, 7), ({"count": 7}, 7), ({"count": "7", "unit": "orders"}, 7), (0, 0)],
)
def test_a_count(document: Any, expected: int) -> None:
    assert counted(answer(document)) == expected


@pytest.mark.parametrize("document", [None, "x", [7], {}, {"a": 1, "b": 2}, {"count": True}, 1.5])
def test_an_invalid_count_is_unreadable(document: Any) -> None:
    with pytest.raises(Unreadable):
        counted(answer(document))


@pytest.mark.parametrize(
    ("call", "target"),
    [
        (wire.read_order("O/1?x#y"), "/orders/O%2F1%3Fx%23y"),
        (wire.ship("é 1", b"[]"), "/orders/%C3%A9%201/shipments"),
        (wire.read_configuration("A/B"), "/sales-channel-commercial-gesture-configurations/A%2FB"),
    ],
)
def test_an_identifier_is_one_segment_of_a_path(call: Call, target: str) -> None:
    assert call.target == target


# Anything.

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
NAMES = st.sampled_from(
    (
        *("items", "orderId", "status", "lines", "orderLineId", "offer", "offerId", "parcels"),
        *("parcelNumber", "salesChannel", "id", "code", "reason", "label", "requestId", "amount"),
        *("allowableAmount", "maximum", "count", "supplyMode"),
    )
)
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=20,
)
READERS: tuple[Callable[[Reply], object], ...] = (
    wire.order_of,
    wire.orders_of,
    wire.reasons_of,
    wire.created,
    wire.available_of,
    wire.gestures_of,
    counted,
)


@given(document=DOCUMENTS | st.binary(max_size=20))
def test_no_answer_brings_a_reader_down(document: Any) -> None:
    reply = answer(document)
    for reader in READERS:
        with suppress(Unreadable):
            reader(reply)


@settings(max_examples=12)
@given(document=DOCUMENTS)
def test_no_order_makes_its_readers_fail(document: Any) -> None:
    found = wire.read_document({**ORDER, "lines": [document, {"parcels": document}]})
    assert found
    for own in found.lines:
        assert found.status_of(own)
        assert found.is_sellers(own) in {True, False}
