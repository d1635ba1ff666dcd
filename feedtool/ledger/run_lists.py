"""Read runs for lists: some at a time, with all their facts, in a few queries."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    and_,
    bindparam,
    exists,
    false,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.ledger.packages import read_packages
from feedtool.ledger.records import ABANDONED, INVALID, SHEETS, File, Package, Run, SellerKey
from feedtool.ledger.row_history import held_rows
from feedtool.ledger.row_results import OF_RUNS, count_statuses
from feedtool.ledger.tables import UNCOUNTED, UNFINISHED, counts, sellers
from feedtool.model.nouns import NOT_DONE, REFUSED, Status

# The numbers of each run's rows by result.


NOT_TAKEN = frozenset({Status.INVALID, *REFUSED})
"""Statuses of rows that the checks or the service have refused."""
UNANSWERED = NOT_DONE - NOT_TAKEN - {Status.UNKNOWN}
"""Statuses that are not final, or of rows that were not sent."""


class RunCount(NamedTuple):
    """The counts of a run."""

    statuses: Mapping[Status, int]
    """The number of rows by status."""
    held: int
    """Rows that guards hold, until they are sent or dropped."""
    is_finished: bool
    """True if all that is to be sent is written down, and no package is open."""

    @property
    def noted(self) -> dict[str, Any]:
        """The values of the columns."""
        statuses = {str(status): count for status, count in sorted(self.statuses.items()) if count}
        return {
            "statuses": json.dumps(statuses),
            "answered": sum(
                count for status, count in self.statuses.items() if status not in UNANSWERED
            ),
            "refused": sum(self.statuses.get(status, 0) for status in NOT_TAKEN),
            "held": self.held,
            "is_finished": int(self.is_finished),
        }


class RunCounts:
    """The counts of all runs of a ledger."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of(self, run_ids: Collection[int]) -> dict[int, RunCount]:
        """The counts of some runs; runs that cannot be read are left out.

        Only rows of runs that are unfinished, or not counted yet, are read.
        """
        with reading(self._engine) as db:
            rows = db.execute(_NOTED, {"runs": [*run_ids]}).all()
        noted = {row.run_id: _read(row) for row in rows if row.is_finished and row.statuses}
        counted = count_runs(self._engine, [run for run in run_ids if run not in noted])
        self._keep(
            {
                row.run_id: counted[row.run_id]
                for row in rows
                if not row.statuses and row.run_id in counted
            }
        )
        return noted | counted

    def noted(self, run_ids: Collection[int]) -> dict[int, RunCount]:
        """The stored counts of some runs; they may be older than their rows."""
        with reading(self._engine) as db:
            rows = db.execute(_NOTED, {"runs": [*run_ids]}).all()
        return {row.run_id: _read(row) for row in rows if row.statuses}

    def note_first(self, run_ids: Collection[int]) -> None:
        """Count runs that are older than the table, and so have no counts."""
        self._keep(count_runs(self._engine, run_ids))

    def _keep(self, counted: Mapping[int, RunCount]) -> None:
        if counted:
            with writing(self._engine) as db:
                for run_id, count in counted.items():
                    is_uncounted = (counts.c.run_id == run_id, UNCOUNTED)
                    db.execute(update(counts).where(*is_uncounted).values(count.noted))

    def note(self, run_id: int, now: datetime) -> None:
        """Count a run, and the seller's other runs that ended with it."""
        with reading(self._engine) as db:
            ended = db.scalars(_ENDED, {"run": run_id}).all()
        counted = count_runs(self._engine, (run_id, *ended))
        answers: defaultdict[SellerKey, Counter[str]] = defaultdict(Counter)
        with writing(self._engine) as db:
            for before in db.execute(_NOTED, {"runs": [*counted]}).all():
                noted = counted[before.run_id].noted
                if noted["statuses"] != before.statuses:
                    noted["counted_at"] = now
                    new = Counter(json.loads(noted["statuses"]))
                    new -= Counter(json.loads(before.statuses or "{}"))
                    answers[before.service, before.seller] += new
                if any(getattr(before, name) != value for name, value in noted.items()):
                    db.execute(update(counts).filter_by(run_id=before.run_id).values(noted))
            for (service, seller), answered in answers.items():
                owner = {"service": service, "seller": seller}
                former = db.scalar(select(sellers.c.answers).filter_by(**owner))
                final = {word: rows for word, rows in answered.items() if word not in UNANSWERED}
                if former is not None and final:
                    total = json.dumps(Counter(json.loads(former)) + Counter(final))
                    db.execute(update(sellers).filter_by(**owner).values(answers=total))


