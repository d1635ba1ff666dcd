"""Rows that are valid and were not sent, since nothing has changed or a guard holds them."""

from collections.abc import Iterable, Iterator
from itertools import islice

from sqlalchemy import Connection, Engine, insert, select

from feedtool.ledger import tables as t
from feedtool.ledger.database import reading
from feedtool.ledger.rows import messages_as_text, messages_of
from feedtool.model.nouns import RowResult, Status

CHUNK = 5_000
"""Rows read or written at a time."""


def add_skipped(db: Connection, file: int, verdicts: Iterable[RowResult]) -> None:
    """Write down what is told of rows of a file that are not sent."""
    coming = (
        {
            "file": file,
            "row": one.row,
            "reference": one.reference,
            "status": str(one.status),
            "messages": messages_as_text(one.messages),
        }
        for one in verdicts
    )
    while batch := [*islice(coming, CHUNK)]:
        db.execute(insert(t.withheld), batch)


def read_skipped(engine: Engine, file: int) -> Iterator[RowResult]:
    """What is told of them, in row order; nothing is held open meanwhile."""
    columns = t.withheld.c
    query = select(columns.row, columns.reference, columns.status, columns.messages)
    after = 0
    while True:
        own = query.where(columns.file == file, columns.row > after).order_by(columns.row)
        with reading(engine) as db:
            found = db.execute(own.limit(CHUNK)).all()
        for row, reference, status, messages in found:
            yield RowResult(row, reference, Status(status), messages_of(messages))
        if len(found) < CHUNK:
            return
        after = found[-1].row
