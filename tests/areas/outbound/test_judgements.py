"""Shipments, cancellations and returns: what a state says of a request, and what is looked at."""

import json
from typing import Any

import pytest

from feedtool.areas.outbound.cancellations import CANCELLATION
from feedtool.areas.outbound.returns import RETURN
from feedtool.areas.outbound.settings import OutboundSettings
from feedtool.areas.outbound.shipments import SHIPMENT
from feedtool.feeds.direct import Direct, Goal, Judgement, RequestAttempt
from feedtool.feeds.package_ref import PackageRef
from feedtool.model.call import Reply
from feedtool.model.nouns import Status
from feedtool.model.settings import AccountSettings
from feedtool.service.answers import Unreadable

DATE = {"date": "Mon, 23 Nov 2026 09:20:00 GMT"}
SENT_SINCE = json.dumps({"since": "2026-11-23T09:10:00Z", "before": ["OLD"]})
ADDRESS = {"lastName": "Martin", "city": "Brest", "countryCode": "FR"}
ITEMS: list[dict[str, Any]] = [
    {"sellerProductReference": "MUG", "expectedQuantity": 2, "delivery": {"mode": "THD"}},
    {"sellerProductReference": "POT", "expectedQuantity": 1, "delivery": {"mode": "THD"}},
]
PRICED = [{**item, "unitSalesPrice": 19.9} for item in ITEMS]
NAMED = [
    {key: item[key] for key in ("sellerProductReference", "expectedQuantity")} for item in ITEMS
]
BODY = {
    "reference": "R-1",
    "storageCountry": "FR",
    "deliveryAddress": ADDRESS,
    "items": PRICED,
}


def act(
    body: Any,
    reference: str = "R-1",
    baseline: str | None = None,
    own: str = "",
    settings: AccountSettings | None = None,
) -> RequestAttempt:
    package = PackageRef("X", "", "en", settings or AccountSettings(), own)
    content = json.dumps(body).encode()
    return RequestAttempt(package, 2, reference, content, baseline, further_rows=(3,))


def reply(document: Any) -> Reply:
    if document is None:
        return Reply(404, DATE)
    return Reply(200, DATE, json.dumps(document).encode())


def judged(protocol: Direct[Any], asked: RequestAttempt, *documents: Any) -> Judgement:
    judgement: Judgement = protocol.judge(asked, protocol.state(asked, [*map(reply, documents)]))
    return judgement


def outcome(judgement: Judgement) -> tuple[Goal, Status, str]:
    message = judgement.messages[0] if judgement.messages else None
    return judgement.goal, judgement.status, message.code if message else ""


OPEN = (Goal.OPEN, Status.PENDING, "")
WAITING = (Goal.WAITING, Status.PENDING, "")

# Creating shipments.


def shipment(status: str = "Created", name: str = "NEW", **fields: Any) -> dict[str, Any]:
    common = {"outboundShipmentId": name, "reference": "R-1", "status": status}
    return {**common, "deliveryAddress": ADDRESS, "items": ITEMS, **fields}


def page(*items: Any) -> dict[str, Any]:
    return {"items": items}


