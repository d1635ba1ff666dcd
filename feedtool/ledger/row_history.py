"""Queries for earlier and later requests of a seller, and giving up rows for these. SQL."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, bindparam, delete, func, insert, select, update

from feedtool.ledger import tables as t
from feedtool.ledger.database import CHUNK, pages, reading, writing
from feedtool.ledger.records import Package, Run
from feedtool.ledger.tables import counts
from feedtool.model.nouns import Item, Message, PendingRow, RowResult, Severity, Status
from feedtool.model.text import kept_text, text_of_kept, tr

LATER = t.requests.alias()
"""The requests of `sent_later`."""

_ANSWERED = t.requests.join(t.package_runs, t.packages.c.package == t.requests.c.package).outerjoin(
    t.results,
    sa.and_(
        t.results.c.package == t.requests.c.package,
        t.results.c.reference == t.requests.c.reference,
    ),
)
"""Requests with their packages and runs, and their results if any."""

REQUEST = PendingRow._fields[:-1]
"""Columns of the table of requests; the last is the body."""
SINGLE = sa.select(t.requests.c.package, *(t.requests.c[name] for name in REQUEST)).where(
    t.requests.c.fate.is_(None)
)
"""The live requests, each with its package."""
FURTHER = (
    sa.select(t.requests.c.package, t.request_rows.c.row)
    .join(t.request_rows)
    .order_by(t.request_rows.c.row)
)
"""The further rows of requests, with their packages."""


def sent_later(run: Run, channel: str) -> sa.Select[tuple[str, int]]:
    """The references that later runs of the seller have sent on a channel, and these runs.

    A row that is only planned, or held, was never in force, and may never be.
    """
    is_held = sa.func.coalesce(LATER.c.fate, "") == str(Status.HELD)
    return (
        sa.select(LATER.c.reference, t.runs.c.run_id)
        .select_from(LATER.join(t.package_runs, t.packages.c.package == LATER.c.package))
        .where(
            t.packages.c.channel == channel,
            t.is_of(run.service, run.seller),
            t.runs.c.run_id > run.run_id,
            ~is_held,
            sa.or_(t.packages.c.creations > 0, LATER.c.sends > 0, LATER.c.fate.is_not(None)),
        )
    )


def _earlier(service: str, seller: str, run_id: int | None, item: Item) -> sa.Select[Any]:
    """The last request of the same type and reference in other runs of the seller."""
    requests = t.requests.c
    return (
        sa.select(t.runs.c.run_id, requests.product)
        .select_from(_ANSWERED)
        .where(
            t.is_of(service, seller),
            requests.reference == item.reference,
            t.packages.c.package_type == item.package_type,
            t.runs.c.run_id != (run_id or 0),
        )
        .order_by(t.runs.c.run_id.desc())
        .limit(1)
    )


def digest_of(body: bytes) -> bytes:
    """The digest that replaces a personal request once it is done; no request looks like it."""
    return b"sha256:" + sha256(body).hexdigest().encode()


REFERENCES = 500
"""References in a query."""


class RequestHistory:
    """Queries of a ledger for earlier requests of a seller's runs."""

    engine: Engine

    def _all(self, query: sa.Executable) -> Sequence[Any]:
        with reading(self.engine) as db:
            return db.execute(query).all()

    def sent_before(self, service: str, seller: str, run_id: int | None, item: Item) -> int | None:
        """The last other run of a seller that sent an equal request, not refused."""
        is_refused = sa.func.coalesce(t.results.c.status, "") == str(Status.REJECTED)
        is_same = t.requests.c.body.in_((item.body, digest_of(item.body)))
        query = _earlier(service, seller, run_id, item)
        query = query.where(is_same, t.packages.c.creations > 0, ~is_refused)
        return next((run for run, _ in self._all(query)), None)

    def taken_before(
        self, service: str, seller: str, run_id: int | None, item: Item
    ) -> tuple[int, str] | None:
        """The last other run with a successful request of the reference, and its product."""
        is_taken = t.results.c.status == str(Status.SUCCESS)
        query = _earlier(service, seller, run_id, item).where(is_taken)
        return next(((run, product) for run, product in self._all(query)), None)

    def doubtful_before(
        self, service: str, seller: str, run_id: int | None, item: Item
    ) -> int | None:
        """The last other run that sent the reference, if the outcome is Unknown."""
        query = _earlier(service, seller, run_id, item).where(t.packages.c.creations > 0)
        query = query.with_only_columns(t.runs.c.run_id, t.requests.c.fate)
        return next((run for run, fate in self._all(query) if fate == Status.UNKNOWN), None)

    def known_references(
        self, service: str, seller: str, run_id: int | None, references: Iterable[str]
    ) -> set[str]:
        """The references, among these, that other runs of a seller have sent."""
        reference, known, rest = t.requests.c.reference, set[str](), iter(references)
        query = sa.select(reference).distinct().select_from(_ANSWERED)
        is_other = t.runs.c.run_id != (run_id or 0)
        query = query.where(t.is_of(service, seller), is_other, t.packages.c.creations > 0)
        while some := [*islice(rest, REFERENCES)]:
            known.update(name for (name,) in self._all(query.where(reference.in_(some))))
        return known

    def failed(self, service: str, seller: str) -> dict[int, int]:
        """The number of requests whose last answer is a failure, without a repetition, by run."""
        same = (t.packages.c.package_type, t.requests.c.reference)
        place = sa.func.row_number().over(partition_by=same, order_by=t.runs.c.run_id.desc())
        last = (
            sa.select(t.runs.c.run_id, t.results.c.status, place.label("place"))
            .select_from(_ANSWERED)
            .where(t.is_of(service, seller))
            .subquery()
        )
        query = (
            sa.select(last.c.run_id, sa.func.count())
            .where(last.c.place == 1, last.c.status == str(Status.FAILURE))
            .group_by(last.c.run_id)
            .order_by(last.c.run_id)
        )
        return dict(map(tuple, self._all(query)))

    def last_status(self, service: str, seller: str, package_type: str, reference: str) -> str:
        """The last answer to a request of a type and reference; a success before any other."""
        status = t.results.c.status
        query = (
            sa.select(status)
            .select_from(_ANSWERED)
            .where(
                t.is_of(service, seller),
                t.requests.c.reference == reference,
                t.packages.c.package_type == package_type,
                status.is_not(None),
            )
            .order_by((status == str(Status.SUCCESS)).desc(), t.runs.c.run_id.desc())
            .limit(1)
        )
        return next((answer for (answer,) in self._all(query)), "")


