"""Answers about parcels, of any shape."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from feedtool.areas.outbound import wire
from feedtool.model.call import Call, Reply
from feedtool.service.answers import AnswerKind, Unreadable, as_whole
from feedtool.service.calls import ask_all, read_answer
from tests.answers import AROUND

SHIPMENT, CANCELLATION = wire.created_shipment, wire.created_cancellation
RETURN = wire.created_return


@pytest.mark.parametrize(
    ("read", "headers", "body", "name"),
    [
        (SHIPMENT, {}, {"outboundShipmentId": "U"}, "U"),
        (RETURN, {}, {"returnId": "R", "outboundShipmentId": "U"}, "R"),
        (CANCELLATION, {}, {"cancellationRequestId": "C", "outboundShipmentId": "U"}, "C"),
        (CANCELLATION, {}, {"id": "C", "outboundShipmentId": "U"}, "C"),
        (CANCELLATION, {}, {"outboundShipmentId": "U"}, None),
        (SHIPMENT, {}, {"id": "I"}, "I"),
        (RETURN, {"location": "/v2/returns/L"}, {"returnId": "R"}, "L"),
        (RETURN, {"content-location": "/v2/returns/L"}, None, "L"),
        # The address of the list names nothing.
        (RETURN, {"location": "/v2/returns"}, {"returnId": "R"}, "R"),
        (SHIPMENT, {"location": "/outbound-shipments/"}, None, None),
        (CANCELLATION, {"location": "/v2/outbound-cancellation-requests"}, None, None),
        (SHIPMENT, {}, None, None),
        (SHIPMENT, {}, [], None),
    ],
)
def test_the_id_of_a_created_object(
    read: Callable[[Reply], str | None], headers: dict[str, str], body: Any, name: str | None
) -> None:
    content = b"" if body is None else json.dumps(body).encode()
    assert read(Reply(201, headers, content)) == name


@pytest.mark.parametrize("body", [b"", b"1", b"[]", b'{"status": "x"}', b'{"returnId": "x"}'])
def test_an_invalid_document_is_unreadable(body: bytes) -> None:
    for read in (wire.shipment_of, wire.return_of):
        with pytest.raises(Unreadable):
            read(Reply(200, body=body))


@pytest.mark.parametrize(
    ("fields", "is_conform"),
    [
        ({}, True),
        ({"lines": [{"conformity": "Conform"}]}, True),
        ({"lines": [{"conformity": "Conform"}, {"conformity": "NonConform"}]}, False),
        ({"unexpectedQuantity": 1}, False),
        ({"unexpectedQuantity": None, "lines": None}, True),
    ],
)
def test_conformity_of_returns(fields: dict[str, Any], *, is_conform: bool) -> None:
    body = json.dumps({"returnId": "R", "status": "Completed", **fields}).encode()
    found = wire.return_of(Reply(200, body=body))
    assert found is not None
    assert found.is_conform == is_conform


# A list that is read as a whole.


class Pages:
    """A service whose list has pages; the one of a number fails."""

    def __init__(self, count: int, broken: int = 0, link: str = "") -> None:
        self.count, self.broken, self.link = count, broken, link
        self.asked: list[str] = []

    def send(self, call: Call) -> Reply:
        self.asked.append(call.target)
        number = len(self.asked)
        if number == self.broken:
            return Reply(500)
        address = self.link or f"https://shop.example/returns?cursor={number}"
        headers = {"link": f'<{address}>; rel="next"'} if number < self.count else {}
        return Reply(200, headers, b'{"items": []}', "https://shop.example/returns")


WHOLE = as_whole(wire.read_returns())


@pytest.mark.parametrize("count", [1, 2, 5])
def test_all_pages_are_read(count: int) -> None:
    pages = Pages(count)
    result = ask_all(pages, [WHOLE])
    assert len(result if isinstance(result, tuple) else (result,)) == count
    assert len(pages.asked) == count


@pytest.mark.parametrize("pages", [Pages(3, broken=2), Pages(3, link="https://thief.example/")])
def test_a_list_that_is_not_whole_is_no_answer(pages: Pages) -> None:
    answer = read_answer(WHOLE, ask_all(pages, [WHOLE]), AROUND.now(), lambda _: None)
    assert answer.kind is AnswerKind.UNKNOWN


def test_a_list_without_an_end_is_no_answer() -> None:
    answer = read_answer(WHOLE, ask_all(Pages(10**9), [WHOLE]), AROUND.now(), lambda _: None)
    assert answer.kind is AnswerKind.UNKNOWN
    assert "1,000 pages" in answer.detail