BEFORE: dict[str, tuple[dict[str, Any], tuple[Goal, Status, str]]] = {
    "nothing": (page(), OPEN),
    "another reference": (page(shipment(reference="R-2")), OPEN),
    "a longer reference": (page(shipment(reference="R-11")), OPEN),
    "rejected": (page(shipment("Rejected")), OPEN),
    "cancelled": (page(shipment("Cancelled")), OPEN),
    "being decided": (page(shipment()), WAITING),
    "an unknown word": (page(shipment("Dreaming")), WAITING),
    "accepted": (page(shipment("Accepted")), (Goal.REACHED, Status.ACCEPTED, "already-so")),
    "delivered": (page(shipment("Delivered")), (Goal.REACHED, Status.ACCEPTED, "already-so")),
    "other items": (
        page(shipment("Accepted", items=ITEMS[:1])),
        (Goal.IMPOSSIBLE, Status.REJECTED, "parcel-reference-taken"),
    ),
    "other pieces": (
        page(shipment("Accepted", items=[{**it, "expectedQuantity": 3} for it in ITEMS])),
        (Goal.IMPOSSIBLE, Status.REJECTED, "parcel-reference-taken"),
    ),
    "another address": (
        page(shipment("Accepted", deliveryAddress={**ADDRESS, "city": "Nice"})),
        (Goal.IMPOSSIBLE, Status.REJECTED, "parcel-reference-taken"),
    ),
    "another mode": (
        page(shipment("Accepted", deliveryMode="PPMR", items=NAMED)),
        (Goal.IMPOSSIBLE, Status.REJECTED, "parcel-reference-taken"),
    ),
    "a mode that is not shown": (
        page(shipment("Accepted", items=NAMED)),
        (Goal.REACHED, Status.ACCEPTED, "already-so"),
    ),
    "another mode of an item": (
        page(shipment("Accepted", items=[{**it, "delivery": {"mode": "X"}} for it in ITEMS])),
        (Goal.IMPOSSIBLE, Status.REJECTED, "parcel-reference-taken"),
    ),
    "another price": (
        page(shipment("Accepted", items=[{**it, "unitSalesPrice": 9} for it in ITEMS])),
        (Goal.IMPOSSIBLE, Status.REJECTED, "parcel-reference-taken"),
    ),
    "the same price": (
        page(shipment("Accepted", items=[{**it, "unitSalesPrice": "19.90"} for it in ITEMS])),
        (Goal.REACHED, Status.ACCEPTED, "already-so"),
    ),
    "another warehouse": (
        page(shipment("Accepted", storageCountry="ES")),
        (Goal.IMPOSSIBLE, Status.REJECTED, "parcel-reference-taken"),
    ),
    "other pieces of products that are not named": (
        page(shipment("Accepted", items=[{"quantity": 3}])),
        (Goal.IMPOSSIBLE, Status.REJECTED, "parcel-reference-taken"),
    ),
    "pieces of another name": (
        page(shipment("Accepted", items=[{"quantity": 1}, {"quantity": 2}])),
        (Goal.REACHED, Status.ACCEPTED, "already-so"),
    ),
    "an address that is not shown": (
        page(shipment("Accepted", deliveryAddress=None)),
        (Goal.REACHED, Status.ACCEPTED, "already-so"),
    ),
}


@pytest.mark.parametrize("case", BEFORE)
def test_before_a_shipment_is_sent(case: str) -> None:
    shown, expected = BEFORE[case]
    assert outcome(judged(SHIPMENT, act(BODY), shown)) == expected


AFTER: dict[str, tuple[list[Any], tuple[Goal, Status, str]]] = {
    "nothing": ([page()], OPEN),
    "what was there before": ([page(shipment("Accepted", "OLD"))], OPEN),
    "on the second page": (
        [page(shipment(reference="R-2")), page(shipment("Accepted"))],
        (Goal.REACHED, Status.ACCEPTED, ""),
    ),
    # Whatever is new and bears the reference is ours: a second parcel is worse.
    "with other items": (
        [page(shipment("Accepted", items=[]))],
        (Goal.REACHED, Status.ACCEPTED, ""),
    ),
    "not decided": ([page(shipment())], WAITING),
    "rejected": (
        [page(shipment("Rejected"))],
        (Goal.OTHERWISE, Status.REJECTED, "shipment-rejected"),
    ),
    "cancelled": ([page(shipment("Cancelled"))], (Goal.OTHERWISE, Status.REJECTED, "")),
}


@pytest.mark.parametrize("case", AFTER)
def test_after_a_shipment_was_sent(case: str) -> None:
    shown, expected = AFTER[case]
    assert outcome(judged(SHIPMENT, act(BODY, baseline=SENT_SINCE), *shown)) == expected


BLANKS = ["Z  1", "Z\u00a01", " Z 1", "Z" * 3000]
"""References that answers show folded into one line, and cut."""


@pytest.mark.parametrize("reference", BLANKS)
def test_a_reference_is_found_with_any_blanks(reference: str) -> None:
    asked, sent = {**BODY, "reference": reference}, {**RETURNED, "lines": [{**MUG, "quantity": 1}]}
    parcel = page(shipment("Accepted", reference=reference))
    assert judged(SHIPMENT, act(asked, reference), parcel).goal is Goal.REACHED
    assert judged(SHIPMENT, act(asked, reference, SENT_SINCE), parcel).goal is Goal.REACHED
    back = page(returned(1, reference))
    for baseline in (None, "[]"):
        of_return = act(sent, reference, baseline)
        assert judged(RETURN, of_return, DELIVERED, back).goal is Goal.REACHED


