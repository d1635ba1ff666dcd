"""Before a package is begun: which of its rows may be in flight. SQL, no decisions of delivery.

The service integrates packages in no order, so a reference, or a product in its condition, that
is in flight in one open package of a channel keeps every other row of the same key waiting.
And what a later run has sent is never sent again.
"""

from collections.abc import Collection, Sequence
from hashlib import sha256

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    FromClause,
    Select,
    and_,
    bindparam,
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

CHUNK = 400
"""References that one query asks for."""

IS_IRREVOCABLE = and_(
    t.packages.c.committed_at.is_not(None), t.packages.c.phase != str(Phase.CLOSED)
)
"""The PATCH was at least intended, and may be on its way; the end is not reached."""


def supersede(db: Connection, package: Package, run: Run) -> None:
    """Give up the rows whose reference a later run of the seller has sent or answered."""
    own = {"key": package.key, "of": package.channel}
    order = {"order": run.run_id, "from": run.seller, "to": run.service}
    # The rows need no looking at when there is no such run, as there mostly is none.
    if db.execute(_LATER_RUNS, order).first():
        db.execute(_SUPERSEDE, own | order)


_LATER_RUNS = (
    select(t.runs.c.run_id)
    .where(
        t.runs.c.run_id > bindparam("order"),
        t.runs.c.seller == bindparam("from"),
        t.runs.c.service == bindparam("to"),
    )
    .limit(1)
)


def supersedes(packages: FromClause, rows: FromClause) -> ColumnElement[bool]:
    """True if a later run's row takes the place of earlier ones.

    One that is planned alone, or held, was never in force, and may never be.
    """
    is_held = func.coalesce(rows.c.fate, "") == str(Status.HELD)
    return and_(~is_held, or_(packages.c.creations > 0, rows.c.sends > 0, rows.c.fate.is_not(None)))


_later, _theirs, _files, _runs = (x.alias() for x in (t.requests, t.packages, t.files, t.runs))
_SUPERSEDE = (
    update(t.requests)
    .where(
        t.requests.c.package == bindparam("key"),
        t.requests.c.fate.is_(None),
        exists().where(
            _later.c.reference == t.requests.c.reference,
            _theirs.c.package == _later.c.package,
            _theirs.c.channel == bindparam("of"),
            _files.c.file == _later.c.file,
            _runs.c.run_id == _files.c.run_id,
            _runs.c.run_id > bindparam("order"),
            _runs.c.seller == bindparam("from"),
            _runs.c.service == bindparam("to"),
            supersedes(_theirs, _later),
        ),
    )
    .values(
        fate=str(Status.SUPERSEDED),
        fate_text="Not sent: a later run has sent this reference.",
    )
)


def sent_later(
    db: Connection, run: Run, channel: str, references: Collection[str]
) -> dict[str, int]:
    """By reference the last run that has sent it; see `Ledger.sent_later`."""
    result: dict[str, int] = {}
    wanted = list(references)
    for start in range(0, len(wanted), CHUNK):
        query = (
            select(t.requests.c.reference, func.max(t.runs.c.run_id))
            .select_from(t.requests)
            .join(t.packages, t.packages.c.package == t.requests.c.package)
            .join(t.files, t.files.c.file == t.requests.c.file)
            .join(t.runs, t.runs.c.run_id == t.files.c.run_id)
            .where(
                t.requests.c.reference.in_(wanted[start : start + CHUNK]),
                t.packages.c.channel == channel,
                t.runs.c.run_id > run.run_id,
                t.runs.c.seller == run.seller,
                t.runs.c.service == run.service,
                supersedes(t.packages, t.requests),
            )
            .group_by(t.requests.c.reference)
        )
        result.update((reference, run_id) for reference, run_id in db.execute(query))
    return result


def skip_empty_uploads(db: Connection, package: Package) -> None:
    """Uploads of which no row is left are not sent."""
    live = exists().where(
        t.requests.c.package == t.uploads.c.package,
        t.requests.c.upload == t.uploads.c.upload,
        t.requests.c.fate.is_(None),
    )
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
    others = select(t.packages.c.package).where(
        t.packages.c.file == t.files.c.file,
        t.files.c.run_id == t.runs.c.run_id,
        t.runs.c.seller == run.seller,
        t.runs.c.service == run.service,
        t.packages.c.package != package.key,
        t.packages.c.phase.not_in([str(phase) for phase in NOT_IN_FLIGHT]),
    )
    if not clearance.is_exclusive:
        others = others.where(t.packages.c.package_type.in_(clearance.exclusive))
    return frozenset(db.execute(others).scalars())


