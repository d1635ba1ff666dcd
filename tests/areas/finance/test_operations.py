"""A month of operations is proved with any signs of the service, to the cent."""

import csv
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.areas.finance import wire
from feedtool.areas.finance.columns import operation_row
from feedtool.areas.finance.operations import (
    OPERATION_EXPORT,
    OPERATIONS,
    PAYMENT_EXPORT,
    PAYMENTS,
)
from feedtool.areas.finance.sandbox.behaviour import FinanceBehaviour
from feedtool.areas.finance.sandbox.events import EVENT_TYPES
from feedtool.areas.finance.windows import WindowReader
from feedtool.areas.registry import sandbox_parts
from feedtool.feeds.export import ListPage, Query
from feedtool.model.call import Call, Reply
from feedtool.model.errors import NotAuthorised, NothingToDo, UsageProblem
from feedtool.sandbox import SandboxSettings
from feedtool.sandbox.server import Server
from tests.answers import BASE
from tests.areas.finance.counter import MONTH, AtDesk, brought, losses, sheets
from tests.areas.finance.sandbox.till import EMPTY, many, sale
from tests.areas.orders.sandbox.counter import QUIET
from tests.cli.conftest import Feedtool
from tests.pairs import sample
from tests.sandbox.desk import Desk

ABOVE = (
    "refunds above 0 where you pay, commissions above 0 where you pay, service fees above 0 where"
    " you pay"
)
SIGNS: dict[str, dict[str, Any]] = {
    f"{ABOVE}, commissions that you get back below 0": {
        "negative_fees": False,
        "negative_restitutions": True,
    },
    "refunds with their own sign, commissions with their own sign, service fees with their own"
    " sign": {},
    ABOVE: {"negative_fees": False},
}


@pytest.mark.parametrize(("text", "behaviour"), sample(SIGNS.items(), 1))
def test_a_month_with_all_types_adds_up_with_each_reading_of_the_signs(
    new_desk: type[Desk], tmp_path: Path, text: str, behaviour: dict[str, Any]
) -> None:
    path = tmp_path / "operations.xlsx"
    with new_desk(FinanceBehaviour(**behaviour)) as desk:
        exported = brought(OPERATION_EXPORT, AtDesk(desk), path, month=MONTH)
    found = sheets(path)
    assert losses(exported) == []
    assert {row["eventType"] for row in found["Totals"]} == set(EVENT_TYPES)
    total = sum(cents(row["totalAmount"]) for row in found["Operations"])
    assert total == sum(cents(row["gross"]) for row in found["Totals"])
    signs, number, everything, *payments = found["Check"]
    assert signs["key"] == text
    assert number["service"] == number["own"] == exported.rows
    assert cents(everything["service"]) == total
    assert {row["difference"] for row in (number, everything, *payments)} == {0}
    assert len(payments) == len(found["Payments"])
    assert all(row["totalAmount"] == row["operations"] for row in found["Payments"])
    days = [row.get("paidAt") or row["releasePaymentDate"] for row in found["Operations"]]
    assert days == sorted(days)
    paid = {row["paymentState"] for row in found["Operations"] if row.get("paidAt")}
    assert paid == {"Paid"}, "the others are forecasts, and proved by their day"
    assert not any("check" in row for row in found["Operations"])


def cents(amount: float) -> int:
    return round(amount * 100)


BROKEN: dict[str, tuple[dict[str, Any], list[str], set[str]]] = {
    "an operation": (
        {"broken_operation": 1},
        [
            "1 operation does not add up",
            "2 sums differ from the service's: see the sheet Check",
        ],
        {"Operation that does not add up", "Payment", "Sum of all operations"},
    ),
    "the list": (
        {"is_list_broken": True},
        ["1 sum differs from the service's: see the sheet Check"],
        {"Sum of all operations"},
    ),
}