def test_reasons_are_reported_on_the_cells_of_their_rows() -> None:
    reasons = [{"code": "UnknownProduct", "message": "No POT.", "product": "POT"}]
    shown = page(shipment("Rejected", rejectionReasons=reasons))
    messages = judged(SHIPMENT, act(BODY, baseline=SENT_SINCE), shown).messages
    assert [(message.row, message.field, message.text) for message in messages] == [
        (3, "sellerProductReference", "No POT."),
        (2, "", "row 3 is of the same request, see there"),
    ]


@pytest.mark.parametrize(
    ("code", "field"),
    [
        ("UnknownProduct", "sellerProductReference"),
        ("InvalidDeliveryMode", "delivery.mode"),
        ("MissingPrice", "unitSalesPrice"),
        ("StorageCountry", "storageCountry"),
        ("Dreaming", ""),
    ],
)
def test_a_reason_is_reported_on_every_row_of_its_product(code: str, field: str) -> None:
    attempt = act({**BODY, "items": [ITEMS[0], ITEMS[0]]}, baseline=SENT_SINCE)
    shown = page(shipment("Rejected", rejectionReasons=[{"code": code, "product": "MUG"}]))
    messages = judged(SHIPMENT, attempt, shown).messages
    assert [(message.row, message.field) for message in messages] == [(2, field), (3, field)]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"rejectionReasons": ["No stock."]}, "No stock."),
        ({"state": {"value": "Invalid", "reasons": ["No right."]}}, "No right."),
        ({"rejectionReason": "No mode."}, "No mode."),
        ({}, "the warehouse has rejected the shipment, and names no reason"),
    ],
)
def test_reasons_of_any_shape(fields: dict[str, Any], text: str) -> None:
    shown = page(shipment("Rejected", **fields))
    messages = judged(SHIPMENT, act(BODY, baseline=SENT_SINCE), shown).messages
    assert [(message.row, message.text) for message in messages] == [(0, text)]


def test_a_rejection_is_reported_without_the_kept_request() -> None:
    attempt = act(BODY, baseline=SENT_SINCE)._replace(body=b"sha256:0")
    (message,) = judged(SHIPMENT, attempt, page(shipment("Rejected"))).messages
    assert message.code == "shipment-rejected"


def queries(asked: RequestAttempt) -> list[tuple[str, dict[str, str]]]:
    calls = SHIPMENT.looks(asked)
    return [(call.target, dict(call.query)) for call in calls]


def test_the_queries_of_a_look() -> None:
    path = "/outbound-shipments"
    assert queries(act(BODY)) == [(path, {"reference": "R-1", "limit": "100"})]
    since = {"createdAtMin": "2026-11-23T09:10:00Z", "limit": "100"}
    assert queries(act(BODY, baseline=SENT_SINCE)) == [(path, since)]
    assert queries(act(BODY, baseline=SENT_SINCE, own="A/B")) == [(f"{path}/A%2FB", {})]
    every = AccountSettings().having(OutboundSettings(reference_filter=""))
    assert queries(act(BODY, settings=every)) == [(path, {"limit": "100"})]


def test_the_baseline_is_the_time_of_sending() -> None:
    attempt = act(BODY)
    state = SHIPMENT.state(attempt, [reply(page(shipment("Rejected", "OLD")))])
    assert SHIPMENT.baseline(attempt, state) == SENT_SINCE


@pytest.mark.parametrize("body", [b"", b"{}", b'{"items": [{}]}', b'{"items": [1]}', b"<html>"])
@pytest.mark.parametrize(("protocol", "own"), [(SHIPMENT, ""), (SHIPMENT, "U"), (RETURN, "U")])
def test_an_empty_answer_is_no_proof(protocol: Direct[Any], own: str, body: bytes) -> None:
    with pytest.raises(Unreadable):
        protocol.state(act(BODY, baseline="[]", own=own), [Reply(200, DATE, body)])


# Cancelling.


def cancellable(status: str, request: str = "", at: str = "T1") -> dict[str, Any]:
    asked = {"status": request, "timestamp": at, "reason": "r"} if request else None
    return shipment(status, cancellationRequest=asked)


