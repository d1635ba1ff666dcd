"""Before a package is begun: which of its rows may be in flight. SQL, no decisions of delivery.

The service integrates packages in no order, so a reference, or a product in its condition, that
is in flight in one open package of a channel keeps every other row of the same key waiting.
And what a later run has sent is never sent again.
"""

from collections.abc import Sequence
from hashlib import sha256

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    and_,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    union,
    update,
)
from sqlalchemy.exc import IntegrityError

from feedtool.ledger import tables as t
from feedtool.ledger.records import NOT_IN_FLIGHT, Clearance, Package, Phase, Run, Stage
from feedtool.model.nouns import Status

IS_IRREVOCABLE = and_(
    t.packages.c.committed_at.is_not(None), t.packages.c.phase != str(Phase.CLOSED)
)
"""The PATCH was at least intended, and may be on its way; the end is not reached."""


def supersede(db: Connection, package: Package, run: Run) -> None:
    """Give up the rows whose reference a later run of the seller has sent or answered."""
    later = select(t.runs).where(t.is_of(run.service, run.seller), t.runs.c.run_id > run.run_id)
    # The rows need no looking at when there is no such run, as there mostly is none.
    if not db.execute(later.limit(1)).first():
        return
    sent = sent_later(run, package.channel).where(LATER.c.reference == t.requests.c.reference)
    db.execute(
        update(t.requests)
        .where(_is_live(package), sent.correlate(t.requests).exists())
        .values(
            fate=str(Status.SUPERSEDED),
            fate_text="Not sent: a later run has sent this reference.",
        )
    )


LATER = t.requests.alias()
"""The requests of `sent_later`."""


def sent_later(run: Run, channel: str) -> Select[tuple[str, int]]:
    """What later runs of the seller have sent on a channel: references, and the runs.

    A row that is planned alone, or held, was never in force, and may never be.
    """
    is_held = func.coalesce(LATER.c.fate, "") == str(Status.HELD)
    return (
        select(LATER.c.reference, t.runs.c.run_id)
        .select_from(LATER.join(t.package_runs, t.packages.c.package == LATER.c.package))
        .where(
            t.packages.c.channel == channel,
            t.is_of(run.service, run.seller),
            t.runs.c.run_id > run.run_id,
            ~is_held,
            or_(t.packages.c.creations > 0, LATER.c.sends > 0, LATER.c.fate.is_not(None)),
        )
    )


def skip_empty_uploads(db: Connection, package: Package) -> None:
    """Uploads of which no row is left are not sent."""
    live = exists().where(_is_live(package), t.requests.c.upload == t.uploads.c.upload)
    db.execute(
        update(t.uploads)
        .where(t.uploads.c.package == package.key, t.uploads.c.stage == Stage.PLANNED, ~live)
        .values(stage=Stage.SKIPPED)
    )


def blockers(db: Connection, package: Package, run: Run) -> frozenset[int]:
    """The open packages that hold one of its rows' keys."""
    held = select(t.key_locks.c.package).where(
        t.key_locks.c.scope == _scope(package, run),
        t.key_locks.c.key.in_(_keys(package)),
        t.key_locks.c.package != package.key,
    )
    return frozenset(db.execute(held.distinct()).scalars())


def _exclusive(db: Connection, package: Package, run: Run, clearance: Clearance) -> frozenset[int]:
    """An exclusive package waits for every open one of the seller, and every one for it."""
    others = (
        select(t.packages.c.package)
        .select_from(t.package_runs)
        .where(
            t.is_of(run.service, run.seller),
            t.packages.c.package != package.key,
            t.packages.c.phase.not_in(NOT_IN_FLIGHT),
        )
    )
    if not clearance.is_exclusive:
        others = others.where(t.packages.c.package_type.in_(clearance.exclusive))
    return frozenset(db.execute(others).scalars())


def give_up(db: Connection, packages: Sequence[int]) -> None:
    """Let go of packages that were never committed: their rows are as free as if never sent.

    What was staged of them expires. Their runs send the rows in another package, unless a later
    run has done so by then.
    """
    unsent = {"phase": Phase.PLANNED, "package_id": None, "state": None, "created_at": None}
    db.execute(update(t.packages).where(t.packages.c.package.in_(packages)).values(unsent))
    mine = t.uploads.c.package.in_(packages)
    db.execute(update(t.uploads).where(mine).values(stage=Stage.PLANNED))
    db.execute(delete(t.key_locks).where(t.key_locks.c.package.in_(packages)))


def revocable(db: Connection, packages: frozenset[int], run: Run) -> list[int]:
    """Those of some packages that an interrupted run left uncommitted."""
    query = (
        select(t.packages.c.package)
        .join(t.files)
        .where(t.packages.c.package.in_(packages), ~IS_IRREVOCABLE, t.files.c.run_id != run.run_id)
    )
    return list(db.execute(query).scalars())


def claim(db: Connection, package: Package, run: Run, clearance: Clearance) -> frozenset[int]:
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


def acquire(db: Connection, package: Package, run: Run) -> None:
    """Its rows are in flight from here on; IntegrityError when one of their keys already is."""
    keys = _keys(package).subquery()
    rows = select(literal(_scope(package, run)), keys.c.key, literal(package.key))
    db.execute(insert(t.key_locks).from_select(["scope", "key", "package"], rows))


def release(db: Connection, package: int) -> None:
    """Its rows are in flight no more."""
    db.execute(delete(t.key_locks).where(t.key_locks.c.package == package))


def _is_live(package: Package) -> ColumnElement[bool]:
    return and_(t.requests.c.package == package.key, t.requests.c.fate.is_(None))


def _keys(package: Package) -> CompoundSelect[tuple[str]]:
    """Of its live rows: `r` and the reference, `p` and the product in its condition."""
    references: Select[tuple[str]] = select((literal("r") + t.requests.c.reference).label("key"))
    products: Select[tuple[str]] = select((literal("p") + t.requests.c.product).label("key"))
    live = _is_live(package)
    return union(references.where(live), products.where(live, t.requests.c.product != ""))


def _scope(package: Package, run: Run) -> str:
    """The seller's channel, short: it stands in every row."""
    text = f"{run.service}\n{run.seller}\n{package.channel}"
    return sha256(text.encode()).hexdigest()[:24]


def unanswered(db: Connection, package: Package, run: Run, clearance: Clearance) -> frozenset[int]:
    """The run's open packages that make what a row of this one needs."""
    if clearance.needs is None or not clearance.provides:
        return frozenset()
    request, of = t.requests.c, t.packages.c
    made = (
        select(request.package, of.package_type, request.reference, request.product)
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
    rows = select(request.reference, request.product).where(_is_live(package))
    needed = (name for row in db.execute(rows) for name in clearance.needs(*row))
    return frozenset(makers[name] for name in needed if name in makers)
