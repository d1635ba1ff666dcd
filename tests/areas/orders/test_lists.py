"""The lists beside orders: their rows, from pages of any shape of the service."""

import csv
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pytest
from openpyxl import load_workbook

from feedtool.areas.orders.listing import STATUSES
from feedtool.areas.orders.lists import (
    CANCELLATION_REASONS,
    CHANNEL_EXPORT,
    GESTURES,
    ORDER_TRACKING,
    events,
    flat,
)
from feedtool.feeds.export import Export
from feedtool.model.call import Call, Reply
from feedtool.model.errors import NothingToDo, UsageProblem
from tests.answers import BASE, Answers
from tests.answers import exported as export
from tests.cli.conftest import Feedtool


class Service:
    """Answers by the call's target, or by its target and one value of its query."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers
        self.asked: list[str] = []

    def send(self, call: Call) -> Reply:
        """A document, or a refusal of this status."""
        values = "&".join(value for _, value in call.query)
        self.asked.append(f"{call.target}?{values}".rstrip("?"))
        answer = self._answers.get(self.asked[-1], self._answers.get(call.target, 404))
        if isinstance(answer, int):
            return Reply(answer, url=BASE)
        return Reply(200, {}, orjson.dumps(answer), f"{BASE}{call.target}")


def table(kind: Export, folder: Path, service: Any, **asked: Any) -> list[dict[str, str]]:
    path = folder / "list.csv"
    export(kind, path, service=service, **asked)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


TWO = Decimal("2.50")
FLAT: dict[str, tuple[Any, dict[str, Any]]] = {
    "nothing": ({}, {}),
    "texts and numbers": ({"a": " x\ny ", "b": 2}, {"a": "x y", "b": 2}),
    "yes and no": ({"a": True, "b": False}, {"a": "true", "b": "false"}),
    "nothing in it": ({"a": None, "b": ""}, {"a": None, "b": None}),
    "an object": ({"offer": {"id": "O", "deep": {"x": 1}}}, {"offer.id": "O", "offer.deep": None}),
    "an amount as a text": ({"amount": "2.50", "reason": "12"}, {"amount": TWO, "reason": "12"}),
    "a date that is none": ({"createdAt": "soon"}, {"createdAt": "soon"}),
}


@pytest.mark.parametrize(("document", "expected"), FLAT.values(), ids=FLAT)
def test_flat(document: Any, expected: dict[str, Any]) -> None:
    assert flat(document) == expected


def test_no_row_has_as_many_columns_as_a_service_can_invent() -> None:
    assert len(flat({f"name {number}": 1 for number in range(1000)})) == 50


EVENTS: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "two": (
        {"orderId": "O1", "events": [{"status": "InTransit"}, {"status": "Delivered"}]},
        [
            {"orderId": "O1", "event.status": "InTransit", "events": None},
            {"orderId": "O1", "event.status": "Delivered", "events": None},
        ],
    ),
    "none yet": ({"orderId": "O1", "events": []}, [{"orderId": "O1", "events": None}]),
    "of another name": (
        {"x": 1, "timeline": [{"a": "b"}]},
        [{"x": 1, "timeline": None, "event.a": "b"}],
    ),
    "no objects": ({"x": 1, "tags": ["a"]}, [{"x": 1, "tags": None}]),
}


@pytest.mark.parametrize(("parcel", "expected"), EVENTS.values(), ids=EVENTS)
def test_events(parcel: Any, expected: list[dict[str, Any]]) -> None:
    assert list(events(parcel)) == expected


def test_gestures_are_read_to_their_end(tmp_path: Path) -> None:
    pages: list[list[dict[str, Any]]] = [
        [{"requestId": "G1", "orderId": "O1", "status": "Accepted", "amount": 2.5}],
        [{"id": "G2", "orderSellerId": "O2", "createdAt": "2026-11-20T09:00:00+01:00"}],
    ]
    rows = table(GESTURES, tmp_path, Answers(*pages))
    assert [(row["requestId"], row["orderId"], row["status"]) for row in rows] == [
        ("G1", "O1", "Accepted"),
        ("G2", "O2", ""),
    ]
    assert (rows[0]["amount"], rows[1]["createdAt"]) == ("2.5", "2026-11-20T08:00:00")


GESTURE_LIST = "/order-commercial-gesture-requests"
ALL_GESTURES = [{"requestId": f"G{number}", "orderId": f"O{number}"} for number in (1, 2, 3)]
FILTERS: dict[str, Mapping[str, Any]] = {
    "it is taken": {
        f"{GESTURE_LIST}?O1": ALL_GESTURES[:1],
        f"{GESTURE_LIST}?O2": {"items": ALL_GESTURES[1:2]},
    },
    "it is ignored": {GESTURE_LIST: ALL_GESTURES},
    "it is refused": {
        f"{GESTURE_LIST}?O1": 400,
        f"{GESTURE_LIST}?O2": 400,
        GESTURE_LIST: ALL_GESTURES,
    },
}
"""Answers with and without the filter by order, which the specification does not show."""


@pytest.mark.parametrize("answers", FILTERS.values(), ids=FILTERS)
def test_gestures_of_some_orders(tmp_path: Path, answers: Mapping[str, Any]) -> None:
    rows = table(GESTURES, tmp_path, Service(answers), order=("O1", "O2"))
    assert [row["requestId"] for row in rows] == ["G1", "G2"]


def parcel(number: int) -> dict[str, Any]:
    return {"orderId": f"O{number}", "events": [{"status": "InTransit"}, {"status": "Lost"}]}


TRACKINGS = {
    "a Link": Answers([parcel(1)], [parcel(2)]),
    "numbers": Service(
        {
            "/parcel-trackings": {"items": [parcel(1)]},
            "/parcel-trackings?2": {"items": [parcel(2)]},
            "/parcel-trackings?3": {"items": []},
        }
    ),
    "numbers, and a refusal behind the last": Service(
        {
            "/parcel-trackings": {"items": [parcel(1), parcel(2)]},
            "/parcel-trackings?2": 400,
        }
    ),
    "a service that knows of no pages": Service({"/parcel-trackings": [parcel(1), parcel(2)]}),
    "a parcel that came to the next page": Service(
        {
            "/parcel-trackings": [parcel(1), parcel(2)],
            "/parcel-trackings?2": [parcel(2)],
            "/parcel-trackings?3": 404,
        }
    ),
}


@pytest.mark.parametrize("service", TRACKINGS.values(), ids=TRACKINGS)
def test_tracking_has_each_event_once_however_its_pages_come(tmp_path: Path, service: Any) -> None:
    rows = table(ORDER_TRACKING, tmp_path, service)
    assert [(row["orderId"], row["event.status"]) for row in rows] == [
        *(("O1", "InTransit"), ("O1", "Lost"), ("O2", "InTransit"), ("O2", "Lost")),
    ]


def test_reasons_by_channel_and_status(tmp_path: Path) -> None:
    target = "/cancellation-reasons"
    service = Service(
        {
            f"{target}?ONE&Seller&Shipped": ["lost"],
            f"{target}?TWO&Seller&InPreparation": [{"code": "none-left", "label": "None left"}],
        }
    )
    rows = table(CANCELLATION_REASONS, tmp_path, service, sales_channel=("ONE", "TWO"))
    assert [tuple(row.values()) for row in rows] == [
        ("ONE", "Shipped", "lost", "lost"),
        ("TWO", "InPreparation", "none-left", "None left"),
    ]


CHANNELS = "/sales-channel-configurations"
LISTED = {
    "items": [
        {"salesChannelId": "PRIMARY", "isEnabled": True, "allowedReceivers": ["Customer"]},
        {"id": "SECOND", "isEnabled": False},
    ]
}


@pytest.mark.parametrize(
    ("channels", "expected"), [(LISTED, ["PRIMARY", "SECOND"]), (404, ["PRIMARY"])]
)
def test_reasons_of_every_channel_and_status(
    tmp_path: Path, channels: Any, expected: list[str]
) -> None:
    service = Service({CHANNELS: channels, "/cancellation-reasons": ["lost"]})
    rows = table(CANCELLATION_REASONS, tmp_path, service)
    places = [(row["salesChannelId"], row["orderStatus"]) for row in rows]
    assert places == [(channel, status) for channel in expected for status in STATUSES]


CONFIGURATION = "/sales-channel-commercial-gesture-configurations"


def test_every_channel_has_its_known_facts(tmp_path: Path) -> None:
    service = Service({CHANNELS: LISTED, f"{CONFIGURATION}/PRIMARY": {"isEnabled": False}})
    rows = table(CHANNEL_EXPORT, tmp_path, service)
    assert [tuple(row.values()) for row in rows] == [
        ("PRIMARY", "true", "Customer", "false"),
        ("SECOND", "false", "", ""),
    ]


def test_channels_have_the_facts_of_the_service(tmp_path: Path) -> None:
    service = Service(
        {
            f"{CONFIGURATION}/PRIMARY": {"isEnabled": True, "maximumAmount": 20, "new": "x"},
            f"{CONFIGURATION}/A%2FB": {"isEnabled": False},
        }
    )
    rows = table(CHANNEL_EXPORT, tmp_path, service, sales_channel=("PRIMARY", "A/B"))
    assert [tuple(row.values()) for row in rows] == [
        ("PRIMARY", "true", "20", "x"),
        ("A/B", "false", "", ""),
    ]


def test_an_unknown_channel_is_reported(tmp_path: Path) -> None:
    service = Service({f"{CONFIGURATION}/PRIMARY": {"isEnabled": True}})
    path = tmp_path / "channels.csv"
    found = export(CHANNEL_EXPORT, path, service=service, sales_channel=("PRIMARY", "NONE"))
    assert found.rows == 1
    ((text, _, is_loss),) = found.notes
    assert (str(text), is_loss) == ("the service has no channel NONE", True)


NOTHING: dict[str, tuple[Export, Any]] = {
    "no gestures": (GESTURES, {"/order-commercial-gesture-requests": []}),
    "no parcels": (ORDER_TRACKING, {"/parcel-trackings": {"items": []}}),
    "no reasons": (CANCELLATION_REASONS, {}),
    "no channels": (CHANNEL_EXPORT, {}),
}


@pytest.mark.parametrize(("kind", "answers"), NOTHING.values(), ids=NOTHING)
def test_an_empty_export_writes_no_file(tmp_path: Path, kind: Export, answers: Any) -> None:
    with pytest.raises(NothingToDo):
        table(kind, tmp_path, Service(answers))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", [GESTURES, ORDER_TRACKING], ids=lambda kind: kind.kind)
def test_a_refusal_is_reported(tmp_path: Path, kind: Export) -> None:
    with pytest.raises(UsageProblem, match="does not list"):
        table(kind, tmp_path, Service({}))


def test_a_workbook_has_labels_and_dates(tmp_path: Path) -> None:
    path = tmp_path / "gestures.xlsx"
    rows = [{"requestId": "G1", "orderId": "O1", "createdAt": "2026-11-20T08:00:00Z"}]
    export(GESTURES, path, rows, language="fr")
    sheet = load_workbook(path).worksheets[0]
    values = {str(cell.value): cell for row in sheet.iter_rows() for cell in row}
    assert {"requestId", "orderId", "createdAt", "G1", "2026-11-20 08:00:00"} <= set(values)


def test_channels_are_exported_by_the_command(feedtool: Feedtool, tmp_path: Path) -> None:
    path = tmp_path / "channels.xlsx"
    words = f"export channels --sandbox --sales-channel PRIMARY,NONE --out {path}"
    code, out, err = feedtool(words)
    assert (code, out.splitlines()[-1]) == (1, "1 row")
    assert "warning: the service has no channel NONE" in err