CANCEL = {"outboundShipmentId": "NEW", "reason": "r"}
EARLIER = cancellable("Accepted", "Rejected", "T0")
TOO_LATE = (Goal.IMPOSSIBLE, Status.REJECTED, "cancel-too-late")
REFUSED = (Goal.OTHERWISE, Status.REJECTED, "cancellation-refused")


@pytest.mark.parametrize(
    ("shown", "before", "after"),
    [
        (None, *[(Goal.IMPOSSIBLE, Status.REJECTED, "shipment-unknown")] * 2),
        (cancellable("Created"), OPEN, OPEN),
        (cancellable("Accepted"), OPEN, OPEN),
        (cancellable("InPreparation"), OPEN, OPEN),
        (cancellable("PartiallyShipped"), TOO_LATE, TOO_LATE),
        (cancellable("Shipped"), TOO_LATE, TOO_LATE),
        (cancellable("Delivered"), TOO_LATE, TOO_LATE),
        (cancellable("Rejected"), TOO_LATE, TOO_LATE),
        (cancellable("Dreaming"), WAITING, WAITING),
        (cancellable("Accepted", "Created"), WAITING, WAITING),
        (cancellable("Accepted", "InProgress"), WAITING, WAITING),
        (cancellable("Accepted", "Accepted"), OPEN, (Goal.REACHED, Status("Cancelled"), "")),
        (cancellable("Accepted", "Rejected"), OPEN, REFUSED),
        (cancellable("Shipped", "Rejected"), TOO_LATE, REFUSED),
        # An earlier request says nothing of ours.
        (EARLIER, OPEN, OPEN),
        # A new one need not have another time.
        (cancellable("Accepted", "Accepted", "T0"), OPEN, (Goal.REACHED, Status("Cancelled"), "")),
        (
            cancellable("Cancelled", "Accepted"),
            (Goal.REACHED, Status("Cancelled"), "already-so"),
            (Goal.REACHED, Status("Cancelled"), ""),
        ),
    ],
)
def test_cancellations(shown: Any, before: object, after: object) -> None:
    assert outcome(judged(CANCELLATION, act(CANCEL, "NEW"), shown)) == before
    old = CANCELLATION.state(act(CANCEL, "NEW"), [reply(EARLIER)])
    attempt = act(CANCEL, "NEW", CANCELLATION.baseline(act(CANCEL, "NEW"), old))
    assert outcome(judged(CANCELLATION, attempt, shown)) == after


def test_our_own_request_is_asked_for_and_wins() -> None:
    attempt = act(CANCEL, "NEW", "T0", own="C-1")
    assert [call.target for call in CANCELLATION.looks(attempt)] == [
        *("/outbound-shipments/NEW", "/outbound-cancellation-requests/C-1")
    ]
    own = {"status": "Rejected", "timestamp": "T2"}
    assert (
        outcome(judged(CANCELLATION, attempt, cancellable("Accepted", "Accepted"), own)) == REFUSED
    )
    # Its path is not shown: a service may have none, and its shipment tells all the same.
    shown = cancellable("Accepted", "Accepted")
    assert judged(CANCELLATION, attempt, shown, None).goal is Goal.REACHED


# Returns.

MUG = {"productId": "1", "productCondition": "New"}
SENT = {"items": [{**MUG, "expectedQuantity": 3}]}
RETURNED = {"outboundShipmentId": "S", "reference": "B-1", "reason": "Damaged"}


def returned(
    quantity: int, reference: str = "B-0", status: str = "Created", **fields: Any
) -> dict[str, Any]:
    own = {"returnId": f"{reference}-{quantity}", "reference": reference, "status": status}
    return {**own, "outboundShipmentId": "S", "lines": [{**MUG, "quantity": quantity}], **fields}


def return_attempt(
    *quantities: int, baseline: str | None = None, own: str = "", **line: Any
) -> RequestAttempt:
    lines = [{**MUG, "quantity": quantity, **line} for quantity in quantities]
    return act({**RETURNED, "lines": lines}, "B-1", baseline, own)


DELIVERED = shipment("Delivered", "S", **SENT)


def sent_as(**names: Any) -> dict[str, Any]:
    return shipment("Delivered", "S", items=[{"productId": "1", **names}])


