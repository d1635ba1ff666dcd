"""Queries for earlier and later requests of a seller, and giving up rows for these. SQL."""

from collections.abc import Collection
from hashlib import sha256
from typing import Any

import sqlalchemy as sa

from feedtool.ledger import tables as t
from feedtool.ledger.records import Package, Run
from feedtool.model.nouns import Item, PendingRow, Status
from feedtool.model.text import kept_text, tr

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


def single_references(run_id: int) -> sa.Select[tuple[int, str]]:
    """The package and the reference of each request of a run that is alone in its package."""
    return (
        sa.select(t.requests.c.package, t.requests.c.reference)
        .join(t.files, t.files.c.file == t.requests.c.file)
        .join(t.packages, t.packages.c.package == t.requests.c.package)
        .where(t.files.c.run_id == run_id, t.packages.c.rows == 1)
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


def sent_before(service: str, seller: str, run_id: int | None, item: Item) -> sa.Select[Any]:
    """The last other run of a seller that sent an equal request, not refused."""
    is_refused = sa.func.coalesce(t.results.c.status, "") == str(Status.REJECTED)
    is_same = t.requests.c.body.in_((item.body, digest_of(item.body)))
    return _earlier(service, seller, run_id, item).where(
        is_same, t.packages.c.creations > 0, ~is_refused
    )


def sent_last(service: str, seller: str, run_id: int | None, item: Item) -> sa.Select[Any]:
    """The last other run that sent a request of the reference, and the request's fate."""
    query = _earlier(service, seller, run_id, item).where(t.packages.c.creations > 0)
    return query.with_only_columns(t.runs.c.run_id, t.requests.c.fate)


def known_references(
    service: str, seller: str, run_id: int | None, references: Collection[str]
) -> sa.Select[tuple[str]]:
    """The references, among these, that other runs of a seller have sent."""
    reference = t.requests.c.reference
    return (
        sa.select(reference)
        .distinct()
        .select_from(_ANSWERED)
        .where(
            t.is_of(service, seller),
            reference.in_(references),
            t.runs.c.run_id != (run_id or 0),
            t.packages.c.creations > 0,
        )
    )


def failed(service: str, seller: str) -> sa.Select[tuple[int, int]]:
    """The number of requests whose last answer is a failure without a later repetition, by run."""
    same = (t.packages.c.package_type, t.requests.c.reference)
    place = sa.func.row_number().over(partition_by=same, order_by=t.runs.c.run_id.desc())
    last = (
        sa.select(t.runs.c.run_id, t.results.c.status, place.label("place"))
        .select_from(_ANSWERED)
        .where(t.is_of(service, seller))
        .subquery()
    )
    return (
        sa.select(last.c.run_id, sa.func.count())
        .where(last.c.place == 1, last.c.status == str(Status.FAILURE))
        .group_by(last.c.run_id)
        .order_by(last.c.run_id)
    )


def last_status(
    service: str, seller: str, package_type: str, reference: str
) -> sa.Select[tuple[str]]:
    """The last answer to a request of a type and reference; a success before any other."""
    status = t.results.c.status
    return (
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


def taken_before(service: str, seller: str, run_id: int | None, item: Item) -> sa.Select[Any]:
    """The last other run with a successful request of the reference."""
    is_taken = t.results.c.status == str(Status.SUCCESS)
    return _earlier(service, seller, run_id, item).where(is_taken)


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
