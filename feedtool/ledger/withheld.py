"""Valid rows that were not sent, and skipped ones; and the rows among them that guards hold.

Rows that a guard holds are counted by file and code. An entry is open until its rows are sent in a
later run, or it is dropped: so open entries of all runs are found without reading their rows.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Connection, Engine, bindparam, delete, func, insert, select, update

from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.ledger.fleet_tables import counts
from feedtool.ledger.kept_messages import messages_as_text, messages_of
from feedtool.ledger.pages import CHUNK, pages
from feedtool.model.nouns import Message, RowResult, Status


def add_withheld(db: Connection, file: int, results: Iterable[RowResult]) -> None:
    """Save the results of rows of a file that are not sent."""
    coming, held = iter(results), Counter[str]()
    while batch := [*islice(coming, CHUNK)]:
        held.update(code for result in batch for code in _guards(result))
        db.execute(insert(t.withheld), [_as_row(file, result) for result in batch])
    if held:
        rows = [{"file": file, "code": code, "rows": count} for code, count in held.items()]
        db.execute(insert(t.held), rows)


def _guards(result: RowResult) -> set[str]:
    """The codes of the guards that hold a row."""
    if result.status is not Status.HELD:
        return set()
    return {message.code for message in result.messages if message.code}


def _as_row(file: int, result: RowResult) -> dict[str, object]:
    return {
        "file": file,
        "row": result.row,
        "channel": result.channel,
        "reference": result.reference,
        "status": str(result.status),
        "messages": messages_as_text(result.messages),
    }


def withheld_of(engine: Engine, file: int, status: Status | None = None) -> Iterator[RowResult]:
    """The results of the rows of a file that were not sent, or those of one status, by row."""
    columns = t.withheld.c
    query = select(
        columns.row, columns.channel, columns.reference, columns.status, columns.messages
    ).where(columns.file == file)
    if status is not None:
        query = query.where(columns.status == str(status))
    for row, channel, reference, row_status, messages in pages(
        engine, query, columns.row, columns.channel
    ):
        yield RowResult(row, reference, Status(row_status), messages_of(messages), channel)


def count_said(
    engine: Engine, run_ids: Collection[int], messages: Collection[tuple[Message, ...]]
) -> dict[int, int]:
    """Count the rows of runs that are held with just one of these messages, by run."""
    columns = t.withheld.c
    rows = (
        select(t.files.c.run_id, columns.file, columns.row)
        .join(t.files)
        .where(
            t.files.c.run_id.in_(run_ids),
            columns.status == str(Status.HELD),
            columns.messages.in_(map(messages_as_text, messages)),
        )
        .distinct()
        .subquery()
    )
    with reading(engine) as db:
        query = select(rows.c.run_id, func.count()).group_by(rows.c.run_id)
        return dict(map(tuple, db.execute(query)))


class HeldCode(NamedTuple):
    """The rows of a sheet in a run that the guard of a code held."""

    run_id: int
    file: int
    """The sheet's key in the ledger."""
    path: str
    sheet: str | None
    code: str
    rows: int
    """The number of held rows; some may have been sent since."""


class HeldCodes:
    """The rows that guards hold in all runs of a ledger."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def open_codes(self, run_id: int | None = None) -> list[HeldCode]:
        """The entries that are neither dropped nor settled, of one run or all, newest run first."""
        files = t.files.c
        query = (
            select(files.run_id, files.file, files.path, files.sheet, t.held.c.code, t.held.c.rows)
            .join(t.held, t.held.c.file == files.file)
            .where(t.held.c.dropped_at.is_(None))
            .order_by(files.run_id.desc(), files.file, t.held.c.code)
        )
        if run_id is not None:
            query = query.where(files.run_id == run_id)
        with reading(self._engine) as db:
            return [HeldCode(*row) for row in db.execute(query)]

    def rows(self, held: HeldCode) -> Iterator[RowResult]:
        """The held rows, each with all its messages."""
        every = withheld_of(self._engine, held.file, Status.HELD)
        return (result for result in every if held.code in _guards(result))

    def drop(self, run_id: int, code: str, now: datetime) -> bool:
        """Note that the rows held by the guard of a code are never sent; False if it was noted."""
        files = select(t.files.c.file).where(t.files.c.run_id == run_id)
        is_open = (t.held.c.file.in_(files), t.held.c.code == code, t.held.c.dropped_at.is_(None))
        with writing(self._engine) as db:
            if not db.execute(update(t.held).where(*is_open).values(dropped_at=now)).rowcount:
                return False
            _note_held(db, [run_id])
        return True

    def settle(self, sent: Collection[HeldCode]) -> None:
        """Delete entries whose rows were all sent since."""
        columns = t.held.c
        with writing(self._engine) as db:
            for held in sent:
                db.execute(
                    delete(t.held).where(columns.file == held.file, columns.code == held.code)
                )
            _note_held(db, {held.run_id for held in sent})


def held_rows(db: Connection, run_ids: Collection[int]) -> dict[int, int]:
    """The number of rows that guards hold, by run; runs without such rows are left out."""
    return dict(map(tuple, db.execute(_HELD_ROWS, {"runs": [*run_ids]})))


_HELD_ROWS = (
    select(t.files.c.run_id, func.sum(t.held.c.rows))
    .join(t.held, t.held.c.file == t.files.c.file)
    .where(t.files.c.run_id.in_(bindparam("runs", expanding=True)), t.held.c.dropped_at.is_(None))
    .group_by(t.files.c.run_id)
)


def _note_held(db: Connection, run_ids: Collection[int]) -> None:
    """Save the number of held rows among the counts of runs."""
    held = held_rows(db, run_ids)
    for run_id in run_ids:
        left = {"held": held.get(run_id, 0)}
        db.execute(update(counts).where(counts.c.run_id == run_id).values(left))
