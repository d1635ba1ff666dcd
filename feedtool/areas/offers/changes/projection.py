"""What the service has last accepted, read out of the packages that are closed.

Nothing of this is written while a delivery is under way. Whoever needs to know brings the tables
`accepted` and `stocks` up to date first: each closed package is read once, in one transaction with
the note that it was. What its rows came to is told by their verdicts:

    Integrated             an Upsert, or the offer of a Full zip, is all that there is from now on:
                           a struck price that it does not give is gone. An Update, or a
                           StockAndPrice, changes what it gives. After a Delete there is nothing.
    Rejected, Duplicated   what was accepted before stays so; but the row failed, and so whatever
                           comes next of its reference is sent.
    Unknown                what it gave is not known any more, and the next is sent as well.
                           The last price stays noted, for guards; so it does after a Delete.
    Superseded, Held       it was never sent, and says nothing.

After a purge nothing is known of the channel but what was in its zip. What is not closed yet is
seen to where it is looked up (`accepted`): nobody knows. What an export was shown (`seeing`) counts
as accepted, whoever sent it. What others change later, and what is sold, is not known.

Of one reference on a channel at most one row is in flight, and never one of an earlier run after a
later one's, so that the order of runs is the order in which the service had them.

The quantity is not the offer's: stock is shared by all channels for a product and condition
(specification, "General properties"). Packages of two channels may be integrated in any order, so
of two quantities the later one counts only where its package was committed after the other was
known to be over, both by our own clock; else, unless they are equal, the stock is not known.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, func, select, text, tuple_

from feedtool.areas.offers.changes.known import (
    CHUNK,
    forget,
    key_of,
    read_accepted,
    scope_of,
    write_accepted,
    write_stocks,
)
from feedtool.areas.offers.changes.offer_state import (
    PRICE,
    QUANTITY,
    WHOLE,
    Accepted,
    Terms,
    merged,
    terms_of,
)
from feedtool.areas.offers.package_types import PackageType
from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.ledger.records import Phase
from feedtool.ledger.row_results import FACTS, facts_of, row_result
from feedtool.model.nouns import Status

FAILED = frozenset({Status.REJECTED, Status.DUPLICATED, Status.REFUSED})
NEVER_SENT = frozenset({Status.SUPERSEDED, Status.HELD})


def absorb(engine: Engine, service: str, seller: str) -> None:
    """Read the packages of a seller that were closed since the last time."""
    closed = (
        select(t.packages, t.runs.c.run_id, t.runs.c.started_at)
        .select_from(t.packages.join(t.files).join(t.runs).outerjoin(t.absorbed))
        .where(
            t.runs.c.seller == seller,
            t.runs.c.service == service,
            t.packages.c.phase == str(Phase.CLOSED),
            t.packages.c.package_type.in_([*PackageType]),
            t.absorbed.c.package.is_(None),
        )
        .order_by(t.runs.c.run_id, t.packages.c.package)
    )
    with reading(engine) as db:
        found = db.execute(closed).all()
    for package in found:
        with writing(engine) as db:
            if _is_new(db, package.package):
                _Package(db, package, service, seller).absorb()


def _is_new(db: Connection, package: int) -> bool:
    """Note that a package is read; False where another process was faster."""
    return bool(db.execute(_NOTE, {"package": package}).rowcount)


_NOTE = text("INSERT INTO absorbed (package) VALUES (:package) ON CONFLICT DO NOTHING")


class _Package:
    """One closed package, while it is read."""

    def __init__(self, db: Connection, package: Row[Any], service: str, seller: str) -> None:
        self._db, self._package = db, package
        self._type = PackageType(package.package_type)
        self._scope = scope_of(service, seller, package.channel)
        self._shared = scope_of(service, seller)
        self._begun: datetime = package.committed_at or package.started_at
        self._until = self._over()

    def absorb(self) -> None:
        if self._type == PackageType.PURGE and self._package.creations:
            # What is not in the zip is gone, and nobody says which rows that was.
            forget(self._db, self._scope)
        query = FACTS.add_columns(t.requests.c.body, t.requests.c.product).where(
            t.requests.c.file == self._package.file, t.requests.c.package == self._package.package
        )
        key, after = tuple_(t.requests.c.row, t.requests.c.number), (0, 0)
        while rows := self._db.execute(query.where(key > after).limit(CHUNK)).all():
            self._fold(rows)
            after = (rows[-1].row, rows[-1].number)

    def _over(self) -> datetime:
        """When it was known to be over, by our clock: `finished_at` is by the service's."""
        last = select(func.max(t.attempts.c.answered_at)).where(
            t.attempts.c.package == self._package.package
        )
        known: datetime | None = self._db.execute(last).scalar() or self._package.finished_at
        return self._begun if known is None else max(known, self._begun)

    def _fold(self, rows: Sequence[Row[Any]]) -> None:
        known = read_accepted(self._db, self._scope, [row.reference for row in rows])
        writes: dict[str, int | None] = {}
        changed: dict[str, Accepted] = {}
        for row in rows:
            status = row_result(facts_of(row.row, row[2:-2])).status
            if status in NEVER_SENT:
                continue
            before = known.get(row.reference)
            terms = terms_of(self._type, row.body)
            product = key_of(self._type, row.product, before, self._scope, row.reference)
            changed[row.reference] = Accepted(
                self._terms(status, before, terms),
                status is Status.INTEGRATED,
                product,
                self._package.run_id,
                _price(status, before, terms),
            )
            if QUANTITY in terms and status not in FAILED:
                writes[product] = terms[QUANTITY] if status is Status.INTEGRATED else None
        write_accepted(self._db, self._scope, changed)
        kinds = {one.product[0] for one in changed.values()}
        write_stocks(self._db, self._shared, self._scope, writes, self._begun, self._until, kinds)

    def _terms(self, status: Status, before: Accepted | None, terms: Terms) -> Terms | None:
        old = before.terms if before else {}
        if status is Status.INTEGRATED:
            return merged(old, self._type, terms)
        if status in FAILED:
            return old
        if self._type in WHOLE or self._type == PackageType.DELETE:
            return {}
        return {name: value for name, value in (old or {}).items() if name not in terms}


def _price(status: Status, before: Accepted | None, terms: Terms) -> float | None:
    """The last price that was accepted, whatever has come of the offer since."""
    if status is Status.INTEGRATED and PRICE in terms:
        price: float = terms[PRICE]
        return price
    return before.last_price if before else None


def count_absorbed(engine: Engine, service: str, seller: str) -> int:
    """How many packages of a seller have been read."""
    with reading(engine) as db:
        return absorbed_by(db, service, seller)


def absorbed_by(db: Connection, service: str, seller: str) -> int:
    """The same, inside of a transaction."""
    mine = (
        select(func.count())
        .select_from(t.absorbed.join(t.packages).join(t.files).join(t.runs))
        .where(t.runs.c.seller == seller, t.runs.c.service == service)
    )
    return int(db.execute(mine).scalar_one())
