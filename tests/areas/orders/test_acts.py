"""The five protocols of orders: what a state says of a request, and what is sent of it.

One suite for all: each pair of statuses gives a judgement, and a wrong answer is Unreadable.
"""

import json
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from feedtool.areas.orders import acts
from feedtool.areas.orders.gestures import GRANT
from feedtool.areas.orders.listing import STATUSES
from feedtool.areas.orders.shipments import CANCELLATION, SHIPMENT
from feedtool.feeds.direct import Direct, Goal, Judgement, RequestAttempt
from feedtool.feeds.package_ref import PackageRef
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import Severity, Status
from feedtool.model.settings import AccountSettings
from feedtool.service.answers import Unreadable

ACCEPTANCE, REFUSAL = acts.approval(acts.ACCEPT), acts.approval(acts.REFUSE)
UNKNOWN = "order-unknown"
WAREHOUSE = {"supplyMode": "Fulfillment"}


def line(number: int, status: str = "", parcels: str = "", **fields: Any) -> dict[str, Any]:
    """A line of an order; parcels by their numbers."""
    listed = [{"parcelNumber": name, "carrierName": "UPS"} for name in parcels.split()]
    return {
        "orderLineId": f"L{number}",
        "status": status,
        "offer": {"offerId": f"offer {number}"},
        "parcels": listed,
        **fields,
    }


def order(status: str, *lines: str | dict[str, Any], **fields: Any) -> dict[str, Any]:
    """An order, with lines of these statuses: `Shipped P1 P2` names parcels, too."""
    made = [
        line(number, *given.split(maxsplit=1)) if isinstance(given, str) else given
        for number, given in enumerate(lines or ("",), start=1)
    ]
    common = {"orderId": "O/1", "salesChannelId": "PRIMARY", "supplyMode": "Seller"}
    return {**common, "status": status, "lines": made, **fields}


def act(body: Any, baseline: str | None = None) -> RequestAttempt:
    package = PackageRef("Ship", "PRIMARY", "en", AccountSettings())
    return RequestAttempt(package, 2, "O/1", json.dumps(body).encode(), baseline)


def reply(document: Any) -> Reply:
    """An answer with this document; 404 for None."""
    if document is None:
        return Reply(404)
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Reply(200, body=body)


def judged(protocol: Direct[Any], asked: RequestAttempt, *documents: Any) -> Judgement:
    judgement: Judgement = protocol.judge(asked, protocol.state(asked, [*map(reply, documents)]))
    return judgement


def outcome(judgement: Judgement) -> tuple[Goal, Status, str]:
    """The goal, the row's status, and the first message's code."""
    message = judgement.messages[0] if judgement.messages else None
    return judgement.goal, judgement.status, message.code if message else ""


def call_of(protocol: Direct[Any], asked: RequestAttempt, *documents: Any) -> Call:
    """The call of a request, after a look at this state."""
    state = protocol.state(asked, [*map(reply, documents)])
    return protocol.call(asked._replace(baseline=protocol.baseline(asked, state)))


def posted(call: Call) -> Any:
    return json.loads(call.body or b"null")


OPEN = (Goal.OPEN, Status.PENDING, "")
WAITING = (Goal.WAITING, Status.PENDING, "")


def already(status: Status) -> tuple[Goal, Status, str]:
    return (Goal.REACHED, status, "already-so")


def impossible(code: str) -> tuple[Goal, Status, str]:
    return (Goal.IMPOSSIBLE, Status.REJECTED, code)


OTHERWISE = (Goal.OTHERWISE, Status.REJECTED, "shipped-otherwise")
NOT_POSSIBLE = impossible("action-not-possible")
TOO_LATE = impossible("too-late-to-refuse")
NOT_ELIGIBLE = impossible("cancel-not-eligible")

# Every state.

