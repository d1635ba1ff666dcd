"""Orders from the command line: exported, filled in a spreadsheet, sent, answered, sent again."""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from tests.areas.conftest import (
    Enter,
    effects,
    fill_csv,
    killed_and_resumed,
    rows_read_once,
    submit,
)
from tests.cli.conftest import Feedtool
from tests.conftest import Files, checked

Row = Mapping[str, Any]
Fill = Callable[[Row], Mapping[str, Any]]
FIRST = 3
"""The first row of an exported sheet."""


TO_HANDLE = "--status WaitingAcceptance,InPreparation,Delivered --no-addresses"


@pytest.fixture
def shop(enter_exported: Enter) -> list[dict[str, Any]]:
    """The rows of `orders.xlsx` and `shop.csv` with possible actions, in a folder of the test."""
    export = f"export orders --sandbox {TO_HANDLE}"
    enter_exported(export, f"{export} --out shop.csv")
    return orders("orders.xlsx")


def orders(path: str) -> list[dict[str, Any]]:
    return rows_read_once(path, "Orders")


def fill(wanted: Fill, target: str = "filled.xlsx", source: str = "orders.xlsx") -> None:
    """Fills the rows of a workbook as a person does."""
    book = load_workbook(source)
    sheet = book["Orders"]
    columns = {cell.value: place for place, cell in enumerate(sheet[FIRST - 1], start=1)}
    for number, row in enumerate(orders(source), start=FIRST):
        for key, value in wanted(row).items():
            sheet.cell(number, columns[key]).value = value
    book.save(target)


def fill_plain(shop: Iterable[Row], wanted: Fill) -> None:
    """Fills the rows of `shop.csv`, into `filled.csv`."""
    fill_csv("shop.csv", "filled.csv", map(wanted, shop))


WAITING = {7, 9, 10, 15, 16}
"""Orders that would be shipped like others, and are left for later."""


def handled(row: Row) -> dict[str, Any]:
    """A shop's acts on its orders: each is accepted or refused, shipped, or cancelled."""
    last = int(row["orderId"][-3:])
    if row["status"] == "WaitingAcceptance":
        return {"action": "Refuse" if last % 2 else "Accept"}
    if row["line.status"] == "CancelRequest":
        return {
            "action": "Cancel",
            "reason": "seller-out-of-stock",
            "shippingCostRefund": "Yes",
        }
    is_to_ship = row["status"] == "InPreparation" and last not in WAITING
    if is_to_ship and row["supplyMode"] == "Seller":
        return {"carrierName": "Colissimo", "parcelNumber": f"8R{last}-{row['line.number'] % 2}"}
    return {}


PARCEL = {"carrierName", "parcelNumber"}
DONE = {"Accept": "Accepted", "Refuse": "OrderRefused", "Cancel": "Cancelled"}
"""The status of a row by its action."""


def expected_statuses(rows: Iterable[Row]) -> list[str]:
    """The statuses that the rows of `handled` come to."""
    wanted = [handled(row) for row in rows]
    return [
        DONE.get(fields.get("action", ""), "Shipped") if fields else "Skipped" for fields in wanted
    ]


def answers(path: str) -> list[tuple[str, str]]:
    return [(row["feedtool status"], row["feedtool message"]) for row in orders(path)]


def messages(result: Row) -> set[str]:
    return {message["resultCode"] for message in result["messages"]}


def test_a_filled_export_is_sent_once_and_answered(
    shop: list[dict[str, Any]], feedtool: Feedtool
) -> None:
    fill(handled)
    ran = submit(feedtool, "filled.xlsx")
    statuses = expected_statuses(shop)
    assert (ran.code, ran.statuses) == (0, statuses)
    assert set(statuses) == {*DONE.values(), "Shipped", "Skipped"}
    beside = answers("filled.result.xlsx")
    assert [status for status, _ in beside] == statuses
    for status, message in beside:
        word = {"OrderRefused": "Refused", "Skipped": "nothing is asked"}.get(status, status)
        assert word in message
    done = effects()
    assert set(done.values()) == {1}
    kinds = {"Skipped": 0, "Accepted": 1, "OrderRefused": 1, "Shipped": 1, "Cancelled": 1}
    touched = {
        (status, row["orderId"])
        for status, row in zip(statuses, shop, strict=True)
        if kinds[status]
    }
    assert len(done) == len(touched)
    assert {key for _, key in done} == {order for _, order in touched}

    # The same as CSV.
    fill_plain(shop, handled)
    again = submit(feedtool, "filled.csv")
    assert (again.code, again.statuses) == (0, statuses)
    for result in again.only["results"]:
        assert messages(result) >= ({"already-so"} if result["status"] != "Skipped" else set())
    assert effects() == done


