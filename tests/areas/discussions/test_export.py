"""The exports of discussions: which they hold, in which windows they are read, and their files."""

import csv
from base64 import b64encode
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from msgspec.structs import replace
from openpyxl import load_workbook

from feedtool.areas.discussions.export import (
    ATTACHMENT_EXPORT,
    DISCUSSIONS,
    MESSAGE_EXPORT,
    TYPOLOGY_EXPORT,
)
from feedtool.areas.discussions.listing import waits, windows
from feedtool.areas.discussions.wire import PAGE
from feedtool.feeds.export import Export
from feedtool.model.call import Call, Reply
from feedtool.model.errors import NotAuthorised, NothingToDo, UsageProblem
from feedtool.model.settings import AccountSettings
from feedtool.report.file import Exported
from feedtool.runs.export import export as run_export
from tests.answers import AROUND, BASE, query_of
from tests.answers import exported as export
from tests.cli.conftest import Feedtool, rows_of
from tests.conftest import properties_of

NOW = datetime(2026, 11, 20, 8, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def message(name: str, sender: str = "Customer", **fields: Any) -> dict[str, Any]:
    common = {"messageId": name, "sender": {"userType": sender}, "body": f"I say {name}."}
    return {**common, "createdAt": "2026-11-19T08:00:00Z", "hasRead": False, **fields}


def discussion(name: str, updated: str = "2026-11-20T07:00:00Z", **fields: Any) -> dict[str, Any]:
    return {
        "discussionId": name,
        "orderSellerId": f"O-{name}",
        "salesChannel": "PRIMARY",
        "subject": f"About {name}",
        "subTypologyCode": "lost",
        "isOpen": True,
        "graduation": "Discussion",
        "processStatus": "ToTreat",
        "updatedAt": updated,
        "messages": [message(f"M-{name}")],
        **fields,
    }


class Service:
    """Lists discussions as the specification has it, and refuses more than six months."""

    def __init__(
        self,
        discussions: Iterable[Mapping[str, Any]],
        *,
        channels: Any = None,
        sort: str = "asc:",
        typologies: int = 200,
    ) -> None:
        self._typologies = typologies
        self._found = sorted(discussions, key=lambda it: str(it["updatedAt"]))
        self._channels = channels
        self._sort = sort
        self.queries: list[dict[str, str]] = []
        self.targets: list[str] = []

    def send(self, call: Call) -> Reply:
        """The answer, with the service's time."""
        query = dict(call.query)
        self.targets.append(call.target)
        if call.target == "/sales-channel-configurations":
            return self._reply(self._channels)
        if call.target == "/typologies" and self._typologies != 200:
            return Reply(self._typologies, url=BASE)
        if call.target == "/typologies":
            return self._reply([{"subTypologyCode": "lost", "state": True}])
        if call.target.startswith("/discussions/"):
            name = call.target.rpartition("/")[2]
            found = [it for it in self._found if it["discussionId"] == name]
            return self._reply({**found[0], "eligibleReceivers": ["Customer"]} if found else None)
        self.queries.append(query)
        since, until = query.get("updatedAtMin", ""), query.get("updatedAtMax", "9")
        end = NOW if until == "9" else datetime.fromisoformat(until)
        if end - datetime.fromisoformat(since) > timedelta(days=181):
            return Reply(400, url=BASE)
        found = [it for it in self._found if since <= str(it["updatedAt"]) <= until]
        if not query["sort"].startswith(self._sort):
            found.reverse()
        number = int(query["pageIndex"])
        return self._reply({"items": found[PAGE * (number - 1) : PAGE * number]})

    def _reply(self, document: Any) -> Reply:
        status = 404 if document is None else 200
        date = {"date": format_datetime(NOW, usegmt=True)}
        return Reply(status, date, orjson.dumps(document), f"{BASE}/x")


def table(kind: Export, folder: Path, service: Any, **asked: Any) -> list[dict[str, str]]:
    path = folder / "list.csv"
    export(kind, path, service=service, **asked)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def names(rows: Iterable[Mapping[str, str]]) -> str:
    return " ".join(row["discussionId"] for row in rows)


WINDOWS: dict[str, tuple[datetime | None, datetime | None, list[tuple[Any, str]]]] = {
    "the last six months": (None, NOW, [(at("2026-05-24T08:00"), "")]),
    "some days": (at("2026-11-01"), NOW, [(at("2026-11-01"), "")]),
    "a year": (
        at("2025-11-20T08:00"),
        NOW,
        [
            (at("2025-11-20T08:00"), "2026-05-19T08:00:00Z"),
            (at("2026-05-19T08:00"), "2026-11-15T08:00:00Z"),
            (at("2026-11-15T08:00"), ""),
        ],
    ),
    "a service without a clock": (at("2020-01-01"), None, [(at("2020-01-01"), "")]),
}


@pytest.mark.parametrize(("since", "now", "expected"), WINDOWS.values(), ids=WINDOWS)
def test_windows(since: datetime | None, now: datetime | None, expected: Any) -> None:
    assert windows(since, now) == expected


def test_a_long_time_is_read_in_windows(tmp_path: Path) -> None:
    service = Service([discussion("A", "2025-12-24T08:00:00Z"), discussion("B")])
    query = replace(query_of(DISCUSSIONS), is_csv=True, since=at("2025-11-20T08:00"))
    path = tmp_path / "list.csv"
    run_export(DISCUSSIONS, query, path, service, AROUND, service=BASE)
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert names(csv.DictReader(file)) == "A B"


@pytest.mark.parametrize("sort", ["asc:", "updatedAt"])
def test_more_than_a_page_is_read_to_its_end(tmp_path: Path, sort: str) -> None:
    many = [discussion(f"D{n}", f"2026-11-19T{n // 60:02}:{n % 60:02}:00Z") for n in range(250)]
    rows = table(DISCUSSIONS, tmp_path, Service(many, sort=sort))
    assert len(rows) == len({row["discussionId"] for row in rows}) == 250


SHOP = [
    discussion("A", graduation="Claim"),
    discussion("B", processStatus="Treated"),
    discussion("C", isOpen=False),
    discussion("D", salesChannel="SECOND", subTypologyCode="broken"),
]
FILTERS: dict[str, tuple[dict[str, Any], str]] = {
    "none": ({}, "A B C D"),
    "to treat": ({"to_treat": True}, "A D"),
    "open": ({"open": True}, "A B D"),
    "closed": ({"closed": True}, "C"),
    "claims": ({"graduation": "Claim"}, "A"),
    "a channel": ({"sales_channel": ("SECOND",)}, "D"),
    "orders": ({"order": ("O-A", "O-C")}, "A C"),
    "discussions": ({"discussion": ("B", "D")}, "B D"),
    "a subtypology": ({"about": "broken"}, "D"),
}


@pytest.mark.parametrize(("asked", "expected"), FILTERS.values(), ids=FILTERS)
def test_filters(tmp_path: Path, asked: dict[str, Any], expected: str) -> None:
    assert names(table(DISCUSSIONS, tmp_path, Service(SHOP), **asked)) == expected


@pytest.mark.parametrize("word", ["totreat", "Reopened", None])
def test_to_treat_is_every_status_except_treated(tmp_path: Path, word: str | None) -> None:
    service = Service([*SHOP, discussion("E", processStatus=word)])
    assert names(table(DISCUSSIONS, tmp_path, service, to_treat=True)) == "A D E"


def test_fixed_properties_are_filtered_by_the_service(tmp_path: Path) -> None:
    service = Service(SHOP)
    asked = {"sales_channel": ("PRIMARY",), "order": ("O-A",), "discussion": ("A",)}
    table(DISCUSSIONS, tmp_path, service, about="lost", graduation="Claim", **asked)
    query = service.queries[0]
    assert (query["salesChannel"], query["orderSellerId"], query["discussionId"]) == (
        *("PRIMARY", "O-A", "A"),
    )
    assert (query["subTypologyCode"], query["includeMessages"]) == ("lost", "LastMessage")
    assert not {"isOpen", "processStatus"} & set(query)


def test_contradicting_filters_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem):
        table(DISCUSSIONS, tmp_path, Service(SHOP), open=True, closed=True)