SHIP_BODY = [{"parcelNumber": "P1", "carrierName": "UPS", "orderLineIds": ["L1"]}]
CANCEL_LINE = {"lineId": "L1", "offerId": "", "reason": "broken", "shippingCostRefund": True}
CANCEL_BODY = {"orderSellerId": "O/1", "lines": [CANCEL_LINE]}
GESTURE_BODY = {"orderId": "O/1", "reason": "MissingProduct", "amount": 5.0}
PROTOCOLS: Mapping[str, tuple[Direct[Any], Any, tuple[Any, ...]]] = {
    "accept": (ACCEPTANCE, {"approval_status": "Accepted"}, ()),
    "refuse": (REFUSAL, {"approval_status": "Refused"}, ()),
    "ship": (SHIPMENT, SHIP_BODY, ()),
    "cancel": (CANCELLATION, CANCEL_BODY, ()),
    "gesture": (GRANT, GESTURE_BODY, ({"allowableAmount": 9}, [])),
}
"""The protocol, a request, and the looks beside the order's, by name."""
EACH = pytest.mark.parametrize("name", PROTOCOLS)


def by_status(**goals: Any) -> dict[str, Any]:
    """The expected judgement by order status; `others` for the statuses not named."""
    return {status: goals.get(status, goals["others"]) for status in (*STATUSES, "Frozen")}


ACCEPTED = dict.fromkeys(
    ("Accepted", "InPreparation", "Shipped", "Delivered"), already(Status.ACCEPTED)
)
BY_ORDER = {
    "accept": by_status(
        WaitingAcceptance=OPEN, Processing=WAITING, others=NOT_POSSIBLE, **ACCEPTED
    ),
    "refuse": by_status(
        WaitingAcceptance=OPEN,
        Processing=WAITING,
        Refused=already(Status("OrderRefused")),
        others=TOO_LATE,
    ),
    "gesture": by_status(Shipped=OPEN, Delivered=OPEN, others=NOT_POSSIBLE),
}
LINES = (*STATUSES, "CancelRequest", "Frozen", "")


def by_line(name: str, order_status: str, line_status: str) -> tuple[Goal, Status, str]:
    """The expected judgement of a line with these statuses."""
    status = line_status or order_status
    if name == "cancel":
        if "Cancelled" in {status, order_status}:
            return already(Status("Cancelled"))
        return NOT_ELIGIBLE if order_status in {"Refused", "Rejected"} else OPEN
    if status in {"Shipped", "Delivered"}:
        return OTHERWISE
    if order_status in {"InPreparation", "Shipped", "Delivered"}:
        return OPEN if status in {"InPreparation", "CancelRequest"} else NOT_POSSIBLE
    can_come = order_status in {"Accepted", "Processing"} and status != "Cancelled"
    return WAITING if can_come else NOT_POSSIBLE


STATES = [*product((*STATUSES, "Frozen"), LINES)]
"""Statuses of an order and of its line."""


@EACH
def test_each_pair_of_statuses(name: str) -> None:
    protocol, body, others = PROTOCOLS[name]
    goals = BY_ORDER.get(name)
    found, expected = {}, {}
    for order_status, line_status in STATES:
        judgement = judged(protocol, act(body), order(order_status, line(1, line_status)), *others)
        found[order_status, line_status] = outcome(judgement)
        expected[order_status, line_status] = (
            goals[order_status] if goals else by_line(name, order_status, line_status)
        )
        assert judgement.word
        assert (judgement.goal in {Goal.OPEN, Goal.WAITING}) is not bool(judgement.messages)
        for message in judgement.messages:
            assert message.text
            is_warning = message.severity is Severity.WARNING
            assert is_warning is (message.code == "already-so")
    assert found == expected


@pytest.mark.parametrize("name", ["ship", "cancel"])
def test_after_sending_the_state_is_proof(name: str) -> None:
    protocol, body, _ = PROTOCOLS[name]
    reached = 0
    for order_status, line_status in STATES:
        state = order(order_status, line(1, line_status, "P1" if name == "ship" else ""))
        before, after = (
            judged(protocol, act(body, baseline), state) for baseline in (None, '["L1"]')
        )
        assert (before.goal, before.status, before.word) == (after.goal, after.status, after.word)
        if before.goal is Goal.REACHED:
            reached += 1
            assert [message.code for message in after.messages] == [""]
            assert after.messages[0].text in before.messages[0].text
    assert reached


