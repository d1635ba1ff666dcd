"""What an export was shown, noted as accepted: whatever sent it, the service has it."""

from collections.abc import Iterable
from datetime import datetime
from itertools import islice

from sqlalchemy import Connection, Engine, delete, select, update

from feedtool.areas.offers.changes.known import (
    CHUNK,
    forget,
    read_accepted,
    scope_of,
    write_accepted,
    write_stocks,
)
from feedtool.areas.offers.changes.offer_state import (
    COMMENT,
    ORIGIN,
    PRICE,
    PRODUCT,
    QUANTITY,
    Accepted,
    ObservedOffer,
    unnamed,
)
from feedtool.areas.offers.changes.projection import absorbed_by
from feedtool.ledger import tables as t
from feedtool.ledger.database import writing


def see(
    engine: Engine,
    service: str,
    seller: str,
    channel: str,
    offers: Iterable[ObservedOffer],
    *,
    between: tuple[datetime, datetime],
    is_all: bool,
    absorbed: int,
) -> bool:
    """Note offers as the service showed them.

    Args:
        engine: The ledger's.
        service: Its base address.
        seller: Whose offers.
        channel: Where.
        offers: What it showed; a quantity in the terms is the shared stock.
        between: When it was first and last asked.
        is_all: Whether they are all of the channel's, so that nothing is known of others.
        absorbed: What `count_absorbed` was before it was asked.

    Returns:
        False where nothing was noted, since what was sent meanwhile is known already.
    """
    scope, shared = scope_of(service, seller, channel), scope_of(service, seller)
    before = f"{scope}-"
    with writing(engine) as db:
        if absorbed_by(db, service, seller) != absorbed:
            return False
        if is_all:
            _move(db, scope, before)
        coming = iter(offers)
        while batch := [*islice(coming, CHUNK)]:
            known = read_accepted(db, before if is_all else scope, [one.reference for one in batch])
            found = {one.reference: _seen(one, known.get(one.reference), scope) for one in batch}
            write_accepted(db, scope, found)
            stock = {
                found[one.reference].product: one.terms[QUANTITY]
                for one in batch
                if QUANTITY in one.terms
            }
            kinds = {one.product[0] for one in found.values()}
            write_stocks(db, shared, None, stock, *between, kinds)
        _drop(db, before, scope)
    return True


def _move(db: Connection, scope: str, to: str) -> None:
    db.execute(update(t.accepted).where(t.accepted.c.scope == scope).values(scope=to))


def _drop(db: Connection, before: str, scope: str) -> None:
    """What is not there any more: but for its last price nothing is known of it."""
    of_it, columns = t.accepted.c.scope == before, t.accepted.c
    shown = select(columns.reference).where(columns.scope == scope)
    db.execute(delete(t.accepted).where(of_it, columns.reference.in_(shown)))
    forget(db, before)
    _move(db, before, scope)


def _seen(one: ObservedOffer, before: Accepted | None, scope: str) -> Accepted:
    """What is shown counts; what is never shown stays where nothing else has changed."""
    terms = {name: value for name, value in one.terms.items() if name != QUANTITY}
    old = (before.terms if before else None) or {}
    if old and _is_same_product(old.get(PRODUCT), terms.get(PRODUCT)):
        terms[PRODUCT] = old[PRODUCT]  # as it was named by us: the service shows both names
    if all(old.get(name, value) == value for name, value in terms.items()):
        terms |= {name: old[name] for name in (ORIGIN, COMMENT) if name in old}
    product = one.product or (before.product if before else "") or unnamed(scope, one.reference)
    run_id, last_price = (before.run_id, before.last_price) if before else (0, None)
    return Accepted(terms, True, product, run_id, terms.get(PRICE, last_price))


def _is_same_product(ours: list[str] | None, shown: list[str] | None) -> bool:
    if not (ours and shown):
        return False
    return all(not own or own == other for own, other in zip(ours, shown, strict=True))
