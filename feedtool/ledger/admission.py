"""Choose the rows of a package: before it begins, and again once it is closed.

The service integrates packages in no order, so a reference, or a product in its condition, that
is in flight in one open package of a channel keeps every other row of the same key waiting.
And a row that a later run has sent is never sent again. SQL, no decisions of delivery.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from feedtool.ledger import tables as t
from feedtool.ledger.packages import add_package, count_requests
from feedtool.ledger.records import (
    NOT_IN_FLIGHT,
    REQUEUE,
    Clearance,
    Package,
    Phase,
    Requeue,
    Run,
    Stage,
)
from feedtool.ledger.row_history import has_later, is_live, supersede
from feedtool.ledger.row_results import FACTS

IS_IRREVOCABLE = sa.and_(t.packages.c.committed_at.is_not(None), t.IS_OPEN)
"""The PATCH was at least intended, and may be on its way; the package is not closed."""


def clear_together(
    db: sa.Connection, packages: Sequence[tuple[Package, Clearance]], run: Run
) -> bool:
    """Put packages in flight by one statement; False if each has to be examined separately."""
    channels = {package.channel for package, _ in packages}
    is_plain = len(channels) == 1 and all(
        not (clearance.needs or clearance.is_exclusive) for _, clearance in packages
    )
    if not packages[1:] or not is_plain or has_later(db, run):
        return False
    first, clearance = packages[0]
    if clearance.exclusive and _exclusive(db, first, run, clearance):
        return False
    requests, scope = t.requests.c, sa.literal(_scope(first, run))
    live = sa.and_(
        requests.package.in_([package.key for package, _ in packages]), requests.fate.is_(None)
    )
    names = (sa.literal("r") + requests.reference, sa.literal("p") + requests.product)
    references, products = (sa.select(scope, name, requests.package).where(live) for name in names)
    rows = references.union(products.where(requests.product != ""))
    try:
        with db.begin_nested():
            db.execute(sa.insert(t.key_locks).from_select(["scope", "key", "package"], rows))
    except IntegrityError:
        return False
    return True


def clear(db: sa.Connection, package: Package, run: Run, clearance: Clearance) -> frozenset[int]:
    """Begin a package; return the open packages that keep it waiting, if any."""
    supersede(db, package, run)
    skip_empty_uploads(db, package)
    blocked_by = unanswered(db, package, run, clearance) or claim(db, package, run, clearance)
    if blocked_by and give_up(db, blocked_by, run):
        blocked_by = claim(db, package, run, clearance)
    return blocked_by


def skip_empty_uploads(db: sa.Connection, package: Package) -> None:
    """Mark uploads without live rows as skipped."""
    live = sa.exists().where(is_live(package), t.requests.c.upload == t.uploads.c.upload)
    db.execute(
        sa.update(t.uploads)
        .where(t.uploads.c.package == package.key, t.uploads.c.stage == Stage.PLANNED, ~live)
        .values(stage=Stage.SKIPPED)
    )


def unanswered(
    db: sa.Connection, package: Package, run: Run, clearance: Clearance
) -> frozenset[int]:
    """The run's open packages that make things that a row of this package needs."""
    if clearance.needs is None or not clearance.provides:
        return frozenset()
    request, columns = t.requests.c, t.packages.c
    made = (
        sa.select(request.package, columns.package_type, request.reference, request.product)
        .join(t.packages, request.package == columns.package)
        .join(t.files, columns.file == t.files.c.file)
        .where(
            t.files.c.run_id == run.run_id,
            columns.package_type.in_(clearance.provides),
            columns.phase != str(Phase.CLOSED),
            request.fate.is_(None),
        )
    )
    makers: dict[str, int] = {}
    for key, package_type, reference, product in db.execute(made):
        makers |= dict.fromkeys(clearance.provides[package_type](reference, product), key)
    if not makers:
        return frozenset()
    rows = sa.select(request.reference, request.product).where(is_live(package))
    needed = (name for row in db.execute(rows) for name in clearance.needs(*row))
    return frozenset(makers[name] for name in needed if name in makers)


def claim(db: sa.Connection, package: Package, run: Run, clearance: Clearance) -> frozenset[int]:
    """Put a package's rows in flight; return the open packages that hold one of their keys.

    The insertion is tried at once: mostly no package holds a key, and a look takes as long.
    """
    may_exclude = clearance.is_exclusive or clearance.exclusive
    if may_exclude and (others := _exclusive(db, package, run, clearance)):
        return others
    try:
        with db.begin_nested():
            acquire(db, package, run)
    except IntegrityError:
        if held_by := blockers(db, package, run):
            return held_by
        # The package was begun before: its own rows are in flight.
        release(db, package.key)
        acquire(db, package, run)
    return frozenset()


