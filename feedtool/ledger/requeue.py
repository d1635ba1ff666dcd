"""The rows of a closed package that are to be sent again go into later ones.

In one transaction with the closing itself, so that no crash comes between. These rows move:

- never sent, since the package was completed without them;
- perhaps sent, and not among the results although every row known to be staged is;
- looked up, and plainly not in force;
- refused for a quota only, which will have room again;
- of an upload refused as a whole, in halves, until the one that is to blame is alone.
"""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy import Connection, and_, bindparam, func, insert, select, update

from feedtool.ledger import tables as t
from feedtool.ledger.packages import add_package, count_requests
from feedtool.ledger.records import REQUEUE, Package, Requeue, Stage

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
    stage: Stage
    sends: int
    is_again: bool


def requeue_rows(db: Connection, package: Package, how: Requeue) -> list[int]:
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
    left = [row for row in _left(db, package) if row.is_again or row.stage in NOT_TAKEN]
    return [_moved(db, package, [rows]) for rows in _uploads(package, left)]


def _moved(db: Connection, package: Package, uploads: list[list[_Left]]) -> int:
    """The key of a new package with some rows of a closed one."""
    last = select(func.max(t.packages.c.number)).where(t.packages.c.file == package.file)
    number = int(db.execute(last).scalar_one()) + 1
    key = add_package(db, package.file, number, package.channel, package.package_type)
    db.execute(
        insert(t.uploads),
        [
            {"package": key, "upload": number, "stage": Stage.PLANNED}
            for number in range(1, len(uploads) + 1)
        ],
    )
    db.execute(
        _MOVE,
        [
            {"file_": package.file, "row_": left.row, "number_": left.number, "to": key, "at": at}
            | {"times": left.sends + (left.stage not in NOT_TAKEN)}
            for at, rows in enumerate(uploads, 1)
            for left in rows
        ],
    )
    for counted in (package.key, key):
        count_requests(db, counted)
    return key


def _left(db: Connection, package: Package) -> list[_Left]:
    """Its rows that have neither a result nor a final fate, in the order of their uploads."""
    of_row = and_(
        t.results.c.package == t.requests.c.package, t.results.c.reference == t.requests.c.reference
    )
    query = (
        select(
            t.requests.c.row,
            t.requests.c.number,
            t.requests.c.upload,
            t.requests.c.sends,
            t.requests.c.fate,
        )
        .select_from(t.requests.outerjoin(t.results, of_row))
        .where(t.requests.c.package == package.key, t.results.c.status.is_(None))
        .order_by(t.requests.c.upload, t.requests.c.row, t.requests.c.number)
    )
    return [
        _Left(row, number, upload, package.uploads[upload - 1], sends, fate == REQUEUE)
        for row, number, upload, sends, fate in db.execute(query)
        if fate in {None, REQUEUE}
    ]


def _uploads(package: Package, rows: list[_Left]) -> Iterator[list[_Left]]:
    """The uploads of the new package: what is left of the old ones, the refused in halves."""
    for _, of_upload in groupby(rows, key=attrgetter("upload")):
        moved = [left for left in of_upload if _moves(package, left)]
        if moved and moved[0].stage is Stage.REFUSED:
            half = (len(moved) + 1) // 2
            if len(moved) > 1:
                yield moved[:half]
                yield moved[half:]
        elif moved:
            yield moved


def _moves(package: Package, left: _Left) -> bool:
    if left.is_again or left.stage is Stage.PLANNED:
        return True
    if left.stage is Stage.REFUSED:
        return _blames_rows(package)
    return left.stage is not Stage.STAGED and left.sends + 1 < MOST_SENDS


def _blames_rows(package: Package) -> bool:
    """True if a refused upload is refused for a row in it, and not for what all have in common."""
    sent = len(package.uploads) - package.staged(Stage.SKIPPED) - package.staged(Stage.PLANNED)
    return sent <= FEW or package.staged(Stage.REFUSED) < sent


def _takes_packages(db: Connection, package: Package) -> bool:
    """True if the service takes such packages at all, or has not refused too many of a file."""
    stages = (
        select(t.uploads.c.stage, func.count().label("held"))
        .select_from(t.uploads.join(t.packages))
        .where(t.packages.c.file == package.file)
        .group_by(t.uploads.c.stage)
    )
    counts = {row.stage: row.held for row in db.execute(stages)}
    return bool(counts.get(Stage.STAGED)) or counts.get(Stage.REFUSED, 0) <= FEW


_MOVE = (
    update(t.requests)
    .where(
        t.requests.c.file == bindparam("file_"),
        t.requests.c.row == bindparam("row_"),
        t.requests.c.number == bindparam("number_"),
    )
    .values(
        package=bindparam("to"),
        upload=bindparam("at"),
        sends=bindparam("times"),
        fate=None,
    )
)
"""Why it is sent again stays with it."""
