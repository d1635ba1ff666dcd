"""The files that a watcher has taken, and its progress with each.

There is one row for each content that a seller was sent as one kind, so that the same content is
never handled twice at a time, and is recognised later. A holder of the seller's lock may continue
any claim that is not ended: the process that made it is gone, or has parked it.
"""

import hashlib
import json
from collections.abc import Collection, Iterable
from datetime import datetime
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Engine, Row, delete, select, update
from sqlalchemy.exc import IntegrityError

from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.ledger.packages import add_row
from feedtool.ledger.records import ABANDONED


class ClaimState(StrEnum):
    """Progress of a file."""

    TAKEN = "taken"  # to be sent; with a run, begun
    ANSWERED = "answered"  # the answers are written, and the file is to go to its target
    REFUSED = "refused"
    """Nothing of it was sent; the reason is written, and the file is to go to its target."""
    ENDED = "ended"


class Claim(Struct, frozen=True):
    """A file that was taken."""

    claim: int
    folder: str  # the watched folder
    lane: str  # the subfolder of the inbox, with `/`; empty for the inbox itself
    scope: str  # digest of the folder, seller and kind within which equal content is the same
    sha256: str
    source: str  # its name in that subfolder
    name: str
    """The name of the file and its answers from here on, without an ending, in its lane's folder;
    no other claim of the lane has it."""
    state: ClaimState
    taken_at: datetime
    run_id: int | None
    target: str | None  # the final place, in the folder

    @property
    def place(self) -> PurePosixPath:
        return PurePosixPath(self.lane) / self.source


class EarlierClaim(Struct, frozen=True):
    """The run that the same content already had."""

    run_id: int
    source: str
    taken_at: datetime


class Claims:
    """All claims of a ledger. Every method is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def take(
        self,
        *,
        folder: str,
        lane: str,
        scope: str,
        sha256: str,
        source: str,
        names: Iterable[str],
        now: datetime,
        since: datetime | None,
    ) -> Claim | EarlierClaim | None:
        """Claim a file under the first of the `names` that no other claim of its lane has.

        Return the run that the same content began at `since` or later, unless a file of its name
        had other content since: old content may be meant again. `since` None leaves that decision
        to the caller. Return None if the content is being handled, or another process was faster.
        """
        claims = t.claims.c
        values = {"folder": folder, "lane": lane, "scope": scope, "sha256": sha256}
        try:
            with writing(self._engine) as db:
                is_same = (claims.scope == scope, claims.sha256 == sha256)
                same = db.execute(select(t.claims).where(*is_same)).one_or_none()
                if same is not None:
                    if same.state != ClaimState.ENDED:
                        return None
                    if earlier := _earlier(db, same, source, since):
                        return earlier
                    db.execute(delete(t.claims).where(*is_same))
                in_lane = select(claims.name).where(claims.folder == folder, claims.lane == lane)
                name = next(
                    name for name in names if not db.scalar(in_lane.where(claims.name == name))
                )
                values |= {"source": source, "name": name, "state": ClaimState.TAKEN}
                return _read(db, add_row(db, t.claims, taken_at=now, **values))
        except IntegrityError:
            return None

    def under_way(self, folder: str, lanes: Collection[str] | None = None) -> list[Claim]:
        """The claims of a folder, or of some lanes, that are not ended, the oldest first."""
        claims = t.claims.c
        query = select(t.claims).where(claims.folder == folder, claims.state != ClaimState.ENDED)
        if lanes is not None:
            query = query.where(claims.lane.in_(lanes))
        with reading(self._engine) as db:
            return [*map(_claim, db.execute(query.order_by(claims.claim)))]

    def read(self, claim: int) -> Claim:
        with reading(self._engine) as db:
            return _read(db, claim)

    def settle(self, claim: int, state: ClaimState, target: str) -> None:
        """Note that the answers, or the reason, are written; the file itself is moved next."""
        self._change(claim, state=state, target=target)

    def end(self, claim: int) -> None:
        """End a claim; its content stays known."""
        self._change(claim, state=ClaimState.ENDED)

    def forget(self, claim: int) -> None:
        """Delete a claim, as if the file had never been taken."""
        with writing(self._engine) as db:
            db.execute(delete(t.claims).where(t.claims.c.claim == claim))

    def _change(self, claim: int, **values: str) -> None:
        with writing(self._engine) as db:
            db.execute(update(t.claims).where(t.claims.c.claim == claim).values(**values))


def scope_of(folder: str, key: tuple[str, str], kind: str | None) -> str:
    """The digest of the folder, seller and kind within which equal content is the same."""
    return hashlib.sha256(json.dumps([folder, *key, kind or ""]).encode()).hexdigest()


def find_earlier(
    db: Connection, scope: str, sha256: str, source: str, since: datetime | None
) -> EarlierClaim | None:
    """The earlier run of a content, by the rule of `Claims.take`."""
    claims = t.claims.c
    is_same = (claims.scope == scope, claims.sha256 == sha256, claims.state == ClaimState.ENDED)
    same = db.execute(select(t.claims).where(*is_same)).one_or_none()
    return None if same is None else _earlier(db, same, source, since)


def begin_run(db: Connection, claim: int, run_id: int) -> None:
    """Note the run of a claim; call it in the transaction that makes the run."""
    db.execute(update(t.claims).where(t.claims.c.claim == claim).values(run_id=run_id))


def _earlier(
    db: Connection, same: Row[Any], source: str, since: datetime | None
) -> EarlierClaim | None:
    """The run of an ended claim, where a file of the same content is taken for a mistake.

    The content was sent, and a later file of its present name had no other content.
    """
    if since is None or same.taken_at < since:
        return None
    if same.run_id is None or _never_committed(db, same.run_id):
        return None
    claims = t.claims.c
    is_later = (claims.scope == same.scope, claims.source == source, claims.run_id > same.run_id)
    if db.execute(select(claims.claim).where(*is_later)).first():
        return None
    return EarlierClaim(same.run_id, same.source, same.taken_at)


def _never_committed(db: Connection, run_id: int) -> bool:
    """True if a run was given up before anything of it could be in force."""
    options = db.execute(select(t.runs.c.options).where(t.runs.c.run_id == run_id)).scalar_one()
    committed = (
        select(t.packages.c.package)
        .join(t.files)
        .where(t.files.c.run_id == run_id, t.packages.c.committed_at.is_not(None))
    )
    return ABANDONED in json.loads(options) and db.execute(committed).first() is None


def _read(db: Connection, claim: int) -> Claim:
    return _claim(db.execute(select(t.claims).where(t.claims.c.claim == claim)).one())


def _claim(row: Row[Any]) -> Claim:
    return Claim(**row._asdict() | {"state": ClaimState(row.state)})
