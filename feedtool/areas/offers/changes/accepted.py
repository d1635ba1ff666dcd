"""Looking up what the service has last accepted; `projection` says what that means.

What is still open counts as not known: rows that are on their way, that have no result yet, or that
`resume` would send. A row of an interrupted run counts no more once a later run had an answer of
its reference, since it is never sent again.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, and_, func, select

from feedtool.areas.offers.changes.offer_state import (
    OTHER_NAMES,
    QUANTITY,
    AcceptedOffer,
    key_of,
    may_be_same,
    offer_fields,
)
from feedtool.areas.offers.changes.projection import project
from feedtool.areas.offers.changes.storage import (
    CHUNK,
    MARK,
    NAMED,
    Stock,
    read_accepted,
    read_stocks,
    scope_of,
)
from feedtool.areas.offers.package_types import PackageType
from feedtool.ledger import tables as t
from feedtool.ledger.database import reading
from feedtool.ledger.records import Phase
from feedtool.model.nouns import Item

_LIVE = and_(t.accepted.c.terms.is_not(None), t.accepted.c.terms != "{}")
"""Offers that are known, and not to be deleted."""


class AcceptedOffers:
    """A seller's offers as far as they are known, brought up to date when it is made.

    Holds no transaction. What is open is read once, and held in memory.
    """

    def __init__(self, engine: Engine, service: str, seller: str, cut_short: int = 0) -> None:
        """Look into a ledger.

        Args:
            engine: The ledger's.
            service: Its base address.
            seller: Whose offers.
            cut_short: The last of the seller's runs that was killed before its rows were written
                down: of what it is to send nothing is known but that later runs go before it.
        """
        self._engine, self._service, self._seller = engine, service, seller
        self._cut_short = cut_short
        self._shared = scope_of(service, seller)
        project(engine, service, seller)
        self._open: set[tuple[str, str]] = set()
        self._moving: set[str] = set()
        self._moving_kinds: set[tuple[str, str]] = set()
        self._purging: set[str] = set()
        with reading(engine) as db:
            self.is_any = db.execute(select(t.accepted.c.scope).limit(1)).first() is not None
            """True if anything is known of anybody: if not, there is no need to look."""
            stocks = t.stocks.c
            marks = select(stocks.product, stocks.until).where(
                stocks.scope == self._shared, stocks.product.startswith(MARK, autoescape=True)
            )
            self._marks = [(mark[1], mark[2:], until) for mark, until in db.execute(marks)]
            names = [f"{NAMED}{kind}" for kind in OTHER_NAMES]
            self.has_other_names = bool(read_stocks(db, self._shared, names))
            """True if products are known by more than their references."""
            for row, offer, scope in self._read_open(db):
                self._note_open(row, offer, scope)

    def count(self, channel: str) -> int:
        """The number of offers that the channel is known to have."""
        query = select(func.count()).where(t.accepted.c.scope == self._scope(channel), _LIVE)
        with reading(self._engine) as db:
            return int(db.execute(query).scalar_one())

    def count_at_zero(self, channel: str) -> int:
        """The number of these that have no stock, as far as is known."""
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
        """The number of products, in their condition, last known to have stock, and offers.

        Args:
            channels: Where they may have these, besides those that were sent to.
        """
        scopes = {*map(self._scope, channels), *(scope for _, scope, _ in self._marks)}
        live = select(t.accepted.c.product).where(_LIVE, t.accepted.c.scope.in_(scopes))
        query = select(func.count()).where(
            t.stocks.c.scope == self._shared,
            t.stocks.c.quantity > 0,
            t.stocks.c.product.in_(live),
        )
        with reading(self._engine) as db:
            return int(db.execute(query).scalar_one())

    def look_up(self, items: Sequence[Item]) -> list[tuple[AcceptedOffer | None, str, int | None]]:
        """Of each row the offer, the key of its stock, and the quantity; None is not known."""
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
                key_of(
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
        offers = {}
        for reference, offer in read_accepted(db, scope, references).items():
            is_open = scope in self._purging or (scope, reference) in self._open
            is_sure = offer.is_sure and not is_open and offer.run_id >= self._cut_short
            offers[reference] = offer._replace(is_sure=is_sure)
        return offers

    def _quantity(self, key: str, stock: Stock | None, scope: str) -> int | None:
        """A quantity, unless another one may have come over another channel since."""
        if stock is None or stock.quantity is None or key in self._moving:
            return None
        written = (
            (kind, channel)
            for kind, channel, until in self._marks
            if self._cut_short or (until >= stock.begun and may_be_same(key[0], kind))
        )
        moving = (mark for mark in self._moving_kinds if may_be_same(key[0], mark[0]))
        is_moved = any(channel != scope for marks in (written, moving) for _, channel in marks)
        return None if is_moved else stock.quantity

    def _scope(self, channel: str) -> str:
        return scope_of(self._service, self._seller, channel)

    def _read_open(self, db: Connection) -> Iterator[tuple[Row[Any], AcceptedOffer | None, str]]:
        """The rows that are open, but for those that a later run has made void."""
        for batch in db.execute(_open(self._service, self._seller)).partitions(CHUNK):
            for channel in {row.channel for row in batch}:
                rows = [row for row in batch if row.channel == channel]
                scope = self._scope(channel)
                known = read_accepted(db, scope, [row.reference for row in rows])
                for row in rows:
                    offer = known.get(row.reference)
                    if offer is None or offer.run_id <= row.run_id:
                        yield row, offer, scope

    def _note_open(self, row: Row[Any], offer: AcceptedOffer | None, scope: str) -> None:
        package_type = row.package_type
        self._open.add((scope, row.reference))
        if package_type == PackageType.PURGE:
            self._purging.add(scope)
        key = key_of(package_type, row.product, offer, scope, row.reference)
        self.has_other_names |= key[0] in OTHER_NAMES
        if QUANTITY in offer_fields(package_type, row.body):
            self._moving.add(key)
            self._moving_kinds.add((key[0], scope))


def _open(service: str, seller: str) -> Select[Any]:
    """The rows of a seller whose end is not known."""
    rows, packages, runs = t.requests.c, t.packages.c, t.runs.c
    return (
        select(
            *(packages.channel, packages.package_type, rows.reference),
            *(rows.product, rows.body, runs.run_id),
        )
        .select_from(
            t.requests.join(t.packages)
            .join(t.files, t.packages.c.file == t.files.c.file)
            .join(t.runs)
        )
        .where(
            runs.seller == seller,
            runs.service == service,
            packages.phase != str(Phase.CLOSED),
            packages.package_type.in_([*PackageType]),
            rows.fate.is_(None),
        )
    )