def test_no_discussions(tmp_path: Path) -> None:
    for kind in (DISCUSSIONS, MESSAGE_EXPORT):
        with pytest.raises(NothingToDo):
            table(kind, tmp_path, Service([]))
    with pytest.raises(NothingToDo, match="like that"):
        table(DISCUSSIONS, tmp_path, Service(SHOP), order=("none",))


def test_a_row(tmp_path: Path) -> None:
    (row,) = table(DISCUSSIONS, tmp_path, Service([discussion("A")]))
    assert {key: value for key, value in row.items() if value} == {
        "discussionId": "A",
        "orderId": "O-A",
        "salesChannelId": "PRIMARY",
        "subject": "About A",
        "subTypologyCode": "lost",
        "last.at": "2026-11-19T08:00:00",
        "last.from": "Customer",
        "last.body": "I say M-A.",
        "waiting.hours": "24",
        "graduation": "Discussion",
        "processStatus": "ToTreat",
        "isOpen": "true",
        "updatedAt": "2026-11-20T07:00:00",
        "unread.ids": "M-A",
    }


def test_whole_conversations(tmp_path: Path) -> None:
    both = [message("M1", body="One\nTwo"), message("M2"), message("M3", "Seller", hasRead=True)]
    service = Service([discussion("A", messages=both), discussion("B")])
    rows = table(DISCUSSIONS, tmp_path, service, messages=True)
    assert names(rows) == "A B"
    assert rows[0]["conversation"] == (
        "2026-11-19T08:00:00Z Customer\nOne\nTwo\n\n2026-11-19T08:00:00Z Customer\nI say M2.\n\n"
        "2026-11-19T08:00:00Z Seller\nI say M3."
    )
    assert (rows[0]["unread.ids"], rows[0]["waiting.hours"]) == ("M1; M2", "")
    table_of = table(MESSAGE_EXPORT, tmp_path, service)
    assert [(row["messageId"], row["from"], row["hasRead"]) for row in table_of] == [
        *(("M1", "Customer", "false"), ("M2", "Customer", "false"), ("M3", "Seller", "true")),
        ("M-B", "Customer", "false"),
    ]


