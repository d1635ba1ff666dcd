"""Parcels from the command line: sent, cancelled, sent back, exported, and never doubled."""

import csv
import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.outbound import columns
from feedtool.areas.outbound.feeds import FEEDS
from feedtool.areas.outbound.sandbox.parcels import SHIPMENTS
from tests.areas.conftest import (
    Enter,
    effects,
    fill_csv,
    killed_and_resumed,
    pass_time,
    rows_read_once,
    state,
    submit,
)
from tests.areas.outbound.test_rules import back, parcel
from tests.cli.conftest import Feedtool

Row = dict[str, Any]


@pytest.fixture
def shop(enter_exported: Enter) -> list[Row]:
    """The rows of `outbound-shipments.xlsx` and `shop.csv`, in a folder of the test."""
    export = "export outbound-shipments --sandbox"
    enter_exported(export, f"{export} --out shop.csv", "export returns --sandbox")
    return shipments("outbound-shipments.xlsx")


def shipments(path: str) -> list[Row]:
    return rows_read_once(path, "Outbound")


def returns(path: str) -> list[Row]:
    return rows_read_once(path, "Returns")


def write(path: str, *rows: Mapping[str, object]) -> None:
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def answers(ran: Any) -> list[tuple[str, list[str]]]:
    return [
        (result["status"], [message["resultCode"] for message in result["messages"]])
        for result in ran.only["results"]
    ]


MUG, POT = {"sellerProductReference": "ART-001"}, {"sellerProductReference": "ART-002"}
NEW = [
    parcel(reference="N-1", **MUG),
    parcel(reference="N-1", **POT, expectedQuantity="1"),
    parcel(reference="N-2", sellerProductReference="NOBODYS"),
    parcel(reference="N-2", **POT),
]


@pytest.mark.usefixtures("shop")
def test_shipments_are_sent_once_and_answered(feedtool: Feedtool) -> None:
    assert come(feedtool, "outbound-shipments", "a.csv") == 10
    assert come(feedtool, "outbound-shipments", "b.csv") == 0
    write("new.csv", *NEW)
    ran = submit(feedtool, "new.csv")
    assert (ran.code, ran.only["kind"]) == (1, "outbound-shipments")
    rejected = ("Rejected", ["shipment-rejected"])
    assert answers(ran) == [("Accepted", [""])] * 2 + [rejected, ("Rejected", [""])]
    with Path("new.result.csv").open(encoding="utf-8-sig") as file:
        beside = [row["feedtool message"] for row in csv.DictReader(file)]
    assert beside[0].startswith("is Accepted, shipment ")
    assert beside[2].endswith("sellerProductReference: UnknownProduct: NOBODYS.")
    assert beside[3] == "row 4 is of the same request, see there"
    sent = {("outbound shipment", "N-1"): 1, ("outbound shipment", "N-2"): 1}
    assert effects() == sent
    assert come(feedtool, "outbound-shipments", "c.csv") == len(NEW)
    # What was rejected may be asked for anew, what was accepted is there.
    again = submit(feedtool, "new.csv", "--no-wait")
    assert answers(again)[:2] == [("Accepted", ["already-so"])] * 2
    assert effects() == sent | {("outbound shipment", "N-2"): 2}


# The normal run checks each untouched export in `test_lists`, and sends one of orders.
@pytest.mark.long
def test_an_untouched_export_does_nothing(shop: list[Row], feedtool: Feedtool) -> None:
    ran = submit(feedtool, "outbound-shipments.xlsx", "returns.xlsx")
    statuses = [[result["status"] for result in sheet["results"]] for sheet in ran.json]
    counts = (len(shop), len(returns("returns.xlsx")))
    assert (ran.code, statuses) == (9, [["Skipped"] * count for count in counts])
    assert not effects()


def cancelled(row: Row) -> dict[str, str]:
    is_meant = row["status"] in {"Created", "InPreparation", "Delivered", "Cancelled"}
    return {"action": "Cancel", "reason": "Customer called"} if is_meant else {}


