"""A list as data: which calls are made for its filters, and which entries are kept."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.areas.listing import Empty, ListFilter, Listing, Waiting, export_of
from feedtool.areas.plain_list import Table
from feedtool.feeds.export import OF_FILTERS, OF_SELLER, Filter, moment_of
from feedtool.model.call import READ, Call, Reply
from feedtool.model.errors import NothingToDo
from feedtool.model.settings import AccountSettings
from feedtool.model.text import plural
from tests.answers import Answers, exported, query_of, reply

LIST = Listing(
    "kettles",
    "",
    noun="kettles",
    page=Call("GET", "/kettles", READ, query=(("limit", "9"),)),
    sheet=Table("Kettles", {}),
    empty=Empty("there are no kettles", reason_with_filters="there are no kettles like that"),
    filters=(
        ListFilter(Filter("colour", "", "", is_list=True), "colours", lambda it: it.get("colour")),
        ListFilter(Filter("state", "", ""), "state", lambda it: it.get("state"), can_change=True),
        ListFilter(Filter("shop", "", "", is_list=True), "shopId", is_single=True),
        ListFilter(Filter("since", "", "", read=moment_of("--since")), "createdAtMin"),
        ListFilter(Filter("broken", "", "", is_flag=True), value=lambda it: it.get("broken")),
    ),
    counts=lambda _: Call("GET", "/kettles/count", READ | {400, 404}),
)
KETTLES = export_of(LIST)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)

CALLS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing": ({}, ["limit=9"]),
    "a list": ({"colour": ("red", "blue")}, ["colours=red,blue limit=9"]),
    "one after the other": ({"shop": ("A", "B")}, ["shopId=A limit=9", "shopId=B limit=9"]),
    "a time": ({"since": NOON}, ["createdAtMin=2026-11-20T12:00:00Z limit=9"]),
    "several": ({"state": "New", "shop": ("A",)}, ["state=New shopId=A limit=9"]),
    "what the service cannot do": ({"broken": True}, ["limit=9"]),
}


@pytest.mark.parametrize(("filters", "calls"), CALLS.values(), ids=CALLS)
def test_filters_are_parameters(filters: dict[str, Any], calls: list[str]) -> None:
    query = query_of(KETTLES, **filters)
    assert [_query_of(call) for call in LIST.filtered(LIST.page, query)] == calls


def _query_of(call: Call) -> str:
    return " ".join(map("=".join, call.query))


def test_a_cursor_leaves_out_filters_of_changeable_properties() -> None:
    query = replace(query_of(KETTLES, state="New", colour=("red",)), has_cursor=True, since=NOON)
    (call,) = LIST.filtered(LIST.page, query)
    assert _query_of(call) == "colours=red updatedAtMin=2026-11-20T12:00:00Z limit=9"


ENTRIES: list[dict[str, Any]] = [
    {"id": "A", "colour": "red", "state": "New", "broken": True},
    {"id": "B", "colour": "blue", "state": "Old", "broken": False},
    {"id": "C"},
]


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({}, ["A", "B", "C"]),
        ({"colour": ("red", "blue")}, ["A", "B"]),
        ({"state": "Old"}, ["B"]),
        ({"broken": True}, ["A"]),
        ({"shop": ("A",)}, ["A", "B", "C"]),
    ],
    ids=str,
)
def test_a_service_may_ignore_a_parameter(
    tmp_path: Path, filters: dict[str, Any], ids: Sequence[str]
) -> None:
    exported(KETTLES, tmp_path / "a.csv", ENTRIES, **filters)
    _, *lines = (tmp_path / "a.csv").read_text("utf-8-sig").splitlines()
    assert [line.partition(",")[0] for line in lines] == ids


@pytest.mark.parametrize(
    ("filters", "end"),
    [
        ({}, ("there are no kettles", OF_SELLER)),
        ({"state": "New"}, ("there are no kettles like that", OF_FILTERS)),
    ],
    ids=str,
)
def test_an_empty_list_is_reported(
    tmp_path: Path, filters: dict[str, Any], end: tuple[str, str]
) -> None:
    with pytest.raises(NothingToDo) as error:
        exported(KETTLES, tmp_path / "a.csv", [], **filters)
    assert (error.value.message, error.value.hint) == end


class Counting:
    """A service that has one kettle, and counts otherwise."""

    def __init__(self, status: int, body: bytes) -> None:
        self.count = Reply(status, body=body)

    def send(self, call: Call) -> Reply:
        return self.count if call.target.endswith("count") else reply({"items": ENTRIES[:1]})


@pytest.mark.parametrize(
    ("status", "body", "is_told"),
    [
        *((200, b"0", False), (200, b"12", True), (200, b'{"count": 3}', True)),
        *((200, b'{"a": 11, "b": 12}', False), (200, b"[]", False), (404, b"7", False)),
        (400, b'{"statusCode": 400}', False),
    ],
)
def test_a_list_that_ends_early(
    tmp_path: Path,
    status: int,
    body: bytes,
    is_told: bool,  # noqa: FBT001
) -> None:
    kind = export_of(LIST._replace(is_counted_first=True))
    result = exported(kind, tmp_path / "a.csv", service=Counting(status, body))
    assert [is_loss for *_, is_loss in result.notes] == [True] * is_told


WAITING = Waiting(
    "to-mend",
    "To mend",
    {"colour": ("red", "blue"), "broken": True},
    lambda count: plural("{count} kettle", "{count} kettles", count),
    since="updatedAtMin",
)
WAITS: dict[str, tuple[Waiting, str]] = {
    "counted": (WAITING, "/kettles/count colours=red,blue updatedAtMin=2026-10-21T12:00:00Z"),
    "listed": (
        WAITING._replace(is_counted=False, asks=(("more", "1"),)),
        "/kettles colours=red,blue more=1 updatedAtMin=2026-10-21T12:00:00Z limit=9",
    ),
}


@pytest.mark.parametrize(("waiting", "made"), WAITS.values(), ids=WAITS)
def test_waiting_items_are_counted(waiting: Waiting, made: str) -> None:
    (wait,) = export_of(LIST._replace(waits=(waiting,))).waits(AccountSettings())
    assert callable(wait.call)
    call = wait.call(NOON)
    assert f"{call.target} {_query_of(call)}" == made
    assert wait.words == ("export", "kettles", "--colour", "red,blue", "--broken")
    answer = Answers(ENTRIES).send(call) if call.following else reply(1)
    assert wait.read(answer) == 1