@EACH
def test_an_unknown_order_is_reported(name: str) -> None:
    protocol, body, others = PROTOCOLS[name]
    attempt = act(body)
    judgement = judged(protocol, attempt, None, *others)
    assert outcome(judgement) == impossible(UNKNOWN)
    assert "O/1" in judgement.messages[0].text
    assert protocol.looks(attempt)[0].target == "/orders/O%2F1"
    assert 404 in protocol.looks(attempt)[0].success


WRONG = [b"", b"[]", b"{}", b'"x"', b"null", b"{", b'{"orderId": "O1"}', b'{"status": "Shipped"}']


@pytest.mark.parametrize("body", [*WRONG, b'{"orderId": {}, "status": []}', b"\xff"])
@EACH
def test_documents_that_are_no_orders_are_unreadable(name: str, body: bytes) -> None:
    protocol, asked, others = PROTOCOLS[name]
    with pytest.raises(Unreadable):
        judged(protocol, act(asked), body, *others)


# Accept and refuse.


@pytest.mark.parametrize("name", ["accept", "refuse"])
@pytest.mark.parametrize("status", ["WaitingAcceptance", "Processing", "Cancelled"])
def test_other_channels_decide_by_themselves(name: str, status: str) -> None:
    protocol, body, _ = PROTOCOLS[name]
    judgement = judged(protocol, act(body), order(status, salesChannelId="SECOND"))
    assert outcome(judgement) == impossible("approval-primary-only")
    named = order(status, salesChannelId=None, salesChannel={"id": "SECOND"})
    assert judged(protocol, act(body), named) == judgement


@pytest.mark.parametrize(("name", "word"), [("accept", "Accepted"), ("refuse", "Refused")])
def test_an_approval_sends_its_word(name: str, word: str) -> None:
    protocol, body, _ = PROTOCOLS[name]
    call = call_of(protocol, act(body), order("WaitingAcceptance"))
    assert (call.method, call.target) == ("POST", "/orders/O%2F1/approval-status")
    assert posted(call) == {"approval_status": word}


# Ship.


def parcel(number: str, *lines: str) -> dict[str, Any]:
    named = {"orderLineIds": list(lines)} if lines else {}
    return {"parcelNumber": number, "carrierName": "UPS", **named}


