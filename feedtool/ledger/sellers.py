"""How each seller's files come on: the table `sellers`, a row for whoever had a run or a pass.

A run that begins names the seller's last run, and a pass over his files says how it ended: each is
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
            profile: The account's name; None where it had none.
            run_id: The run that it began or went on with; None where that is the one before.
            error: What kept it from its end; None where nothing did.
            not_before: When the next pass may come; None is at once.
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
        """The sellers that accounts of some names have sent for last."""
        query = select(sellers.c.service, sellers.c.seller).where(sellers.c.profile.in_(profiles))
        with reading(self._engine) as db:
            return {(service, seller) for service, seller in db.execute(query)}

    def rest(self, key: SellerKey) -> tuple[int, datetime | None]:
        """How many passes over a seller's files have failed of late, and when the next may come."""
        service, seller = key
        query = select(sellers.c.failures, sellers.c.not_before)
        with reading(self._engine) as db:
            row = db.execute(query.filter_by(service=service, seller=seller)).one_or_none()
        return (0, None) if row is None else (row.failures, row.not_before)

    def end_rest(self, key: SellerKey, at: datetime | None = None) -> None:
        """Let the next pass over a seller's files come at a time; None is at once."""
        service, seller = key
        is_it = (sellers.c.service == service, sellers.c.seller == seller)
        with writing(self._engine) as db:
            db.execute(update(sellers).where(*is_it).values(not_before=at))

    def pace(self, key: SellerKey) -> str | None:
        """What a seller's last run has learnt of its pace; None where that was full speed."""
        service, seller = key
        query = select(sellers.c.pace).filter_by(service=service, seller=seller)
        with reading(self._engine) as db:
            return db.scalar(query)

    def keep_pace(self, key: SellerKey, pace: str | None) -> None:
        """Keep it for the next run; whoever calls it has the seller's lock."""
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