def blockers(db: sa.Connection, package: Package, run: Run) -> frozenset[int]:
    """The open packages that hold a key of this package's rows."""
    held = t.key_locks.c
    is_held = sa.and_(held.scope == _scope(package, run), held.key.in_(_keys(package)))
    return frozenset(
        db.scalars(sa.select(held.package).where(is_held, held.package != package.key).distinct())
    )


def _exclusive(
    db: sa.Connection, package: Package, run: Run, clearance: Clearance
) -> frozenset[int]:
    """Other open packages of the seller, where one of the two is exclusive."""
    others = (
        sa.select(t.packages.c.package)
        .select_from(t.package_runs)
        .where(
            t.is_of(run.service, run.seller),
            t.packages.c.package != package.key,
            t.packages.c.phase.not_in(NOT_IN_FLIGHT),
        )
    )
    if not clearance.is_exclusive:
        others = others.where(t.packages.c.package_type.in_(clearance.exclusive))
    return frozenset(db.scalars(others))


def acquire(db: sa.Connection, package: Package, run: Run) -> None:
    """Put a package's rows in flight; IntegrityError if one of their keys already is."""
    keys = _keys(package).subquery()
    rows = sa.select(sa.literal(_scope(package, run)), keys.c.key, sa.literal(package.key))
    db.execute(sa.insert(t.key_locks).from_select(["scope", "key", "package"], rows))


def release(db: sa.Connection, package: int) -> None:
    db.execute(sa.delete(t.key_locks).where(t.key_locks.c.package == package))


def give_up(db: sa.Connection, packages: frozenset[int], run: Run) -> bool:
    """Reset packages that an interrupted run left uncommitted; True if there are any.

    Their rows are as free as if never sent, and what was staged of them expires. Their runs send
    them in another package, unless a later run has done so by then.
    """
    query = (
        sa.select(t.packages.c.package)
        .join(t.files)
        .where(t.packages.c.package.in_(packages), ~IS_IRREVOCABLE, t.files.c.run_id != run.run_id)
    )
    revocable = db.scalars(query).all()
    unsent = {"phase": Phase.PLANNED, "package_id": None, "state": None, "created_at": None}
    if revocable:
        db.execute(sa.update(t.packages).where(t.packages.c.package.in_(revocable)).values(unsent))
        uploads = t.uploads.c.package.in_(revocable)
        db.execute(sa.update(t.uploads).where(uploads).values(stage=Stage.PLANNED))
        db.execute(sa.delete(t.key_locks).where(t.key_locks.c.package.in_(revocable)))
    return bool(revocable)


def _keys(package: Package) -> sa.CompoundSelect[tuple[str]]:
    """The keys of a package's live rows: `r` + reference, and `p` + product in its condition."""
    references: sa.Select[tuple[str]] = sa.select(
        (sa.literal("r") + t.requests.c.reference).label("key")
    )
    products: sa.Select[tuple[str]] = sa.select(
        (sa.literal("p") + t.requests.c.product).label("key")
    )
    live = is_live(package)
    return sa.union(references.where(live), products.where(live, t.requests.c.product != ""))


def _scope(package: Package, run: Run) -> str:
    """A short digest of the seller's channel: every row has it."""
    text = f"{run.service}\n{run.seller}\n{package.channel}"
    return sha256(text.encode()).hexdigest()[:24]


# Rows of a closed package go into later ones, in one transaction with the closing, so that no crash
# separates the two:
#
# - rows that were never sent, since the package was completed without them;
# - rows that were perhaps sent, and have no result although every row known to be staged has one;
# - rows that were looked up, and are plainly not in force;
# - rows refused only for a quota, which will have room again;
# - rows of an upload refused as a whole, in halves, until the wrong row is alone.

MOST_SENDS = 3
"""Packages that a row may go into while its fate stays unknown."""
FEW = 200
"""If every upload is refused and there are more than these, the rows are not the cause."""
NOT_TAKEN = (Stage.PLANNED, Stage.REFUSED)
"""Stages in which the service certainly has no row of the upload."""


class _Left(NamedTuple):
    """A request without an answer."""

    row: int
    number: int
    upload: int
    stage: str
    sends: int
    fate: str | None