def is_live(package: Package) -> sa.ColumnElement[bool]:
    """True of a package's requests without a fate: not answered elsewhere, not given up."""
    return sa.and_(t.requests.c.package == package.key, t.requests.c.fate.is_(None))


def supersede(db: sa.Connection, package: Package, run: Run) -> None:
    """Give up the rows whose reference a later run of the seller has sent or answered."""
    if not has_later(db, run):  # mostly so: no rows have to be examined
        return
    sent = sent_later(run, package.channel).where(LATER.c.reference == t.requests.c.reference)
    if not package.channel:  # a shipment and an invoice of one order share its name alone
        sent = sent.where(t.packages.c.package_type == str(package.package_type))
    why = tr("Not sent: a later run has sent this reference.")
    db.execute(
        sa.update(t.requests)
        .where(is_live(package), sent.correlate(t.requests).exists())
        .values(fate=str(Status.SUPERSEDED), fate_text=kept_text(why))
    )


def has_later(db: sa.Connection, run: Run) -> bool:
    later = sa.select(t.runs).where(t.is_of(run.service, run.seller), t.runs.c.run_id > run.run_id)
    return db.execute(later.limit(1)).first() is not None


# Messages in the ledger.


_USUAL = ("", Severity.ERROR, 0)
"""Field, severity and row of most messages: no field and no single row; they are left out."""

# Most rows have much the same messages, and there are as many as the sheet has rows.


@lru_cache(4096)
def messages_as_text(messages: tuple[Message, ...]) -> str:
    """Encode messages as JSON; `messages_of` decodes them."""
    return json.dumps(
        [(code, kept_text(text), *_unusual(about)) for code, text, *about in messages],
        ensure_ascii=False,
    )


@lru_cache(4096)
def messages_of(kept: str) -> tuple[Message, ...]:
    """Decode the JSON of `messages_as_text`."""
    # An older message has no row.
    entries = ((*entry, *_USUAL[len(entry) - 2 :]) for entry in json.loads(kept))
    return tuple(
        Message(code, text_of_kept(text), field, Severity(severity), row)
        for code, text, field, severity, row in entries
    )


def _unusual(about: Sequence[Any]) -> Sequence[Any]:
    """Field, severity and row of a message, up to the last that is not usual."""
    if about[-1] != _USUAL[-1]:
        return about
    return () if tuple(about) == _USUAL else about[:-1]


def message_of(code: str | None, text: str | None) -> Message | None:
    """A message that is stored in two columns."""
    if code is None and text is None:
        return None
    return Message(code or "", text_of_kept(text or ""))


# Valid rows that were not sent, and skipped ones; and the rows among them that guards hold.


def add_withheld(db: Connection, file: int, results: Iterable[RowResult]) -> None:
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
