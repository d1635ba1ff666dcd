"""A service whose list changes while it is read, and an export of that list."""

import csv
import json
from bisect import insort
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from feedtool.feeds import keyset
from feedtool.feeds.export import (
    Export,
    ExportSummary,
    Filter,
    Increments,
    KeyedRows,
    ListedItem,
    ListPage,
    PlainTable,
    Query,
    ServiceList,
)
from feedtool.feeds.keyset import PageRequest, page_reader
from feedtool.feeds.template import CellEntry, Field
from feedtool.ledger import Ledger
from feedtool.ledger.snapshots import Snapshots
from feedtool.model.call import READ, Call, Reply
from feedtool.model.errors import NothingToDo
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.text import plural
from feedtool.report.file import Exported
from feedtool.runs.cursors import CursorUse, export_new
from feedtool.runs.workspace import Session, Workspace
from feedtool.service.fetch import FetchContext
from tests.answers import BASE, no_sleep, query_of

START = datetime(2026, 11, 20, 8, tzinfo=UTC)
READY = "Ready"
KIND, SELLER = "things", "S1"
USUAL, SETTINGS = CursorUse(), AccountSettings()


class Version(NamedTuple):
    """The state of a thing from `at` on; the service shows it from `shown_at` on."""

    at: datetime
    shown_at: datetime
    key: str
    state: str


class Service:
    """A service that lists things; it calls `meanwhile` at each call."""

    def __init__(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        self.now = START
        self.meanwhile = meanwhile
        self.sorts: tuple[str, ...] = keyset.SORTS
        """The orders that it knows; for any other it sorts backwards."""
        self.has_date = True
        self.calls: list[Mapping[str, str]] = []
        self.versions: dict[str, list[Version]] = {}

    def change(self, key: str, state: str = READY, lag: timedelta = timedelta(0)) -> None:
        """Add a version of a thing, which the service shows after `lag`."""
        version = Version(self.now, self.now + lag, key, state)
        insort(self.versions.setdefault(key, []), version)

    def shown(self) -> list[Version]:
        """All things as the service shows them now."""
        shown = (
            [version for version in versions if version.shown_at <= self.now]
            for versions in self.versions.values()
        )
        return [versions[-1] for versions in shown if versions]

    def send(self, call: Call) -> Reply:
        query = dict(call.query)
        self.calls.append(query)
        since = datetime.fromisoformat(query["since"]) if "since" in query else None
        listed = [thing for thing in self.shown() if since is None or thing.at >= since]
        listed.sort(key=self._order(query["sort"]))
        size = int(query["size"])
        begin = (int(query["page"]) - 1) * size
        body = [
            {"key": thing.key, "at": thing.at.isoformat(), "state": thing.state}
            for thing in listed[begin : begin + size]
        ]
        date = {"date": format_datetime(self.now, usegmt=True)} if self.has_date else {}
        self.meanwhile()
        return Reply(200, date, json.dumps(body).encode())

    def _order(self, sort: str) -> Callable[[Version], Any]:
        if sort not in self.sorts:
            return lambda version: START - version.at
        if sort == keyset.CREATED:
            return lambda version: (self.versions[version.key][0].at, version.key)
        return lambda version: (version.at, version.key)


def ask(asked: PageRequest, size: int) -> Call:
    query = [("page", str(asked.number)), ("size", str(size)), ("sort", asked.sort)]
    if asked.since:
        query.append(("since", asked.since.isoformat()))
    return Call("GET", "/things", READ, tuple(query))


def things_of(reply: Reply, states: tuple[str, ...] = ()) -> list[ListedItem]:
    """The things of a page: two rows for each, none where it is in another state."""
    return [
        ListedItem(
            thing["key"],
            thing["at"],
            datetime.fromisoformat(thing["at"]),
            [{**thing, "line": line} for line in (1, 2) if not states or thing["state"] in states],
        )
        for thing in json.loads(reply.body)
    ]


def export_of(size: int) -> Export:
    """The export of the things, with `size` things on a page."""

    def first(query: Query, _: KeyedRows) -> Iterator[Call]:
        yield ask(keyset.first(query.since), size)

    def page(query: Query) -> Callable[[Reply, Call], ListPage]:
        def read(reply: Reply) -> ListPage:
            return ListPage(things=things_of(reply, query["state"]))

        begin = keyset.first(query.since)
        return page_reader(begin, lambda asked: ask(asked, size), read, size)

    fields = [Field(key, key, "", CellEntry("General", 12)) for key in ("key", "line", "at")]
    nothing = NothingToDo("there are no things", "make some")
    listing = ServiceList("things", first, page, lambda *_: nothing, "ask otherwise")
    return Export(
        KIND,
        "Bring the things.",
        lambda _: (listing,),
        lambda *_: PlainTable("Things", fields),
        lambda *_: ExportSummary(()),
        (
            Filter("state", "STATE[,STATE]", "Only in these states.", is_list=True),
            Filter("until", "WHEN", "Only what changed before."),
            Filter("big", "", "Only what is big.", is_flag=True),
            Filter("as", "SHAPE", "How they are shown.", narrows=False),
        ),
        increments=Increments(
            lambda count: plural(
                "{count} thing was missing from earlier exports",
                "{count} things were missing from earlier exports",
                count,
            ),
            refused=("until",),
        ),
    )


def bring(
    service: Service,
    ledger: Ledger,
    folder: Path,
    *,
    use: CursorUse = USUAL,
    size: int = 3,
    kind: Export | None = None,
    name: str = "{cursor}-{batch}.csv",
    since: datetime | None = None,
    settings: AccountSettings = SETTINGS,
    tell: Callable[[str, str], None] = lambda *_: None,
    **filters: Any,
) -> Exported:
    """Export the new things of a cursor."""
    kind = kind or export_of(size)
    query = query_of(kind, context=Context(settings), **filters)
    session = Session(service, SELLER, BASE, "en", lambda: service.now, no_sleep)
    return export_new(
        kind,
        replace(query, since=since, is_csv=True),
        use,
        folder / name,
        session,
        Workspace(ledger, Snapshots(folder / "snapshots"), folder),
        FetchContext(lambda: service.now, no_sleep, pool=1),
        tell=tell,
    )


def items_in(file: Path) -> list[tuple[str, str]]:
    """Key and version of the things in a file, which has both rows of each."""
    with file.open(encoding="utf-8-sig", newline="") as text:
        rows = [(row["key"], row["at"]) for row in csv.DictReader(text)]
    assert rows[::2] == rows[1::2]
    return rows[::2]