SHIPMENTS: dict[str, tuple[list[dict[str, Any]], dict[str, Any], Any]] = {
    "all lines": ([parcel("P1", "L1", "L2")], order("InPreparation", "", ""), OPEN),
    "somebody shipped one of them so": (
        [parcel("P1", "L1"), parcel("P2", "L2")],
        order("InPreparation", "Shipped P1", "InPreparation"),
        OPEN,
    ),
    "somebody shipped one of them otherwise": (
        [parcel("P1", "L1"), parcel("P2", "L2")],
        order("InPreparation", "Shipped P9", "InPreparation"),
        OPEN,
    ),
    "somebody shipped all": (
        [parcel("P1", "L1"), parcel("P2", "L2")],
        order("Shipped", "Shipped P1", "Shipped P2"),
        already(Status("Shipped")),
    ),
    "one so, and one otherwise": (
        [parcel("P1", "L1"), parcel("P2", "L2")],
        order("Shipped", "Shipped P1", "Shipped P9"),
        OTHERWISE,
    ),
    "the parcel in another writing": (
        [parcel("p 1", "L1")],
        order("Shipped", "Shipped P1"),
        already(Status("Shipped")),
    ),
    "delivered since": (
        [parcel("P1", "L1")],
        order("Delivered", "Delivered P1"),
        already(Status("Shipped")),
    ),
    "one of two parcels": (
        [parcel("P1", "L1"), parcel("P2", "L1")],
        order("Shipped", "Shipped P1"),
        OTHERWISE,
    ),
    "both, and a third": (
        [parcel("P1", "L1"), parcel("P2", "L1")],
        order("Shipped", line(1, "Shipped", "P3 P2 P1")),
        already(Status("Shipped")),
    ),
    "an unknown line": ([parcel("P1", "L9")], order("InPreparation"), impossible(UNKNOWN)),
    "an unknown line beside another": (
        [parcel("P1", "L1", "L9")],
        order("InPreparation", "InPreparation"),
        OPEN,
    ),
    "the warehouse's": (
        [parcel("P1", "L1")],
        order("InPreparation", "InPreparation", **WAREHOUSE),
        NOT_POSSIBLE,
    ),
    "the warehouse's, of an order of the seller's": (
        [parcel("P1", "L1")],
        order("InPreparation", line(1, "InPreparation", offer=WAREHOUSE)),
        NOT_POSSIBLE,
    ),
    "the seller's, of an order of the warehouse's": (
        [parcel("P1", "L1")],
        order("InPreparation", line(1, "InPreparation", supplyMode="Seller"), **WAREHOUSE),
        OPEN,
    ),
    "without lines": ([parcel("P1")], order("InPreparation", "", ""), OPEN),
    "without lines, one is cancelled": (
        [parcel("P1")],
        order("Shipped", "Shipped P1", "Cancelled"),
        already(Status("Shipped")),
    ),
    "without lines, all are cancelled": (
        [parcel("P1")],
        order("Cancelled", "Cancelled", "Cancelled"),
        NOT_POSSIBLE,
    ),
    "without lines, one is left": (
        [parcel("P1")],
        order("InPreparation", "Shipped P1", "InPreparation"),
        OPEN,
    ),
    "without lines, each is in one of them": (
        [parcel("P1"), parcel("P2")],
        order("Shipped", "Shipped P1", "Shipped P2"),
        already(Status("Shipped")),
    ),
    "without lines, one is in none": (
        [parcel("P1"), parcel("P2")],
        order("Shipped", "Shipped P1", "Shipped P1"),
        OTHERWISE,
    ),
    "without lines, a line is in none": (
        [parcel("P1"), parcel("P2")],
        order("Shipped", line(1, "Shipped", "P1 P2"), "Shipped P9"),
        OTHERWISE,
    ),
    "without lines, nothing is shipped yet": (
        [parcel("P1"), parcel("P2")],
        order("InPreparation", "", ""),
        OPEN,
    ),
    "beside one with a line": (
        [parcel("P1"), parcel("P2", "L1")],
        order("InPreparation", line(1, "Shipped", "P1 P2"), "InPreparation"),
        OPEN,
    ),
    "beside one with a line, all are shipped": (
        [parcel("P1"), parcel("P2", "L1")],
        order("Shipped", line(1, "Shipped", "P1 P2"), "Shipped P1"),
        already(Status("Shipped")),
    ),
    "a cancelled line that is named": (
        [parcel("P1", "L1")],
        order("InPreparation", "Cancelled", "InPreparation"),
        NOT_POSSIBLE,
    ),
}


@pytest.mark.parametrize(("body", "state", "expected"), SHIPMENTS.values(), ids=SHIPMENTS)
def test_shipments(body: Any, state: dict[str, Any], expected: Any) -> None:
    assert outcome(judged(SHIPMENT, act(body), state)) == expected


SENT: dict[str, tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, Any]]]] = {
    "all lines": (
        [parcel("P1", "L1", "L2")],
        order("InPreparation", "", "CancelRequest"),
        [parcel("P1", "L1", "L2")],
    ),
    "a line that somebody shipped": (
        [parcel("P1", "L1", "L2"), parcel("P2", "L1")],
        order("InPreparation", line(1, "Shipped", "P1 P2"), "InPreparation"),
        [parcel("P1", "L2")],
    ),
    "a line that there is not": (
        [parcel("P1", "L1"), parcel("P2", "L9")],
        order("InPreparation", "InPreparation"),
        [parcel("P1", "L1")],
    ),
    "without lines": (
        [parcel("P1")],
        order("InPreparation", "Shipped P1", "InPreparation"),
        [parcel("P1")],
    ),
}


@pytest.mark.parametrize(("body", "state", "expected"), SENT.values(), ids=SENT)
def test_only_open_lines_are_shipped(body: Any, state: dict[str, Any], expected: Any) -> None:
    call = call_of(SHIPMENT, act(body), state)
    assert (call.method, call.target) == ("POST", "/orders/O%2F1/shipments")
    assert posted(call) == expected