@pytest.mark.parametrize(
    ("asked", "parcel", "returns", "expected"),
    [
        (return_attempt(3), DELIVERED, [], ""),
        (return_attempt(4), DELIVERED, [], "return-quantity"),
        (return_attempt(2, 2), DELIVERED, [], "return-quantity"),
        (return_attempt(2), DELIVERED, [returned(1)], ""),
        (return_attempt(2), DELIVERED, [returned(2)], "return-quantity"),
        (return_attempt(2), DELIVERED, [returned(2, status="Refused")], ""),
        (return_attempt(1, productId="2"), DELIVERED, [], "return-product"),
        (return_attempt(1, productCondition="LikeNew"), DELIVERED, [], "return-product"),
        (return_attempt(1), shipment("PartiallyShipped", "S", **SENT), [], ""),
        (return_attempt(1), shipment("Accepted", "S", **SENT), [], "return-not-shipped"),
        (return_attempt(1), None, [], "shipment-unknown"),
        (return_attempt(1), DELIVERED, [returned(1, "B-1")], "already-so"),
        (return_attempt(1), DELIVERED, [returned(2, "B-1")], "parcel-reference-taken"),
        (
            return_attempt(1),
            DELIVERED,
            [returned(1, "B-1", reason="Lost")],
            "parcel-reference-taken",
        ),
        # By other names; and what is not shown whole the service judges by itself.
        (return_attempt(2), sent_as(productCondition="New", quantity=1), [], "return-quantity"),
        (return_attempt(2), sent_as(condition="New", quantity=2), [], ""),
        (return_attempt(2), sent_as(productCondition="New", pieces=2), [], ""),
        (return_attempt(2), sent_as(state="New", quantity=2), [], ""),
        (return_attempt(9), shipment("Shipped", "S", items=[{"expectedQuantity": 1}]), [], ""),
    ],
)
def test_before_a_return_is_announced(
    asked: RequestAttempt, parcel: Any, returns: list[Any], expected: str
) -> None:
    judgement = judged(RETURN, asked, parcel, page(*returns))
    assert outcome(judgement)[2] == expected
    assert (judgement.goal is Goal.OPEN) == (not expected)
    # The state of a shipment is none of a return that there is not.
    assert not (judgement.goal is Goal.IMPOSSIBLE and judgement.word)


def test_an_excessive_quantity_is_reported_on_its_cell() -> None:
    messages = judged(RETURN, return_attempt(2, 2), DELIVERED, page()).messages
    assert [(message.row, message.field) for message in messages] == [(3, "quantity"), (2, "")]
    assert messages[0].text == "3 of 1 were sent: only 1 can still come back"


@pytest.mark.parametrize(
    ("returns", "expected"),
    [
        ([], OPEN),
        ([returned(1, "B-2")], OPEN),
        ([returned(7, "B-1")], OPEN),
        ([returned(1, "B-1")], (Goal.REACHED, Status.CREATED, "")),
        ([returned(1, "B-1", "Dreaming")], (Goal.REACHED, Status.CREATED, "")),
        ([returned(1, "B-1", "Refused")], (Goal.OTHERWISE, Status.REJECTED, "")),
    ],
)
def test_after_a_return_was_announced(returns: list[Any], expected: object) -> None:
    asked = return_attempt(1, baseline='["B-1-7"]')
    assert outcome(judged(RETURN, asked, DELIVERED, page(*returns))) == expected


def test_a_return_is_followed_by_its_id() -> None:
    asked = return_attempt(1, baseline="[]", own="B-1-1")
    assert [call.target for call in RETURN.looks(asked)] == ["/returns/B-1-1"]
    assert judged(RETURN, asked, returned(1, "B-1")).goal is Goal.REACHED
    assert judged(RETURN, asked, returned(1, "another")).goal is Goal.REACHED
    assert outcome(judged(RETURN, asked, None)) == OPEN


UK = {**ADDRESS, "countryCode": "UK"}
GB = {**ADDRESS, "countryCode": "GB"}


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"storageCountry": "GB"}, {"storageCountry": "UK"}),
        ({"deliveryAddress": GB}, {"deliveryAddress": UK}),
    ],
)
def test_uk_and_gb_are_one_country(asked: dict[str, Any], shown: dict[str, Any]) -> None:
    body = {**BODY, **asked}
    state = page({**shipment("Accepted"), **body, **shown})
    assert judged(SHIPMENT, act(body), state).goal is Goal.REACHED
