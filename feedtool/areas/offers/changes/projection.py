"""The last accepted offers, projected from closed packages.

A delivery writes none of this. Readers first update the tables `accepted` and `stocks`: each closed
package is read once, and marked as read in the same transaction. Results of rows have these
effects:

    Integrated             An Upsert, or an offer of a Full zip, is now the whole offer: a struck
                           price that it lacks is removed. An Update, or a StockAndPrice, changes
                           the fields that it has. A Delete removes the offer.
    Rejected, Duplicated   The offer stays as accepted before; but since the row failed, the next
                           row of the reference is always sent.
    Unknown                The row's fields become unknown, and the next row is always sent. The
                           last price stays for guards, also after a Delete.
    Superseded, Held       The row was never sent, and has no effect.

After a purge only the offers of its zip are known on the channel. Rows of open packages count as
unknown (`accepted`). Offers shown by an export count as accepted, no matter who sent them. Later
changes by others, and sales, are unknown.

At most one row of a reference on a channel is in flight, and rows of an earlier run never follow
those of a later run, so the order of runs is the order at the service.

The quantity belongs to the stock: all channels share it for a product and condition (specification,
"General properties"). Packages of two channels may be integrated in any order. So the later of two
quantities counts only if its package was committed after the other was known to be finished, both
by the local clock; otherwise, unless they are equal, the stock is unknown.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Engine, Row, delete, func, select, text, tuple_, update

from feedtool.areas.offers.changes import offer_state as state
from feedtool.areas.offers.changes.accepted import (
    CHUNK,
    EarlierOffer,
    forget,
    read_accepted,
    read_stocks,
    scope_of,
    write_accepted,
    write_earlier,
    write_stocks,
)
from feedtool.areas.offers.changes.offer_state import AcceptedOffer, ObservedOffer, OfferFields
from feedtool.areas.offers.delivery import PackageType
from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.ledger.records import Phase
from feedtool.ledger.row_results import FACTS, RowFacts, row_result
from feedtool.model.nouns import Status

FAILED = frozenset({Status.REJECTED, Status.DUPLICATED, Status.REFUSED})
NEVER_SENT = frozenset({Status.SUPERSEDED, Status.HELD})


def project(engine: Engine, service: str, seller: str) -> int:
    """Read a seller's newly closed packages; return the number of all packages read so far."""
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
            # Another process may have read it already.
            if db.execute(_NOTE, {"package": package.package}).rowcount:
                _read_package(db, package, service, seller)
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


def _read_package(db: Connection, package: Row[Any], service: str, seller: str) -> None:
    package_type = PackageType(package.package_type)
    scope, shared = scope_of(service, seller, package.channel), scope_of(service, seller)
    if package_type == PackageType.PURGE and package.creations:
        # All offers outside the zip are removed, but no answer lists them.
        forget(db, scope)
    begun: datetime = package.committed_at or package.started_at
    # The time by the local clock; `finished_at` is by the service's clock.
    last = select(func.max(t.attempts.c.answered_at)).where(t.attempts.c.package == package.package)
    finished: datetime = db.execute(last).scalar() or package.finished_at or begun
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
            reference: EarlierOffer(
                known[reference].fields, stock.quantity if (stock := stocks.get(key)) else None
            )
            for reference, key in keys.items()
            if reference in known
        }
        write_earlier(db, scope, package.run_id, earlier)
        write_accepted(db, scope, changed)
        kinds = {offer.product[0] for offer in changed.values()}
        write_stocks(db, shared, scope, quantities, (begun, max(finished, begun)), kinds)


def read_rows(db: Connection, file: int, package: int) -> Iterator[Sequence[Row[Any]]]:
    """Yield the requests of a package in batches, with the facts of their results."""
    query = FACTS.add_columns(t.requests.c.body, t.requests.c.product).where(
        t.requests.c.file == file, t.requests.c.package == package
    )
    key, after = tuple_(t.requests.c.row, t.requests.c.number), (0, 0)
    while rows := db.execute(query.where(key > after).limit(CHUNK)).all():
        yield rows
        after = (rows[-1].row, rows[-1].number)


def _fields(
    status: Status, package_type: PackageType, old: OfferFields | None, fields: OfferFields
) -> OfferFields | None:
    """Return an offer's fields after a row; {} if nothing is known any more."""
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
    """Record offers that an export has shown as accepted, no matter who sent them.

    A quantity in their fields is the shared stock. The reading took place `between` two moments. If
    `is_all`, the channel has no other offers. `projected` is the result of `project` before: if
    more was sent since, nothing is recorded, and False is returned.
    """
    scope, shared = scope_of(service, seller, channel), scope_of(service, seller)
    old_scope = f"{scope}-"
    with writing(engine) as db:
        if _count(db, service, seller) != projected:
            return False
        if is_all:
            _move(db, scope, old_scope)
        coming = iter(offers)
        while batch := [*islice(coming, CHUNK)]:
            shown = {offer.reference: offer for offer in batch}
            known = read_accepted(db, old_scope if is_all else scope, [*shown])
            now = {name: _accepted(shown[name], known.get(name), scope) for name in shown}
            write_accepted(db, scope, now)
            stock = {
                now[name].product: offer.fields[state.QUANTITY]
                for name, offer in shown.items()
                if state.QUANTITY in offer.fields
            }
            kinds = {offer.product[0] for offer in now.values()}
            write_stocks(db, shared, None, stock, between, kinds)
        # Offers that no longer exist are forgotten, except their last prices.
        columns = t.accepted.c
        references = select(columns.reference).where(columns.scope == scope)
        db.execute(
            delete(t.accepted).where(columns.scope == old_scope, columns.reference.in_(references))
        )
        forget(db, old_scope)
        _move(db, old_scope, scope)
    return True


def _move(db: Connection, scope: str, target: str) -> None:
    db.execute(update(t.accepted).where(t.accepted.c.scope == scope).values(scope=target))


def _accepted(offer: ObservedOffer, before: AcceptedOffer | None, scope: str) -> AcceptedOffer:
    """Return the offer as shown; fields that are never shown stay if nothing else has changed."""
    fields = {name: value for name, value in offer.fields.items() if name != state.QUANTITY}
    old = (before.fields if before else None) or {}
    sent, shown = old.get(state.PRODUCT), fields.get(state.PRODUCT)
    if sent and shown and all(name in {"", other} for name, other in zip(sent, shown, strict=True)):
        fields[state.PRODUCT] = sent  # the service shows both names, also those not sent
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
