"""Products and shipments from the command line: sent, answered beside each row, never twice."""

import csv
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from feedtool.areas.inbound.sandbox.products import PRODUCTS
from feedtool.areas.inbound.sandbox.shipments import SHIPMENTS
from tests.areas.conftest import Enter, effects, killed_and_resumed, pass_time, state, submit
from tests.areas.inbound.sandbox.dock import GTINS
from tests.cli.conftest import Feedtool, coloured, rows_of
from tests.conftest import gtin

Row = dict[str, Any]
NEW_GTIN = "4006381333931"


@pytest.fixture(autouse=True)
def _shop(enter_exported: Enter) -> None:
    """A home whose sandbox has shipments, and their export."""
    enter_exported("export inbound-shipments --sandbox")


def write(path: str, rows: Iterable[Mapping[str, Any]]) -> None:
    listed = [*rows]
    with Path(path).open("w", newline="") as file:
        writer = csv.DictWriter(file, listed[0])
        writer.writeheader()
        writer.writerows(listed)


def product(code: str = NEW_GTIN, reference: str = "SKU-1", **changes: Any) -> Row:
    row = {"gtin": code, "sellerProductReference": reference, "productCondition": "New"}
    return {**row, "label": "Kettle", "weight": "1.5", "hasExpirationDate": "No", **changes}


def item(reference: str, code: str = GTINS[0], **changes: Any) -> Row:
    row = {"reference": reference, "storageCountry": "FR", "supplyMode": "Fulfillment"}
    return {**row, "gtin": code, "productCondition": "New", "quantity": "5", **changes}


def submitted(
    feedtool: Feedtool, kind: str, *rows: Row, name: str = "sheet.csv", is_waited_for: bool = True
) -> Any:
    """The results of a sheet; a shipment is asked about many times until it is accepted."""
    write(name, rows)
    return submit(feedtool, name, "--as", kind, *([] if is_waited_for else ["--no-wait"]))


ACCEPTED_AFTER = timedelta(minutes=5)


def beside(path: str = "sheet.result.csv") -> list[tuple[str, str, str]]:
    """The status, the message and the code beside each row."""
    with Path(path).open(encoding="utf-8-sig") as file:
        ours = ("feedtool status", "feedtool message", "feedtool code")
        return [(row[ours[0]], row[ours[1]], row[ours[2]]) for row in csv.DictReader(file)]


# Products.


def test_a_product_is_referenced_once_and_kept_unchanged(feedtool: Feedtool) -> None:
    ran = submitted(feedtool, "fulfillment-products", product())
    assert (ran.code, ran.statuses) == (0, ["Created"])
    assert beside() == [("Created", "is referenced", "")]
    again = submitted(feedtool, "fulfillment-products", product(weight="1.2", label="Pot"))
    assert (again.code, again.statuses) == (0, ["Existing"])
    ((_, message, _),) = beside()
    assert "weight is 1.5, not 1.2: not overwritten" in message
    assert "label is Kettle, not Pot: not overwritten" in message
    assert effects() == {("fulfilment product", "SKU-1"): 1}
    # In a workbook, differences are marked on their cells; it fills what was empty.
    assert feedtool("template fulfillment-products").code == 0
    fill("fulfillment-products.xlsx", [product(weight=1.2)])
    ran = submit(feedtool, "fulfillment-products.xlsx")
    assert (ran.code, ran.statuses) == (0, ["Existing"])
    (weight,) = (
        cell.column_letter
        for cell in load_workbook("fulfillment-products.xlsx")["Fulfilment products"][2]
        if cell.value == "weight"
    )
    assert f"{weight}3" in coloured("fulfillment-products.result.xlsx", "Fulfilment products")
    # The same again, and a reference of another product, which is refused.
    taken = product(gtin(77), "ART-000")
    ran = submitted(feedtool, "fulfillment-products", product(), taken)
    assert (ran.code, ran.statuses) == (1, ["Existing", "Rejected"])
    same, refused = beside()
    assert same == ("Existing", "was referenced before, and is as the row says", "")
    assert "ART-000 is the reference of" in refused[1]
    assert effects() == {("fulfilment product", "SKU-1"): 2}


# Shipments.


def test_a_shipment_of_several_rows_is_sent_once_and_answered(feedtool: Feedtool) -> None:
    odd = [item("I  1"), item("I\u00a02")]  # references with odd blanks
    rows = [item("PO-A"), item("PO-B", quantity="7"), item("PO-A", GTINS[1]), *odd]
    ran = submitted(feedtool, "inbound-shipments", *rows, is_waited_for=False)
    assert (ran.code, ran.statuses) == (6, ["Pending"] * 5)
    pass_time(ACCEPTED_AFTER)
    ran = feedtool("results 1 --format json")
    assert (ran.code, ran.statuses) == (0, ["Accepted"] * 5)
    assert [message for _, message, _ in beside()][:3] == [
        "shipment IN-000009 is Accepted",
        "shipment IN-000010 is Accepted",
        "shipment IN-000009 is Accepted",
    ]
    done = effects()
    assert done.items() >= {(("inbound shipment", name), 1) for name in ("PO-A", "PO-B")}
    assert [*done.values()] == [1] * 4
    again = submitted(feedtool, "inbound-shipments", *rows)
    assert (again.code, again.statuses) == (0, ["Accepted"] * 5)
    assert {code for _, _, code in beside()} == {"already-so"}
    assert effects() == done


