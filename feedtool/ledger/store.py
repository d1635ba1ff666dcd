"""The Ledger: all reading and writing of it. Called from one thread; see `deliver`.

Every method is one transaction. None is open between two calls, so that no request to the
service ever waits for the database or the other way round.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import and_, case, delete, func, insert, select

from feedtool.ledger import clearing, counting, later
from feedtool.ledger import tables as t
from feedtool.ledger.abandoning import abandon
from feedtool.ledger.claims import Claims, begin_run
from feedtool.ledger.database import IN_MEMORY, open_engine, reading, writing
from feedtool.ledger.leftovers import count_rows, move_leftovers
from feedtool.ledger.lock import hold
from feedtool.ledger.records import Awaited, Change, File, Package, Phase, Run, Sought, Stage, Tail
from feedtool.ledger.rows import (
    FACTS,
    add_uploads,
    facts_of,
    key_of,
    package_of,
    stages_of,
    summary_of,
)
from feedtool.ledger.saving import save_changes
from feedtool.ledger.verdicts import verdict
from feedtool.ledger.waiting import unanswered
from feedtool.ledger.withholding import withheld, withhold
from feedtool.model.errors import UsageProblem

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime, timedelta
    from pathlib import Path

    from sqlalchemy import Column, ColumnElement, Connection

    from feedtool.areas.offers.changes.accepted import AcceptedOffers
    from feedtool.areas.offers.changes.offer_state import Seen
    from feedtool.ledger.lock import Held
    from feedtool.model.nouns import PackageSummary, Status, Upload, Verdict

EARLIER = 200
"""Files among which the one before is looked for."""
CHUNK = 5_000
"""Rows read at a time."""
BATCH = 5_000
"""Rows written at a time, and what of the last upload is beyond."""


class Ledger:
    """An open ledger."""

    def __init__(self, place: Path | str = IN_MEMORY) -> None:
        """Open the file or URL, making what is absent; UsageProblem for what is no ledger."""
        self._engine = open_engine(place)
        self.claims = Claims(self._engine)

    # What is to be delivered.

    def start_run(
        self,
        *,
        now: datetime,
        seller: str,
        service: str,
        language: str = "en",
        options: Mapping[str, Any] | None = None,
        claim: int | None = None,
    ) -> int:
        """A new run; `options` is JSON. Returns its id.

        It is the run of a `claim`, if one is named, from the same moment on.
        """
        with writing(self._engine) as db:
            done = db.execute(
                insert(t.runs).values(
                    started_at=now,
                    seller=seller,
                    service=service,
                    language=language,
                    options=json.dumps(options or {}),
                )
            )
            run_id = key_of(done.inserted_primary_key)
            if claim is not None:
                begin_run(db, claim, run_id)
            return run_id

    def run(self, run_id: int) -> Run | None:
        """A run, or None where there is none of that id; UsageProblem where it cannot be read."""
        with _entry_of(run_id):
            with reading(self._engine) as db:
                row = db.execute(select(t.runs).where(t.runs.c.run_id == run_id)).one_or_none()
            if row is None:
                return None
            return Run(**{**row._asdict(), "options": json.loads(row.options)})

    def run_ids(self) -> list[int]:
        """The ids of all runs, newest first."""
        with reading(self._engine) as db:
            return list(
                db.execute(select(t.runs.c.run_id).order_by(t.runs.c.run_id.desc())).scalars()
            )

    def runs(self) -> list[Run]:
        """All runs, newest first."""
        with reading(self._engine) as db:
            found = db.execute(select(t.runs).order_by(t.runs.c.run_id.desc())).all()
        return [Run(**{**row._asdict(), "options": json.loads(row.options)}) for row in found]

    def add_file(
        self,
        run_id: int,
        planned: Iterable[tuple[int, Upload]],
        *,
        path: str,
        sha256: str,
        kind: str,
        sheet: str | None = None,
        size: int | None = None,
        withheld: Iterable[Verdict] = (),
    ) -> int:
        """A file with all its rows: `plan.uploads`, (package number, upload). Returns its key.

        With the verdicts of rows that are `withheld`, and the number of all rows where later files
        are to be compared with this one. All of it or, when `planned` raises, nothing.
        """
        with writing(self._engine) as db:
            told = {"path": path, "sha256": sha256, "kind": kind, "sheet": sheet, "size": size}
            done = db.execute(insert(t.files).values(run_id=run_id, **told))
            file = key_of(done.inserted_primary_key)
            keys: dict[int, int] = {}
            for batch in _batches(planned):
                add_uploads(db, file, keys, batch)
            for package in keys.values():
                count_rows(db, package)
            withhold(db, file, withheld)
        return file

    @contextmanager
    def hold(
        self,
        seller: str,
        service: str,
        *,
        command: str,
        now: datetime,
        wait: Callable[[Held], bool] | None = None,
        is_awaited: bool = False,
    ) -> Iterator[None]:
        """Be the only process that sends for a seller; Held names another that does so now.

        With `wait` that one is waited for, as `lock.hold` tells.
        """
        with hold(
            self._engine,
            seller,
            service,
            command=command,
            now=now,
            wait=wait,
            is_awaited=is_awaited,
        ):
            yield

    # What is known before anything is sent.

    def accepted(self, service: str, seller: str, cut_short: int = 0) -> AcceptedOffers:
        """What the service has last accepted of a seller; see `AcceptedOffers`."""
        from feedtool.areas.offers.changes.accepted import AcceptedOffers

        return AcceptedOffers(self._engine, service, seller, cut_short)

    def absorbed(self, service: str, seller: str) -> int:
        """How many packages of a seller have been read for what was accepted."""
        from feedtool.areas.offers.changes.projection import count_absorbed

        return count_absorbed(self._engine, service, seller)

    def see(
        self, service: str, seller: str, channel: str, offers: Iterable[Seen], **how: Any
    ) -> bool:
        """Note offers as the service showed them; all as `seeing.see` tells."""
        from feedtool.areas.offers.changes.observed import see

        return see(self._engine, service, seller, channel, offers, **how)

    def earlier(self, service: str, seller: str, kind: str, before: int | None) -> list[File]:
        """Files of a kind whose size is known, of other runs than `before`, the newest first."""
        query = (
            select(t.files)
            .select_from(t.files.join(t.runs))
            .where(
                t.runs.c.seller == seller,
                t.runs.c.service == service,
                t.files.c.kind == kind,
                t.files.c.size.is_not(None),
                t.files.c.run_id != (before or 0),
            )
            .order_by(t.files.c.file.desc())
            .limit(EARLIER)
        )
        with reading(self._engine) as db:
            return [File(**row._asdict()) for row in db.execute(query)]

    def begun(self, service: str, seller: str) -> Iterator[tuple[int, Mapping[str, Any], int]]:
        """A seller's runs, newest first: id, options, and how many files are written down."""
        query = (
            select(t.runs.c.run_id, t.runs.c.options, func.count(t.files.c.file))
            .select_from(t.runs.outerjoin(t.files))
            .where(t.runs.c.seller == seller, t.runs.c.service == service)
            .group_by(t.runs.c.run_id, t.runs.c.options)
            .order_by(t.runs.c.run_id.desc())
        )
        with reading(self._engine) as db:
            found = db.execute(query).all()
        return ((run, json.loads(options), files) for run, options, files in found)

    def abandon(
        self, run_id: int, now: datetime, ended: Mapping[int, tuple[Status, str]]
    ) -> dict[int, int]:
        """Give a run up, with all of its open packages; see `abandoning.abandon`."""
        with writing(self._engine) as db:
            return abandon(db, run_id, now, ended)

    # How far it is.

    def files(self, run_id: int) -> list[File]:
        """A run's files, in their order."""
        with reading(self._engine) as db:
            query = select(t.files).where(t.files.c.run_id == run_id)
            return [File(**row._asdict()) for row in db.execute(query.order_by(t.files.c.file))]

    def read_packages(self, run_id: int) -> list[Package]:
        """All that is known of a run's packages, file by file, by number; UsageProblem as `run`."""
        with _entry_of(run_id), reading(self._engine) as db:
            return _packages(db, t.files.c.run_id == run_id)

    def irrevocable(self, run_id: int) -> list[Package]:
        """The packages of the seller's other runs that are committed and not yet closed."""
        run = self.run(run_id)
        if run is None:
            return []
        others = and_(
            t.runs.c.seller == run.seller,
            t.runs.c.service == run.service,
            t.runs.c.run_id != run.run_id,
            clearing.IS_IRREVOCABLE,
        )
        with reading(self._engine) as db:
            return _packages(db, others)

    def unfinished(self, seller: str | None = None) -> list[int]:
        """The runs with a package that is not closed, oldest first."""
        query = (
            select(t.runs.c.run_id)
            .select_from(t.packages.join(t.files).join(t.runs))
            .where(t.packages.c.phase != Phase.CLOSED)
            .distinct()
            .order_by(t.runs.c.run_id)
        )
        if seller is not None:
            query = query.where(t.runs.c.seller == seller)
        with reading(self._engine) as db:
            return list(db.execute(query).scalars())

    def has_to_fetch(self, run_id: int) -> bool:
        """Whether a package of a run is committed, and not closed."""
        return any(
            package.committed_at is not None and package.phase is not Phase.CLOSED
            for package in self.read_packages(run_id)
        )

    def known(self, package_ids: Collection[str]) -> set[str]:
        """Those of some of the service's packages that a run of this ledger has created."""
        return self._among(t.attempts.c.package_id, package_ids)

    def bodies(self, package: int, uploads: Collection[int]) -> dict[int, list[bytes]]:
        """The requests of some uploads, each in the order of the rows."""
        live = and_(
            t.rows.c.package == package, t.rows.c.upload.in_(uploads), t.rows.c.fate.is_(None)
        )
        # In the order of the index, so that no bodies are sorted; a package is of one file.
        in_order = (t.rows.c.upload, t.rows.c.file, t.rows.c.row)
        query = select(t.rows.c.upload, t.rows.c.body).where(live).order_by(*in_order)
        found: dict[int, list[bytes]] = {upload: [] for upload in uploads}
        with reading(self._engine) as db:
            # All at once: one by one takes three times as long.
            for upload, body in db.execute(query).all():
                found[upload].append(body)
        return found

    def clear(self, package: Package, run: Run) -> Package:
        """Begin with a package: the rows that a later run has sent are given up.

        Returns the package as it is then. It is `blocked_by` the committed packages that hold
        one of its keys, and by the batches that its offers' products are in; if there is none, its
        keys are in flight from here on.
        """
        with writing(self._engine) as db:
            clearing.supersede(db, package, run)
            clearing.skip_empty_uploads(db, package)
            blocked_by = unanswered(db, package, run) or clearing.claim(db, package, run)
            if revocable := clearing.revocable(db, blocked_by, run):
                clearing.give_up(db, revocable)
                blocked_by = clearing.claim(db, package, run)
            (found,) = _packages(db, t.packages.c.package == package.key)
        return replace(package, uploads=found.uploads, blocked_by=blocked_by)

    def tail(self, package: int) -> Tail:
        """How many rows of a package have a result, and how many have none."""
        is_staged, has_result = t.uploads.c.stage == Stage.STAGED, t.results.c.status.is_not(None)
        in_doubt = t.uploads.c.stage.in_((Stage.DOUBTFUL, Stage.SENDING))
        query = FACTS.where(t.rows.c.package == package, t.rows.c.fate.is_(None)).order_by(None)
        counted = query.with_only_columns(
            # What has a result was staged, whatever was heard of its upload.
            func.count(case((has_result, 1))),
            func.count(case((and_(is_staged, ~has_result), 1))),
            func.count(case((and_(in_doubt, ~has_result), 1))),
        )
        with reading(self._engine) as db:
            return Tail(*db.execute(counted).one())

    def sought(self, package: int, limit: int) -> list[Sought]:
        """The next rows of a package to look up: perhaps or surely staged, without a result."""
        sent = t.uploads.c.stage.in_((Stage.STAGED, Stage.DOUBTFUL, Stage.SENDING))
        query = FACTS.where(
            t.rows.c.package == package,
            t.rows.c.fate.is_(None),
            t.results.c.status.is_(None),
            sent,
        ).limit(limit)
        columns = (getattr(t.rows.c, name) for name in Sought._fields)
        with reading(self._engine) as db:
            return [Sought(*row) for row in db.execute(query.with_only_columns(*columns))]

    def awaited(self, package: int) -> list[Awaited]:
        """The products of a batch of which no report has said the last word."""
        query = FACTS.where(
            t.rows.c.package == package,
            t.rows.c.fate.is_(None),
            t.results.c.status.is_(None),
        )
        columns = (getattr(t.rows.c, name) for name in Awaited._fields)
        with reading(self._engine) as db:
            return [Awaited(*row) for row in db.execute(query.with_only_columns(*columns))]

    def references(self, package: int, among: Collection[str]) -> set[str]:
        """Those of some references that rows of a package have."""
        return self._among(t.rows.c.reference, among, t.rows.c.package == package)

    def _among(
        self, column: Column[Any], values: Collection[str], *where: ColumnElement[bool]
    ) -> set[str]:
        """Those of some values that a column has; a statement takes only so many at once."""
        found: set[str] = set()
        left = iter(values)
        with reading(self._engine) as db:
            while some := [*islice(left, CHUNK)]:
                found.update(db.execute(select(column).where(*where, column.in_(some))).scalars())
        return found

    def save(self, changes: Sequence[Change]) -> list[Package]:
        """Write changes down, in one full commit. What it returns from, no crash takes back.

        Where a package is closed, its rows that are to be sent again are put into a new one (of
        products into new ones) in the same commit; the new ones are returned.
        """
        new: list[int] = []
        with writing(self._engine) as db:
            save_changes(db, changes)
            for change in changes:
                if change.lands:
                    clearing.land(db, change.after.key)
                if change.closes:
                    new += move_leftovers(db, change.after)
            return _packages(db, t.packages.c.package.in_(new)) if new else []

    # What came of it.

    def verdicts(self, file: int) -> Iterator[Verdict]:
        """What became of each row of a file, in row order; nothing is held open meanwhile."""
        return merge(self._verdicts(file), withheld(self._engine, file), key=attrgetter("row"))

    def _verdicts(self, file: int) -> Iterator[Verdict]:
        after = 0
        while True:
            query = FACTS.where(t.rows.c.file == file, t.rows.c.row > after)
            with reading(self._engine) as db:
                found = db.execute(query.limit(CHUNK)).all()
            if not found:
                return
            for row in found:
                yield verdict(facts_of(row))
            after = found[-1].row

    def statuses(self, run_id: int) -> Counter[Status]:
        """How many rows of a run have each status, of those that were to be sent."""
        with reading(self._engine) as db:
            return counting.statuses(db, run_id)

    def skew(self, service: str) -> timedelta:
        """What a service's clock is ahead of ours, as far as its answers have told."""
        with reading(self._engine) as db:
            return counting.skew(db, service)

    def packages(self, file: int) -> list[PackageSummary]:
        """The packages of a file, by number, as `--format json` shows them."""
        count = select(func.count()).where(t.uploads.c.package == t.packages.c.package)
        query = select(t.packages, count.scalar_subquery().label("uploads"))
        query = query.where(t.packages.c.file == file).order_by(t.packages.c.number)
        with reading(self._engine) as db:
            return [summary_of(row) for row in db.execute(query)]

    def references_of(self, file: int) -> Iterator[tuple[int, str, str]]:
        """The row, the channel and the reference of each row of a file that was to be sent."""
        query = (
            select(t.rows.c.row, t.packages.c.channel, t.rows.c.reference)
            .join(t.packages, t.packages.c.package == t.rows.c.package)
            .where(t.rows.c.file == file)
        )
        with reading(self._engine) as db:
            found = db.execute(query).all()
        return (tuple(row) for row in found)

    def sent_later(self, run: Run, channel: str, references: Collection[str]) -> dict[str, int]:
        """By reference the last later run of the seller that has sent it on a channel."""
        with reading(self._engine) as db:
            return later.sent_later(db, run, channel, references)

    # What was written.

    def add_output(self, run_id: int, path: str, sha256: str, now: datetime) -> None:
        """A copy was written for a run, in the place of any earlier one."""
        with writing(self._engine) as db:
            db.execute(delete(t.outputs).where(t.outputs.c.path == path))
            values = {"path": path, "run_id": run_id, "sha256": sha256, "written_at": now}
            db.execute(insert(t.outputs).values(values))

    def output(self, path: str) -> str | None:
        """The hash of what was last written to a place; None if that was never."""
        query = select(t.outputs.c.sha256).where(t.outputs.c.path == path)
        with reading(self._engine) as db:
            return db.execute(query).scalar()

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _batches(planned: Iterable[tuple[int, Upload]]) -> Iterator[list[tuple[int, Upload]]]:
    """Uploads together until they have enough rows: an upload may have 100, a zip 40,000."""
    batch: list[tuple[int, Upload]] = []
    size = 0
    for one in planned:
        batch.append(one)
        size += len(one[1].items)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@contextmanager
def _entry_of(run_id: int) -> Iterator[None]:
    """UsageProblem where what the ledger has of a run cannot be read."""
    try:
        yield
    except ValueError as error:
        raise UsageProblem(
            f"The ledger's entry of run {run_id} cannot be read: {error}.",
            "The other runs are not affected: `feedtool runs` lists them.",
        ) from error


def _packages(db: Connection, which: ColumnElement[bool]) -> list[Package]:
    """Some packages, file by file, by number."""
    stages = stages_of(db.execute(_STAGES.where(which)))
    found = db.execute(_PACKAGES.where(which)).all()
    return [package_of(row, stages.get(row.package, ())) for row in found]


_JOINED = t.packages.join(t.files).join(t.runs)
_STAGES = (
    select(t.uploads.c.package, t.uploads.c.stage)
    .select_from(t.uploads.join(_JOINED))
    .order_by(*t.uploads.primary_key)
)
_PACKAGES = select(t.packages).select_from(_JOINED).order_by(t.packages.c.file, t.packages.c.number)
