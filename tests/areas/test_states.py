"""States are compared without case: each is read in the specification's spelling."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from feedtool.areas.discussions import wire as discussions
from feedtool.areas.finance.columns import operation_row, payment_row
from feedtool.areas.finance.windows import STATES as PAYMENT_STATES
from feedtool.areas.inbound import wire as inbound
from feedtool.areas.invoices.wire import imports_page
from feedtool.areas.legacy.wire import log_page
from feedtool.areas.offers.wire.offers import packages_page
from feedtool.areas.offers.wire.packages import STATES, package_view
from feedtool.areas.orders import wire as orders
from feedtool.areas.outbound import wire as outbound
from feedtool.model.call import Reply

Reader = Callable[[str], object]


def reply(document: Any) -> Reply:
    return Reply(200, {}, json.dumps(document).encode(), "https://service.example/v2/x")


def order(**fields: Any) -> orders.Order:
    read = orders.read_document({"orderId": "O1", "status": "Shipped", **fields})
    assert read
    return read


def discussion(**fields: Any) -> discussions.Discussion:
    read = discussions.read_document({"discussionId": "D1", **fields})
    assert read
    return read


def shipment(**fields: Any) -> outbound.OutboundShipment:
    (read,) = outbound.shipments_of(reply([{"outboundShipmentId": "U1", "status": "X", **fields}]))
    return read


def back(**fields: Any) -> outbound.ParcelReturn:
    (read,) = outbound.returns_of(reply([{"returnId": "R1", "status": "X", **fields}]))
    return read


def sent_in(**fields: Any) -> inbound.InboundShipment:
    (read,) = inbound.shipments_of(reply([{"inboundShipmentId": "I1", "status": "X", **fields}]))
    return read


USERS = ("Customer", "Seller", "GrcOperator")
READERS: dict[str, tuple[tuple[str, ...], Reader]] = {
    "a package": (tuple(STATES), lambda word: package_view(reply({"state": word})).state),
    "a zip": (tuple(STATES), lambda word: log_page(reply({"integration_state": word})).state),
    "an order": (orders.STATUSES, lambda word: order(status=word).status),
    "an order as a row": (orders.STATUSES, lambda word: order(status=word).document["status"]),
    "a line": (
        (*orders.STATUSES, "CancelRequest"),
        lambda word: order(lines=[{"status": word}]).lines[0].status,
    ),
    "a shipment": (outbound.STATUSES, lambda word: shipment(status=word).status),
    "whether it is valid": (
        outbound.STATES,
        lambda word: shipment(state={"value": word}).document["state"]["value"],
    ),
    "a return": (outbound.RETURN_STATUSES, lambda word: back(status=word).status),
    "who sends back": (outbound.KINDS, lambda word: back(type=word).kind),
    "a shipment to a warehouse": (inbound.STATUSES, lambda word: sent_in(status=word).status),
    "its supply mode": (inbound.MODES, lambda word: sent_in(supplyMode=word).mode),
    "whether a discussion is treated": (
        ("ToTreat", "Treated"),
        lambda word: discussion(processStatus=word).document["processStatus"],
    ),
    "a claim": (
        discussions.GRADUATIONS,
        lambda word: discussion(graduation=word).document["graduation"],
    ),
    "a sender": (
        USERS,
        lambda word: discussion(messages=[{"sender": word, "body": "x"}]).messages[0].sender,
    ),
    "a receiver": (USERS, lambda word: discussion(eligibleReceivers=[word]).receivers[0]),
    "an operation": (
        PAYMENT_STATES,
        lambda word: operation_row({"paymentState": word})["paymentState"],
    ),
    "a payment": (PAYMENT_STATES, lambda word: payment_row({"state": word})["paymentState"]),
}
"""The specified words of each kind of state, and their reader."""


@pytest.mark.parametrize(("words", "read"), READERS.values(), ids=READERS)
def test_a_state_is_read_in_any_case(words: tuple[str, ...], read: Reader) -> None:
    for word in words:
        assert [read(word), read(word.upper()), read(word.lower())] == [word] * 3
    assert read("Frozen") == "Frozen"


def test_a_state_in_any_case_has_the_same_meaning() -> None:
    (same,) = {
        packages_page(reply([{"packageId": "p", "state": word}])).items[0].meaning
        for word in ("WaitingForCompletion", "waitingforcompletion")
    }
    assert same is STATES["WaitingForCompletion"]
    assert not back(lines=[{"conformity": "nonconform"}]).is_conform
    words = {
        imports_page(reply({"files": [], "status": word})).items[0].status
        for word in ("PartialSuccess", "PARTIALSUCCESS")
    }
    assert len(words) == 1