def test_an_untouched_export_does_nothing(shop: list[dict[str, Any]], feedtool: Feedtool) -> None:
    ran = submit(feedtool, "orders.xlsx")
    assert (ran.code, ran.statuses) == (9, ["Skipped"] * len(shop))
    assert {status for status, _ in answers("orders.result.xlsx")} == {"Skipped"}
    assert not effects()


CARRIERS = {
    "French": "n° commande;numéro de suivi;transporteur;ligne",
    "keys": "orderId;parcelNumber;carrierName;lineId",
}


def carried(rows: Iterable[Row]) -> list[list[str]]:
    """A carrier's file: what is to be shipped, an order in one parcel."""
    return [
        [row["orderId"], f"8R{row['orderId'][-3:]}", "UPS", ""]
        for row in rows
        if handled(row).get("carrierName") and row["line.number"] == 1
    ]


def test_a_carriers_file_may_be_sent_every_evening(
    shop: list[dict[str, Any]], feedtool: Feedtool
) -> None:
    """Its header is understood in any language, as an English one is of the warehouse's file."""
    rows = carried(shop)
    done = {("shipment", row[0]): 1 for row in rows}
    for evening, header in enumerate(CARRIERS.values()):
        Path("parcels.csv").write_text("\n".join((header, *map(";".join, rows))), "utf-8")
        ran = submit(feedtool, "parcels.csv")
        statuses = ["Shipped"] * len(rows)
        assert (ran.only["kind"], ran.code, ran.statuses) == ("shipments", 0, statuses), header
        assert {*map("".join, map(messages, ran.only["results"]))} == (
            {"already-so"} if evening else {""}
        )
        assert effects() == done


def test_a_warehouses_file_names_products(shop: list[dict[str, Any]], feedtool: Feedtool) -> None:
    """Without lines, each parcel is of the line of its product."""
    lines = [row for row in shop if handled(row).get("carrierName")]
    header, *rows = (
        "order-id;tracking-number;carrier-name;sku",
        *(
            f"{row['orderId']};8R{row['orderId'][-3:]}{row['line.number']};UPS;{row['product.reference']}"
            for row in lines
        ),
    )
    Path("parcels.csv").write_text("\n".join((header, *rows)), "utf-8")
    ran = submit(feedtool, "parcels.csv")
    assert (ran.only["kind"], ran.code, ran.statuses) == ("shipments", 0, ["Shipped"] * len(rows))
    assert feedtool("export", "orders", "--sandbox", "--out", "after.csv").code == 0
    with Path("after.csv").open(encoding="utf-8-sig") as file:
        shown = {row["lineId"]: row["parcels.number"] for row in csv.DictReader(file)}
    for row in lines:
        assert shown[row["lineId"]] == f"8R{row['orderId'][-3:]}{row['line.number']}"


def test_a_dry_run_writes_the_requests(shop: list[dict[str, Any]], feedtool: Feedtool) -> None:
    fill_plain(shop, handled)
    ran = feedtool("submit", "filled.csv", "--dry-run", "--requests", "requests")
    assert ran.code == 0, ran
    written = sorted(Path("requests/filled.csv").iterdir())
    wanted = {(row["orderId"], handled(row).get("action", "Ship")) for row in shop if handled(row)}
    assert Counter(path.stem.split("-")[2] for path in written) == Counter(
        action for _, action in wanted
    )
    bodies = {path.stem.split("-", 2)[2]: json.loads(path.read_bytes()) for path in written}
    assert [line["shippingCostRefund"] for line in bodies["Cancel"]["lines"]] == [True]
    assert [len(parcel["orderLineIds"]) for parcel in bodies["Ship"]] == [1]
    assert bodies["Accept"] == {"approval_status": "Accepted"}
    assert not effects()


def refused(row: Row) -> dict[str, Any]:
    """Shipments of which some lack their carrier."""
    wanted = {key: value for key, value in handled(row).items() if key in PARCEL}
    is_wrong = wanted.get("carrierName") and row["order.lines"] == row["line.number"] == 1
    return {**wanted, "carrierName": None} if is_wrong else wanted


# The normal run keeps back the rows of offers, before it is asked of what kind they are.
@pytest.mark.long
def test_all_or_nothing(shop: list[dict[str, Any]], feedtool: Feedtool) -> None:
    fill_plain(shop, refused)
    assert submit(feedtool, "filled.csv", "--all-or-nothing").code == 1
    assert not effects()
    ran = submit(feedtool, "filled.csv")
    wrong = [row["orderId"] for row in shop if refused(row).get("carrierName", "") is None]
    assert wrong
    assert "Shipped" in ran.statuses
    assert (ran.code, ran.statuses.count("Invalid")) == (1, len(wrong))
    assert not {key for _, key in effects()} & {*wrong}