def test_a_shipment_tells_of_each_line() -> None:
    body = [parcel("P1", "L1"), parcel("P2", "L2"), parcel("P3", "L9")]
    state = order("Shipped", "Shipped P1", "Shipped P9")
    judgement = judged(SHIPMENT, act(body), state)
    assert [(message.code, message.text) for message in judgement.messages] == [
        (
            "shipped-otherwise",
            "line L2: was shipped before, with parcel P9: this cannot change",
        ),
        (UNKNOWN, "line L9: the order has no such line"),
        ("", "line L1: is Shipped, parcel P1 UPS"),
    ]


@pytest.mark.parametrize(
    ("second", "proof"),
    [
        ("P1", "is Shipped, parcel P1 UPS"),
        ("P2", "line L1: is Shipped, parcel P1 UPS; line L2: is Shipped, parcel P2 UPS"),
    ],
)
def test_a_proof_names_the_lines_where_they_differ(second: str, proof: str) -> None:
    body = [parcel("P1", "L1"), parcel(second, "L2")]
    state = order("Shipped", "Shipped P1", f"Shipped {second}")
    (message,) = judged(SHIPMENT, act(body, "[]"), state).messages
    assert message.text == proof


@pytest.mark.parametrize(
    ("baseline", "parcels", "expected"),
    [
        ('{"L1": ""}', "", WAITING),
        ('["L1"]', "", WAITING),
        ('{"L1": ""}', "P9", OTHERWISE),
        ('{"L2": ""}', "", OTHERWISE),
        (None, "", OTHERWISE),
    ],
)
def test_parcels_may_show_later(baseline: str | None, parcels: str, expected: Any) -> None:
    """Lines that were open before sending, and are shipped with no parcel named yet."""
    state = order("Shipped", line(1, "Shipped", parcels))
    assert outcome(judged(SHIPMENT, act(SHIP_BODY, baseline), state)) == expected


def with_products(*names: str) -> dict[str, Any]:
    return {**parcel("P1"), "sellerProductReferences": list(names)}


def sold(number: int, name: str, status: str = "", parcels: str = "") -> dict[str, Any]:
    offer = {"offerId": f"offer {number}", "sellerProductId": name}
    return line(number, status, parcels, offer=offer)


@pytest.mark.parametrize(
    ("body", "lines", "expected", "travels"),
    [
        ([with_products("A")], [sold(1, "A"), sold(2, "B")], OPEN, ["L1"]),
        ([with_products("B", "A")], [sold(1, "A"), sold(2, "B")], OPEN, ["L2", "L1"]),
        (
            [with_products("B")],
            [sold(1, "A"), sold(2, "B", "Shipped", "P1")],
            already(Status("Shipped")),
            None,
        ),
        ([with_products("X")], [sold(1, "A")], impossible("order-unknown"), None),
        ([with_products("A")], [sold(1, "A"), sold(2, "A")], impossible("line-ambiguous"), None),
        ([with_products("A", "X")], [sold(1, "A")], OPEN, ["L1"]),
    ],
)
def test_a_product_may_name_its_line(
    body: Any, lines: Any, expected: Any, travels: list[str] | None
) -> None:
    """One line must have it; a parcel whose products have no line is not of the whole order."""
    state, asked = order("InPreparation", *lines), act(body)
    assert outcome(judged(SHIPMENT, asked, state)) == expected
    if travels:
        assert posted(call_of(SHIPMENT, asked, state)) == [
            {**parcel("P1"), "orderLineIds": travels}
        ]


@pytest.mark.parametrize(
    ("order_status", "line_status", "word"),
    [
        ("WaitingAcceptance", "InPreparation", "WaitingAcceptance"),
        ("Cancelled", "InPreparation", "Cancelled"),
        ("InPreparation", "Refused", "Refused"),
        ("Accepted", "Cancelled", "Cancelled"),
    ],
)
def test_the_error_of_a_shipment_names_the_hindering_status(
    order_status: str, line_status: str, word: str
) -> None:
    judgement = judged(SHIPMENT, act(SHIP_BODY), order(order_status, line_status))
    assert f"is {word}: only lines in preparation" in judgement.messages[0].text


