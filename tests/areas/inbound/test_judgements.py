"""The judgement of a product's and a shipment's state: result, messages, and their rows."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.areas.inbound.products import REFERENCING
from feedtool.areas.inbound.settings import InboundSettings
from feedtool.areas.inbound.shipments import LAST_WORDS, SHIPPING, STATUSES
from feedtool.areas.registry import load
from feedtool.feeds.direct import Goal, Judgement, RequestAttempt
from feedtool.feeds.package_ref import PackageRef
from feedtool.model.call import Reply
from feedtool.model.nouns import Status
from feedtool.model.settings import AccountSettings

GTIN, OTHER = "4006381333931", "3760452000016"
ITEMS = [
    {"gtin": GTIN, "productCondition": "New", "quantity": 5},
    {"gtin": OTHER, "productCondition": "New", "quantity": 2},
]
BODY = {"reference": "PO-1", "storageCountry": "FR", "supplyMode": "Xdock", "items": ITEMS}
KNOWN = [{"gtin": GTIN, "productCondition": "New"}, {"gtin": OTHER, "productCondition": "New"}]


def reply(document: Any, status: int = 200) -> Reply:
    return Reply(status, {}, json.dumps(document).encode())


def shipment(status: str = "Created", name: str = "I-1", **changes: Any) -> dict[str, Any]:
    return {**BODY, "inboundShipmentId": name, "code": "IN-1", "status": status, **changes}


def act(baseline: str | None = None, package: str = "", body: Any = BODY) -> RequestAttempt:
    ref = PackageRef("InboundShipment", "", "en", AccountSettings(), package, seller="42")
    return RequestAttempt(
        ref, 3, str(body.get("reference")), json.dumps(body).encode(), baseline, 0, (5,)
    )


def judged(
    *shipments: Any, baseline: str | None = None, package: str = "", known: Any = KNOWN
) -> Judgement:
    """The judgement of a request whose looks show these shipments and references."""
    attempt = act(baseline, package)
    references = [reply({"items": known})] if len(SHIPPING.looks(attempt)) > 1 else []
    replies = [*references, reply({"items": [*shipments]})]
    return SHIPPING.judge(attempt, SHIPPING.state(attempt, replies))


def summary(judgement: Judgement) -> "Told":
    """The goal, the status, and code and row of each message."""
    messages = [(message.code, message.row) for message in judgement.messages]
    return judgement.goal, judgement.status, messages


Told = tuple[Goal, Status, list[tuple[str, int]]]
OPEN: Told = (Goal.OPEN, Status.PENDING, [])
WAITING: Told = (Goal.WAITING, Status.PENDING, [])
TAKEN = (Goal.IMPOSSIBLE, Status.REJECTED, [("reference-taken", 0)])
ALREADY = (Goal.REACHED, Status.ACCEPTED, [("already-so", 0)])
UNREFERENCED = "product-not-referenced"


@pytest.mark.parametrize(
    ("shipments", "known", "expected"),
    [
        ([], KNOWN, OPEN),
        ([shipment("Accepted")], KNOWN, ALREADY),
        ([shipment("Accepted", items=[*reversed(ITEMS)])], KNOWN, ALREADY),
        ([shipment("Processing")], KNOWN, WAITING),
        ([shipment("Accepted", items=ITEMS[:1])], KNOWN, TAKEN),
        ([shipment("Accepted", storageCountry="GB")], KNOWN, TAKEN),
        ([shipment("Accepted", items=[{**ITEMS[0], "quantity": 6}, ITEMS[1]])], KNOWN, TAKEN),
        ([shipment("Refused")], KNOWN, OPEN),
        ([shipment("Accepted", reference="PO-11")], KNOWN, OPEN),
        (
            [],
            KNOWN[:1],
            (Goal.IMPOSSIBLE, Status.REJECTED, [(UNREFERENCED, 0), (UNREFERENCED, 5)]),
        ),
        ([], [], (Goal.IMPOSSIBLE, Status.REJECTED, [(UNREFERENCED, at) for at in (0, 3, 5)])),
        # References without their GTINs tell nothing.
        ([], [{"sellerProductReference": "SKU", "productCondition": "New"}], OPEN),
    ],
    ids=str,
)
def test_judgements_before_sending(shipments: Any, known: Any, expected: Any) -> None:
    assert summary(judged(*shipments, known=known)) == expected


def test_one_of_several_pages_of_references_decides_nothing() -> None:
    attempt = act()
    linked = replace(reply({"items": KNOWN[:1]}), headers={"link": '</v2/x?cursor=1>; rel="next"'})
    full = reply({"items": KNOWN[:1] * 1000})
    capped = reply({"items": KNOWN[:1], "itemsPerPage": 1})
    for page in (linked, full, capped):
        state = SHIPPING.state(attempt, [page, reply({"items": []})])
        assert summary(SHIPPING.judge(attempt, state)) == OPEN


@pytest.mark.parametrize("baseline", [None, "[]"])
def test_a_shipment_on_the_second_page_is_found(baseline: str | None) -> None:
    attempt = act(baseline)
    references = [reply({"items": KNOWN})] if baseline is None else []
    pages = [reply({"items": []}), reply({"items": [shipment("Accepted")]})]
    state = SHIPPING.state(attempt, [*references, *pages])
    assert SHIPPING.judge(attempt, state).goal is Goal.REACHED
    assert SHIPPING.looks(attempt)[-1].following


@pytest.mark.parametrize("reference", ["I  1", "I\u00a01", " I 1", "I" * 3000])
def test_a_reference_is_found_with_any_blanks(reference: str) -> None:
    attempt = act("[]", body={**BODY, "reference": reference})
    state = SHIPPING.state(attempt, [reply({"items": [shipment("Accepted", reference=reference)]})])
    assert SHIPPING.judge(attempt, state).goal is Goal.REACHED


def test_disputes_of_all_pages_are_counted() -> None:
    item = {**ITEMS[0], "inDisputeQuantity": 1}
    page = reply({"items": [shipment("Done", items=[item])]})
    waits = {wait.name: wait for wait in load().waits(AccountSettings())}
    wait = waits["inbound-in-dispute"]
    assert (wait.read(page), wait.read((page, page))) == (1, 2)
    assert callable(wait.call)
    call = wait.call(datetime(2026, 11, 23, tzinfo=UTC))
    assert call.following
    assert dict(call.query)["status"] == "PartiallyDone,Done"


@pytest.mark.parametrize(
    ("shipments", "package", "expected"),
    [
        ([], "", OPEN),
        ([shipment("Accepted", "I-0")], "", OPEN),  # was there before
        ([shipment("Accepted", "I-0"), shipment("Created")], "", WAITING),
        ([shipment("Accepted", items=ITEMS[:1])], "", OPEN),  # a colleague's
        ([shipment("Accepted")], "", (Goal.REACHED, Status.ACCEPTED, [("", 0)])),
        ([shipment("Accepted", items=[])], "I-1", (Goal.REACHED, Status.ACCEPTED, [("", 0)])),
    ],
    ids=str,
)
def test_after_it_was_sent(shipments: Any, package: str, expected: Any) -> None:
    assert summary(judged(*shipments, baseline='["I-0"]', package=package)) == expected


@pytest.mark.parametrize("status", [*STATUSES, "Frozen"])
def test_each_word_of_the_service(status: str) -> None:
    judgement = judged(shipment(status), baseline="[]")
    if status == "Refused":
        assert (judgement.goal, judgement.status) == (Goal.OTHERWISE, Status.REFUSED)
    elif status in {"Created", "Referencing", "Referenced", "Processing", "Frozen"}:
        assert (judgement.goal, judgement.status) == (Goal.WAITING, Status.PENDING)
    else:
        assert (judgement.goal, judgement.status) == (Goal.REACHED, Status.ACCEPTED)
    assert judgement.word == status
    assert {*STATUSES} > LAST_WORDS


def test_a_refusal_is_reported_on_the_rows_of_its_products() -> None:
    detail = {"reasons": ["UnknownProduct"], "products": [{"gtin": OTHER}]}
    judgement = judged(shipment("Refused", refuseDetail=detail), baseline="[]")
    whole, of_row = judgement.messages
    assert whole.text == "shipment IN-1 is Refused: UnknownProduct"
    assert (of_row.row, of_row.field) == (5, "gtin")


def test_received_quantities_are_reported_on_each_row() -> None:
    counted = [
        {**ITEMS[0], "receivedQuantity": 5, "inDisputeQuantity": 0},
        {**ITEMS[1], "receivedQuantity": 1, "inDisputeQuantity": 1},
    ]
    judgement = judged(shipment("PartiallyDone", items=counted), baseline="[]")
    _, first, second = judgement.messages
    assert (first.row, first.field, first.text) == (3, "", "received 5 of 5")
    text = "received 1 of 2, 1 in dispute"
    assert (second.row, second.field, second.text) == (5, "quantity", text)


def test_a_shipment_with_an_id_is_looked_at_directly() -> None:
    (look,) = SHIPPING.looks(act("[]", "I-1"))
    assert look.target == "/inbound-shipments/I-1"
    state = SHIPPING.state(act("[]", "I-1"), [reply({}, 404)])
    assert summary(SHIPPING.judge(act("[]", "I-1"), state)) == OPEN


# Products.

PRODUCT = {
    "gtin": GTIN,
    "sellerProductReference": "SKU-1",
    "productCondition": "New",
    "label": "Kettle",
    "weight": 1.5,
    "hasExpirationDate": False,
}


def product(baseline: str | None = None, **settings: Any) -> RequestAttempt:
    dialect = AccountSettings().having(InboundSettings(**settings))
    ref = PackageRef("FulfillmentProduct", "", "en", dialect, seller="S1")
    return RequestAttempt(ref, 3, "SKU-1", json.dumps(PRODUCT).encode(), baseline)


@pytest.mark.parametrize(
    ("baseline", "answer", "status", "fields"),
    [
        ("unknown", PRODUCT, Status.CREATED, []),
        ("unknown", {**PRODUCT, "gtin": "0" + GTIN, "weight": "1.5"}, Status.EXISTING, ["weight"]),
        ("known", PRODUCT, Status.EXISTING, []),
        ("known", {"gtin": GTIN}, Status.EXISTING, []),
        ("unknown", {**PRODUCT, "sellerProductReference": "X"}, Status.EXISTING, None),
        ("known", {**PRODUCT, "weight": 1.2, "label": "Pot"}, Status.EXISTING, ["label", "weight"]),
        ("known", {**PRODUCT, "hasExpirationDate": True}, Status.EXISTING, ["hasExpirationDate"]),
    ],
    ids=str,
)
def test_differing_fields_are_marked(
    baseline: str, answer: Any, status: Status, fields: Any
) -> None:
    assert REFERENCING.answered is not None
    judgement = REFERENCING.answered(product(baseline), reply(answer, 201))
    marked = [message.field for message in judgement.messages if message.field]
    assert (judgement.goal, judgement.status, judgement.word) == (Goal.REACHED, status, "")
    assert marked == (["sellerProductReference"] if fields is None else fields)


def test_texts_of_differences() -> None:
    assert REFERENCING.answered is not None
    answer = reply({**PRODUCT, "weight": 1.20, "hasExpirationDate": True}, 201)
    texts = [message.text for message in REFERENCING.answered(product("known"), answer).messages]
    assert texts[1:] == [
        "weight is 1.2, not 1.5: not overwritten",
        "hasExpirationDate is yes, not no: not overwritten",
    ]


@pytest.mark.parametrize(
    ("baseline", "references", "goal"),
    [
        (None, [], Goal.OPEN),
        (None, ["SKU-1"], Goal.OPEN),
        ("unknown", [], Goal.OPEN),
        ("unknown", ["SKU-2"], Goal.OPEN),
        ("unknown", ["SKU-1"], Goal.REACHED),
        ("known", ["SKU-1"], Goal.OPEN),
    ],
)
def test_after_a_lost_answer(baseline: str | None, references: list[str], goal: Goal) -> None:
    asked = product(baseline)
    items = [{"sellerProductReference": it, "productCondition": "New"} for it in references]
    state = REFERENCING.state(asked, [reply({"items": items})])
    assert REFERENCING.judge(asked, state).goal is goal


@pytest.mark.parametrize(
    ("seller", "settings", "number"),
    [("42", {}, 42), ("S1", {}, None), ("S1", {"seller_number": "7"}, 7)],
)
def test_the_sellers_number(seller: str, settings: Any, number: int | None) -> None:
    asked = product("unknown", **settings)
    call = REFERENCING.call(asked._replace(package=asked.package._replace(seller=seller)))
    assert json.loads(call.body or b"").get("sellerId") == number


@pytest.mark.parametrize(
    ("asked", "shown", "is_same"), [("GB", "UK", True), ("GB", "GB", True), ("FR", "UK", False)]
)
def test_uk_and_gb_are_one_country(asked: str, shown: str, *, is_same: bool) -> None:
    request = act(body={**BODY, "storageCountry": asked})
    page = reply({"items": [shipment("Accepted", storageCountry=shown)]})
    judgement = SHIPPING.judge(request, SHIPPING.state(request, [reply({"items": KNOWN}), page]))
    assert summary(judgement) == (ALREADY if is_same else TAKEN)
