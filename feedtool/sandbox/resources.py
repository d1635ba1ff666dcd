"""Resources: the routes to one kind of a seller's things, which change by themselves over time.

A `Resource` is a part that declares as data the body of a POST (`body`, a JSON schema), the states
that its things go through by themselves (`Life`), and their lists (`Lists`). Functions do the rest:
they create a thing, decide on its next state, or answer a further route. They use

    new, enter, advance, keep, remove    to make and to change things
    find, every, asked                   to read them

All resources share two tables.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property, wraps
from sqlite3 import Connection, Row
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

import jsonschema_rs
import orjson
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from feedtool.sandbox.arguments import (
    DRAFT,
    HIGHEST,
    LIMIT,
    asked,
    asked_number,
    asked_page,
    check_structure,
    json_body,
    moment_stamp,
    page_answer,
)
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.state import moment_of, stamp

TABLES = """
CREATE TABLE IF NOT EXISTS thing(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  seller TEXT NOT NULL,
  number INTEGER NOT NULL,     -- of the seller's things of this kind, from 1
  name TEXT NOT NULL,
  document TEXT NOT NULL,
  shows_at TEXT NOT NULL,      -- from then on it is seen
  next_at TEXT,                -- when it changes by itself; NULL where it does not
  UNIQUE (kind, seller, number),
  UNIQUE (kind, seller, name)
);
CREATE INDEX IF NOT EXISTS thing_next ON thing(kind, next_at) WHERE next_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS opened(kind TEXT, seller TEXT, PRIMARY KEY (kind, seller)) WITHOUT ROWID;
"""


COLUMNS = "seller, number AS id, name, shows_at, next_at, document"
"""The columns of a thing; cursors name its number, see `page_answer`."""


class StoredThing(Struct):
    """A seller's thing of some kind; `Resource.keep` saves its changes."""

    seller: str
    number: int
    """Its number among the seller's things of its kind, from 1."""
    name: str
    """The identifier in its path."""
    shows_at: str
    """The time from which requests see it."""
    next_at: str | None = None
    """Time of its next change by itself; None for no change."""
    document: dict[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> str:
        return str(self.document["status"])


# States.

Decision = Callable[[Connection, StoredThing, datetime, SandboxSettings], str | None]
"""Returns the next state of a thing at a time, or None to stay; it may edit the document."""


class TimedState(NamedTuple):
    """A state that a thing leaves by itself."""

    stay: Callable[[Any, StoredThing], timedelta]
    """Returns the time in this state, from the settings and the thing."""
    then: str | Decision


class Life(Struct, frozen=True):
    """The changes of things by themselves."""

    behaviour: type[Any] = object
    """The class of settings for `TimedState.stay`."""
    states: Mapping[str, TimedState] = {}
    """States by status; a thing of another status does not change by itself."""
    changed: str = ""
    """The member of a document with the time of its last change."""
    entered: Callable[[StoredThing, datetime], None] | None = None
    """Edits the document of a thing after a change of its status."""
    status: str = "status"
    """The member of a document with its status."""


# Lists.


def _member(path: str) -> str:
    return f"json_extract(document, '$.{path}')"


class QueryFilter(NamedTuple):
    """A query parameter that selects things of a list."""

    condition: str
    """SQL, with the value as `:value`."""
    value: Callable[[str, str], Any] = lambda _, text: text
    """Converts the parameter's name and text; 400 for an invalid text."""


def equals(*names: str) -> dict[str, QueryFilter]:
    """Filters by the complete text of members."""
    return {name: QueryFilter(f"{_member(name)} = :value") for name in names}


def words(name: str, values: Sequence[str] = (), path: str = "") -> dict[str, QueryFilter]:
    """A filter by a comma list, which may be limited to some words."""

    def entries(_: str, text: str) -> str:
        chosen = text.split(",")
        if values and not set(chosen) <= set(values):
            raise bad_request(name, f"{name} must be one of {', '.join(values)}.")
        return orjson.dumps(chosen).decode()

    values_of = "(SELECT value FROM json_each(:value))"
    return {name: QueryFilter(f"{_member(path or name)} IN {values_of}", entries)}


def dates(**paths: str) -> dict[str, QueryFilter]:
    """The filters `…Min` and `…Max` by date-times."""
    return {
        f"{name}{end}": QueryFilter(f"{_member(path)} {sign} :value", moment_stamp)
        for name, path in paths.items()
        for end, sign in (("Min", ">="), ("Max", "<="))
    }


class Lists(Struct, frozen=True):
    """A list in cursor pages, and its count."""

    path: str = ""
    """The list's path, if it is not the resource's."""
    filters: Mapping[str, QueryFilter] | None = None
    """Filters by query parameter; None if there is no list."""
    limit: str = "limit"
    """The parameter with the size of a page."""
    highest: int | None = None
    """The highest limit; a higher one is 400."""
    order: str = "Asc"
    """The order by creation: `Asc`, oldest first, or `Desc`."""
    is_ordered: bool = False
    """True if requests choose the order by `orderBy`."""
    counts: Callable[[int], Any] | None = None
    """Returns the body of the count's answer; None if there is no such route."""


# Resources.

Answer = Callable[[Exchange], HttpResponse]


class Resource(Struct, frozen=True, kw_only=True, dict=True):
    """The routes to a kind of things, and their own changes: a part of the service."""

    kind: str
    """Its name in texts, and in the tables."""
    path: str = ""
    """`/inbound-shipments`."""
    key: str = ""
    """The identifier in the path of one thing; empty if single things cannot be read."""
    identity: str = "{kind} {number} of {seller}"
    """The text whose UUID is the name of a thing."""
    body: Mapping[str, Any] = {}
    """The JSON schema of a POST's body, without its draft."""
    create: Callable[[Exchange, Any], HttpResponse] | None = None
    """Answers a POST with a body that fits the schema."""
    life: Life = Life()
    lists: Lists = Lists()
    show: Callable[[Exchange, StoredThing], Any] = lambda _, thing: thing.document
    """Returns the document of an answer."""
    opens: Callable[[Connection, str, datetime, SandboxSettings], object] | None = None
    """Called once for each seller, before his first request is answered."""
    routes: tuple[Route, ...] = ()
    """Further routes."""
    indexed: tuple[str, ...] = ()
    """Members with an index, by which things are found among thousands of a seller."""
    counted: bool = False
    """True if the quota counts the requests of all its routes (part "Limits")."""

    # A part.

    @property
    def TABLES(self) -> str:  # noqa: N802 - as a part has it
        """The tables of all resources, and the indexes of this one."""
        index = "CREATE INDEX IF NOT EXISTS thing_{0} ON thing(kind, seller, {1}, number);\n"
        return TABLES + "".join(index.format(path, _member(path)) for path in self.indexed)

    @cached_property
    def ROUTES(self) -> tuple[Route, ...]:  # noqa: N802 - as a part has it
        """POST, the count, the list, one thing, and further routes."""
        routes = [Route("POST", self.path, self._posted(self.create))] if self.create else []
        if self.lists.counts:
            routes.append(Route("GET", f"{self.path}/count", self._count))
        if self.lists.filters is not None:
            routes.append(Route("GET", self.lists.path or self.path, self._read_all))
        if self.key:
            routes.append(Route("GET", f"{self.path}/{{{self.key}}}", self._read))
        return tuple(
            replace(route, answer=self._opened(route.answer), counted=self.counted)
            for route in (*routes, *self.routes)
        )

    def next_due(self, db: Connection) -> str | None:
        """The time of the next own change of a thing."""
        query = "SELECT MIN(next_at) FROM thing WHERE kind = ? AND next_at IS NOT NULL"
        due: str | None = db.execute(query, (self.kind,)).fetchone()[0]
        return due

    def step(self, db: Connection, settings: SandboxSettings) -> None:
        """Change the thing that is due first."""
        query = f"SELECT {COLUMNS} FROM thing WHERE kind = ? AND next_at = ? ORDER BY thing.id"  # noqa: S608 - only names of the code are filled in
        row = db.execute(query, (self.kind, self.next_due(db))).fetchone()
        self._go_on(db, _thing(row), settings)

    # Making and changing things.

    def new(self, db: Connection, seller: str, shows_at: datetime) -> StoredThing:
        """The seller's next thing, still empty and not saved."""
        query = "SELECT COALESCE(MAX(number), 0) + 1 FROM thing WHERE kind = ? AND seller = ?"
        (number,) = db.execute(query, (self.kind, seller)).fetchone()
        text = self.identity.format(kind=self.kind, number=number, seller=seller)
        return StoredThing(seller, number, str(uuid5(NAMESPACE_URL, text)), stamp(shows_at))

    def enter(
        self, thing: StoredThing, status: str, now: datetime, settings: SandboxSettings
    ) -> None:
        """Put a thing into a state, which it leaves by itself after its stay there."""
        thing.document[self.life.status] = status
        thing.next_at = None
        if self.life.changed:
            thing.document[self.life.changed] = stamp(now)
        if self.life.entered:
            self.life.entered(thing, now)
        if state := self.life.states.get(status):
            stay = state.stay(settings.of(self.life.behaviour), thing)
            thing.next_at = stamp(now + stay)

    def advance(
        self, db: Connection, thing: StoredThing, now: datetime, settings: SandboxSettings
    ) -> None:
        """Make all of a thing's own changes until now, and save it."""
        self.keep(db, thing)
        while thing.next_at and thing.next_at <= stamp(now):
            self._go_on(db, thing, settings)

    def _go_on(self, db: Connection, thing: StoredThing, settings: SandboxSettings) -> None:
        now = moment_of(str(thing.next_at))
        thing.next_at = None
        then = self.life.states[thing.document[self.life.status]].then
        status = then(db, thing, now, settings) if callable(then) else then
        if status is not None:
            self.enter(thing, status, now, settings)
        self.keep(db, thing)

    def keep(self, db: Connection, thing: StoredThing) -> None:
        document = orjson.dumps(thing.document).decode()
        db.execute(
            "INSERT INTO thing(kind, seller, number, name, document, shows_at, next_at)"
            " VALUES (:kind, :seller, :number, :name, :document, :shows_at, :next_at)"
            " ON CONFLICT (kind, seller, number)"
            " DO UPDATE SET document = excluded.document, next_at = excluded.next_at",
            {**asdict(thing), "kind": self.kind, "document": document},
        )

    def remove(self, db: Connection, **members: Any) -> None:
        """Delete things with these members, of all sellers, for tests."""
        query = f"DELETE FROM thing WHERE kind = :kind{_and(members)}"  # noqa: S608 - as above
        db.execute(query, {**members, "kind": self.kind})

    # Reading them.

    def find(self, db: Connection, seller: str, name: str) -> StoredThing | None:
        """The seller's thing of this name, visible or not."""
        query = f"SELECT {COLUMNS} FROM thing WHERE kind = ? AND seller = ? AND name = ?"  # noqa: S608 - as above
        row = db.execute(query, (self.kind, seller, name)).fetchone()
        return row and _thing(row)

    def every(self, db: Connection, seller: str, **members: Any) -> list[StoredThing]:
        """The seller's things with these members, visible or not, oldest first."""
        query = (
            f"SELECT {COLUMNS} FROM thing WHERE kind = :kind AND seller = :seller"  # noqa: S608 - as above
            f"{_and(members)} ORDER BY number"
        )
        rows = db.execute(query, {**members, "kind": self.kind, "seller": seller})
        return [*map(_thing, rows)]

    def asked(self, exchange: Exchange) -> StoredThing:
        """The seller's thing of the name in the path; 404 if none is visible."""
        thing = self.find(exchange.db, exchange.seller, exchange.ids[self.key])
        if thing is None or thing.shows_at > stamp(exchange.now):
            raise not_found(f"The {self.kind}")
        return thing

    def open(self, db: Connection, seller: str, now: datetime, settings: SandboxSettings) -> None:
        """Call `opens` at the seller's first request."""
        query = "INSERT OR IGNORE INTO opened VALUES (?, ?)"
        if self.opens and db.execute(query, (self.kind, seller)).rowcount:
            self.opens(db, seller, now, settings)

    # Its routes.

    def _opened(self, answer: Answer) -> Answer:
        @wraps(answer)
        def answer_opened(exchange: Exchange) -> HttpResponse:
            self.open(exchange.db, exchange.seller, exchange.now, exchange.settings)
            return answer(exchange)

        return answer_opened

    def _posted(self, create: Callable[[Exchange, Any], HttpResponse]) -> Answer:
        article = "an" if self.kind.startswith(tuple("aeiou")) else "a"
        schema = {"$schema": DRAFT, "type": "object", **self.body}
        validator = jsonschema_rs.Draft202012Validator(schema)

        @wraps(create)
        def post(exchange: Exchange) -> HttpResponse:
            document = json_body(exchange.request)
            check_structure(validator, document, f"{article} {self.kind}")
            return create(exchange, document)

        return post

    def _read(self, exchange: Exchange) -> HttpResponse:
        return json_answer(200, self.show(exchange, self.asked(exchange)))

    def _read_all(self, exchange: Exchange) -> HttpResponse:
        lists = self.lists
        limit = asked_number(exchange, lists.limit, LIMIT)
        if lists.highest and limit > lists.highest:
            raise bad_request("limit", f"limit must be a number from 1 to {lists.highest}.")
        page = asked_page(exchange)._replace(limit=min(limit, HIGHEST))
        where, values = self._selected(exchange)
        order = (asked(exchange, "orderBy") if lists.is_ordered else None) or lists.order
        if order not in {"Asc", "Desc"}:
            raise bad_request("orderBy", "orderBy must be Asc or Desc.")
        sign = ">" if order == "Asc" else "<"
        rows = exchange.db.execute(
            f"SELECT {COLUMNS} FROM thing WHERE {where}"  # noqa: S608 - as above
            f" AND (:after = 0 OR number {sign} :after) ORDER BY number {order} LIMIT :size",
            {**values, "after": page.after, "size": page.limit + 1},
        ).fetchall()
        return page_answer(exchange, page, rows, lambda row: self.show(exchange, _thing(row)))

    def _count(self, exchange: Exchange) -> HttpResponse:
        where, values = self._selected(exchange)
        query = f"SELECT COUNT(*) FROM thing WHERE {where}"  # noqa: S608 - as above
        (number,) = exchange.db.execute(query, values).fetchone()
        return json_answer(200, (self.lists.counts or int)(number))

    def _selected(self, exchange: Exchange) -> tuple[str, dict[str, Any]]:
        """The SQL condition of a request's filters, and its values."""
        where = ["kind = :kind", "seller = :seller", "shows_at <= :now"]
        values: dict[str, Any] = {"kind": self.kind, "seller": exchange.seller}
        values["now"] = stamp(exchange.now)
        for name, kept in (self.lists.filters or {}).items():
            if (text := asked(exchange, name)) is not None:
                where.append(kept.condition.replace(":value", f":{name}"))
                values[name] = kept.value(name, text)
        return " AND ".join(where), values


def _and(members: Iterable[str]) -> str:
    return "".join(f" AND {_member(path)} = :{path}" for path in members)


def _thing(row: Row) -> StoredThing:
    seller, number, name, shows_at, next_at, document = row
    return StoredThing(seller, number, name, shows_at, next_at, orjson.loads(document))
