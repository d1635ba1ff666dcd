"""Operations, payments and invoices: where they come from, their states, filters and refusals."""

import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from feedtool.areas.finance.sandbox import events
from feedtool.areas.finance.sandbox.behaviour import FinanceBehaviour
from feedtool.areas.finance.sandbox.events import EVENT_TYPES
from tests.areas.finance.sandbox.till import (
    ALL,
    EMPTY,
    NO_PAST,
    made,
    many,
    operations,
    payments,
    sale,
    sold,
)
from tests.areas.orders.sandbox.counter import QUIET, cancel, cancel_lines, placed
from tests.sandbox.desk import START, Desk

DAY = 86_400
MONTH = {"paidAtMin": "2026-02-01T00:00:00Z", "paidAtMax": "2026-02-28T23:59:59Z"}


def everything(desk: Desk, **query: Any) -> list[Any]:
    pages = (operations(desk, **query, pageSize=100, pageIndex=number) for number in range(1, 9))
    return [item for page in pages for item in page["items"]]


def cents(amount: float) -> int:
    return round(amount * 100)


def total(operation: Any) -> int:
    """The sum of an operation's parts, each with its own sign."""
    flow = operation.get("serviceFinancialFlow", {"amount": 0})["amount"]
    parts = (operation.get(name, {"total": 0})["total"] for name in ("sale", "refund"))
    return sum(map(cents, (*parts, operation.get("commission", 0), flow)))


def test_a_month_of_the_past_has_every_type_and_adds_up(desk: Desk) -> None:
    found = everything(desk, **MONTH)
    assert {name for item in found for name in item["eventTypes"]} == set(EVENT_TYPES)
    assert all(cents(item["totalAmount"]) == total(item) for item in found)
    assert {item["paymentState"] for item in found} == {"Paid", "Blocked", "NotPayable"}
    assert all(item["stateMotive"] for item in found if item["paymentState"] == "Blocked")
    common = operations(desk, **MONTH)["common"]["totalAmount"]
    assert cents(common) == sum(cents(item["totalAmount"]) for item in found)


def test_fees_are_shown_above_zero_where_the_service_means_it(new_desk: type[Desk]) -> None:
    with new_desk(FinanceBehaviour(negative_fees=False)) as desk:
        found = everything(desk, **MONTH)
    fees = [item for item in found if "Subscription" in item["eventTypes"]]
    assert fees[0]["serviceFinancialFlow"]["amount"] > 0 > fees[0]["totalAmount"]
    assert all(item.get("commission", 0) >= 0 for item in found)
    assert any(cents(item["totalAmount"]) != total(item) for item in found)


def test_payments_equal_the_sums_of_their_operations(desk: Desk) -> None:
    found: Counter[Any] = Counter()
    for item in everything(desk, **ALL):
        day = (item["paidAt"] or item["releasePaymentDate"])[:10]
        key = day, item["salesChannel"], item["paymentState"]
        found[key] += cents(item["totalAmount"])
    paid = payments(desk)
    assert {
        (item["paymentDate"][:10], item["salesChannelId"], item["paymentState"]): cents(
            item["totalAmount"]
        )
        for item in paid
    } == found
    for item in paid:
        parts = sum(cents(part["amount"]) for part in item["operationTypes"])
        assert parts == cents(item["totalAmount"])
    assert {part["type"] for item in paid for part in item["operationTypes"]} == set(EVENT_TYPES)
    assert desk.ask("GET", "/payments/count").json == len(paid)


def test_an_order_is_sold_the_day_after_its_acceptance(new_desk: type[Desk]) -> None:
    with new_desk(*EMPTY) as desk:
        order = placed(desk)
        assert operations(desk)["items"] == []
        desk.wait(DAY)
        (item,) = operations(desk)["items"]
        assert item["operationReference"] == order.order_id
        assert item["eventTypes"] == ["Sale", "Commission"]
        assert (item["sale"]["total"], item["createdAt"][:10]) == (
            order.document["totalPrice"]["sellingPrice"],
            "2026-03-03",
        )
        assert cancel(desk, order).status < 300
        desk.wait(DAY)
        both = operations(desk, orderReference=order.order_id)
        assert both["items"][0]["eventTypes"] == ["Refund", "CommissionRestitution"]
        assert both["common"]["totalAmount"] == 0
        desk.wait(10 * DAY)
        assert len(operations(desk)["items"]) == 2


def test_a_part_of_an_order_is_given_back_once(new_desk: type[Desk]) -> None:
    with new_desk(*EMPTY) as desk:
        order = placed(desk, lines=2)
        operations(desk)
        desk.wait(DAY)
        assert cancel_lines(desk, order, 1).status < 300
        desk.wait(5 * DAY)
        types = [item["eventTypes"][0] for item in operations(desk)["items"]]
        assert sorted(types) == ["Refund", "Sale"]


