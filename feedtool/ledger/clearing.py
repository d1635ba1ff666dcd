"""Which rows of a package go with it: before it is begun, and again once it is closed.

The service integrates packages in no order, so a reference, or a product in its condition, that
is in flight in one open package of a channel keeps every other row of the same key waiting.
And what a later run has sent is never sent again. SQL, no decisions of delivery.
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
from feedtool.ledger.row_results import FACTS
from feedtool.ledger.sent import has_later, is_live, supersede

IS_IRREVOCABLE = sa.and_(t.packages.c.committed_at.is_not(None), t.IS_OPEN)
"""The PATCH was at least intended, and may be on its way; the end is not reached."""


def clear_together(
    db: sa.Connection, packages: Sequence[tuple[Package, Clearance]], run: Run
) -> bool:
    """Put packages in flight by one statement; False where each has to be looked at by itself."""
    channels = {package.channel for package, _ in packages}
    is_plain = all(not (it.needs or it.is_exclusive) for _, it in packages) and len(channels) == 1
    if not packages[1:] or not is_plain or has_later(db, run):
        return False
    first, clearance = packages[0]
    if clearance.exclusive and _exclusive(db, first, run, clearance):
        return False
    of, scope = t.requests.c, sa.literal(_scope(first, run))
    live = sa.and_(of.package.in_([it.key for it, _ in packages]), of.fate.is_(None))
    names = (sa.literal("r") + of.reference, sa.literal("p") + of.product)
    references, products = (sa.select(scope, name, of.package).where(live) for name in names)
    rows = references.union(products.where(of.product != ""))
    try:
        with db.begin_nested():
            db.execute(sa.insert(t.key_locks).from_select(["scope", "key", "package"], rows))
    except IntegrityError:
        return False
    return True


def clear(db: sa.Connection, package: Package, run: Run, clearance: Clearance) -> frozenset[int]:
    """Begin with a package: the open packages that it waits for; none if its rows are in flight."""
    supersede(db, package, run)
    skip_empty_uploads(db, package)
    blocked_by = unanswered(db, package, run, clearance) or claim(db, package, run, clearance)
    if blocked_by and give_up(db, blocked_by, run):
        blocked_by = claim(db, package, run, clearance)
    return blocked_by


def skip_empty_uploads(db: sa.Connection, package: Package) -> None:
    """Uploads of which no row is left are not sent."""
    live = sa.exists().where(is_live(package), t.requests.c.upload == t.uploads.c.upload)
    db.execute(
        sa.update(t.uploads)
        .where(t.uploads.c.package == package.key, t.uploads.c.stage == Stage.PLANNED, ~live)
        .values(stage=Stage.SKIPPED)
    )


def unanswered(
    db: sa.Connection, package: Package, run: Run, clearance: Clearance
) -> frozenset[int]:
    """The run's open packages that make what a row of this one needs."""
    if clearance.needs is None or not clearance.provides:
        return frozenset()
    request, of = t.requests.c, t.packages.c
    made = (
        sa.select(request.package, of.package_type, request.reference, request.product)
        .join(t.packages, request.package == of.package)
        .join(t.files, of.file == t.files.c.file)
        .where(
            t.files.c.run_id == run.run_id,
            of.package_type.in_(clearance.provides),
            of.phase != str(Phase.CLOSED),
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
    """Put its rows in flight, unless open packages hold one of their keys: which ones.

    It is tried at once, since mostly there are none, and looking takes as long as doing it.
    """
    is_asked = clearance.is_exclusive or clearance.exclusive
    if is_asked and (others := _exclusive(db, package, run, clearance)):
        return others
    try:
        with db.begin_nested():
            acquire(db, package, run)
    except IntegrityError:
        if held_by := blockers(db, package, run):
            return held_by
        # They are in flight as its own: it was begun before.
        release(db, package.key)
        acquire(db, package, run)
    return frozenset()


def blockers(db: sa.Connection, package: Package, run: Run) -> frozenset[int]:
    """The open packages that hold one of its rows' keys."""
    held = t.key_locks.c
    is_held = sa.and_(held.scope == _scope(package, run), held.key.in_(_keys(package)))
    return frozenset(
        db.scalars(sa.select(held.package).where(is_held, held.package != package.key).distinct())
    )


def _exclusive(
    db: sa.Connection, package: Package, run: Run, clearance: Clearance
) -> frozenset[int]:
    """An exclusive package waits for every open one of the seller, and every one for it."""
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
    """Its rows are in flight from here on; IntegrityError when one of their keys already is."""
    keys = _keys(package).subquery()
    rows = sa.select(sa.literal(_scope(package, run)), keys.c.key, sa.literal(package.key))
    db.execute(sa.insert(t.key_locks).from_select(["scope", "key", "package"], rows))


def release(db: sa.Connection, package: int) -> None:
    """Its rows are in flight no more."""
    db.execute(sa.delete(t.key_locks).where(t.key_locks.c.package == package))


def give_up(db: sa.Connection, packages: frozenset[int], run: Run) -> bool:
    """Let go of those that an interrupted run left uncommitted; True if there are any.

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
        mine = t.uploads.c.package.in_(revocable)
        db.execute(sa.update(t.uploads).where(mine).values(stage=Stage.PLANNED))
        db.execute(sa.delete(t.key_locks).where(t.key_locks.c.package.in_(revocable)))
    return bool(revocable)


def _keys(package: Package) -> sa.CompoundSelect[tuple[str]]:
    """Of its live rows: `r` and the reference, `p` and the product in its condition."""
    references: sa.Select[tuple[str]] = sa.select(
        (sa.literal("r") + t.requests.c.reference).label("key")
    )
    products: sa.Select[tuple[str]] = sa.select(
        (sa.literal("p") + t.requests.c.product).label("key")
    )
    live = is_live(package)
    return sa.union(references.where(live), products.where(live, t.requests.c.product != ""))


def _scope(package: Package, run: Run) -> str:
    """The seller's channel, short: it stands in every row."""
    text = f"{run.service}\n{run.seller}\n{package.channel}"
    return sha256(text.encode()).hexdigest()[:24]


# The rows of a closed package that go into later ones, in one transaction with the closing itself,
# so that no crash comes between:
#
# - never sent, since the package was completed without them;
# - perhaps sent, and not among the results although every row known to be staged is;
# - looked up, and plainly not in force;
# - refused for a quota only, which will have room again;
# - of an upload refused as a whole, in halves, until the one that is to blame is alone.

MOST_SENDS = 3
"""A row goes into no more packages than these while its fate stays unknown."""
FEW = 200
"""If every upload is refused and there are more than these, it is not the rows that are wrong."""
NOT_TAKEN = (Stage.PLANNED, Stage.REFUSED)
"""Stages of which it is certain that the service has nothing."""


class _Left(NamedTuple):
    """A request without an answer."""

    row: int
    number: int
    upload: int
    stage: str
    sends: int
    fate: str | None


def requeue_rows(db: sa.Connection, package: Package, how: Requeue) -> list[int]:
    """Put the rows of a closed package that are to be sent into new ones; the keys of these."""
    if how is Requeue.NEVER:
        return []
    if how is Requeue.TOGETHER:
        if package.package_id is None:
            return []  # the service refused to create it, or all its rows are superseded
        uploads = list(_uploads(package, _left(db, package)))
        return [_moved(db, package, uploads)] if uploads else []
    # What was refused for the package itself has the message, and halves would share its fate.
    is_to_blame = package.message is not None or not _takes_packages(db, package)
    if package.staged(Stage.REFUSED) and is_to_blame:
        return []
    # What was perhaps taken has its fate by now: nothing else tells of it.
    left = [row for row in _left(db, package) if row.fate or row.stage in NOT_TAKEN]
    return [_moved(db, package, [rows]) for rows in _uploads(package, left)]


def _moved(db: sa.Connection, package: Package, uploads: list[list[_Left]]) -> int:
    """The key of a new package with some rows of a closed one."""
    last = sa.select(sa.func.max(t.packages.c.number)).where(t.packages.c.file == package.file)
    number = int(db.execute(last).scalar_one()) + 1
    key = add_package(db, package.file, number, package.channel, package.package_type)
    numbers = range(1, len(uploads) + 1)
    new = [{"package": key, "upload": at, "stage": Stage.PLANNED} for at in numbers]
    db.execute(sa.insert(t.uploads), new)
    db.execute(
        _MOVE,
        [
            {"file_": package.file, "row_": left.row, "number_": left.number, "to": key, "at": at}
            | {"times": left.sends + (left.stage not in NOT_TAKEN)}
            for at, rows in zip(numbers, uploads, strict=True)
            for left in rows
        ],
    )
    count_requests(db, package.key)
    count_requests(db, key)
    return key


def _left(db: sa.Connection, package: Package) -> list[_Left]:
    """Its rows that have neither a result nor a final fate, in the order of their uploads."""
    of = t.requests.c
    query = (
        FACTS.with_only_columns(of.row, of.number, of.upload, t.uploads.c.stage, of.sends, of.fate)
        .where(of.package == package.key, t.results.c.status.is_(None))
        .where(sa.func.coalesce(of.fate, REQUEUE) == REQUEUE)
        .order_by(None)
        .order_by(of.upload, of.row, of.number)
    )
    return [*map(_Left._make, db.execute(query))]


def _uploads(package: Package, rows: list[_Left]) -> Iterator[list[_Left]]:
    """The uploads of the new package: what is left of the old ones, the refused in halves."""
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
        # If the rows are to blame, and not what all uploads have in common.
        sent = len(package.uploads) - package.staged(Stage.SKIPPED) - package.staged(Stage.PLANNED)
        return sent <= FEW or package.staged(Stage.REFUSED) < sent
    return left.stage != Stage.STAGED and left.sends + 1 < MOST_SENDS


def _takes_packages(db: sa.Connection, package: Package) -> bool:
    """True if the service takes such packages at all, or has not refused too many of a file."""
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
"""Why it is sent again stays with it."""
