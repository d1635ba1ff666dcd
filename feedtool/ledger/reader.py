"""Read the ledger: runs, packages, rows and their results."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Self

from sqlalchemy import ColumnElement, Select, and_, case, func, select, union_all

from feedtool.ledger import admission, row_history
from feedtool.ledger import tables as t
from feedtool.ledger.claims import Claims
from feedtool.ledger.database import IN_MEMORY, open_engine, reading
from feedtool.ledger.packages import read_packages
from feedtool.ledger.parcels import Parcels
from feedtool.ledger.records import REQUEUE, File, Package, Phase, ResultCounts, Run, Stage
from feedtool.ledger.row_history import REQUEST, HeldCodes, RequestHistory
from feedtool.ledger.row_results import FACTS, count_statuses, is_its_result, read_results
from feedtool.ledger.run_lists import RunCounts, RunPages
from feedtool.ledger.sellers import Sellers
from feedtool.ledger.tables import UNFINISHED, counts
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import (
    EARLIEST,
    LATEST,
    ActSummary,
    PackageSummary,
    PendingRow,
    RowResult,
    Status,
)
from feedtool.model.text import tr

EARLIER = 200
"""Files among which the previous one is looked for."""
CHUNK = 5_000
LARGEST_ID = (1 << 63) - 1
"""Databases have no larger numbers, and fail at a query with one."""
RUNS_OF_CLOCK = 50
"""The last runs of a service, whose packages show its clock."""
A_SECOND = timedelta(seconds=1)
"""The error of a Date header."""


class LedgerReader(RequestHistory):
    """An open ledger for reading: a file or URL, made if absent.

    Every method is one transaction. UsageProblem if it is no ledger.
    """

    def __init__(self, place: Path | str = IN_MEMORY) -> None:
        self.engine = open_engine(place)
        """The engine for `database.reading`, `database.writing` and the tables of areas."""
        self.claims = Claims(self.engine)
        self.held = HeldCodes(self.engine)
        self.counts = RunCounts(self.engine)
        self.pages = RunPages(self.engine)
        self.parcels = Parcels(self.engine)
        self.sellers = Sellers(self.engine)

    def run(self, run_id: int) -> Run | None:
        """The run of an id, None if absent; UsageProblem if it cannot be read."""
        if run_id > LARGEST_ID:
            return None
        with _entry_of(run_id):
            return next(iter(self.pages.runs([run_id])), None)

    def run_ids(self) -> list[int]:
        """The ids of all runs, newest first."""
        return [run for (run,) in self._all(select(t.runs.c.run_id).order_by(_NEWEST_FIRST))]

    def files(self, run_id: int) -> list[File]:
        """A run's files, in their order."""
        query = select(t.files).where(t.files.c.run_id == run_id).order_by(t.files.c.file)
        return [File(**row._asdict()) for row in self._all(query)]

    def read_packages(self, run_id: int) -> list[Package]:
        """A run's packages, file by file, by number; UsageProblem as `run`."""
        with _entry_of(run_id), reading(self.engine) as db:
            return read_packages(db, t.files.c.run_id == run_id)

    def irrevocable(self, run_id: int) -> list[Package]:
        """The packages of the seller's other runs that are committed and not yet closed."""
        run = self.run(run_id)
        if run is None:
            return []
        others = and_(t.is_of(run.service, run.seller), t.runs.c.run_id != run.run_id)
        with reading(self.engine) as db:
            return read_packages(db, and_(others, admission.IS_IRREVOCABLE))

    def unfinished(self, seller: str | None = None) -> list[int]:
        """The runs with a package that is not closed, oldest first."""
        query = select(t.runs.c.run_id).select_from(t.package_runs).distinct()
        query = query.where(t.IS_OPEN).order_by(t.runs.c.run_id)
        if seller is not None:
            query = query.where(t.runs.c.seller == seller)
        return [run for (run,) in self._all(query)]

    def has_later(self, run: Run) -> bool:
        with reading(self.engine) as db:
            return row_history.has_later(db, run)

    def has_to_fetch(self, run_id: int) -> bool:
        """True if a package of a run is committed, and not closed."""
        return any(
            package.committed_at is not None and package.phase is not Phase.CLOSED
            for package in self.read_packages(run_id)
        )

    def earlier(self, service: str, seller: str, kind: str, before: int | None) -> list[File]:
        """Files of a kind with a known size, of other runs than `before`, the newest first."""
        files = t.files.c
        query = (
            select(t.files)
            .join(t.runs)
            .where(t.is_of(service, seller), files.kind == kind, files.size.is_not(None))
            .where(files.run_id != (before or 0))
            .order_by(files.file.desc())
            .limit(EARLIER)
        )
        return [File(**row._asdict()) for row in self._all(query)]

    def begun(self, service: str, seller: str) -> Iterator[tuple[int, Mapping[str, Any], int]]:
        """A seller's unfinished runs, newest first: id, options, number of files written down."""
        query = (
            select(t.runs.c.run_id, t.runs.c.options, func.count(t.files.c.file))
            .select_from(t.runs.join(counts).outerjoin(t.files))
            .where(t.is_of(service, seller), UNFINISHED)
            .group_by(t.runs.c.run_id, t.runs.c.options)
            .order_by(_NEWEST_FIRST)
        )
        return ((run, json.loads(options), files) for run, options, files in self._all(query))

    def packages(self, file: int) -> list[PackageSummary]:
        """The packages of a file, by number, as `--format json` shows them."""
        package = t.packages.c
        uploads = select(func.count()).where(t.uploads.c.package == package.package)
        further_rows = (
            select(func.count())
            .select_from(t.request_rows.join(t.requests))
            .where(t.request_rows.c.file == file, t.requests.c.package == package.package)
        )
        query = (
            select(
                *(package.package_id, package.package_type, package.channel, package.state),
                package.rows + further_rows.scalar_subquery(),
                uploads.scalar_subquery(),
                and_(package.state.is_(None), package.committed_at.is_not(None)),
            )
            .where(package.file == file)
            .order_by(package.number)
        )
        return [PackageSummary(*row) for row in self._all(query)]

    def acts(self, file: int) -> list[ActSummary]:
        """The single requests of a file, by number, each of which is a package of its own."""
        package, request = t.packages.c, t.requests.c
        further_rows: dict[int, list[int]] = {}
        others = select(request.package, t.request_rows.c.row).select_from(
            t.request_rows.join(t.requests)
        )
        for key, row in self._all(others.where(request.file == file)):
            further_rows.setdefault(key, []).append(row)
        query = (
            select(
                *(package.package, package.number, package.package_type, request.reference),
                *(request.row, package.state, package.creations, package.package_id),
                func.coalesce(t.results.c.status, func.nullif(request.fate, REQUEUE)),
            )
            .join(t.requests, request.package == package.package)
            .outerjoin(t.results, is_its_result)
            .where(package.file == file)
            .order_by(package.number)
        )
        return [
            ActSummary(number, verb, key, (row, *sorted(further_rows.get(package, ()))), *progress)
            for package, number, verb, key, row, *progress in self._all(query)
        ]

    def statuses(self, run_id: int) -> Counter[Status]:
        """The number of a run's rows by status, of the rows that were to be sent."""
        return count_statuses(self.engine, [run_id])[run_id]

    def skew(self, service: str) -> timedelta:
        """The lead of a service's clock over this machine's at its last new package, or 0."""
        created, answered = t.packages.c.created_at, t.attempts.c.answered_at
        newest = select(t.runs.c.run_id).where(t.runs.c.service == service)
        newest = newest.order_by(_NEWEST_FIRST).limit(RUNS_OF_CLOCK)
        query = (
            select(created, answered)
            .select_from(t.attempts.join(t.package_runs))
            .where(
                t.runs.c.run_id.in_(newest),
                t.attempts.c.package_id == t.packages.c.package_id,
                answered.is_not(None),
                created.between(EARLIEST, LATEST),
            )
            .order_by(answered.desc())
            .limit(1)
        )
        ahead = sum((row.created_at - row.answered_at for row in self._all(query)), timedelta(0))
        return ahead if abs(ahead) > A_SECOND else timedelta(0)

    def verdicts(self, file: int) -> Iterator[RowResult]:
        """The result of each row of a file, in row order; nothing is held open meanwhile."""
        return read_results(self.engine, file)

    def references_of(self, file: int) -> Iterator[tuple[int, str, str]]:
        """The row, the channel and the reference of each row of a file that was to be sent."""
        first = select(t.requests.c.row, t.packages.c.channel, t.requests.c.reference)
        first = first.join(t.packages, t.packages.c.package == t.requests.c.package)
        first = first.where(t.requests.c.file == file)
        others = first.with_only_columns(t.request_rows.c.row, *list(first.selected_columns)[1:])
        return iter(self._all(union_all(first, others.join(t.request_rows))))

    def single_requests(self, packages: Collection[int]) -> dict[int, PendingRow]:
        """The live requests of packages of one request, by the package's key."""
        column, further_rows = t.requests.c.package, dict[int, tuple[int, ...]]()
        for package, row in self._among(row_history.FURTHER, column, packages):
            further_rows[package] = (*further_rows.get(package, ()), row)
        requests = self._among(row_history.SINGLE, column, packages)
        return {
            key: PendingRow._make((*request, further_rows.get(key, ())))
            for key, *request in requests
        }

    def single_references(self, run_id: int) -> dict[int, str]:
        """The references of a run's requests that are alone in their packages, by package."""
        query = (
            select(t.requests.c.package, t.requests.c.reference)
            .join(t.files, t.files.c.file == t.requests.c.file)
            .join(t.packages, t.packages.c.package == t.requests.c.package)
            .where(t.files.c.run_id == run_id, t.packages.c.rows == 1)
        )
        return dict(map(tuple, self._all(query)))

    def sent_later(self, run: Run, channel: str, references: Collection[str]) -> dict[str, int]:
        """The last later run of the seller that has sent a reference on a channel, by reference."""
        query = row_history.sent_later(run, channel).order_by(t.runs.c.run_id)
        rows = self._among(query, row_history.LATER.c.reference, references)
        return {row.reference: row.run_id for row in rows}

    def output(self, path: str) -> str | None:
        """The hash of the last copy written to a path; None if there was none."""
        query = select(t.outputs.c.sha256).where(t.outputs.c.path == path)
        return next((sha256 for (sha256,) in self._all(query)), None)

    def known(self, package_ids: Collection[str]) -> set[str]:
        """The service's packages, among these, that a run of this ledger has created."""
        column = t.attempts.c.package_id
        return {name for (name,) in self._among(select(column), column, package_ids)}

    def references(self, package: int, among: Collection[str]) -> set[str]:
        """The references, among these, that rows of a package have."""
        column = t.requests.c.reference
        of_package = select(column).where(t.requests.c.package == package)
        return {name for (name,) in self._among(of_package, column, among)}

    def _among(
        self, query: Select[Any], column: ColumnElement[Any], values: Iterable[str | int]
    ) -> Iterator[Any]:
        """The rows whose column has one of these values, by several queries if they are many."""
        left = iter(values)
        while some := [*islice(left, CHUNK)]:
            yield from self._all(query.where(column.in_(some)))

    def bodies(self, package: int, uploads: Collection[int]) -> dict[int, list[bytes]]:
        """The requests of some uploads, each in the order of the rows."""
        live = and_(
            t.requests.c.package == package,
            t.requests.c.upload.in_(uploads),
            t.requests.c.fate.is_(None),
        )
        # In the order of the index, so that no bodies are sorted; a package is of one file.
        in_order = (t.requests.c.upload, t.requests.c.file, t.requests.c.row, t.requests.c.number)
        query = select(t.requests.c.upload, t.requests.c.body).where(live).order_by(*in_order)
        bodies: dict[int, list[bytes]] = {upload: [] for upload in uploads}
        # All at once: one by one takes three times as long.
        for upload, body in self._all(query):
            bodies[upload].append(body)
        return bodies

    def result_counts(self, package: int) -> ResultCounts:
        """The numbers of a package's rows with and without a result."""
        is_staged, has_result = t.uploads.c.stage == Stage.STAGED, t.results.c.status.is_not(None)
        in_doubt = t.uploads.c.stage.in_((Stage.DOUBTFUL, Stage.SENDING))
        counted = _undecided(package).with_only_columns(
            # A row with a result was staged, whatever the answer to its upload was.
            func.count(case((has_result, 1))),
            func.count(case((and_(is_staged, ~has_result), 1))),
            func.count(case((and_(in_doubt, ~has_result), 1))),
        )
        return ResultCounts(*self._all(counted.order_by(None))[0])

    def lookup_rows(self, package: int, limit: int) -> list[PendingRow]:
        """The next rows of a package to look up: perhaps or surely staged, without a result."""
        may_be_staged = t.uploads.c.stage.in_((Stage.STAGED, Stage.DOUBTFUL, Stage.SENDING))
        query = _without_result(package, REQUEST).where(may_be_staged).limit(limit)
        return [PendingRow(*row) for row in self._all(query)]

    def pending(self, package: int) -> list[PendingRow]:
        """The rows of a package without a final answer of the service."""
        query = _without_result(package, REQUEST[:-1])  # without the bodies
        return [PendingRow(*row) for row in self._all(query)]

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_NEWEST_FIRST = t.runs.c.run_id.desc()


def _undecided(package: int) -> Select[Any]:
    """The rows of a package that have no fate, with or without a result."""
    return FACTS.where(t.requests.c.package == package, t.requests.c.fate.is_(None))


def _without_result(package: int, names: Iterable[str]) -> Select[Any]:
    columns = (t.requests.c[name] for name in names)
    return _undecided(package).where(t.results.c.status.is_(None)).with_only_columns(*columns)


@contextmanager
def _entry_of(run_id: int) -> Iterator[None]:
    """Raise UsageProblem if the ledger's entry of a run cannot be read."""
    try:
        yield
    except ValueError as error:
        raise UsageProblem(
            tr(
                "The ledger's entry of run {run} cannot be read: {error}.",
                run=run_id,
                error=error,
            ),
            tr("The other runs are not affected: `feedtool runs` lists them."),
        ) from error
