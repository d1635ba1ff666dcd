"""What is known of offers and of shared stocks: the tables `accepted` and `stocks`."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

import orjson
from sqlalchemy import Connection, delete, select, update

from feedtool.areas.offers.changes.offer_state import (
    BY_GTIN,
    BY_REFERENCE,
    WHOLE,
    Accepted,
    stock_key,
    unnamed,
)
from feedtool.ledger import tables as t

CHUNK = 1_000
"""Rows that are read, and references that are looked up, at a time."""

MARK, NAMED = "*", "#"
"""What the key of no product begins with: when a channel last wrote stock of a class of keys; and
that a class of keys occurs at all."""


class Stock(NamedTuple):
    """The last quantity of a product in its condition."""

    quantity: int | None
    """None where it is not known."""
    begun: datetime
    """The last package that had it was committed then or later."""
    until: datetime
    """No package that had it was under way after this."""


@lru_cache
def scope_of(service: str, seller: str, channel: str | None = None) -> str:
    """A seller, or one of the channels, short: it stands in every row."""
    told = f"{service}\n{seller}" if channel is None else f"{service}\n{seller}\n{channel}"
    return sha256(told.encode()).hexdigest()[:24]


def key_of(
    package_type: str, product: str, before: Accepted | None, scope: str, reference: str
) -> str:
    """The key of the stock that a row is about.

    An Upsert that names the product's reference alone is of the same product as the offer was
    before, since that never changes; so is an Update, which names none.

    Args:
        package_type: The row's.
        product: As in `Item.product`.
        before: What was known of its reference.
        scope: Its channel's.
        reference: The seller's.
    """
    own, old = stock_key(package_type, product), before.product if before else ""
    if own.startswith(BY_REFERENCE) and old.startswith(BY_GTIN) and before and before.terms:
        return old if old.rpartition("|")[2] == own.rpartition("|")[2] else own
    if own:
        return own
    return old if old and package_type not in WHOLE else unnamed(scope, reference)


def read_accepted(db: Connection, scope: str, references: Sequence[str]) -> dict[str, Accepted]:
    """What is known of some references of a channel."""
    columns = t.accepted.c
    query = select(
        *(columns.reference, columns.terms, columns.is_sure),
        *(columns.product, columns.run_id, columns.last_price),
    ).where(columns.scope == scope, columns.reference.in_(references))
    return {
        reference: Accepted(
            None if terms is None else orjson.loads(terms),
            bool(is_sure),
            product,
            run_id,
            None if price is None else orjson.loads(price),
        )
        for reference, terms, is_sure, product, run_id, price in db.execute(query)
    }


def read_stocks(db: Connection, scope: str, products: Iterable[str]) -> dict[str, Stock]:
    """What is known of some stocks of a seller."""
    columns = t.stocks.c
    query = select(columns.product, columns.quantity, columns.begun, columns.until).where(
        columns.scope == scope, columns.product.in_([*products])
    )
    return {product: Stock(*rest) for product, *rest in db.execute(query)}


def write_accepted(db: Connection, scope: str, found: Mapping[str, Accepted]) -> None:
    """Write what is known of some references, in the place of what was."""
    rows = [
        (
            scope,
            reference,
            None if one.terms is None else orjson.dumps(one.terms).decode(),
            int(one.is_sure),
            one.product,
            one.run_id,
            None if one.last_price is None else orjson.dumps(one.last_price).decode(),
        )
        for reference, one in found.items()
    ]
    _upsert(db, _ACCEPTED, rows)


def forget(db: Connection, scope: str) -> None:
    """Nothing is known any more of a channel's offers but the last prices."""
    of_it = t.accepted.c.scope == scope
    db.execute(delete(t.accepted).where(of_it, t.accepted.c.last_price.is_(None)))
    db.execute(update(t.accepted).where(of_it).values(terms="{}", is_sure=0, product=""))


def write_stocks(
    db: Connection,
    shared: str,
    channel: str | None,
    writes: Mapping[str, int | None],
    begun: datetime,
    until: datetime,
    kinds: Iterable[str],
) -> None:
    """Write quantities that were on their way between two times.

    Args:
        db: A transaction.
        shared: The seller's scope.
        channel: The channel's; None where nothing was written but only looked at.
        writes: Quantity by the key of the stock; None where it is not known.
        begun: The earliest moment at which they may have come into force.
        until: The latest.
        kinds: What the keys of all offers begin with, whether they have quantities or not.
    """
    marks = {f"{MARK}{key[0]}{channel}" for key in writes} if channel else set()
    known = read_stocks(db, shared, [*writes, *marks])
    new = Stock(None, begun, until)
    changed = {key: _later(known.get(key), new._replace(quantity=writes[key])) for key in writes}
    for mark in marks:
        old = known.get(mark, new)
        changed[mark] = Stock(None, max(begun, old.begun), max(until, old.until))
    changed |= {f"{NAMED}{kind}": new for kind in kinds}
    rows = [
        (shared, key, one.quantity, _as_text(one.begun), _as_text(one.until))
        for key, one in changed.items()
    ]
    _upsert(db, _STOCKS, rows)


_as_text = lru_cache(t.as_text)
"""Most are of one package."""


def _later(old: Stock | None, new: Stock) -> Stock:
    """The stock after a write: the later quantity counts, if it is sure which one that is."""
    if old is None or new.begun > old.until:
        return new
    quantity = new.quantity if new.quantity == old.quantity else None
    return Stock(quantity, max(old.begun, new.begun), max(old.until, new.until))


def _upsert(db: Connection, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Write rows of a table, new ones or in the place of old ones."""
    if rows:
        mark = "?" if db.dialect.positional else "%s"
        db.exec_driver_sql(statement.replace("?", mark), [*rows])


# Both databases spell them alike.

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
