"""The guards of orders: what they hold, and how it is sent all the same."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path

import pytest

from feedtool.areas.orders.codes import GUARDS
from feedtool.areas.orders.settings import OrderSettings
from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.feeds.selection import ReleasedGuard, SelectionOptions
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import CheckedSheet
from feedtool.runs.held import hold_guarded
from tests.conftest import Files

KEYS = (
    *("orderId", "lineId", "action", "carrierName", "parcelNumber", "reason"),
    *("shippingCostRefund", "gesture.amount", "gesture.details", "line.status", "line.total"),
)


def row(order: str, action: str = "", **cells: str) -> Mapping[str, str]:
    given = {key.replace("__", "."): value for key, value in cells.items()}
    asked = {"orderId": order, "lineId": f"{order}-1", "action": action}
    return {**dict.fromkeys(KEYS, ""), **asked, **given}


def ship(order: str, number: str = "", **cells: str) -> Mapping[str, str]:
    return row(order, "Ship", carrierName="C", parcelNumber=number or f"P-{order}", **cells)


def cancel(order: str) -> Mapping[str, str]:
    return row(order, "Cancel", reason="seller-out-of-stock", shippingCostRefund="yes")


def gesture(order: str, amount: str, total: str = "100") -> Mapping[str, str]:
    return row(order, "Gesture", gesture__amount=amount, reason="Late", line__total=total)


def orders(action: str, count: int) -> list[Mapping[str, str]]:
    make = {"Cancel": cancel, "Ship": ship, "": row}[action]
    return [make(f"{action}{number}") for number in range(count)]


HELD: Mapping[str, Mapping[str, tuple[list[Mapping[str, str]], list[int]]]] = {
    "mass-refusal": {
        "5 of 10 orders": ([*orders("Cancel", 5), *orders("Ship", 5)], [2, 3, 4, 5, 6]),
        "refusals count, too": (
            [*orders("Cancel", 4), row("R", "Refuse"), *orders("Ship", 5)],
            [2, 3, 4, 5, 6],
        ),
        "4 are few": ([*orders("Cancel", 4)], []),
        "5 of 30 orders, most of which ask for nothing": (
            [*orders("Cancel", 5), *orders("", 25)],
            [],
        ),
    },
    "gesture-total": {
        "all together": ([gesture(f"O{n}", "41", "90") for n in range(5)], [2, 3, 4, 5, 6]),
        "exactly as much": ([gesture(f"O{n}", "40", "90") for n in range(5)], []),
        "more than half of its line": ([gesture("O", "6", "11.99"), gesture("P", "6", "12")], [2]),
        "the line's total is not known": ([gesture("O", "60", "")], []),
    },
    "parcel-repeated": {
        "of two orders": ([ship("O", "8 R1"), ship("P", "8r1"), ship("Q")], [2, 3]),
        "of one order": ([ship("O", "8R1"), {**ship("O", "8R1"), "lineId": "O-2"}], []),
    },
    "ships-cancelled": {
        "the customer asked to cancel": ([ship("O", line__status="CANCELREQUEST"), ship("P")], [2]),
        "what is cancelled": ([{**cancel("O"), "line.status": "CancelRequest"}], []),
    },
}


def checked(path: Path, settings: AccountSettings | None = None) -> CheckedSheet:
    options = ReadOptions(settings or AccountSettings(), kind="orders")
    (sheet,) = check([Input(path.name, path)], options, load())
    assert not sheet.error
    return sheet


def held(sheet: CheckedSheet, *released: str) -> Iterator[tuple[int, str]]:
    assert (
        hold_guarded([sheet], SelectionOptions(released=tuple(map(ReleasedGuard, released)))) == []
    )
    for result in sheet.selected.withheld or ():
        yield from ((result.row, message.code) for message in result.messages)


@pytest.mark.parametrize(
    ("code", "rows", "expected"),
    [
        pytest.param(code, *case, id=f"{code}: {name}")
        for code, table in HELD.items()
        for name, case in table.items()
    ],
)
def test_rows_are_held_until_they_are_released(
    files: Files, code: str, rows: list[Mapping[str, str]], expected: list[int]
) -> None:
    path = files.csv(*rows, name="orders.csv")
    assert [*held(checked(path))] == [(at, code) for at in expected]
    sheet = checked(path)
    assert [*held(sheet, code)] == []
    assert len([*sheet.valid_items()]) > 0


def test_a_guard_of_zero_holds_no_row(files: Files) -> None:
    zero = Decimal(0)
    orders_off = OrderSettings(refusals=zero, gestures=zero, gesture_share=zero)
    off = AccountSettings().having(orders_off)
    rows = [*orders("Cancel", 9), *(gesture(f"O{n}", "90") for n in range(9))]
    assert [*held(checked(files.csv(*rows, name="orders.csv"), off))] == []


def test_a_request_is_held_with_all_of_its_rows(files: Files) -> None:
    two = {**ship("O", "8R1"), "lineId": "O-2", "line.status": "CancelRequest"}
    path = files.csv(ship("O", "8R1"), two, name="orders.csv")
    assert [*held(checked(path))] == [(2, "ships-cancelled"), (3, "ships-cancelled")]


def test_a_repeated_gesture_is_held(files: Files) -> None:
    path = files.csv(gesture("O", "5"), ship("P"), name="orders.csv")
    sheet = checked(path)
    hold_guarded([sheet], SelectionOptions(), lambda _: 7)
    [result] = sheet.selected.withheld or []
    [message] = result.messages
    assert (result.row, message.code) == (2, "gesture-again")
    assert "run 7" in message.text
    assert {code.name for code in GUARDS} == {*HELD, "gesture-again"}
