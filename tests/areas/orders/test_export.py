"""The exports of orders: which orders they hold, what they sum up, and what they say of reasons."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from feedtool.areas.orders.columns import FILLED
from feedtool.areas.orders.export import ORDERS, SHIPMENT_EXPORT
from feedtool.areas.orders.listing import to_do
from feedtool.areas.orders.lists import PICKING
from feedtool.areas.orders.wire import PAGE, read_document
from feedtool.feeds.export import Export
from feedtool.model.call import Call, Reply
from feedtool.model.errors import NothingToDo
from feedtool.report.file import Exported
from feedtool.runs.export import export as run_export
from tests.answers import AROUND, BASE, query_of
from tests.answers import exported as export
from tests.cli.conftest import rows_of
from tests.conftest import checked, properties_of


def line(number: int, status: str, **fields: Any) -> dict[str, Any]:
    return {
        "orderLineId": f"L{number}",
        "status": status,
        "quantity": number,
        "offer": {"sellerProductId": f"SKU-{number}", "productTitle": f"Mug {number}"},
        "sellingPrice": {"unitSalesPrice": 1.5},
        "shippingAddress": {"firstName": "Zoé", "city": "Brest"},
        **fields,
    }


def order(name: str, status: str, *lines: str, **fields: Any) -> dict[str, Any]:
    """An order with lines of these statuses."""
    made = [line(number, word) for number, word in enumerate(lines or (status,), start=1)]
    return {
        "orderId": name,
        "status": status,
        "salesChannelId": "PRIMARY",
        "supplyMode": "Seller",
        "shippingCountry": "FR",
        "reference": f"REF-{name}",
        "businessOrder": False,
        "createdAt": "2026-11-20T08:00:00Z",
        "updatedAt": f"2026-11-20T08:{name[1:]:0>2}:00Z",
        "lines": made,
        **fields,
    }


class Service:
    """Lists orders by their last change as the specification has it, and reasons."""

    def __init__(
        self, orders: Iterable[Mapping[str, Any]], reasons: Mapping[str, Any] | None = None
    ) -> None:
        self._orders = sorted(orders, key=lambda it: str(it["updatedAt"]))
        self._reasons = reasons
        self.queries: list[dict[str, str]] = []

    def send(self, call: Call) -> Reply:
        """The page that is asked for."""
        query = dict(call.query)
        if call.target.endswith("/commercial-gestures-available-amounts"):
            name = call.target.split("/")[2]
            known = {"O5": {"allowableAmount": 5.5}}
            return self._reply(known[name]) if name in known else Reply(404, url=BASE)
        if call.target == "/cancellation-reasons":
            return self._listed_reasons(query)
        self.queries.append(query)
        since, number = query.get("updatedAtMin", ""), int(query["pageIndex"])
        found = [it for it in self._orders if str(it["updatedAt"]) >= since]
        return self._reply({"items": found[PAGE * (number - 1) : PAGE * number]})

    def _listed_reasons(self, query: Mapping[str, str]) -> Reply:
        assert query["userType"] == "Seller"
        if self._reasons is None:
            return Reply(404, url=BASE)
        place = f"{query['salesChannel']}|{query['orderStatus']}"
        return self._reply(self._reasons.get(place, []))

    @staticmethod
    def _reply(document: Any) -> Reply:
        return Reply(200, {}, json.dumps(document).encode(), f"{BASE}/orders")


def brought(
    kind: Export, target: Path, orders: Sequence[Mapping[str, Any]], **asked: Any
) -> Exported:
    reasons = asked.pop("reasons", None)
    return export(kind, target, service=Service(orders, reasons), **asked)


def table(kind: Export, folder: Path, *orders: Mapping[str, Any], **asked: Any) -> Any:
    """The rows of an export as CSV."""
    path = folder / "export.csv"
    brought(kind, path, orders, **asked)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


SHOP = [
    order("O1", "WaitingAcceptance"),
    order("O2", "InPreparation", salesChannelId="SECOND", businessOrder=True),
    order("O3", "InPreparation", supplyMode="Fulfillment", shippingCountry="ES"),
    order("O4", "InPreparation", "CancelRequest", "InPreparation"),
    order("O5", "Shipped"),
    order("O6", "InPreparation", "Shipped", "InPreparation"),
    order("O7", "InPreparation", "Shipped", "Cancelled"),
    order("O8", "Shipped", lines=[line(1, "Shipped", supplyMode="Xdock")]),
    order("O9", "Accepted"),
]
EVERY = [f"O{number}" for number in range(1, 10)]

FILTERS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "none": ({}, EVERY),
    "a status": ({"status": ("Shipped",)}, ["O5", "O8"]),
    "statuses": ({"status": ("Shipped", "Accepted")}, ["O5", "O8", "O9"]),
    "what is to be done": ({"to_do": True}, ["O1", "O2", "O4", "O6"]),
    "a channel": ({"sales_channel": ("SECOND",)}, ["O2"]),
    "channels": ({"sales_channel": ("SECOND", "PRIMARY")}, EVERY),
    "a supply mode": ({"supply_mode": "fulfillment"}, ["O3"]),
    "a line's supply mode": ({"supply_mode": "Xdock"}, ["O8"]),
    "a country": ({"country": ("ES", "PT")}, ["O3"]),
    "companies": ({"business": True}, ["O2"]),
    "orders": ({"order": ("O9", "O1", "none")}, ["O1", "O9"]),
    "references": ({"reference": ("REF-O4",)}, ["O4"]),
    "several filters": ({"to_do": True, "status": ("InPreparation",)}, ["O2", "O4", "O6"]),
}


@pytest.mark.parametrize(("filters", "expected"), FILTERS.values(), ids=FILTERS)
def test_filters(tmp_path: Path, filters: dict[str, Any], expected: list[str]) -> None:
    rows = table(ORDERS, tmp_path, *SHOP, **filters)
    assert list(dict.fromkeys(row["orderId"] for row in rows)) == expected


INVOICED = {"O5": "Success", "O8": "Failure"}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"missing_invoice": True}, {"O8": "Failure", "O10": ""}),
        ({}, {**dict.fromkeys(EVERY, ""), **INVOICED, "O10": ""}),
    ],
)
def test_orders_show_the_state_of_their_invoice(
    tmp_path: Path, filters: dict[str, Any], expected: dict[str, str]
) -> None:
    path = tmp_path / "orders.csv"
    query = replace(
        query_of(ORDERS, **filters),
        is_csv=True,
        last_status=lambda kind, name: INVOICED.get(name, "") if kind == "Invoices" else "",
    )
    service = Service([*SHOP, order("O10", "Delivered")])
    run_export(ORDERS, query, path, service, AROUND, service=BASE)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["orderId"]: row["invoice.status"] for row in rows} == expected


def test_changeable_properties_are_not_filtered_by_the_service(tmp_path: Path) -> None:
    service = Service(SHOP)
    wanted = {"status": ("InPreparation",), "sales_channel": ("PRIMARY",), "to_do": True}
    export(ORDERS, tmp_path / "orders.csv", service=service, **wanted)
    names = {name for query in service.queries for name in query}
    assert names == {"pageIndex", "pageSize", "sort", "salesChannelId", "updatedAtMin"}
    assert service.queries[0] == {
        "pageIndex": "1",
        "pageSize": str(PAGE),
        "sort": "updatedAt",
        "salesChannelId": "PRIMARY",
    }


def test_an_empty_export_writes_no_file(tmp_path: Path) -> None:
    with pytest.raises(NothingToDo, match=r"there are no orders$"):
        table(ORDERS, tmp_path)
    with pytest.raises(NothingToDo, match="there are no orders like that"):
        table(ORDERS, tmp_path, *SHOP, country=("DE",))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (order("O1", "WaitingAcceptance"), "accept"),
        (order("O1", "InPreparation"), "ship"),
        (order("O1", "InPreparation", "InPreparation", "CancelRequest"), "cancel"),
        (order("O1", "InPreparation", "Shipped"), ""),
        (order("O1", "InPreparation", supplyMode="Fulfillment"), ""),
        (order("O1", "Shipped", "InPreparation"), ""),
        (order("O1", "Processing"), ""),
    ],
)
def test_the_next_act_of_an_order(document: dict[str, Any], expected: str) -> None:
    read = read_document(document)
    assert read
    assert to_do(read) == expected


def test_the_summary_counts_orders_and_not_lines(tmp_path: Path) -> None:
    found = brought(ORDERS, tmp_path / "orders.xlsx", SHOP)
    assert (found.rows, found.sheet, found.header_row) == (12, "Orders", 2)
    assert [str(text) for text, *_ in found.notes] == [
        "1 order waits to be accepted",
        "2 orders are to ship",
        "a customer wants to cancel 1 order",
    ]
    quiet = brought(ORDERS, tmp_path / "shipped.xlsx", [SHOP[4]])
    assert list(quiet.notes) == []


def test_no_addresses(tmp_path: Path) -> None:
    (row,) = table(ORDERS, tmp_path, SHOP[4])
    assert (row["shippingAddress.firstName"], row["shippingAddress.city"]) == ("Zoé", "Brest")
    (row,) = table(ORDERS, tmp_path, SHOP[4], no_addresses=True)
    assert not [key for key in row if "Address" in key]


REASONS = {
    "PRIMARY|WaitingAcceptance": ["out-of-stock", "price-error"],
    "PRIMARY|Shipped": [{"code": "lost", "label": "Lost"}],
    "SECOND|InPreparation": ["out-of-stock"],
}


@pytest.mark.parametrize(
    ("channels", "choices", "stamp"),
    [
        (
            (),
            {"lost", "out-of-stock", "price-error"},
            "PRIMARY|WaitingAcceptance=out-of-stock|price-error,PRIMARY|Shipped=lost~Lost",
        ),
        (("SECOND",), {"out-of-stock"}, "SECOND|InPreparation=out-of-stock"),
    ],
)
def test_reasons_are_choices_and_are_stamped(
    tmp_path: Path, channels: tuple[str, ...], choices: set[str], stamp: str
) -> None:
    path = tmp_path / "orders.xlsx"
    brought(ORDERS, path, SHOP, reasons=REASONS, sales_channel=channels)
    book = load_workbook(path)
    stamps = {it.name: it.value for it in properties_of(book).props}
    assert stamps["feedtool.reasons"] == stamp
    listed = {cell.value for row in book["_lists"].iter_rows() for cell in row}
    assert choices <= listed
    assert listed.isdisjoint({"lost", "price-error"} - choices)


def test_an_export_lists_the_reasons_of_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "orders.xlsx"
    brought(ORDERS, path, SHOP, reasons=REASONS)
    book = load_workbook(path)
    sheet = book["Orders"]
    columns = {cell.value: place for place, cell in enumerate(sheet[2], start=1)}
    for number, row in enumerate(rows_of(path, "Orders"), start=3):
        if row["orderId"] in {"O1", "O5", "O9"}:
            for key, value in {
                "action": "Cancel",
                "reason": "out-of-stock",
                "shippingCostRefund": "No",
            }.items():
                sheet.cell(number, columns[key]).value = value
    book.save(path)
    (judged,) = checked(path)
    problems = {problem.row: (problem.code, problem.hint) for problem in judged.problems()}
    (at,) = (
        number for number, row in enumerate(rows_of(path, "Orders"), 3) if row["orderId"] == "O5"
    )
    assert problems == {at: ("reason-not-eligible", "choose one of: lost (Lost)")}


def test_reasons_have_labels_in_the_language_of_the_sheet(tmp_path: Path) -> None:
    path = tmp_path / "orders.xlsx"
    labelled = {"PRIMARY|Shipped": [{"code": "lost", "label": "Perdu, en route"}]}
    brought(ORDERS, path, SHOP, reasons=labelled, language="fr")
    book = load_workbook(path)
    stamps = {it.name: it.value for it in properties_of(book).props}
    assert stamps["feedtool.reasons"] == "PRIMARY|Shipped=lost~Perdu en route"
    listed = {cell.value for row in book["_lists"].iter_rows() for cell in row}
    assert "lost" in listed, "the service is sent the code alone"


@pytest.mark.parametrize(("is_asked", "amounts"), [(True, {"O5": "5.5"}), (None, {})])
def test_available_gestures_of_shipped_orders(
    tmp_path: Path, *, is_asked: bool | None, amounts: dict[str, str]
) -> None:
    rows = table(ORDERS, tmp_path, *SHOP, gesture_amounts=is_asked)
    assert [row["orderId"] for row in rows if row["line.number"] == "1"] == EVERY
    shown = {row["orderId"]: row.get("gesture.available") for row in rows}
    assert {name: amount for name, amount in shown.items() if amount} == amounts


@pytest.mark.parametrize("reasons", [None, {}], ids=["a service without them", "none listed"])
def test_orders_are_exported_without_reasons(tmp_path: Path, reasons: Any) -> None:
    path = tmp_path / "orders.xlsx"
    assert brought(ORDERS, path, SHOP, reasons=reasons).rows == 12
    book = load_workbook(path)
    stamps = {it.name: it.value for it in properties_of(book).props}
    assert not stamps.get("feedtool.reasons")


def test_all_that_can_be_filled_is_in_a_csv(tmp_path: Path) -> None:
    (row,) = table(ORDERS, tmp_path, SHOP[4])
    assert [key for key in row if key in FILLED] == list(FILLED)


def test_columns_to_fill_are_visible_and_addresses_folded(tmp_path: Path) -> None:
    path = tmp_path / "orders.xlsx"
    brought(ORDERS, path, SHOP)
    sheet = load_workbook(path)["Orders"]
    letters = {cell.value: get_column_letter(place) for place, cell in enumerate(sheet[2], 1)}
    away = {key for key, letter in letters.items() if sheet.column_dimensions[letter].hidden}
    assert not away & {"orderId", "lineId", *FILLED}
    assert {"offerId", "shippingAddress.firstName", "shippingAddress.city"} <= away


def test_dates_and_money_are_numbers_in_a_workbook(tmp_path: Path) -> None:
    path = tmp_path / "orders.xlsx"
    brought(ORDERS, path, [SHOP[4]])
    (row,) = rows_of(path, "Orders")
    assert row["createdAt"].isoformat() == "2026-11-20T08:00:00"
    assert (row["line.total"], row["quantity"], row["order.lines"]) == (1.5, 1, 1)
    assert isinstance(row["orderId"], str)


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
@pytest.mark.parametrize("kind", [ORDERS, SHIPMENT_EXPORT], ids=lambda kind: kind.kind)
def test_an_untouched_export_is_valid_and_makes_no_request(
    tmp_path: Path, kind: Export, suffix: str
) -> None:
    path = tmp_path / f"export.{suffix}"
    found = brought(kind, path, SHOP, reasons=REASONS)
    (sheet,) = checked(path, kind=kind.kind)
    counts = sheet.counts()
    assert (counts.valid, counts.invalid, counts.skipped) == (0, 0, found.rows)
    assert list(sheet.problems()) == []


def test_shipments_are_the_lines_that_the_seller_is_to_ship(tmp_path: Path) -> None:
    rows = table(SHIPMENT_EXPORT, tmp_path, *SHOP)
    assert [(row["orderId"], row["lineId"]) for row in rows] == [
        *(("O2", "L1"), ("O4", "L1"), ("O4", "L2"), ("O6", "L2")),
    ]
    assert list(rows[0]) == [
        *("orderId", "parcelNumber", "carrierName", "trackingUrl", "lineId", "product.reference"),
    ]


# Picking.


def picked(folder: Path, service: Service) -> list[tuple[str, str, str]]:
    path = folder / "picking.csv"
    export(PICKING, path, service=service)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return [(row["Seller's reference"], row["Quantity"], row["Order"]) for row in rows]


def test_picking_sums_the_pieces_of_a_product(tmp_path: Path) -> None:
    assert picked(tmp_path, Service(SHOP)) == [
        ("SKU-1", "2", "O2, O4"),
        ("SKU-2", "4", "O4, O6"),
    ]


class Changing(Service):
    """Has an order that changes while it is listed."""

    def __init__(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        super().__init__([before, SHOP[3]])
        self._later = [after, SHOP[3]]

    def send(self, call: Call) -> Reply:
        """The page; the next one has the later state of the order."""
        reply = super().send(call)
        self._orders = sorted(self._later, key=lambda it: str(it["updatedAt"]))
        return reply


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            order("O2", "InPreparation"),
            order("O2", "InPreparation", updatedAt="2026-11-20T09:00:00Z"),
            [("SKU-1", "2", "O4, O2"), ("SKU-2", "2", "O4")],
        ),
        (
            order("O2", "InPreparation"),
            order("O2", "Shipped", updatedAt="2026-11-20T09:00:00Z"),
            [("SKU-1", "1", "O4"), ("SKU-2", "2", "O4")],
        ),
        (
            order("O2", "InPreparation", lines=[line(5, "InPreparation")]),
            order("O2", "Shipped", updatedAt="2026-11-20T09:00:00Z"),
            [("SKU-1", "1", "O4"), ("SKU-2", "2", "O4")],
        ),
    ],
    ids=["listed twice", "shipped meanwhile", "the only one of its product"],
)
def test_an_order_that_changes_meanwhile_is_counted_once(
    tmp_path: Path, before: Any, after: Any, expected: list[tuple[str, str, str]]
) -> None:
    assert picked(tmp_path, Changing(before, after)) == expected


def test_more_orders_than_a_page_holds(tmp_path: Path) -> None:
    """A list has no end but a short page; the last of a page begins the next."""
    many = [
        order(
            f"O{number}",
            "Shipped",
            updatedAt=f"2026-11-{number // 60 + 1:02}T{number % 24:02}:00:00Z",
        )
        for number in range(2 * PAGE + 7)
    ]
    rows = table(ORDERS, tmp_path, *many)
    assert len(rows) == len({row["orderId"] for row in rows}) == len(many)