def test_shipments_are_cancelled(shop: list[Row], feedtool: Feedtool) -> None:
    fill_csv("shop.csv", "filled.csv", map(cancelled, shop))
    ran = submit(feedtool, "filled.csv", "--no-wait")
    meant = {row["status"]: place for place, row in enumerate(shop) if cancelled(row)}
    found = answers(ran)
    # The logistics partner takes two hours to decide.
    assert found[meant["InPreparation"]][0] == "Pending"
    assert found[meant["Delivered"]] == ("Rejected", ["cancel-too-late"])
    assert found[meant["Cancelled"]] == ("Cancelled", ["already-so"])
    assert ran.code == 6
    assert set(effects().values()) == {1}
    assert {kind for kind, _ in effects()} == {"outbound cancellation"}
    pass_time(timedelta(hours=3))
    ran = feedtool("results 1 --format json")
    assert answers(ran)[meant["InPreparation"]] == ("Cancelled", [""])


def of(shop: Iterable[Row], reference: str) -> Row:
    return next(row for row in shop if row["reference"] == reference)


def return_row(shop: Iterable[Row], shipment: str, **changes: str | None) -> dict[str, str]:
    """A row of a return of one of the shop's shipments."""
    source = of(shop, shipment)
    return back(outboundShipmentId=source["outboundShipmentId"], productId=source["productId"]) | {
        key: value or "" for key, value in changes.items()
    }


def come(feedtool: Feedtool, kind: str, path: str) -> int:
    """The number of rows that an export brings of what is new."""
    ran = feedtool(f"export {kind} --sandbox --new --out {path} --format json")
    if ran.code == 9:
        return 0
    assert ran.code == 0, ran
    return int(ran.only["rows"])