def test_taken_unknown_or_closed_rows_are_reported_on_their_lines(feedtool: Feedtool) -> None:
    rows = [
        item("PO-0001"),
        item("PO-A", NEW_GTIN),
        item("PO-A"),
        item("PO-ES", storageCountry="ES"),
    ]
    ran = submitted(feedtool, "inbound-shipments", *rows)
    assert (ran.code, ran.statuses) == (1, ["Rejected"] * 4)
    assert [code for _, _, code in beside()] == [
        "reference-taken",
        *("product-not-referenced", "product-not-referenced"),
        "ER400",
    ]
    marks = [NEW_GTIN in message for _, message, _ in beside()]
    assert marks == [False, True, False, False]
    assert not effects()


def test_a_shipment_waits_for_its_products(feedtool: Feedtool) -> None:
    for kind, rows in {
        "inbound-shipments": [item("PO-A", NEW_GTIN), item("PO-A")],
        "fulfillment-products": [product()],
    }.items():
        assert feedtool(f"template {kind} --yes").code == 0
        fill(f"{kind}.xlsx", rows)
    ran = submit(feedtool, "inbound-shipments.xlsx", "fulfillment-products.xlsx")
    assert ran.code == 0, ran
    assert [[result["status"] for result in sheet["results"]] for sheet in ran.json] == [
        ["Accepted"] * 2,
        ["Created"],
    ]


SHEETS = {
    "inbound-shipments.xlsx": "Inbound",
    "fulfillment-products.xlsx": "Fulfilment products",
}


def fill(path: str, rows: Iterable[Row]) -> None:
    """Fills an empty template as a person does."""
    book = load_workbook(path)
    sheet = book[SHEETS[path]]
    columns = {cell.value: place for place, cell in enumerate(sheet[2], 1)}
    for number, row in enumerate(rows, 3):
        for key, value in row.items():
            sheet.cell(number, columns[key]).value = value
    book.save(path)


def test_a_refusal_marks_its_products_on_their_own_rows(feedtool: Feedtool) -> None:
    write("sheet.csv", [item("PO-A"), item("PO-A", GTINS[1])])
    ran = submit(feedtool, "sheet.csv", "--as", "inbound-shipments", "--no-wait")
    assert (ran.code, ran.statuses) == (6, ["Pending"] * 2)
    with state() as db:
        PRODUCTS.remove(db, gtin=GTINS[1])
    ran = feedtool("results 1 --format json")
    assert (ran.code, ran.statuses) == (1, ["Refused"] * 2)
    (_, first, _), (_, second, _) = beside()
    assert first == "shipment IN-000009 is Refused: UnknownProduct"
    assert second.startswith(first)
    assert "the shipment was refused for this product" in second
    # What was refused takes its reference from nobody.
    submitted(feedtool, "fulfillment-products", product(GTINS[1], "ART-001"), name="product.csv")
    rows = [item("PO-A"), item("PO-A", GTINS[1])]
    again = submitted(feedtool, "inbound-shipments", *rows, is_waited_for=False)
    assert (again.code, again.statuses) == (6, ["Pending"] * 2)
    assert effects()["inbound shipment", "PO-A"] == 2


def test_results_shows_received_quantities_later(feedtool: Feedtool) -> None:
    rows = [item(f"PO-{name}") for name in "ABCD"]  # the fourth is the shop's twelfth
    assert submitted(feedtool, "inbound-shipments", *rows, is_waited_for=False).code == 6
    pass_time(ACCEPTED_AFTER)
    assert feedtool("results 1 --format json").statuses == ["Accepted"] * 4
    pass_time(timedelta(days=10))
    ran = feedtool("results 1 --format json")
    assert (ran.code, ran.statuses) == (0, ["Accepted"] * 4)
    first, *_, last = (message for _, message, _ in beside())
    assert first == "shipment IN-000009 is AppointmentScheduled"  # it never arrives
    assert "received 4 of 5, 1 in dispute" in last
    assert feedtool("results 1 --format json").statuses == ran.statuses
    assert effects().total() == 4


# Lists.


def test_only_new_rows_of_an_export_are_sent(feedtool: Feedtool) -> None:
    rows = rows_of("inbound-shipments.xlsx", "Inbound")
    assert len(rows) == 17
    assert feedtool("validate inbound-shipments.xlsx").code == 9
    # A new row is a new shipment.
    book = load_workbook("inbound-shipments.xlsx")
    sheet = book["Inbound"]
    keys = [cell.value for cell in sheet[2]]
    new = sheet.max_row + 1
    for key, value in item("PO-NEW", quantity=3).items():
        sheet.cell(new, keys.index(key) + 1).value = value
    book.save("inbound-shipments.xlsx")
    ran = submit(feedtool, "inbound-shipments.xlsx", "--no-wait")
    assert (ran.code, ran.statuses) == (6, [*["Skipped"] * 17, "Pending"])
    assert effects() == {("inbound shipment", "PO-NEW"): 1}


