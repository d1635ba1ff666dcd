"""The last accepted state of offers: reads and writes the tables `accepted` and `stocks`.

`projection` fills them, and defines accepted. Open rows count as unknown: rows in flight, rows
without a result, and rows that `resume` would send. A row of an interrupted run no longer counts
once a later run had an answer for its reference, since it is never sent again.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, Engine, Select, and_, delete, func, select, update

from feedtool.areas.offers.changes import offer_state as state
from feedtool.areas.offers.changes.offer_state import AcceptedOffer, OfferFields
from feedtool.areas.offers.delivery import PackageType
from feedtool.ledger import tables as t
from feedtool.ledger.database import reading
from feedtool.ledger.records import Phase
from feedtool.model.nouns import Item

CHUNK = 1_000
"""The most rows or references of one query."""

MARK, OCCURS = "*", "#"
"""First characters of two kinds of keys without a product: the last time that a channel wrote stock
of a class of keys, and the fact that a class of keys occurs."""

_LIVE = and_(t.accepted.c.terms.is_not(None), t.accepted.c.terms != "{}")
"""The condition of offers that are known and not deleted."""


class Stock(NamedTuple):
    """The last quantity of a product in its condition."""

    quantity: int | None
    """None if unknown."""
    begun: datetime
    """The earliest time at which its last package was committed."""
    until: datetime
    """The latest time at which a package with it was in flight."""


@lru_cache
def scope_of(service: str, seller: str, channel: str | None = None) -> str:
    """Return a short key of a seller, or of one of its channels; every row has it."""
    text = f"{service}\n{seller}" if channel is None else f"{service}\n{seller}\n{channel}"
    return sha256(text.encode()).hexdigest()[:24]


# Reading and writing the tables.


def read_accepted(
    db: Connection, scope: str, references: Sequence[str]
) -> dict[str, AcceptedOffer]:
    """Return the known offers of some references of a channel."""
    columns = t.accepted.c
    query = select(
        *(columns.reference, columns.terms, columns.is_sure),
        *(columns.product, columns.run_id, columns.last_price),
    ).where(columns.scope == scope, columns.reference.in_(references))
    return {
        reference: AcceptedOffer(
            None if fields is None else orjson.loads(fields),
            bool(is_sure),
            product,
            run_id,
            None if price is None else orjson.loads(price),
        )
        for reference, fields, is_sure, product, run_id, price in db.execute(query)
    }


def read_stocks(db: Connection, scope: str, products: Iterable[str]) -> dict[str, Stock]:
    columns = t.stocks.c
    query = select(columns.product, columns.quantity, columns.begun, columns.until).where(
        columns.scope == scope, columns.product.in_([*products])
    )
    return {product: Stock(*rest) for product, *rest in db.execute(query)}


def write_accepted(db: Connection, scope: str, offers: Mapping[str, AcceptedOffer]) -> None:
    """Replace the known offers of some references."""
    rows = [
        (
            *(scope, reference, as_json(offer.fields), int(offer.is_sure)),
            *(offer.product, offer.run_id, as_json(offer.last_price)),
        )
        for reference, offer in offers.items()
    ]
    upsert(db, _ACCEPTED, rows)


def as_json(value: object) -> str | None:
    return None if value is None else orjson.dumps(value).decode()


def forget(db: Connection, scope: str) -> None:
    """Forget a channel's offers except their last prices."""
    is_in_scope = t.accepted.c.scope == scope
    db.execute(delete(t.accepted).where(is_in_scope, t.accepted.c.last_price.is_(None)))
    db.execute(update(t.accepted).where(is_in_scope).values(terms="{}", is_sure=0, product=""))


def write_stocks(
    db: Connection,
    shared: str,
    channel: str | None,
    quantities: Mapping[str, int | None],
    between: tuple[datetime, datetime],
    kinds: Iterable[str],
) -> None:
    """Write quantities by stock key, which came into force between two moments.

    Only observed quantities have no `channel`. `kinds` are the first letters of the keys of all
    offers, also those without quantities.
    """
    marks = {f"{MARK}{key[0]}{channel}" for key in quantities} if channel else ()
    written = {**quantities, **dict.fromkeys(marks)}
    known = read_stocks(db, shared, written)
    stocks = {key: _later(known.get(key), Stock(written[key], *between)) for key in written}
    stocks |= {f"{OCCURS}{kind}": Stock(None, *between) for kind in kinds}
    rows = [
        (shared, key, stock.quantity, _as_text(stock.begun), _as_text(stock.until))
        for key, stock in stocks.items()
    ]
    upsert(db, _STOCKS, rows)