def test_returns_are_announced_once_and_answered(shop: list[Row], feedtool: Feedtool) -> None:
    assert come(feedtool, "returns", "d.csv") > 0
    assert come(feedtool, "returns", "e.csv") == 0
    announced = return_row(shop, "OUT-0001", reference="B-1")
    write(
        "back.csv",
        announced,
        return_row(shop, "OUT-0001", reference="B-2", quantity="6"),
        return_row(shop, "OUT-0008", reference="B-3"),
        return_row(shop, "OUT-0001", reference="B-4", reason="Undeliverable"),
        return_row(shop, "OUT-0001", reference="RET-0001"),
    )
    ran = submit(feedtool, "back.csv", "--as", "returns")
    assert answers(ran) == [
        ("Created", [""]),
        ("Rejected", ["return-quantity"]),
        ("Rejected", ["return-not-shipped"]),
        ("Invalid", ["carrier-reason"]),
        ("Created", ["already-so"]),
    ]
    assert effects() == {("return", "B-1"): 1}
    write("back.csv", announced)
    again = submit(feedtool, "back.csv", "--as", "returns")
    assert answers(again) == [("Created", ["already-so"])]
    assert effects() == {("return", "B-1"): 1}
    # The label of what was announced just now is waited for: 12 minutes of the sandbox's time.
    ran = feedtool("export return-labels --sandbox --out labels --label-format png --format json")
    assert ran.code == 0, ran
    with Path("labels/return-labels.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    labels = {row["reference"]: row["file"] for row in rows}
    assert "B-1" in labels
    for name in labels.values():
        assert name.endswith(".png")
        assert Path("labels", name).read_bytes()[:4] == b"\x89PNG"


# Exports.


def test_shipments_and_returns_are_exported(shop: list[Row]) -> None:
    by = {row["reference"]: row for row in shop}
    assert len(by) == len(shop) == 10
    assert by["OUT-0005"]["status"] == "PartiallyShipped"
    assert by["OUT-0005"]["parcels.trackingNumber"] == "6A000000051; 6A000000052"
    assert by["OUT-0005"]["parcels.status"] == "Shipped; Packaged"
    assert by["OUT-0007"]["rejection"] == "UnknownProduct: UNKNOWN-7."
    assert by["OUT-0006"]["cancellation.status"] == "Accepted"
    assert by["OUT-0001"]["deliveryAddress.city"]
    back = {row["reference"]: row for row in returns("returns.xlsx")}
    assert (back["RET-0004"]["conformity"], back["RET-0001"]["conformity"]) == (
        *("NonConform", "Conform"),
    )


NARROWED = {
    "outbound-shipments --status Delivered,Rejected": 3,
    "outbound-shipments --state Invalid": 1,
    "outbound-shipments --reference OUT-0001,OUT-0002": 2,
    "returns --non-conform": 1,
    "returns --type Carrier": 1,
    "returns --reason Damaged": 2,
    "returns --status Pending,Accepted": 2,
}


@pytest.mark.usefixtures("shop")
def test_filters(feedtool: Feedtool) -> None:
    for words, count in NARROWED.items():
        ran = feedtool(f"export {words} --sandbox --out some.csv --yes --format json")
        assert (ran.code, ran.only["rows"]) == (0, count), words
    for words in ("outbound-shipments --status Lost", "returns --type Nobody"):
        assert feedtool(f"export {words} --sandbox").code == 2
    for words in ("outbound-shipments --reference X", "returns --reference X"):
        assert feedtool(f"export {words} --sandbox --out none.csv").code == 9


def test_an_empty_list_ends_with_9(feedtool: Feedtool) -> None:
    for kind in ("outbound-shipments", "returns"):
        ran = feedtool(f"export {kind} --sandbox --reference none --out none.xlsx")
        assert ran.code == 9
        assert not Path("none.xlsx").exists()


# Labels.


@pytest.mark.usefixtures("shop")
def test_a_carrier_s_return_has_no_label(feedtool: Feedtool) -> None:
    ran = feedtool("export return-labels --sandbox --out labels --type Carrier")
    assert ran.code == 1
    text = Path("labels/return-labels.csv").read_text("utf-8")
    assert "what a carrier brings back has no label" in text
    assert feedtool("export return-labels --sandbox --out x --label-format gif").code == 2
    assert feedtool("export return-labels --sandbox --out x --reference none").code == 9


# Personal data.

SECRETS = ("Quillfeather", "77 Heliotrope Mews", "q@f.example")


@pytest.mark.usefixtures("shop")
def test_kept_files_name_no_customer(feedtool: Feedtool) -> None:
    name, street, mail = SECRETS
    address = {
        "deliveryAddress__lastName": name,
        "deliveryAddress__line": street,
        "deliveryAddress__city": name * 60,  # a warning, which quotes it
    }
    row = parcel(reference="N-1", **MUG, **address) | {"deliveryAddress.email": mail}
    wrong = {**row, "reference": "N-2", "deliveryAddress.countryCode": mail}
    write("new.csv", row, wrong)
    ran = submit(feedtool, "new.csv", "--log", "log.jsonl")
    assert ran.statuses == ["Accepted", "Invalid"]
    kept = [path.read_bytes() for path in Path("home").glob("ledger*")]
    kept.append(Path("log.jsonl").read_bytes())
    assert not [secret for secret in SECRETS for text in kept if secret.encode() in text]
    assert Path("new.result.csv").stat().st_mode & 0o777 == 0o600


def test_the_kinds_are_personal() -> None:
    assert all(feed.requests.is_personal for feed in FEEDS)
    assert all(FEEDS[0].requests.is_hidden(key) for key in columns.PERSONAL)


@pytest.mark.usefixtures("shop")
def test_an_export_without_addresses(feedtool: Feedtool) -> None:
    assert feedtool("export outbound-shipments --sandbox --no-addresses --out bare.xlsx").code == 0
    assert not any(row.get(key) for row in shipments("bare.xlsx") for key in columns.PERSONAL)


# In doubt.


@pytest.mark.usefixtures("shop")
def test_doubtful_parcels_are_held_until_released(feedtool: Feedtool) -> None:
    write("new.csv", *NEW[:2])
    assert submit(feedtool, "new.csv").code == 0
    with closing(sqlite3.connect("home/ledger.sqlite")) as db, db:
        db.execute("DELETE FROM results")
        db.execute("UPDATE requests SET fate = 'Unknown'")
    with state() as db:
        SHIPMENTS.remove(db, reference="N-1")
    held = submit(feedtool, "new.csv")
    assert answers(held) == [("Held", ["parcel-doubtful"])] * 2
    assert sum(effects().values()) == 1
    assert submit(feedtool, "new.csv", "--release", "parcel-doubtful").code == 0
    assert sum(effects().values()) == 2
    # What came of the last one is known: nothing holds it.
    assert answers(submit(feedtool, "new.csv")) == [("Accepted", ["already-so"])] * 2


# Killed.

WRITES = 70
"""A submit of a shipment reaches fewer points; at a later one nothing dies."""


def points(*few: int) -> list[Any]:
    """These points, and all others in long runs."""
    others = [number for number in range(WRITES) if number not in few]
    return [*few, *(pytest.param(at, marks=pytest.mark.long) for at in others)]


@pytest.mark.parametrize("at", points(16))
@pytest.mark.usefixtures("shop")
def test_killed_at_a_write_a_parcel_leaves_once(feedtool: Feedtool, at: int) -> None:
    write("new.csv", *NEW[:2])
    ran = killed_and_resumed(feedtool, at, WRITES, "submit", "new.csv", "--sandbox")
    assert ran.statuses == ["Accepted"] * 2
    assert effects() == {("outbound shipment", "N-1"): 1}


@pytest.mark.parametrize("at", points())
def test_killed_at_a_write_a_return_is_announced_once(
    shop: list[Row], feedtool: Feedtool, at: int
) -> None:
    write("back.csv", return_row(shop, "OUT-0001", reference="B-1"))
    arguments = ("submit", "back.csv", "--as", "returns", "--sandbox")
    ran = killed_and_resumed(feedtool, at, WRITES, *arguments)
    assert ran.statuses == ["Created"]
    assert effects() == {("return", "B-1"): 1}


@pytest.mark.parametrize("at", points())
def test_killed_at_a_write_a_cancellation_is_asked_for_once(
    shop: list[Row], feedtool: Feedtool, at: int
) -> None:
    fields = (cancelled(row) if row["status"] == "Created" else {} for row in shop)
    fill_csv("shop.csv", "filled.csv", fields)
    ran = killed_and_resumed(feedtool, at, WRITES, "submit", "filled.csv", "--sandbox")
    (status,) = set(ran.statuses) - {"Skipped"}
    assert status in {"Cancelled", "Pending"}
    (row,) = [row for row in shop if row["status"] == "Created"]
    assert effects() == {("outbound cancellation", row["outboundShipmentId"]): 1}


# The normal run writes those of orders and discussions.
@pytest.mark.long
@pytest.mark.usefixtures("shop")
def test_a_dry_run_writes_the_requests(feedtool: Feedtool) -> None:
    write("new.csv", *NEW)
    assert feedtool("submit new.csv --dry-run --requests requests").code == 0
    written = sorted(Path("requests/new.csv").iterdir())
    assert [json.loads(path.read_bytes())["reference"] for path in written] == ["N-1", "N-2"]
    assert not effects()


@pytest.mark.usefixtures("shop")
def test_a_reference_with_odd_blanks_is_sent_once(feedtool: Feedtool) -> None:
    write("odd.csv", parcel(reference="Z  1", **MUG), parcel(reference="Z\u00a02", **MUG))
    assert submit(feedtool, "odd.csv", "--no-wait").code == 6
    pass_time(timedelta(hours=1))
    assert answers(submit(feedtool, "odd.csv")) == [("Accepted", ["already-so"])] * 2
    assert set(effects().values()) == {1}
    # The second run has sent nothing: nothing of it is looked at again or left open.
    feedtool("results 2")
    assert [run["finished"] for run in feedtool("runs --format json").json] == [True, True]
    assert feedtool("resume").code == 9