STATES = {
    "before its day": (0, "Estimated", None),
    "after the statement": (8 * DAY, "Estimated", 20260309),
    "on its day": (9 * DAY, "InProcess", 20260309),
    "that evening": (9 * DAY + 12 * 3600, "Paid", 20260309),
}


def test_states_over_time(new_desk: type[Desk]) -> None:
    with new_desk(*EMPTY) as desk:
        sale(desk)
        for after, state, statement in STATES.values():
            desk.now = START + timedelta(seconds=after)
            (item,) = operations(desk)["items"]
            found = item["invoiceId"] and item["invoiceId"] // 1000
            assert (item["paymentState"], found) == (state, statement)
            # A forecast has the day of its payment alone.
            assert item["releasePaymentDate"] == "2026-03-11T00:00:00.000000Z"
            assert (item["paidAt"] or "")[:16] == ("2026-03-11T18:00" if state == "Paid" else "")
            assert payments(desk)[0]["paymentState"] == state
            by_state = operations(desk, orderReference="O1", states=state)
            assert len(by_state["items"]) == 1


def test_changed_operations_are_found_by_the_time_of_change(new_desk: type[Desk]) -> None:
    with new_desk(*EMPTY) as desk:
        sale(desk)
        for wait in (8 * DAY, DAY, DAY):
            begun = desk.now + timedelta(seconds=1)
            desk.wait(wait)
            since = {"changedAtMin": begun.isoformat(), "changedAtMax": desk.now.isoformat()}
            assert len(operations(desk, **since)["items"]) == 1
        since["changedAtMin"] = desk.now.isoformat()
        assert operations(desk, **since)["items"] == []


def test_every_fifteenth_is_blocked(new_desk: type[Desk]) -> None:
    with new_desk(*EMPTY) as desk:
        many(desk, 40)
        desk.wait(20 * DAY)
        counts = Counter(
            item["paymentState"] for item in operations(desk, **ALL, pageSize=100)["items"]
        )
        assert counts == {"Paid": 37, "Blocked": 2, "NotPayable": 1}


FILTERS: dict[str, tuple[dict[str, Any], int]] = {
    "a reference": ({"orderReference": "O1"}, 1),
    "another": ({"orderReference": "O9"}, 0),
    "a type": ({**ALL, "eventTypes": "Refund"}, 1),
    "two types": ({**ALL, "eventTypes": "Refund,Commission"}, 3),
    "a channel": ({**ALL, "salesChannelId": "SECOND"}, 1),
    "an invoice that is not there yet": ({"invoiceId": 20260309042}, 0),
    "paid at the first second": (
        {"paidAtMin": "2026-03-11T18:00:37Z", "paidAtMax": "2026-03-11T18:00:37Z"},
        1,
    ),
    "paid earlier": ({"paidAtMin": "2026-03-01T00:00:00Z", "paidAtMax": "2026-03-11T18:00:00Z"}, 0),
}


@pytest.fixture(scope="module")
def three() -> Iterator[Desk]:
    """A desk with two sales and a refund."""
    with Desk(*EMPTY) as desk:
        sale(desk)
        sale(desk, "O2", channel="SECOND")
        made(desk, events.refund(sold("O3"), desk.now, NO_PAST))
        yield desk


@pytest.mark.parametrize(("query", "count"), FILTERS.values(), ids=FILTERS)
def test_filters(three: Desk, query: dict[str, Any], count: int) -> None:
    assert len(operations(three, **query)["items"]) == count
    assert three.ask("GET", "/operations/count", query=query).json == count


REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "no filter": ("/operations", {}),
    "half a range": ("/operations", {"paidAtMin": "2026-03-01T00:00:00Z"}),
    "a count without a filter": ("/operations/count", {"states": "Paid"}),
    "no page": ("/operations", {**ALL, "pageIndex": 0}),
    "a page too many": ("/operations", {**ALL, "pageIndex": 101}),
    "too large a page": ("/operations", {**ALL, "pageSize": 101}),
    "an unknown state": ("/operations", {**ALL, "states": "paid"}),
    "an unknown type": ("/operations", {**ALL, "eventTypes": "Gift"}),
    "a date that is none": ("/operations", {**ALL, "paidAtMin": "yesterday"}),
    "an invoice that is not a number": ("/operations", {"invoiceId": "A1"}),
    "a name of the examples": ("/operations", {**ALL, "eventType": "Sale"}),
    "another one": ("/payments/count", {"payedAtMin": "2026-03-01T00:00:00Z"}),
    "an unknown state of payments": ("/payments", {"paymentStates": "Lost"}),
    "details of no number": ("/invoices/A1/details", {}),
    "details, too large a page": ("/invoices/1/details", {"pageSize": 101}),
    "no documents": ("/invoice-documents", {}),
    "one document": ("/invoice-documents", {"invoiceIds": "1"}),
    "eleven documents": ("/invoice-documents", {"invoiceIds": ",".join("12345678901")}),
}