@pytest.mark.parametrize(
    ("name", "is_negative"),
    [
        *sample(
            [
                ("an operation", True),
                ("the list", False),
                ("an operation", False),
                ("the list", True),
            ],
            2,
        )
    ],
)
def test_a_broken_cent_is_named_and_is_a_loss(
    new_desk: type[Desk], tmp_path: Path, name: str, *, is_negative: bool
) -> None:
    broken, told, subjects = BROKEN[name]
    behaviour = FinanceBehaviour(history=0, negative_fees=is_negative, **broken)
    path = tmp_path / "operations.xlsx"
    with new_desk(QUIET, behaviour) as desk:
        service = AtDesk(desk)
        for number in range(3):
            sale(desk, f"O{number}")
        exported = brought(OPERATION_EXPORT, service, path, month="2026-12")
        found = sheets(path)
        assert losses(exported) == told
        wrong = [row for row in found["Check"] if row.get("difference")]
        assert {row["subject"] for row in wrong} == subjects
        marked = [
            (index, row) for index, row in enumerate(found["Operations"], 3) if "check" in row
        ]
        named = [(row["row"], row["key"]) for row in wrong if "row" in row]
        assert named == [(at, row["operationReference"]) for at, row in marked]
        assert [row["check"] for _, row in marked] == [
            "the total differs by +0.01 from the sum of its parts"
        ] * len(named)
        proved = sum(cents(row["gross"]) for row in found["Totals"])
        assert proved == sum(cents(row["totalAmount"]) for row in found["Operations"])
        lenient = brought(OPERATION_EXPORT, service, path, month="2026-12", tolerance="0.01")
        assert losses(lenient) == []


def test_a_broken_payment_is_named(new_desk: type[Desk], tmp_path: Path) -> None:
    path = tmp_path / "operations.xlsx"
    with new_desk(QUIET, FinanceBehaviour(history=0, broken_payment="2026-12-01")) as desk:
        service = AtDesk(desk)
        sale(desk)
        exported = brought(OPERATION_EXPORT, service, path, month="2026-12")
    found = sheets(path)
    assert losses(exported) == ["1 sum differs from the service's: see the sheet Check"]
    (payment,) = found["Payments"]
    assert payment["difference"] == 0.01
    assert found["Check"][-1]["key"] == "2026-12-01 PRIMARY Estimated EUR"


FILTERED: dict[str, tuple[dict[str, Any], int]] = {
    "an order": ({"order": ("O1",)}, 1),
    "an order twice": ({"order": ("O1", "O1")}, 1),
    "two orders": ({"order": ("O1", "O2", "O9")}, 2),
    "a day": ({"payment_date": "2026-12-01"}, 3),
    "days": ({"paid": "2026-12-01..2026-12-02"}, 3),
    "a channel": ({"month": "2026-12", "sales_channel": ("SECOND",)}, 1),
    "a state": ({"month": "2026-12", "state": ("Estimated", "Paid")}, 3),
    "a type": ({"month": "2026-12", "type": ("Sale",)}, 3),
    "a change": ({"changed_since": "2026-11-20"}, 3),
}
ARE_PAID = {"a day", "days", "a channel", "a state"}
"""Filters that choose whole payments, with which the operations are compared."""
FURTHER = sorted(FILTERED.keys() - {"an order", "a channel"})


@pytest.fixture(scope="module")
def three_sales() -> Iterator[AtDesk]:
    """A desk with three sales, of two channels."""
    with Desk(*EMPTY) as desk:
        service = AtDesk(desk)
        sale(desk)
        sale(desk, "O2", channel="SECOND")
        sale(desk, "O3")
        yield service


@pytest.mark.parametrize(("given", "rows"), FILTERED.values(), ids=FILTERED)
def test_filters(three_sales: AtDesk, tmp_path: Path, given: dict[str, Any], rows: int) -> None:
    exported = brought(OPERATION_EXPORT, three_sales, tmp_path / "operations.csv", **given)
    assert (exported.rows, losses(exported)) == (rows, [])