CHANNELS = [
    {"salesChannelId": "PRIMARY", "isEnabled": True, "allowedReceivers": ["Customer"]},
    {"salesChannelId": "SECOND", "isEnabled": False},
]


def test_a_workbook_is_stamped_with_the_channels_rights(tmp_path: Path) -> None:
    path = tmp_path / "discussions.xlsx"
    service = Service(SHOP, channels=CHANNELS)
    found: Exported = export(DISCUSSIONS, path, service=service)
    assert [str(text) for text, *_ in found.notes] == [
        "2 discussions wait for an answer",
        "1 of them is a claim",
    ]
    properties = properties_of(load_workbook(path))
    stamps = {it.name: it.value for it in properties}
    assert stamps["feedtool.discussion-channels"] == "PRIMARY=true,SECOND=false"
    assert stamps["feedtool.receivers"] == "PRIMARY=Customer,SECOND="
    assert stamps["feedtool.typologies"] == "PRIMARY=lost"
    assert service.targets.count("/typologies") == 6 * 2
    assert len(rows_of(str(path), "Discussions", header=2)) == 4


@pytest.mark.parametrize("status", [400, 403, 404, 405])
def test_discussions_need_no_typologies(tmp_path: Path, status: int) -> None:
    service = Service(SHOP, typologies=status)
    assert names(table(DISCUSSIONS, tmp_path, service)) == "A B C D"


def test_forbidden_typologies_are_reported(tmp_path: Path) -> None:
    with pytest.raises(NotAuthorised):
        table(TYPOLOGY_EXPORT, tmp_path, Service(SHOP, typologies=403))


def test_typologies_of_every_channel(tmp_path: Path) -> None:
    rows = table(TYPOLOGY_EXPORT, tmp_path, Service([], channels=CHANNELS))
    assert len(rows) == 2 * 6 * 2
    assert {row["salesChannelId"] for row in rows} == {"PRIMARY", "SECOND"}
    assert {row["state"] for row in rows} == {"true"}
    rows = table(TYPOLOGY_EXPORT, tmp_path, Service([], channels=None))
    assert {row["salesChannelId"] for row in rows} == {"PRIMARY"}


