"""Read runs for lists: some at a time, with all their facts, in a few queries."""

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Engine, Row, bindparam, func, select

from feedtool.ledger import tables as t
from feedtool.ledger.database import reading
from feedtool.ledger.fleet_tables import UNFINISHED, counts
from feedtool.ledger.packages import read_packages
from feedtool.ledger.records import File, Package, Run, SellerKey
from feedtool.ledger.row_results import OF_RUNS
from feedtool.ledger.run_counts import are_of


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
        """The first run of a seller after another."""
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