# Cancel.


def cancelling(*lines: str, offer: str = "", **fields: Any) -> dict[str, Any]:
    """The cancellation of these lines, an empty one for all."""
    listed = [{**CANCEL_LINE, "lineId": name, "offerId": offer, **fields} for name in lines]
    return {"orderSellerId": "O/1", "lines": listed}


CANCELLATIONS: dict[str, tuple[dict[str, Any], dict[str, Any], Any]] = {
    "a line": (cancelling("L1"), order("InPreparation", "", ""), OPEN),
    "somebody cancelled one of two": (
        cancelling("L1", "L2"),
        order("InPreparation", "Cancelled", "InPreparation"),
        OPEN,
    ),
    "somebody cancelled both": (
        cancelling("L1", "L2"),
        order("InPreparation", "Cancelled", "Cancelled", "InPreparation"),
        already(Status("Cancelled")),
    ),
    "another line is cancelled": (
        cancelling("L1"),
        order("InPreparation", "InPreparation", "Cancelled"),
        OPEN,
    ),
    "all of an order": (cancelling(""), order("InPreparation", "Cancelled", ""), OPEN),
    "all of an order, which are": (
        cancelling(""),
        order("InPreparation", "Cancelled", "Cancelled"),
        already(Status("Cancelled")),
    ),
    "all, beside one by name": (
        cancelling("L1", ""),
        order("InPreparation", "Cancelled", "InPreparation"),
        OPEN,
    ),
    "an unknown line": (cancelling("L9"), order("InPreparation"), impossible(UNKNOWN)),
    "the warehouse's": (
        cancelling("L1"),
        order("InPreparation", "InPreparation", **WAREHOUSE),
        NOT_ELIGIBLE,
    ),
    "the warehouse's, shipped": (
        cancelling("L1"),
        order("Shipped", "Shipped P1", **WAREHOUSE),
        OPEN,
    ),
    "the warehouse's, cancelled": (
        cancelling("L1"),
        order("Cancelled", "Cancelled", **WAREHOUSE),
        already(Status("Cancelled")),
    ),
    "the customer asks for it": (
        cancelling("L1"),
        order("InPreparation", "CancelRequest"),
        OPEN,
    ),
}


@pytest.mark.parametrize(("body", "state", "expected"), CANCELLATIONS.values(), ids=CANCELLATIONS)
def test_cancellations(body: Any, state: dict[str, Any], expected: Any) -> None:
    assert outcome(judged(CANCELLATION, act(body), state)) == expected


REASONS = {"items": [{"code": "broken"}, {"code": "late", "label": "Too late"}]}


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        (REASONS, OPEN),
        ({"items": ["late", "broken"]}, OPEN),
        ({"items": ["late"]}, impossible("reason-not-eligible")),
        ({"items": []}, OPEN),
        (None, OPEN),
        ({"strange": 1}, OPEN),
    ],
)
def test_a_reason_that_the_service_does_not_list_is_not_sent(reasons: Any, expected: Any) -> None:
    state = order("InPreparation", "", "")
    assert outcome(judged(CANCELLATION, act(cancelling("L1")), state, reasons)) == expected
    cancelled = order("InPreparation", "Cancelled", "")
    judgement = judged(CANCELLATION, act(cancelling("L1")), cancelled, reasons)
    assert outcome(judgement) == already(Status("Cancelled"))


def test_the_error_of_an_unknown_reason_lists_the_known_ones() -> None:
    attempt = act(cancelling("L1", reason="nonsense"))
    (message,) = judged(CANCELLATION, attempt, order("InPreparation", ""), REASONS).messages
    assert message.text == (
        "“nonsense” is not a reason that the service takes here; "
        "choose one of: broken, late (Too late)"
    )


