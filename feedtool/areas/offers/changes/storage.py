"""The tables `accepted` and `stocks`: what is known of offers, and of the stocks they share."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

import orjson
from sqlalchemy import Connection, delete, select, update

from feedtool.areas.offers.changes.offer_state import AcceptedOffer
from feedtool.ledger import tables as t

CHUNK = 1_000
"""Rows that are read, and references that are looked up, at a time."""

MARK, NAMED = "*", "#"
"""First characters of keys that are no product's: when a channel last wrote stock of a class of
keys; and that a class of keys occurs at all."""


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
    text = f"{service}\n{seller}" if channel is None else f"{service}\n{seller}\n{channel}"
    return sha256(text.encode()).hexdigest()[:24]


def read_accepted(
    db: Connection, scope: str, references: Sequence[str]
) -> dict[str, AcceptedOffer]:
    """What is known of some references of a channel."""
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
    """What is known of some stocks of a seller."""
    columns = t.stocks.c
    query = select(columns.product, columns.quantity, columns.begun, columns.until).where(
        columns.scope == scope, columns.product.in_([*products])
    )
    return {product: Stock(*rest) for product, *rest in db.execute(query)}


def write_accepted(db: Connection, scope: str, offers: Mapping[str, AcceptedOffer]) -> None:
    """Write what is known of some references, in the place of what was."""
    rows = [
        (
            *(scope, reference, _json(offer.fields), int(offer.is_sure)),
            *(offer.product, offer.run_id, _json(offer.last_price)),
        )
        for reference, offer in offers.items()
    ]
    _upsert(db, _ACCEPTED, rows)


def _json(value: object) -> str | None:
    return None if value is None else orjson.dumps(value).decode()


def forget(db: Connection, scope: str) -> None:
    """Nothing is known any more of a channel's offers but the last prices."""
    is_in_scope = t.accepted.c.scope == scope
    db.execute(delete(t.accepted).where(is_in_scope, t.accepted.c.last_price.is_(None)))
    db.execute(update(t.accepted).where(is_in_scope).values(terms="{}", is_sure=0, product=""))


def write_stocks(
    db: Connection,
    shared: str,
    channel: str | None,
    quantities: Mapping[str, int | None],
    begun: datetime,
    until: datetime,
    kinds: Iterable[str],
) -> None:
    """Write quantities that were on their way between two times.

    Args:
        db: A transaction.
        shared: The seller's scope.
        channel: The channel's; None where nothing was written but only looked at.
        quantities: By the key of the stock; None where it is not known.
        begun: The earliest moment at which they may have come into force.
        until: The latest.
        kinds: What the keys of all offers begin with, whether they have quantities or not.
    """
    marks = {f"{MARK}{key[0]}{channel}" for key in quantities} if channel else set()
    known = read_stocks(db, shared, [*quantities, *marks])
    new = Stock(None, begun, until)
    changed = {
        key: _later(known.get(key), Stock(quantity, begun, until))
        for key, quantity in quantities.items()
    }
    for mark in marks:
        old = known.get(mark, new)
        changed[mark] = Stock(None, max(begun, old.begun), max(until, old.until))
    changed |= {f"{NAMED}{kind}": new for kind in kinds}
    rows = [
        (shared, key, stock.quantity, _as_text(stock.begun), _as_text(stock.until))
        for key, stock in changed.items()
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