def test_a_reason_of_a_plain_sheet_is_refused_here(
    shop: list[dict[str, Any]], feedtool: Feedtool, files: Files
) -> None:
    whole = {row["orderId"] for row in shop if row["status"] == "WaitingAcceptance"}
    reasons = ["product-returned", "seller-price-error"]
    cancel = {"action": "Cancel", "shippingCostRefund": "Yes"}
    rows = [
        {"orderId": order, "reason": reason, **cancel}
        for order, reason in zip(sorted(whole), reasons, strict=False)
    ]
    ran = submit(feedtool, files.csv(*rows, name="cancel.csv"))
    assert ran.statuses == ["Rejected", "Cancelled"]
    assert "reason-not-eligible" in ran.out
    assert {key for kind, key in effects() if kind == "cancellation"} == {rows[1]["orderId"]}


# Killed.

WRITES = 90
"""A submit of three requests reaches fewer points; at a later one nothing dies."""
FEW = (22,)
LONG = [
    pytest.param(number, marks=pytest.mark.long) for number in range(WRITES) if number not in FEW
]


def three(row: Row) -> dict[str, Any]:
    """Refuses an order, ships one of several lines, cancels what a customer does not want."""
    shipped = row["orderId"].endswith("E008")
    is_wanted = shipped or row["line.status"] == "CancelRequest" or row["orderId"].endswith("E017")
    return handled(row) if is_wanted else {}


@pytest.mark.parametrize("at", [*FEW, *LONG])
def test_killed_at_a_write_each_is_done_once(
    shop: list[dict[str, Any]], feedtool: Feedtool, at: int
) -> None:
    fill_plain(shop, three)
    ran = killed_and_resumed(feedtool, at, WRITES, "submit", "filled.csv", "--sandbox")
    wanted = [row for row in shop if three(row)]
    statuses = expected_statuses(wanted)
    assert [status for status in ran.statuses if status != "Skipped"] == statuses
    assert set(statuses) == {"OrderRefused", "Shipped", "Cancelled"}
    done = effects()
    assert sorted(key for _, key in done) == sorted({row["orderId"] for row in wanted})
    assert set(done.values()) == {1}


def one_gesture(row: Row) -> dict[str, Any]:
    """A gesture for the one delivered order of the first ones."""
    is_meant = row["orderId"].endswith("E002")
    return {"action": "Gesture", "reason": "lost", "gesture.amount": 0.5} if is_meant else {}


WRITES_OF_GESTURE = 70
OF_GESTURE = (20,)
FURTHER = [
    pytest.param(index, marks=pytest.mark.long)
    for index in range(WRITES_OF_GESTURE)
    if index not in OF_GESTURE
]


@pytest.mark.parametrize("at", [*OF_GESTURE, *FURTHER])
def test_killed_at_a_write_a_gesture_is_never_given_twice(
    shop: list[dict[str, Any]], feedtool: Feedtool, at: int
) -> None:
    assert [row["status"] for row in shop if one_gesture(row)] == ["Delivered"]
    fill_plain(shop, one_gesture)
    submitted = ("submit", "filled.csv", "--sandbox")
    ran = killed_and_resumed(feedtool, at, WRITES_OF_GESTURE, *submitted)
    (status,) = set(ran.statuses) - {"Skipped"}
    given = effects().total()
    # Where it was not given it is not known whether it was, for only the user may say "again".
    assert (status, given) in {("Accepted", 1), ("Unknown", 0)}


# Rows in any order.


@pytest.mark.long
def test_a_file_in_a_watched_folder_is_sent_and_answered(
    feedtool: Feedtool, shop: list[dict[str, Any]]
) -> None:
    parcels = {
        row["orderId"]: filled["parcelNumber"]
        for row in shop
        if (filled := handled(row)).get("parcelNumber") and row["order.lines"] == 1
    }
    inbox = Path("watched/inbox")
    inbox.mkdir(parents=True)
    lines = [f"{order};{parcel};DHL\n" for order, parcel in parcels.items()]
    (inbox / "carrier.csv").write_text("order_id;tracking-number;carrier\n" + "".join(lines))
    fill(lambda row: {"action": "Accept"} if row["status"] == "WaitingAcceptance" else {})
    Path("filled.xlsx").rename(inbox / "orders.xlsx")
    ran = feedtool("watch watched --once --sandbox --settle 0.01 --poll 0.01")
    assert ran.code == 0, ran.err
    answers = {line.partition(" → ")[0] for line in ran.err.splitlines() if " → " in line}
    accepted = sum(row["status"] == "WaitingAcceptance" for row in shop)
    skipped = len(shop) - accepted
    assert answers == {
        f"answered: inbox/carrier.csv: {len(lines)} rows: {len(lines)} Shipped",
        f"answered: inbox/orders.xlsx: {len(shop)} rows: {accepted} Accepted, {skipped} Skipped",
    }