def test_the_reasons_are_those_of_the_order_as_it_is_before_the_request() -> None:
    (call,) = CANCELLATION.looks(act(CANCEL_BODY))
    assert call.following
    asked = call.following(reply(order("Shipped", "", salesChannelId="SECOND")))
    assert isinstance(asked, Call)
    assert (asked.target, dict(asked.query)) == (
        "/cancellation-reasons",
        {"salesChannel": "SECOND", "userType": "Seller", "orderStatus": "Shipped"},
    )
    assert dict(asked.headers) == {"Accept-Language": "en-US"}
    assert {400, 403, 404} <= asked.success
    assert call.following(reply(None)) is None
    (after,) = CANCELLATION.looks(act(CANCEL_BODY, "[]"))
    assert after.following is None


WHOLE = {"orderSellerId": "O/1", "reason": "broken", "shippingCostRefund": True}
TWO_WAYS = {
    "orderSellerId": "O/1",
    "lines": [
        {**CANCEL_LINE, "offerId": "offer 1"},
        {**CANCEL_LINE, "lineId": "L2", "offerId": "offer 2", "shippingCostRefund": False},
    ],
}


def cancelled_lines(*numbers: int) -> dict[str, Any]:
    listed = [{**CANCEL_LINE, "lineId": f"L{n}", "offerId": f"offer {n}"} for n in numbers]
    return {"orderSellerId": "O/1", "lines": listed}


CANCELLED: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "all lines": (cancelling("L1", "L2"), order("InPreparation", "", ""), WHOLE),
    "the order": (cancelling(""), order("InPreparation", "", ""), WHOLE),
    "some lines": (cancelling("L2"), order("InPreparation", "", ""), cancelled_lines(2)),
    "the rest": (
        cancelling("L1", "L2"),
        order("InPreparation", "Cancelled", ""),
        cancelled_lines(2),
    ),
    "the order's rest": (
        cancelling(""),
        order("InPreparation", "", "Cancelled"),
        cancelled_lines(1),
    ),
    "all, beside one by name": (cancelling("L1", ""), order("InPreparation", "", ""), WHOLE),
    "in two ways": (
        {
            "orderSellerId": "O/1",
            "lines": [
                CANCEL_LINE,
                {**CANCEL_LINE, "lineId": "L2", "shippingCostRefund": False},
            ],
        },
        order("InPreparation", "", ""),
        TWO_WAYS,
    ),
    "the sheet names the offer": (
        cancelling("L1", offer="own"),
        order("InPreparation", "", ""),
        cancelling("L1", offer="own"),
    ),
    "what the warehouse has not shipped": (
        cancelling("L1", "L2"),
        order("InPreparation", "InPreparation", line(2, "InPreparation", **WAREHOUSE)),
        cancelled_lines(1),
    ),
}


@pytest.mark.parametrize(("body", "state", "expected"), CANCELLED.values(), ids=CANCELLED)
def test_an_order_is_cancelled_whole_where_it_can_be(
    body: Any, state: dict[str, Any], expected: dict[str, Any]
) -> None:
    call = call_of(CANCELLATION, act(body), state)
    part = "partial-" if "lines" in expected else ""
    assert call.target == f"/order-{part}cancellation-requests"
    assert posted(call) == expected


@pytest.mark.parametrize("name", ["ship", "cancel"])
def test_before_it_is_looked_at_all_that_is_asked_for_is_the_call(name: str) -> None:
    protocol, body, _ = PROTOCOLS[name]
    assert posted(protocol.call(act(body))) == body


# Gestures.


def request(name: str, **fields: Any) -> dict[str, Any]:
    usual = {"status": "Created", "orderId": "O/1", "reason": "MissingProduct", "amount": 5}
    return {"requestId": name, **usual, **fields}


def granted(amount: Any = 9, *requests: Any, baseline: str | None = None) -> Judgement:
    """The judgement of a gesture of 5.00 for a shipped order."""
    available = None if amount is None else {"allowableAmount": amount}
    state = (order("Shipped", "Shipped P1"), available, {"items": list(requests)})
    return judged(GRANT, act(GESTURE_BODY, baseline), *state)


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (9, OPEN),
        (5, OPEN),
        ("5.00", OPEN),
        (4.99, impossible("gesture-above-available")),
        (0, impossible("gesture-above-available")),
        # What the service does not say hinders nothing.
        (None, OPEN),
        ("much", OPEN),
    ],
)
def test_a_gesture_is_within_the_available_amount(amount: Any, expected: Any) -> None:
    assert outcome(granted(amount)) == expected