class Files(Service):
    """Holds these files of discussions: the id, the name and the content of each."""

    def __init__(self, discussions: Iterable[Mapping[str, Any]], **files: list[Any]) -> None:
        super().__init__(discussions)
        self._files = files

    def send(self, call: Call) -> Reply:
        if call.target != "/attachments":
            return super().send(call)
        wanted = dict(call.query)
        items = [
            {"attachmentId": name, "name": label, "content": b64encode(content).decode()}
            for name, label, content in self._files[wanted["messageId"]]
            if wanted.get("attachmentId") in {name, None}
        ]
        assert call.into
        call.into.write_bytes(orjson.dumps({"items": items}))
        return Reply(200, {}, url=BASE)


def with_file(name: str, **file: str) -> dict[str, Any]:
    return discussion(name, messages=[message(f"M-{name}", attachments=[file])])


def test_files_of_one_id_and_files_without_any(tmp_path: Path) -> None:
    one = {"attachmentId": "1", "attachmentName": "a.txt"}
    shop = [
        *(with_file("A", **one), with_file("B", **one)),
        *(with_file("C", attachmentName="c.txt"), with_file("D", attachmentName="d.txt")),
    ]
    files: dict[str, list[Any]] = {
        "M-A": [("1", "a.txt", b"of A")],
        "M-B": [("1", "a.txt", b"of B")],
        "M-C": [(None, "b.txt", b"another"), (None, "c.txt", b"of C")],
        "M-D": [(None, "e.txt", b"another")],
    }
    rows = table(ATTACHMENT_EXPORT, tmp_path, Files(shop, **files))
    brought = {row["discussionId"]: row["file"] for row in rows if row["file"]}
    assert {name: (tmp_path / file).read_bytes() for name, file in brought.items()} == {
        "A": b"of A",
        "B": b"of B",
        "C": b"of C",
    }
    assert rows[-1]["problem"] == "the service has no such file, or several"


# From the command line.


def test_the_lists_of_a_fresh_shop(feedtool: Feedtool) -> None:
    for kind in ("channels", "cancellation-reasons", "discussions"):
        ran = feedtool(f"export {kind} --sandbox --out {kind}.csv")
        assert ran.code == 0, ran
        with Path(f"{kind}.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows, kind
        assert {row["salesChannelId"] for row in rows} == {"PRIMARY", "SECOND"}, kind
    # Messages that were exported are no replies; since when is a filter, which needs no cursor.
    ran = feedtool("export messages --sandbox --since 2026-01-01 --out messages.xlsx")
    assert ran.code == 0, ran
    ran = feedtool("submit messages.xlsx --sandbox")
    assert (ran.code, "error[never-sent]" in ran.err + ran.out) == (3, True), ran
    # The files of customers.
    ran = feedtool("export attachments --sandbox --since 2026-01-01 --out files")
    assert ran.code == 0, ran
    (photo,) = Path("files").rglob("*.png")
    with Path("files/attachments.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert Path("files") / row["file"] == photo
    assert photo.parent.name == row["discussionId"]
    assert photo.name == f"{row['messageId']}-photo.png"
    assert photo.read_bytes().startswith(b"\x89PNG")


def test_new_discussions_come_once(feedtool: Feedtool) -> None:
    first = feedtool("export discussions --sandbox --new --out one.csv")
    again = feedtool("export discussions --sandbox --new --out two.csv")
    assert (first.code, again.code) == (0, 9)
    changed = feedtool("export discussions --sandbox --changed --messages --cursor all --out a.csv")
    assert changed.code == 0
    assert not Path("two.csv").exists()


def test_the_longest_wait_for_an_answer_is_told() -> None:
    (wait, _) = waits(AccountSettings())
    early, late = ({"createdAt": f"2026-11-{day}T08:00:00Z"} for day in (17, 18))
    listed = [
        discussion("A", messages=[message("M1", **late)]),
        discussion("B", "2026-11-20T07:30:00Z", messages=[message("M2", **early)]),
        discussion("C", messages=[message("M3", "Seller", createdAt="2026-11-16T08:00:00Z")]),
    ]
    assert wait.detail(Reply(200, body=orjson.dumps({"items": listed}))) == (
        "waiting since 2026-11-17 08:00 UTC"
    )
    assert wait.detail(Reply(200, body=b'{"items": []}')) == ""