def count_runs(engine: Engine, run_ids: Collection[int]) -> dict[int, RunCount]:
    """Count the rows of some runs as they are now; runs that cannot be read are left out."""
    runs = {"runs": [*run_ids]}
    with reading(engine) as db:
        options = {run: read_options(kept) for run, kept in db.execute(_OPTIONS, runs)}
        written = {*map(tuple, db.execute(_SHEETS, runs))}
        still_open = {*db.scalars(_OPEN, runs)}
        held = held_rows(db, run_ids)
    readable = {run: noted for run, noted in options.items() if noted is not None}
    run_counts: dict[int, RunCount] = {}
    for run, statuses in count_statuses(engine, readable).items():
        run_options = readable[run]
        statuses[Status.INVALID] += run_options.get(INVALID, 0)
        is_given_up = ABANDONED in run_options
        is_whole = is_given_up or all(
            (run, *sheet) in written for sheet in run_options.get(SHEETS, ())
        )
        is_finished = is_whole and run not in still_open
        run_counts[run] = RunCount(+statuses, 0 if is_given_up else held.get(run, 0), is_finished)
    return run_counts


def begin_count(db: Connection, key: SellerKey, run_id: int, now: datetime) -> None:
    """Add a run before its rows; call it in the transaction that makes the run."""
    service, seller = key
    none = dict.fromkeys(("answered", "refused", "held", "is_finished"), 0)
    owner = {"service": service, "seller": seller, "counted_at": now}
    db.execute(insert(counts).values(run_id=run_id, statuses="", **owner, **none))


def reopen(db: Connection, run_id: int) -> None:
    """Mark a finished run as unfinished; call it in the transaction that resumes the run."""
    db.execute(update(counts).filter_by(run_id=run_id).values(is_finished=0))


_NOTED = select(counts).where(counts.c.run_id.in_(bindparam("runs", expanding=True)))
_OPTIONS = select(t.runs.c.run_id, t.runs.c.options).where(
    t.runs.c.run_id.in_(bindparam("runs", expanding=True))
)
_SHEETS = select(t.files.c.run_id, t.files.c.path, t.files.c.sheet).where(OF_RUNS)
_PACKAGES = t.packages.join(t.files)
_OPEN = select(t.files.c.run_id).select_from(_PACKAGES).where(OF_RUNS, t.IS_OPEN).distinct()
_RUN = counts.alias()
_ENDED = (
    select(counts.c.run_id)
    .join(_RUN, and_(_RUN.c.service == counts.c.service, _RUN.c.seller == counts.c.seller))
    .where(
        *(_RUN.c.run_id == bindparam("run"), counts.c.run_id != _RUN.c.run_id),
        counts.c.is_finished == text("0"),
        ~exists().where(t.IS_OPEN, t.files.c.run_id == counts.c.run_id).select_from(_PACKAGES),
    )
)
"""The seller's other runs that are not marked as finished, and have no open package."""


def _read(row: Row[Any]) -> RunCount:
    statuses = {Status(status): count for status, count in json.loads(row.statuses).items()}
    return RunCount(statuses, row.held, bool(row.is_finished))


def read_options(kept: str) -> dict[str, Any] | None:
    """Decode the options of a run; None if they cannot be read."""
    try:
        options: dict[str, Any] = json.loads(kept)
    except ValueError:
        return None
    return options


