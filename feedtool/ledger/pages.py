"""Rows of a query, page by page, so that nothing is held open meanwhile."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Engine, Select, tuple_

from feedtool.ledger.database import reading

CHUNK = 5_000


def pages(engine: Engine, query: Select[Any], *keys: Column[Any]) -> Iterator[Any]:
    """The rows of a query, ordered by `keys`, which are its first columns."""
    query = query.order_by(None).order_by(*keys).limit(CHUNK)
    page = query
    while True:
        with reading(engine) as db:
            rows = db.execute(page).all()
        yield from rows
        if len(rows) < CHUNK:
            return
        page = query.where(tuple_(*keys) > tuple_(*rows[-1][: len(keys)]))