def requeue_rows(db: sa.Connection, package: Package, how: Requeue) -> list[int]:
    """Move the rows of a closed package that are to be sent into new ones; return the new keys."""
    if how is Requeue.NEVER:
        return []
    if how is Requeue.TOGETHER:
        if package.package_id is None:
            return []  # the service refused to create it, or all its rows are superseded
        uploads = list(_uploads(package, _left(db, package)))
        return [_moved(db, package, uploads)] if uploads else []
    # A package refused for itself has a message; halves of it would be refused too.
    is_at_fault = package.message is not None or not _takes_packages(db, package)
    if package.staged(Stage.REFUSED) and is_at_fault:
        return []
    # Rows that the service perhaps took have been looked up: only those with a fate are sent again.
    left = [row for row in _left(db, package) if row.fate or row.stage in NOT_TAKEN]
    return [_moved(db, package, [rows]) for rows in _uploads(package, left)]


def _moved(db: sa.Connection, package: Package, uploads: list[list[_Left]]) -> int:
    """Move some rows of a closed package into a new one; return its key."""
    last = sa.select(sa.func.max(t.packages.c.number)).where(t.packages.c.file == package.file)
    number = int(db.execute(last).scalar_one()) + 1
    key = add_package(db, package.file, number, package.channel, package.package_type)
    numbers = range(1, len(uploads) + 1)
    planned = [{"package": key, "upload": upload, "stage": Stage.PLANNED} for upload in numbers]
    db.execute(sa.insert(t.uploads), planned)
    db.execute(
        _MOVE,
        [
            {
                "file_": package.file,
                "row_": left.row,
                "number_": left.number,
                "to": key,
                "at": upload,
                "times": left.sends + (left.stage not in NOT_TAKEN),
            }
            for upload, rows in zip(numbers, uploads, strict=True)
            for left in rows
        ],
    )
    count_requests(db, package.key)
    count_requests(db, key)
    return key


def _left(db: sa.Connection, package: Package) -> list[_Left]:
    """A package's rows with neither a result nor a final fate, in the order of their uploads."""
    requests = t.requests.c
    query = (
        FACTS.with_only_columns(
            requests.row,
            requests.number,
            requests.upload,
            t.uploads.c.stage,
            requests.sends,
            requests.fate,
        )
        .where(requests.package == package.key, t.results.c.status.is_(None))
        .where(sa.func.coalesce(requests.fate, REQUEUE) == REQUEUE)
        .order_by(None)
        .order_by(requests.upload, requests.row, requests.number)
    )
    return [*map(_Left._make, db.execute(query))]


def _uploads(package: Package, rows: list[_Left]) -> Iterator[list[_Left]]:
    """The uploads of the new package: the rest of the old ones, refused ones in halves."""
    for _, of_upload in groupby(rows, key=attrgetter("upload")):
        moved = [left for left in of_upload if _moves(package, left)]
        if moved and moved[0].stage == Stage.REFUSED:
            half = (len(moved) + 1) // 2
            if len(moved) > 1:
                yield moved[:half]
                yield moved[half:]
        elif moved:
            yield moved


def _moves(package: Package, left: _Left) -> bool:
    if left.fate or left.stage == Stage.PLANNED:
        return True
    if left.stage == Stage.REFUSED:
        # The rows must be at fault, and not something that all uploads share.
        sent = len(package.uploads) - package.staged(Stage.SKIPPED) - package.staged(Stage.PLANNED)
        return sent <= FEW or package.staged(Stage.REFUSED) < sent
    return left.stage != Stage.STAGED and left.sends + 1 < MOST_SENDS


def _takes_packages(db: sa.Connection, package: Package) -> bool:
    """True if the service took an upload of the file, or refused few of them."""
    stages = (
        sa.select(t.uploads.c.stage, sa.func.count().label("held"))
        .select_from(t.uploads.join(t.packages))
        .where(t.packages.c.file == package.file)
        .group_by(t.uploads.c.stage)
    )
    counts = {row.stage: row.held for row in db.execute(stages)}
    return bool(counts.get(Stage.STAGED)) or counts.get(Stage.REFUSED, 0) <= FEW


_MOVE = (
    sa.update(t.requests)
    .where(
        t.requests.c.file == sa.bindparam("file_"),
        t.requests.c.row == sa.bindparam("row_"),
        t.requests.c.number == sa.bindparam("number_"),
    )
    .values(
        package=sa.bindparam("to"),
        upload=sa.bindparam("at"),
        sends=sa.bindparam("times"),
        fate=None,
    )
)
"""`fate_text`, the reason why the row is sent again, stays."""