def are_of(keys: Collection[SellerKey]) -> ColumnElement[bool]:
    """True of the counts of some sellers, who mostly share one service."""
    by_service: dict[str, list[str]] = {}
    for service, seller in keys:
        by_service.setdefault(service, []).append(seller)
    return or_(
        false(),
        *(
            and_(counts.c.service == service, counts.c.seller.in_(names))
            for service, names in by_service.items()
        ),
    )


class RunRows(NamedTuple):
    """A run with its files and packages, each in their order."""

    run: Run
    files: list[File]
    packages: list[Package]


class RunPages:
    """The runs of a ledger, page by page."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def numbers(
        self,
        limit: int,
        *,
        before: int | None = None,
        of: Collection[SellerKey] | None = None,
    ) -> list[int]:
        """The numbers of some runs, the newest first.

        Args:
            limit: The most numbers to return.
            before: Return only lower numbers; None returns all.
            of: Return only runs of these sellers; None returns those of all.
        """
        query = select(counts.c.run_id).order_by(counts.c.run_id.desc()).limit(limit)
        if before is not None:
            query = query.where(counts.c.run_id < before)
        if of is not None:
            query = query.where(are_of(of))
        with reading(self._engine) as db:
            return [*db.scalars(query)]

    def last_of(self, seller: SellerKey) -> tuple[int, datetime | None]:
        """The newest run of a seller, or 0, and the time when his rows were last counted."""
        query = select(func.max(counts.c.run_id), func.max(counts.c.counted_at))
        with reading(self._engine) as db:
            run, counted = db.execute(query.where(are_of([seller]))).one()
        return run or 0, counted

    def next_of(self, seller: SellerKey, after: int) -> int | None:
        query = select(func.min(counts.c.run_id)).where(counts.c.run_id > after)
        with reading(self._engine) as db:
            number: int | None = db.scalar(query.where(are_of([seller])))
        return number

    def runs(self, numbers: Collection[int]) -> list[Run]:
        """Some runs, in the order of their numbers; ValueError where one cannot be read."""
        with reading(self._engine) as db:
            return [run_of(row) for row in db.execute(_RUNS, {"runs": [*numbers]})]

    def rows(self, numbers: Collection[int]) -> dict[int, RunRows]:
        """Some runs by number, with their files and packages; ValueError as in `runs`."""
        rows = {run.run_id: RunRows(run, [], []) for run in self.runs(numbers)}
        runs_of_files: dict[int, int] = {}
        with reading(self._engine) as db:
            for row in db.execute(_FILES, {"runs": [*numbers]}):
                rows[row.run_id].files.append(File(**row._asdict()))
                runs_of_files[row.file] = row.run_id
            for package in read_packages(db, t.files.c.run_id.in_(numbers)):
                rows[runs_of_files[package.file]].packages.append(package)
        return rows

    def with_option_text(self, text: str) -> list[int]:
        """The runs whose options contain a text; it must be the same in JSON."""
        query = select(t.runs.c.run_id).where(t.runs.c.options.contains(text, autoescape=True))
        with reading(self._engine) as db:
            return [*db.scalars(query)]

    def may_go_on(self) -> list[int]:
        """The runs that may be unfinished, the oldest first; all others are finished.

        A sheet of these is not written down, a package is open, or a copy is not written.
        """
        unfinished = select(counts.c.run_id).where(UNFINISHED)
        unwritten = select(t.outputs.c.run_id).where(t.UNWRITTEN)
        with reading(self._engine) as db:
            return sorted({*db.scalars(unfinished), *db.scalars(unwritten)})


_RUNS = select(t.runs).where(t.runs.c.run_id.in_(bindparam("runs", expanding=True)))
_RUNS = _RUNS.order_by(t.runs.c.run_id)
_FILES = select(t.files).where(OF_RUNS).order_by(t.files.c.file)


def run_of(row: Row[Any]) -> Run:
    """Decode the row of a run; ValueError if it cannot be read."""
    return Run(**{**row._asdict(), "options": json.loads(row.options)})