_as_text = lru_cache(t.as_text)
"""Cached, since most moments belong to one package."""


def _later(old: Stock | None, new: Stock) -> Stock:
    """Return the stock after a write: the later quantity, or unknown if the order is uncertain."""
    if old is None or new.begun > old.until:
        return new
    quantity = new.quantity if new.quantity == old.quantity else None
    return Stock(quantity, max(old.begun, new.begun), max(old.until, new.until))


def upsert(db: Connection, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Insert rows of a table, or replace rows with the same key."""
    if rows:
        mark = "?" if db.dialect.positional else "%s"
        db.exec_driver_sql(statement.replace("?", mark), [*rows])


# Both databases accept this syntax.
_ACCEPTED = (
    "INSERT INTO accepted (scope, reference, terms, is_sure, product, run_id, last_price)"
    " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, reference) DO UPDATE SET"
    " terms = excluded.terms, is_sure = excluded.is_sure, product = excluded.product,"
    " run_id = excluded.run_id, last_price = excluded.last_price"
)
_STOCKS = (
    "INSERT INTO stocks (scope, product, quantity, begun, until) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (scope, product) DO UPDATE SET"
    " quantity = excluded.quantity, begun = excluded.begun, until = excluded.until"
)


# Lookup.


class AcceptedOffers:
    """A seller's known offers, once the tables are up to date.

    Holds no transaction. Open rows are read once, and kept in memory.
    """

    def __init__(self, engine: Engine, service: str, seller: str, cut_short: int = 0) -> None:
        """Read a ledger.

        `cut_short` is the last of the seller's runs that was killed before its rows were written.
        Its rows are unknown; later runs overrule them.
        """
        self._engine, self._service, self._seller = engine, service, seller
        self._cut_short = cut_short
        self._shared = scope_of(service, seller)
        self._open: set[tuple[str, str]] = set()
        self._moving: set[str] = set()
        self._moving_kinds: set[tuple[str, str]] = set()
        self._purging: set[str] = set()
        with reading(engine) as db:
            self.is_any = db.execute(select(t.accepted.c.scope).limit(1)).first() is not None
            """True if any offer of any seller is known; otherwise no lookup is needed."""
            stocks = t.stocks.c
            marks = select(stocks.product, stocks.until).where(
                stocks.scope == self._shared, stocks.product.startswith(MARK, autoescape=True)
            )
            self._marks = [(mark[1], mark[2:], until) for mark, until in db.execute(marks)]
            names = [f"{OCCURS}{kind}" for kind in state.OTHER_NAMES]
            self.has_other_names = bool(read_stocks(db, self._shared, names))
            """True if some products are identified by more than their references."""
            self._read_open(db)

    def _read_open(self, db: Connection) -> None:
        """Note the open rows, except rows that a later run has overruled."""
        rows, packages, run_id = t.requests.c, t.packages.c, t.runs.c.run_id
        query = (
            select(
                *(packages.channel, packages.package_type, rows.reference),
                *(rows.product, rows.body, run_id),
            )
            .select_from(t.package_runs.join(t.requests, rows.package == packages.package))
            .where(
                t.is_of(self._service, self._seller),
                packages.phase != str(Phase.CLOSED),
                packages.package_type.in_([*PackageType]),
                rows.fate.is_(None),
            )
        )
        for batch in db.execute(query).partitions(CHUNK):
            for channel in {row.channel for row in batch}:
                channel_rows = [row for row in batch if row.channel == channel]
                scope = self._scope(channel)
                known = read_accepted(db, scope, [row.reference for row in channel_rows])
                for row in channel_rows:
                    offer = known.get(row.reference)
                    if offer is None or offer.run_id <= row.run_id:
                        self._note_open(row, offer, scope)

    def _note_open(self, row: Any, offer: AcceptedOffer | None, scope: str) -> None:
        self._open.add((scope, row.reference))
        if row.package_type == PackageType.PURGE:
            self._purging.add(scope)
        key = state.key_of(row.package_type, row.product, offer, scope, row.reference)
        self.has_other_names |= key[0] in state.OTHER_NAMES
        if state.QUANTITY in state.offer_fields(row.package_type, row.body):
            self._moving.add(key)
            self._moving_kinds.add((key[0], scope))

    def count(self, channel: str) -> int:
        return self._count(
            select(func.count()).where(t.accepted.c.scope == self._scope(channel), _LIVE)
        )

    def _count(self, query: Select[int]) -> int:
        with reading(self._engine) as db:
            return int(db.execute(query).scalar_one())

    def count_at_zero(self, channel: str) -> int:
        """Return the number of known offers on the channel without stock."""
        scope, stocks = self._scope(channel), t.stocks.c
        query = (
            select(stocks.product, stocks.quantity, stocks.begun, stocks.until)
            .join_from(t.accepted, t.stocks, t.accepted.c.product == stocks.product)
            .where(t.accepted.c.scope == scope, stocks.scope == self._shared)
            .where(_LIVE, stocks.quantity == 0)
        )
        with reading(self._engine) as db:
            return sum(
                self._quantity(key, Stock(*stock), scope) == 0 for key, *stock in db.execute(query)
            )

    def count_stocks(self, channels: Iterable[str]) -> int:
        """Count the products, by condition, last known to have stock and offers.

        The offers may be on these channels, or on channels that were sent to.
        """
        scopes = {*map(self._scope, channels), *(scope for _, scope, _ in self._marks)}
        live = select(t.accepted.c.product).where(_LIVE, t.accepted.c.scope.in_(scopes))
        return self._count(
            select(func.count()).where(
                t.stocks.c.scope == self._shared,
                t.stocks.c.quantity > 0,
                t.stocks.c.product.in_(live),
            )
        )

    def look_up(self, items: Sequence[Item]) -> list[tuple[AcceptedOffer | None, str, int | None]]:
        """Return each row's offer, stock key, and quantity; None is unknown."""
        by_channel: dict[str, list[str]] = {}
        for item in items:
            by_channel.setdefault(item.channel, []).append(item.reference)
        with reading(self._engine) as db:
            known = {
                channel: self._offers(db, self._scope(channel), references)
                for channel, references in by_channel.items()
            }
            offers = [known[item.channel].get(item.reference) for item in items]
            keys = [
                state.key_of(
                    *(item.package_type, item.product, offer),
                    *(self._scope(item.channel), item.reference),
                )
                for item, offer in zip(items, offers, strict=True)
            ]
            stocks = read_stocks(db, self._shared, set(keys)) if items else {}
        return [
            (offer, key, self._quantity(key, stocks.get(key), self._scope(item.channel)))
            for item, offer, key in zip(items, offers, keys, strict=True)
        ]

    def _offers(
        self, db: Connection, scope: str, references: Sequence[str]
    ) -> dict[str, AcceptedOffer]:
        offers = read_accepted(db, scope, references)
        for name, offer in offers.items():
            is_open = scope in self._purging or (scope, name) in self._open
            is_sure = offer.is_sure and not is_open and offer.run_id >= self._cut_short
            offers[name] = offer._replace(is_sure=is_sure)
        return offers

    def _quantity(self, key: str, stock: Stock | None, scope: str) -> int | None:
        """Return a quantity, or None if another channel may have changed it since."""
        if stock is None or stock.quantity is None or key in self._moving:
            return None
        written = (
            (kind, channel)
            for kind, channel, until in self._marks
            if self._cut_short or (until >= stock.begun and state.may_be_same(key[0], kind))
        )
        moving = (mark for mark in self._moving_kinds if state.may_be_same(key[0], mark[0]))
        is_moved = any(channel != scope for marks in (written, moving) for _, channel in marks)
        return None if is_moved else stock.quantity

    def _scope(self, channel: str) -> str:
        return scope_of(self._service, self._seller, channel)


# The accepted offers before a run changed them.


class EarlierOffer(NamedTuple):
    fields: OfferFields | None
    """None for a deleted offer."""
    quantity: int | None
    """The shared stock; None if unknown."""


def write_earlier(
    db: Connection, scope: str, run_id: int, offers: Mapping[str, EarlierOffer]
) -> None:
    """Store offers before a run changed them; the first record of a reference stays."""
    rows = [
        (run_id, scope, reference, as_json(offer.fields), offer.quantity)
        for reference, offer in offers.items()
    ]
    upsert(db, _EARLIER, rows)


def read_earlier(
    db: Connection, scope: str, run_id: int, references: Sequence[str]
) -> dict[str, EarlierOffer]:
    """Return the known offers of a channel before a run changed them."""
    columns = t.earlier.c
    query = select(columns.reference, columns.terms, columns.quantity).where(
        columns.run_id == run_id, columns.scope == scope, columns.reference.in_(references)
    )
    return {
        reference: EarlierOffer(None if fields is None else orjson.loads(fields), quantity)
        for reference, fields, quantity in db.execute(query)
    }


# Both databases accept this syntax.
_EARLIER = (
    "INSERT INTO earlier (run_id, scope, reference, terms, quantity) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (run_id, scope, reference) DO NOTHING"
)