def order_row(order: str, number: int, **filled: str) -> dict[str, str]:
    """A row of an order; only filled cells ask for an action."""
    keys = ("action", "carrierName", "parcelNumber", "reason", "shippingCostRefund")
    amounts = ("gesture.amount", "status", "order.lines")
    row = {"orderId": order, "lineId": f"{order}-{number}", **dict.fromkeys((*keys, *amounts), "")}
    return row | {"order.lines": "2"} | filled


SHIPPED = {"action": "Ship", "carrierName": "UPS"}
CANCELLED = {"action": "Cancel", "reason": "broken", "shippingCostRefund": "No"}
GESTURE = {"action": "Gesture", "reason": "late", "gesture.amount": "2.00"}
ROWS = [
    order_row("A", 1, action="Accept"),
    order_row("A", 2, action="Accept"),
    order_row("B", 1, parcelNumber="P1", **SHIPPED),
    order_row("B", 2, parcelNumber="P1", **SHIPPED),
    order_row("B", 2, parcelNumber="P2", **SHIPPED),
    order_row("C", 1, parcelNumber="P3", **SHIPPED),
    order_row("C", 2, **CANCELLED),
    order_row("D", 1, **GESTURE),
    order_row("D", 1, **GESTURE),
    order_row("E", 1),
    order_row("F", 1, parcelNumber="", **SHIPPED),
    order_row("F", 2, parcelNumber="P4", **SHIPPED),
    order_row("G", 1, action="Refuse"),
]
WRONG = {"F", "G"}
"""Orders of which nothing is sent: a number is missing, a part is refused."""


def requests(files: Files, rows: Iterable[Mapping[str, str]]) -> Counter[tuple[str, str, str]]:
    """Type, order and content of all requests of some rows, in any order of their members."""
    (sheet,) = checked(files.csv(*rows))
    return Counter(
        (item.package_type, item.reference, "".join(sorted(item.body.decode())))
        for item in sheet.valid_items()
    )


@cache
def usual_requests(files: Files) -> Counter[tuple[str, str, str]]:
    """The requests of all rows in their order, read once for all examples of a test."""
    return requests(files, ROWS)


SAME_FOLDER = [HealthCheck.function_scoped_fixture]
FEW_EXAMPLES = settings(max_examples=12, suppress_health_check=SAME_FOLDER)
MANY_EXAMPLES = settings(max_examples=300, suppress_health_check=SAME_FOLDER)
ANY_ORDER = given(rows=st.permutations(ROWS))
ANY_PART = given(orders=st.sets(st.sampled_from("ABCDEFG"), min_size=1))


@FEW_EXAMPLES
@ANY_ORDER
def test_the_order_of_rows_does_not_change_the_requests(
    files: Files, rows: list[dict[str, str]]
) -> None:
    assert_same_requests(files, rows)


@pytest.mark.long
@MANY_EXAMPLES
@ANY_ORDER
def test_no_order_of_many_rows_changes_the_requests(
    files: Files, rows: list[dict[str, str]]
) -> None:
    assert_same_requests(files, rows)


def assert_same_requests(files: Files, rows: list[dict[str, str]]) -> None:
    sent = requests(files, rows)
    assert sent == usual_requests(files)
    assert {(kind, order) for kind, order, _ in sent} == {
        *(("Accept", "A"), ("Ship", "B"), ("Ship", "C"), ("Cancel", "C"), ("Gesture", "D")),
    }
    assert sent.total() == 6


@FEW_EXAMPLES
@ANY_PART
def test_requests_do_not_depend_on_other_orders(files: Files, orders: set[str]) -> None:
    assert_others_sent_as_before(files, orders)


@pytest.mark.long
@MANY_EXAMPLES
@ANY_PART
def test_requests_do_not_depend_on_many_other_orders(files: Files, orders: set[str]) -> None:
    assert_others_sent_as_before(files, orders)


def assert_others_sent_as_before(files: Files, orders: set[str]) -> None:
    every = usual_requests(files)
    fewer = requests(files, [row for row in ROWS if row["orderId"] in orders])
    assert fewer == Counter({it: count for it, count in every.items() if it[1] in orders})
    assert not WRONG & {order for _, order, _ in every}
