"""States of sellers: the table `sellers`, a row for each seller with a run or a pass.

A new run notes itself as the seller's last run, and a pass over his files notes its end: each is
one statement.
"""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, Engine, select, text, update

from feedtool.ledger.database import reading, writing
from feedtool.ledger.fleet_tables import sellers
from feedtool.ledger.records import SellerKey
from feedtool.ledger.tables import as_text
from feedtool.model.errors import FeedtoolError
from feedtool.model.text import kept_text


class Sellers:
    """All sellers of a ledger. Every method is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def passed(
        self,
        key: SellerKey,
        profile: str | None,
        run_id: int | None,
        error: FeedtoolError | None,
        not_before: datetime | None,
        now: datetime,
    ) -> None:
        """Note how a pass over a seller's files, or a command that sent some, has ended.

        Args:
            key: The seller.
            profile: The account's name; None if it had none.
            run_id: The run that it began or resumed; None keeps the one before.
            error: The error that stopped it; None if it reached its end.
            not_before: The earliest time of the next pass; None is at once.
            now: The time, for people.
        """
        service, seller = key
        ended = {
            "service": service,
            "seller": seller,
            "profile": profile or "",
            "run_id": run_id,
            "passed_at": as_text(now),
            "failures": int(error is not None),
            "exit_code": int(error.exit) if error else None,
            "message": kept_text(error.message) if error else None,
            "not_before": as_text(not_before),
        }
        with writing(self._engine) as db:
            db.execute(_PASSED, ended)

    def of_profiles(self, profiles: Collection[str]) -> set[SellerKey]:
        """The sellers whose last run or pass was by one of these accounts."""
        query = select(sellers.c.service, sellers.c.seller).where(sellers.c.profile.in_(profiles))
        with reading(self._engine) as db:
            return {(service, seller) for service, seller in db.execute(query)}

    def pass_pause(self, key: SellerKey) -> tuple[int, datetime | None]:
        """A seller's failed passes in a row, and the earliest time of the next pass."""
        service, seller = key
        query = select(sellers.c.failures, sellers.c.not_before)
        with reading(self._engine) as db:
            row = db.execute(query.filter_by(service=service, seller=seller)).one_or_none()
        return (0, None) if row is None else (row.failures, row.not_before)

    def set_next_pass(self, key: SellerKey, moment: datetime | None = None) -> None:
        """Set the earliest time of the next pass over a seller's files; None is at once."""
        service, seller = key
        is_same = (sellers.c.service == service, sellers.c.seller == seller)
        with writing(self._engine) as db:
            db.execute(update(sellers).where(*is_same).values(not_before=moment))

    def pace(self, key: SellerKey) -> str | None:
        """The pace that a seller's last run has learnt; None is full speed."""
        service, seller = key
        query = select(sellers.c.pace).filter_by(service=service, seller=seller)
        with reading(self._engine) as db:
            return db.scalar(query)

    def keep_pace(self, key: SellerKey, pace: str | None) -> None:
        """Save the pace for the next run; the caller must hold the seller's lock."""
        service, seller = key
        with writing(self._engine) as db:
            db.execute(_PACE, {"service": service, "seller": seller, "pace": pace})


def begin_seller(db: Connection, key: SellerKey, profile: str | None, run_id: int) -> None:
    """Note a seller's last run, in the transaction that makes it."""
    service, seller = key
    begun = {"service": service, "seller": seller, "profile": profile or "", "run_id": run_id}
    db.execute(_BEGUN, begun)


_NEW = "INSERT INTO sellers (service, seller, profile, {more}, answers)"
_OR = "ON CONFLICT (service, seller) DO UPDATE SET"
# Whoever names no profile does not take away the one that is known.
_PROFILE = (
    "profile = CASE WHEN excluded.profile = '' THEN sellers.profile ELSE excluded.profile END"
)

_BEGUN = text(
    f"{_NEW.format(more='run_id, passes, failures')}"
    f" VALUES (:service, :seller, :profile, :run_id, 0, 0, '{{}}')"
    f" {_OR} run_id = excluded.run_id, {_PROFILE}"
)
_PASSED = text(
    f"{_NEW.format(more='run_id, passed_at, passes, failures, exit_code, message, not_before')}"
    " VALUES (:service, :seller, :profile, :run_id, :passed_at, 1, :failures, :exit_code, :message,"
    f" :not_before, '{{}}') {_OR} {_PROFILE},"
    " run_id = COALESCE(excluded.run_id, sellers.run_id), passed_at = excluded.passed_at,"
    " passes = sellers.passes + 1,"
    " failures = CASE WHEN excluded.failures = 0 THEN 0 ELSE sellers.failures + 1 END,"
    " exit_code = excluded.exit_code, message = excluded.message, not_before = excluded.not_before"
)
_PACE = text(
    f"{_NEW.format(more='passes, failures, pace')}"
    f" VALUES (:service, :seller, '', 0, 0, :pace, '{{}}') {_OR} pace = excluded.pace"
)