@pytest.mark.parametrize("name", sample(("an order", "a channel", *FURTHER), 2))
def test_operations_are_compared_with_whole_payments(
    three_sales: AtDesk, tmp_path: Path, name: str
) -> None:
    path, (given, rows) = tmp_path / "operations.xlsx", FILTERED[name]
    brought(OPERATION_EXPORT, three_sales, path, **given)
    found = sheets(path)
    assert len(found["Operations"]) == rows
    sheets_of_payments = {"Payments"} if name in ARE_PAID else set()
    assert set(found) == {"Operations", "Totals", "Check"} | sheets_of_payments
    differences = [row["difference"] for row in found["Check"] if "difference" in row]
    assert set(differences) == {0}
    is_left_out = any("not compared" in str(row.get("key")) for row in found["Check"])
    assert is_left_out == (name not in ARE_PAID)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no filter": ({}, "say which operations"),
    "only what does not do": ({"state": ("Paid",)}, "say which operations"),
    "two ranges": ({"month": "2026-11", "payment_date": "2026-11-01"}, "give one of --month"),
    "no month": ({"month": "November"}, "is not a month"),
    "a month that is none": ({"month": "2026-13"}, "2026-13 is not a month"),
    "the last month": ({"month": "9999-12"}, "9999-12 is not a month"),
    "the last day": ({"paid": "9999-12-31"}, "9999-12-31 is not a day"),
    "days for a day": ({"payment_date": "2026-11-01..2026-11-02"}, "is not a day"),
    "no day": ({"payment_date": "21.11.2026"}, "is not a day"),
    "backwards": ({"paid": "2026-11-02..2026-11-01"}, "ends before"),
    "an invoice that is none": ({"invoice": ("F-1",)}, "identifiers are numbers"),
    "a tolerance below 0": ({"month": "2026-11", "tolerance": "-1"}, "is not an amount"),
    "a tolerance without an end": (
        {"month": "2026-11", "tolerance": "Infinity"},
        "is not an amount",
    ),
    "a tolerance that is none": ({"month": "2026-11", "tolerance": "a cent"}, "is not an amount"),
}


@pytest.mark.parametrize(("given", "told"), REFUSED.values(), ids=REFUSED)
def test_wrong_filters_are_refused(
    desk: Desk, tmp_path: Path, given: dict[str, Any], told: str
) -> None:
    with pytest.raises(UsageProblem, match=told):
        brought(OPERATION_EXPORT, AtDesk(desk), tmp_path / "x.csv", **given)


def test_an_empty_export_is_reported(new_desk: type[Desk], tmp_path: Path) -> None:
    with new_desk(*EMPTY) as desk, pytest.raises(NothingToDo, match="no operations like that"):
        brought(OPERATION_EXPORT, AtDesk(desk), tmp_path / "x.csv", month="2026-11")


def test_more_than_a_query_shows_comes_whole(new_desk: type[Desk], tmp_path: Path) -> None:
    def page(_: Query) -> Callable[[Reply, Call], ListPage]:
        return WindowReader(
            wire.OPERATIONS, lambda _, page: list(map(operation_row, page.items)), 10
        ).page

    lists = (PAYMENTS, OPERATIONS._replace(page=page))
    path = tmp_path / "operations.csv"
    with new_desk(*EMPTY) as desk:
        service = AtDesk(desk)
        many(desk, 70)
        kind = OPERATION_EXPORT._replace(listings=lambda _: lists)
        exported = brought(kind, service, path, paid="2026-11-01..2026-12-31")
    assert (exported.rows, losses(exported)) == (70, [])
    with path.open(encoding="utf-8-sig") as file:
        names = [row["operationReference"] for row in csv.DictReader(file)]
    assert len(set(names)) == 70
    assert service.asked.count("/operations/count") > 10