NEW: dict[str, tuple[list[Any], Any]] = {
    "none": ([], OPEN),
    "one that was there": ([request("G1", status="Accepted")], OPEN),
    "another amount": ([request("G2", amount=6)], OPEN),
    "another reason": ([request("G2", reason="Other")], OPEN),
    "another order": ([request("G2", orderId="O2")], OPEN),
    "not decided": ([request("G2")], WAITING),
    "a word that nobody knows": ([request("G2", status="Frozen")], WAITING),
    "granted": ([request("G2", status="Accepted")], (Goal.REACHED, Status.ACCEPTED, "")),
    "refused": ([request("G2", status="Refused")], (Goal.OTHERWISE, Status.REJECTED, "")),
    "an amount as text": (
        [request("G1"), request("G2", status="Success", amount="5.00")],
        (Goal.REACHED, Status.ACCEPTED, ""),
    ),
}


@pytest.mark.parametrize(("requests", "expected"), NEW.values(), ids=NEW)
def test_the_request_of_a_gesture_decides_its_result(requests: list[Any], expected: Any) -> None:
    judgement = granted(0, *requests, baseline='["G1"]')
    assert outcome(judgement) == expected
    if judgement.messages:
        assert "request G2 is" in judgement.messages[0].text


def test_the_answered_gesture_is_ours() -> None:
    """Somebody else has granted the same meanwhile."""
    attempt = act(GESTURE_BODY, "[]")
    attempt = attempt._replace(package=attempt.package._replace(package_id="G2"))
    requests = {"items": [request("G1", status="Accepted"), request("G2", status="Refused")]}
    judgement = judged(GRANT, attempt, order("Shipped"), None, requests)
    assert outcome(judgement) == (Goal.OTHERWISE, Status.REJECTED, "")


def test_a_gesture_is_found_on_any_page_with_any_filter() -> None:
    """The specification shows no parameter of the list: it may be that of all orders."""
    others = [request(f"G{number}", orderId=f"O{number}") for number in range(100, 200)]
    granted = [request("G7", status="Accepted")]
    documents = (order("Shipped"), None, {"items": others}, {"items": [*others, *granted]})
    judgement = judged(GRANT, act(GESTURE_BODY, "[]"), *documents)
    assert outcome(judgement) == (Goal.REACHED, Status.ACCEPTED, "")
    *_, asked = GRANT.looks(act(GESTURE_BODY))
    assert asked.following


def test_a_gesture_sends_its_body_and_knows_the_requests_before() -> None:
    attempt = act(GESTURE_BODY)
    state = GRANT.state(
        attempt, [*map(reply, (order("Shipped"), None, [request("G1"), "strange"]))]
    )
    assert json.loads(GRANT.baseline(attempt, state)) == ["G1"]
    call = GRANT.call(attempt)
    assert (call.target, posted(call)) == ("/order-commercial-gesture-requests", GESTURE_BODY)


@pytest.mark.parametrize("body", [b"{}", b"", b"7", b'{"items": {}}', b"<html>"])
def test_an_invalid_list_of_gestures_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable):
        judged(GRANT, act(GESTURE_BODY), order("Shipped"), None, body)


def test_protocols_can_be_called_in_open_states() -> None:
    """Open states can be called, and the call names the open lines."""
    # Each status of the order with each of each line.
    for (at, order_status), (place, first) in product(enumerate(STATUSES), enumerate(LINES)):
        second = LINES[(at + place) % len(LINES)]
        state = order(order_status, line(1, first), line(2, second))
        for protocol, body in (
            (SHIPMENT, [parcel("P1", "L1", "L2")]),
            (CANCELLATION, cancelling("L1", "L2")),
        ):
            if judged(protocol, act(body), state).goal is Goal.OPEN:
                assert posted(call_of(protocol, act(body), state))