@pytest.mark.parametrize(("path", "query"), REFUSED.values(), ids=REFUSED)
def test_wrong_filters_are_refused(desk: Desk, path: str, query: dict[str, Any]) -> None:
    assert desk.ask("GET", path, query=query).status == 400


@pytest.mark.parametrize("path", ["/details", "/details/count", "/documents"])
def test_invoices_of_another_seller_are_not_found(desk: Desk, path: str) -> None:
    invoice = operations(desk, **MONTH)["items"][0]["invoiceId"]
    assert desk.ask("GET", f"/invoices/{invoice}{path}").status == 200
    other = {"SellerId": "S2"}
    assert desk.ask("GET", f"/invoices/{invoice}{path}", headers=other).status == 404


def test_details_are_the_parts_of_the_operations(desk: Desk) -> None:
    invoice = operations(desk, **MONTH)["items"][0]["invoiceId"]
    lines = desk.ask("GET", f"/invoices/{invoice}/details", query={"pageSize": 100}).json["items"]
    assert desk.ask("GET", f"/invoices/{invoice}/details/count").json == len(lines)
    of_invoice = operations(desk, invoiceId=invoice)["common"]["totalAmount"]
    assert sum(cents(line["amount"]) for line in lines) == cents(of_invoice)
    assert len(desk.ask("GET", f"/invoices/{invoice}/details").json["items"]) == 20


def test_documents_exist_with_the_invoice(desk: Desk) -> None:
    found = sorted({item["invoiceId"] for item in everything(desk, **MONTH)})
    one = desk.ask("GET", f"/invoices/{found[0]}/documents")
    assert (one.headers["Content-Type"], one.body[:5]) == ("application/pdf", b"%PDF-")
    asked = ",".join(map(str, [*found[:2], 7]))
    archive = desk.ask("GET", "/invoice-documents", query={"invoiceIds": asked})
    assert archive.headers["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(archive.body)) as files:
        assert files.namelist() == [f"{invoice}.pdf" for invoice in found[:2]]
        assert files.read(f"{found[0]}.pdf") == one.body


def test_an_archive_may_be_refused_as_a_whole(new_desk: type[Desk]) -> None:
    with new_desk(FinanceBehaviour(is_archive_partial=False)) as desk:
        invoice = operations(desk, **MONTH)["items"][0]["invoiceId"]
        query = {"invoiceIds": f"{invoice},7"}
        assert desk.ask("GET", "/invoice-documents", query=query).status == 404


BROKEN: dict[str, tuple[FinanceBehaviour, tuple[int, int, int]]] = {
    "nothing": (NO_PAST, (0, 0, 0)),
    "an operation": (FinanceBehaviour(history=0, broken_operation=1), (1, 0, 0)),
    "a payment": (FinanceBehaviour(history=0, broken_payment="2026-03-11"), (0, 1, 0)),
    "the list": (FinanceBehaviour(history=0, is_list_broken=True), (0, 0, 1)),
}


@pytest.mark.parametrize(("behaviour", "shift"), BROKEN.values(), ids=BROKEN)
def test_one_cent_is_broken(
    new_desk: type[Desk], behaviour: FinanceBehaviour, shift: tuple[int, int, int]
) -> None:
    with new_desk(QUIET, behaviour) as desk:
        sale(desk)
        found = operations(desk)
        sums = found["items"][0], payments(desk)[0], found["common"]
        right = 10_500 - 1_260
        assert tuple(cents(shown["totalAmount"]) - right for shown in sums) == shift


def test_vat_is_broken_out_where_a_shipment_leaves_the_union(new_desk: type[Desk]) -> None:
    with new_desk(*EMPTY) as desk:
        sale(desk, is_exported=True, products=12_000, shipping=600)
        (item,) = operations(desk)["items"]
        assert item["vatSale"] == {
            "salesVatAmount": 20.0,
            "salesShippingCostVatAmount": 1.0,
            "salesTotalVatAmount": 21.0,
        }
        assert item["vatTotalAmount"] == 21.0


def test_pages_are_read_to_the_end(new_desk: type[Desk]) -> None:
    with new_desk(*EMPTY) as desk:
        many(desk, 120, timedelta(minutes=1))
        sizes = [
            len(operations(desk, **ALL, pageSize=50, pageIndex=page)["items"])
            for page in (1, 2, 3, 4)
        ]
        assert sizes == [50, 50, 20, 0]
        assert len(operations(desk)["items"]) == 20