SHIPMENTS_BY_FILTER = {
    "": 8,
    "--status Refused": 1,
    "--status Done,PartiallyDone": 4,
    "--in-dispute": 1,
    "--reference PO-0002": 1,
    "--code IN-000003": 1,
    "--country GB": 2,
    "--supply-mode Xdock": 1,
    "--reference NONE": 0,
    "--created-until 2020-01-01": 0,
    "--created-since 2020-01-01": 8,
}


def test_shipments_are_exported_by_filter(feedtool: Feedtool) -> None:
    shipments = {}
    for options in SHIPMENTS_BY_FILTER:
        ran = feedtool(f"export inbound-shipments --sandbox --out some.csv --yes {options}")
        assert ran.code in {0, 9}, ran
        shipments[options] = 0
        if ran.code == 0:
            with Path("some.csv").open(encoding="utf-8-sig") as file:
                shipments[options] = len({row["reference"] for row in csv.DictReader(file)})
    assert shipments == SHIPMENTS_BY_FILTER


def test_an_export_shows_the_results_of_shipments() -> None:
    rows = {row["code"]: row for row in rows_of("inbound-shipments.xlsx", "Inbound")}
    assert rows["IN-000003"]["refuse.reasons"] == "UnknownProduct"
    assert rows["IN-000004"]["received"] <= rows["IN-000004"]["quantity"]
    assert {rows[code].get("deliveryNote") for code in ("IN-000001", "IN-000003")} == {
        *("true", "false")
    }
    assert isinstance(rows["IN-000001"]["receptionDate"], datetime)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--status Arrived", "there is no status “Arrived”"),
        ("--created-since soon", "--created-since soon is not a date or a time"),
    ],
)
def test_an_unknown_filter_is_refused(feedtool: Feedtool, options: str, message: str) -> None:
    ran = feedtool(f"export inbound-shipments --sandbox --out some.csv {options}")
    assert (ran.code, ran.error()[0]) == (2, message)


def test_a_cursor_brings_changed_shipments(feedtool: Feedtool) -> None:
    export = "export inbound-shipments --sandbox --changed --out"
    assert feedtool(export, "first.csv").code == 0
    assert feedtool(export, "none.csv").code == 9
    new = item("PO-NEW")
    assert submitted(feedtool, "inbound-shipments", new, is_waited_for=False).code == 6
    assert feedtool(export, "second.csv").code == 0
    with Path("second.csv").open(encoding="utf-8-sig") as file:
        assert [row["reference"] for row in csv.DictReader(file)] == ["PO-NEW"]
    pass_time(timedelta(days=2))
    assert feedtool(export, "third.csv").code == 0
    with Path("third.csv").open(encoding="utf-8-sig") as file:
        assert "PO-NEW" in [row["reference"] for row in csv.DictReader(file)]


def test_references_and_delivery_notes(feedtool: Feedtool) -> None:
    assert feedtool("export fulfillment-references --sandbox").code == 0
    assert len(rows_of("fulfillment-references.xlsx")) == 8
    none = "export fulfillment-references --sandbox --reference NONE --out none.csv"
    assert feedtool(none).code == 9
    assert feedtool("export delivery-notes --sandbox").code == 0
    with Path("delivery-notes/delivery-notes.csv").open(encoding="utf-8-sig") as file:
        index = [*csv.DictReader(file)]
    assert [row["file"] for row in index] == [
        f"IN-{number:06d}.pdf" for number in (1, 2, 4, 5, 6, 7, 8)
    ]
    for row in index:
        assert Path("delivery-notes", row["file"]).read_bytes().startswith(b"%PDF-")


def test_a_shop_without_shipments_has_an_empty_export(feedtool: Feedtool) -> None:
    with state() as db:
        PRODUCTS.remove(db)
        SHIPMENTS.remove(db)
    for kind in ("inbound-shipments", "fulfillment-references", "delivery-notes"):
        assert feedtool(f"export {kind} --sandbox --yes").code == 9, kind


# Killed.

SHIPMENT = ("inbound-shipments", [item("PO-A"), item("PO-A", GTINS[1])], "Accepted")
PRODUCT = ("fulfillment-products", [product()], "Created")
WRITES = {"shipment": (SHIPMENT, 130), "product": (PRODUCT, 24)}
"""The request, and more points than its submit reaches, by name."""


# The normal run kills a shipment to a customer, which is found again by its reference too.
@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "rows", "status", "at"),
    [
        pytest.param(*case, number, id=f"{name}-{number}")
        for name, (case, most) in WRITES.items()
        for number in range(most)
    ],
)
def test_killed_at_a_write_each_is_done_once(
    feedtool: Feedtool, kind: str, rows: list[Row], status: str, at: int
) -> None:
    write("sheet.csv", rows)
    arguments = ("submit", "sheet.csv", "--as", kind, "--sandbox")
    ran = killed_and_resumed(feedtool, at, 130, *arguments)
    assert ran.statuses == [status] * len(rows)
    assert [*effects().values()] == [1]