def give_up(db: Connection, packages: Sequence[int]) -> None:
    """Let go of packages that were never committed: their rows are as free as if never sent.

    What was staged of them expires. Their runs send the rows in another package, unless a later
    run has done so by then.
    """
    mine = t.packages.c.package.in_(packages)
    db.execute(
        update(t.packages)
        .where(mine)
        .values(phase=Phase.PLANNED, package_id=None, state=None, created_at=None)
    )
    db.execute(
        update(t.uploads).where(t.uploads.c.package.in_(packages)).values(stage=Stage.PLANNED)
    )
    for package in packages:
        release(db, package)


def revocable(db: Connection, packages: frozenset[int], run: Run) -> list[int]:
    """Those of some packages that an interrupted run left uncommitted."""
    query = (
        select(t.packages.c.package)
        .select_from(t.packages.join(t.files))
        .where(
            t.packages.c.package.in_(packages),
            ~IS_IRREVOCABLE,
            t.files.c.run_id != run.run_id,
        )
    )
    return list(db.execute(query).scalars())


def claim(db: Connection, package: Package, run: Run, clearance: Clearance) -> frozenset[int]:
    """Put its rows in flight, unless open packages hold one of their keys: which ones.

    It is tried at once, since mostly there are none, and looking takes as long as doing it.
    """
    is_asked = clearance.is_exclusive or clearance.exclusive
    if is_asked and (others := _exclusive(db, package, run, clearance)):
        return others
    if _acquires(db, package, run):
        return frozenset()
    if held_by := blockers(db, package, run):
        return held_by
    # They are in flight as its own: it was begun before.
    release(db, package.key)
    acquire(db, package, run)
    return frozenset()


def _acquires(db: Connection, package: Package, run: Run) -> bool:
    try:
        with db.begin_nested():
            acquire(db, package, run)
    except IntegrityError:
        return False
    return True


def acquire(db: Connection, package: Package, run: Run) -> None:
    """Its rows are in flight from here on; IntegrityError when one of their keys already is."""
    scope = literal(_scope(package, run))
    keys = _keys(package).subquery()
    rows = select(scope, keys.c.key, literal(package.key))
    db.execute(insert(t.key_locks).from_select(["scope", "key", "package"], rows))


def release(db: Connection, package: int) -> None:
    """Its rows are in flight no more."""
    db.execute(delete(t.key_locks).where(t.key_locks.c.package == package))


def _keys(package: Package) -> CompoundSelect[tuple[str]]:
    """Of its live rows: `r` and the reference, `p` and the product in its condition."""
    live = and_(t.requests.c.package == package.key, t.requests.c.fate.is_(None))
    references: Select[tuple[str]] = select((literal("r") + t.requests.c.reference).label("key"))
    products: Select[tuple[str]] = select((literal("p") + t.requests.c.product).label("key"))
    return union(references.where(live), products.where(live, t.requests.c.product != ""))


def _scope(package: Package, run: Run) -> str:
    """The seller's channel, short: it stands in every row."""
    told = f"{run.service}\n{run.seller}\n{package.channel}"
    return sha256(told.encode()).hexdigest()[:24]


# Rows that need what the same run makes.


def unanswered(db: Connection, package: Package, run: Run, clearance: Clearance) -> frozenset[int]:
    """The run's open packages that make what a row of this one needs."""
    if clearance.needs is None or not clearance.provides:
        return frozenset()
    makers: dict[str, int] = {}
    made = {"order": run.run_id, "types": [*clearance.provides]}
    for key, package_type, reference, product in db.execute(_MADE, made):
        makers |= dict.fromkeys(clearance.provides[package_type](reference, product), key)
    if not makers:
        return frozenset()
    rows = select(t.requests.c.reference, t.requests.c.product).where(
        t.requests.c.package == package.key, t.requests.c.fate.is_(None)
    )
    needed = (name for row in db.execute(rows) for name in clearance.needs(*row))
    return frozenset(makers[name] for name in needed if name in makers)


_MADE = (
    select(
        t.requests.c.package,
        t.packages.c.package_type,
        t.requests.c.reference,
        t.requests.c.product,
    )
    .select_from(
        t.requests.join(t.packages, t.requests.c.package == t.packages.c.package).join(
            t.files, t.packages.c.file == t.files.c.file
        )
    )
    .where(
        t.files.c.run_id == bindparam("order"),
        t.packages.c.package_type.in_(bindparam("types", expanding=True)),
        t.packages.c.phase != str(Phase.CLOSED),
        t.requests.c.fate.is_(None),
    )
)
"""The rows of a run's open packages that make what others need."""
