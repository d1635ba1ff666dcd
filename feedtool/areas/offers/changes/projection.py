"""The offers that the service has last accepted, projected from the packages that are closed.

Nothing of this is written while a delivery is under way. Whoever needs to know brings the tables
`accepted` and `stocks` up to date first: each closed package is read once, in one transaction with
the note that it was. The results of its rows count so:

    Integrated             an Upsert, or the offer of a Full zip, is all that there is from now on:
                           a struck price that it does not give is gone. An Update, or a
                           StockAndPrice, changes what it gives. After a Delete there is nothing.
    Rejected, Duplicated   what was accepted before stays so; but the row failed, and so whatever
                           comes next of its reference is sent.
    Unknown                what it gave is not known any more, and the next is sent as well.
                           The last price stays noted, for guards; so it does after a Delete.
    Superseded, Held       it was never sent, and says nothing.

After a purge nothing is known of the channel but what was in its zip. What is not closed yet is
seen to where it is looked up (`accepted`): nobody knows. What an export was shown counts as
accepted, whoever sent it. What others change later, and what is sold, is not known.

Of one reference on a channel at most one row is in flight, and never one of an earlier run after a
later one's, so that the order of runs is the order in which the service had them.

The quantity is not the offer's: stock is shared by all channels for a product and condition
(specification, "General properties"). Packages of two channels may be integrated in any order, so
of two quantities the later one counts only where its package was committed after the other was
known to be over, both by our own clock; else, unless they are equal, the stock is not known.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Engine, Row, delete, func, select, text, tuple_, update

from feedtool.areas.offers.changes import offer_state as state
from feedtool.areas.offers.changes.accepted import (
    CHUNK,
    Stock,
    forget,
    read_accepted,
    read_stocks,
    scope_of,
    write_accepted,
    write_stocks,
)
from feedtool.areas.offers.changes.earlier import EarlierOffer, write_earlier
from feedtool.areas.offers.changes.offer_state import AcceptedOffer, ObservedOffer, OfferFields
from feedtool.areas.offers.package_types import PackageType
from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.ledger.records import Phase
from feedtool.ledger.row_results import FACTS, RowFacts, row_result
from feedtool.model.nouns import Status

FAILED = frozenset({Status.REJECTED, Status.DUPLICATED, Status.REFUSED})
NEVER_SENT = frozenset({Status.SUPERSEDED, Status.HELD})


def project(engine: Engine, service: str, seller: str) -> int:
    """Read the packages of a seller that were closed since the last time; how many there are."""
    closed = (
        select(t.packages, t.runs.c.run_id, t.runs.c.started_at)
        .select_from(t.package_runs.outerjoin(t.absorbed))
        .where(
            t.is_of(service, seller),
            t.packages.c.phase == str(Phase.CLOSED),
            t.packages.c.package_type.in_([*PackageType]),
            t.absorbed.c.package.is_(None),
        )
        .order_by(t.runs.c.run_id, t.packages.c.package)
    )
    with reading(engine) as db:
        packages = db.execute(closed).all()
    for package in packages:
        with writing(engine) as db:
            # Another process may have been faster.
            if db.execute(_NOTE, {"package": package.package}).rowcount:
                _project(db, package, service, seller)
    with reading(engine) as db:
        return _count(db, service, seller)


_NOTE = text("INSERT INTO absorbed (package) VALUES (:package) ON CONFLICT DO NOTHING")


def _count(db: Connection, service: str, seller: str) -> int:
    query = (
        select(func.count())
        .select_from(t.absorbed.join(t.package_runs))
        .where(t.is_of(service, seller))
    )
    return int(db.execute(query).scalar_one())


def _project(db: Connection, package: Row[Any], service: str, seller: str) -> None:
    """Read one closed package."""
    package_type = PackageType(package.package_type)
    scope, shared = scope_of(service, seller, package.channel), scope_of(service, seller)
    if package_type == PackageType.PURGE and package.creations:
        # What is not in the zip is gone, and nobody says which rows that was.
        forget(db, scope)
    begun: datetime = package.committed_at or package.started_at
    # It was known to be over by our clock: `finished_at` is by the service's.
    last = select(func.max(t.attempts.c.answered_at)).where(t.attempts.c.package == package.package)
    over: datetime = db.execute(last).scalar() or package.finished_at or begun
    for rows in read_rows(db, package.file, package.package):
        known = read_accepted(db, scope, [row.reference for row in rows])
        quantities: dict[str, int | None] = {}
        changed: dict[str, AcceptedOffer] = {}
        keys: dict[str, str] = {}
        for row in rows:
            status = row_result(RowFacts._make(row[:-2])).status
            if status in NEVER_SENT:
                continue
            before, is_done = known.get(row.reference), status is Status.INTEGRATED
            fields = state.offer_fields(package_type, row.body)
            product = state.key_of(package_type, row.product, before, scope, row.reference)
            price = fields.get(state.PRICE) if is_done else None
            changed[row.reference] = AcceptedOffer(
                _fields(status, package_type, before.fields if before else {}, fields),
                is_done,
                product,
                package.run_id,
                before.last_price if price is None and before else price,
            )
            if status not in FAILED:
                keys[row.reference] = product
            if state.QUANTITY in fields and status not in FAILED:
                quantities[product] = fields[state.QUANTITY] if is_done else None
        stocks = read_stocks(db, shared, {*keys.values()})
        earlier = {
            reference: EarlierOffer(known[reference].fields, _quantity(stocks.get(key)))
            for reference, key in keys.items()
            if reference in known
        }
        write_earlier(db, scope, package.run_id, earlier)
        write_accepted(db, scope, changed)
        kinds = {offer.product[0] for offer in changed.values()}
        write_stocks(db, shared, scope, quantities, (begun, max(over, begun)), kinds)


def read_rows(db: Connection, file: int, package: int) -> Iterator[Sequence[Row[Any]]]:
    """The requests of a package with the facts of their results, some at a time."""
    query = FACTS.add_columns(t.requests.c.body, t.requests.c.product).where(
        t.requests.c.file == file, t.requests.c.package == package
    )
    key, after = tuple_(t.requests.c.row, t.requests.c.number), (0, 0)
    while rows := db.execute(query.where(key > after).limit(CHUNK)).all():
        yield rows
        after = (rows[-1].row, rows[-1].number)


def _quantity(stock: Stock | None) -> int | None:
    return stock.quantity if stock else None


def _fields(
    status: Status, package_type: PackageType, old: OfferFields | None, fields: OfferFields
) -> OfferFields | None:
    """The fields of an offer after a row of it; none of them where nothing is known any more."""
    if status is Status.INTEGRATED:
        return state.apply(old, package_type, fields)
    if status in FAILED:
        return old
    if package_type in state.WHOLE or package_type == PackageType.DELETE:
        return {}
    return {name: value for name, value in (old or {}).items() if name not in fields}


def record_observed(
    engine: Engine,
    service: str,
    seller: str,
    channel: str,
    offers: Iterable[ObservedOffer],
    *,
    between: tuple[datetime, datetime],
    is_all: bool,
    projected: int,
) -> bool:
    """Record offers as an export was shown them: whatever sent them, the service has them.

    A quantity in their fields is the shared stock. It was first and last asked `between` two times.
    Where `is_all` of the channel's, nothing is known of others. `projected` is what `project`
    returned before: where more was sent meanwhile, nothing is recorded, and False returned.
    """
    scope, shared = scope_of(service, seller, channel), scope_of(service, seller)
    before = f"{scope}-"
    with writing(engine) as db:
        if _count(db, service, seller) != projected:
            return False
        if is_all:
            _move(db, scope, before)
        coming = iter(offers)
        while batch := [*islice(coming, CHUNK)]:
            shown = {offer.reference: offer for offer in batch}
            known = read_accepted(db, before if is_all else scope, [*shown])
            now = {name: _accepted(shown[name], known.get(name), scope) for name in shown}
            write_accepted(db, scope, now)
            stock = {
                now[name].product: offer.fields[state.QUANTITY]
                for name, offer in shown.items()
                if state.QUANTITY in offer.fields
            }
            kinds = {offer.product[0] for offer in now.values()}
            write_stocks(db, shared, None, stock, between, kinds)
        # What is not there any more is forgotten, but for its last price.
        columns = t.accepted.c
        there = select(columns.reference).where(columns.scope == scope)
        db.execute(delete(t.accepted).where(columns.scope == before, columns.reference.in_(there)))
        forget(db, before)
        _move(db, before, scope)
    return True


def _move(db: Connection, scope: str, to: str) -> None:
    db.execute(update(t.accepted).where(t.accepted.c.scope == scope).values(scope=to))


def _accepted(offer: ObservedOffer, before: AcceptedOffer | None, scope: str) -> AcceptedOffer:
    """The offer as it is shown; what is never shown stays where nothing else has changed."""
    fields = {name: value for name, value in offer.fields.items() if name != state.QUANTITY}
    old = (before.fields if before else None) or {}
    ours, shown = old.get(state.PRODUCT), fields.get(state.PRODUCT)
    if ours and shown and all(own in {"", other} for own, other in zip(ours, shown, strict=True)):
        fields[state.PRODUCT] = ours  # as it was named by us: the service shows both names
    if all(old.get(name, value) == value for name, value in fields.items()):
        fields |= {name: old[name] for name in (state.ORIGIN, state.COMMENT) if name in old}
    product = offer.product or (before.product if before else "")
    run_id, last_price = (before.run_id, before.last_price) if before else (0, None)
    return AcceptedOffer(
        fields,
        True,
        product or state.offer_key(scope, offer.reference),
        run_id,
        fields.get(state.PRICE, last_price),
    )