def test_payments_are_listed(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "payments.xlsx"
    exported = brought(PAYMENT_EXPORT, AtDesk(desk), path, state=("Blocked",))
    brought(PAYMENT_EXPORT, AtDesk(desk), tmp_path / "payments.csv")
    with (tmp_path / "payments.csv").open(encoding="utf-8-sig") as file:
        _, *lines = csv.reader(file)
    assert all(re.fullmatch(r"-?\d+\.\d\d|", amount) for line in lines for amount in line[4:])
    rows = sheets(path)["Payments"]
    assert exported.rows == len(rows) > 1
    assert {row["paymentState"] for row in rows} == {"Blocked"}
    brought(PAYMENT_EXPORT, AtDesk(desk), path, month=MONTH, language="fr")
    assert {row["paymentDate"].month for row in sheets(path)["Paiements"]} == {11}


class Payments(AtDesk):
    """The sandbox with a list of payments that takes only `pageSize`, as specified."""

    def __init__(self, desk: Desk, status: int = 200, *, is_strict: bool = False) -> None:
        super().__init__(desk)
        self._status, self._is_strict = status, is_strict

    def send(self, call: Call) -> Reply:
        """The first page of all; a refusal where more is asked for, or where it is closed."""
        if call.target != "/payments":
            return super().send(call)
        if self._status != 200 or (self._is_strict and len(call.query) > 1):
            return Reply(400 if self._status == 200 else self._status, url=BASE)
        sure = tuple(pair for pair in call.query if pair[0] == "pageSize")
        return super().send(replace(call, query=sure))


@pytest.mark.parametrize("is_strict", [False, True], ids=["ignored", "refused"])
def test_payments_are_read_where_their_list_takes_no_filter(
    new_desk: type[Desk], tmp_path: Path, *, is_strict: bool
) -> None:
    path = tmp_path / "of.xlsx"
    with new_desk(*EMPTY) as desk:
        service = Payments(desk, is_strict=is_strict)
        sale(desk)
        sale(desk, "O2", channel="SECOND")
        desk.wait(60 * 86_400)
        service.desk.now = desk.now
        sale(desk, "O3")
        months = {
            "2026-12": [("PRIMARY", "Paid"), ("SECOND", "Paid")],
            "2027-02": [("PRIMARY", "Estimated")],
        }
        for month, expected in [*months.items()][: 1 if is_strict else 2]:
            exported = brought(PAYMENT_EXPORT, service, path, month=month)
            found = [(row["salesChannelId"], row["paymentState"]) for row in row_of(path)]
            assert (sorted(found), losses(exported)) == (expected, [])
            assert losses(brought(OPERATION_EXPORT, service, path, month=month)) == []
        path = tmp_path / "of.csv"
        assert brought(PAYMENT_EXPORT, service, path, sales_channel=("SECOND",)).rows == 1
        assert brought(PAYMENT_EXPORT, service, path, state=("Paid",)).rows == 2


def row_of(path: Path) -> list[dict[str, Any]]:
    (rows,) = sheets(path).values()
    return rows


@pytest.mark.parametrize("status", sample((403, 404, 410), 2))
def test_operations_come_where_the_service_gives_no_payments(
    new_desk: type[Desk], tmp_path: Path, status: int
) -> None:
    path = tmp_path / "operations.xlsx"
    with new_desk(*EMPTY) as desk:
        service = Payments(desk, status)
        sale(desk)
        exported = brought(OPERATION_EXPORT, service, path, month="2026-12")
        with pytest.raises((UsageProblem, NotAuthorised)):
            brought(PAYMENT_EXPORT, service, path, month="2026-12")
    ((text, hint, is_loss),) = exported.notes
    assert str(status) in text
    assert (hint, is_loss) == ("the file was written without them", False)
    found = sheets(path)
    assert set(found) == {"Operations", "Totals", "Check"}
    assert found["Check"][-1]["key"] == "not compared: the service did not give them"


ALL = "--paid 2020-01-01..2035-12-31"


def test_operations_are_exported_by_the_command(feedtool: Feedtool) -> None:
    code, _, err = feedtool("export operations --sandbox")
    assert (code, err.splitlines()[0]) == (
        2,
        "error: say which operations: the service lists none without a filter",
    )
    code, _, err = feedtool(f"export operations --sandbox {ALL} --type Sale,Refund --out few.csv")
    assert (code, err) == (0, "")
    told = feedtool(f"export operations --sandbox {ALL} --format json").json
    (listed,) = told if isinstance(told, list) else (told,)
    found = sheets(Path("operations.xlsx"))
    assert listed["rows"] == len(found["Operations"])
    differences = {Decimal(str(row.get("difference", 0))) for row in found["Check"]}
    assert differences == {Decimal(0)}


def test_a_broken_cent_is_the_exit_code(
    feedtool: Feedtool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEEDTOOL_TOKEN", "sandbox")
    behaviour = SandboxSettings(parts=(FinanceBehaviour(history=20, broken_operation=5),))
    with Server(sandbox_parts(), settings=behaviour) as server:
        account = f"--base-url {server.base} --seller S1 --insecure-http"
        code, _, err = feedtool(f"export operations {account} {ALL} --out broken.xlsx")
        assert code == 1
        assert "warning: 1 operation does not add up" in err
        assert "`feedtool explain amounts-do-not-add-up` says what to do" in err
        lenient = f"export operations {account} {ALL} --tolerance 0,01 --out lenient.csv"
        assert feedtool(lenient).code == 0
    found = sheets(Path("broken.xlsx"))
    (named,) = [row for row in found["Check"] if "row" in row]
    assert found["Operations"][named["row"] - 3]["check"]


@pytest.mark.parametrize("code", ["account-missing", "amounts-do-not-add-up", "totals-differ"])
def test_each_code_has_its_page(feedtool: Feedtool, code: str) -> None:
    told = feedtool(f"explain {code}")
    assert (told.code, "To fix it" in told.out) == (0, True)
