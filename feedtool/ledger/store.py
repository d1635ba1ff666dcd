"""The Ledger: all reading and writing of it. Called from one thread; see `deliver`.

Every method is one transaction. None is open between two calls, so that no request to the
service ever waits for the database or the other way round.
"""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import func, insert, select, update

from feedtool.ledger import tables as t
from feedtool.ledger.database import IN_MEMORY, open_engine, reading, writing
from feedtool.ledger.records import Change, Package, Run, Stage
from feedtool.ledger.rows import (
    FACTS,
    add_uploads,
    facts_of,
    key_of,
    package_of,
    save_change,
    stages_of,
    summary_of,
)
from feedtool.ledger.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

    from feedtool.model import PackageSummary, Upload, Verdict

CHUNK = 5_000
"""Rows read at a time."""
BATCH = 50
"""Uploads written at a time."""


class Ledger:
    """An open ledger."""

    def __init__(self, place: Path | str = IN_MEMORY) -> None:
        """Open the file or URL, making what is absent; UsageProblem for what is no ledger."""
        self._engine = open_engine(place)

    # What is to be delivered.

    def start_run(
        self,
        *,
        now: datetime,
        seller: str,
        service: str,
        language: str = "en",
        options: Mapping[str, Any] | None = None,
    ) -> int:
        """A new run; `options` is JSON. Returns its id."""
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
            return key_of(done.inserted_primary_key)

    def run(self, run_id: int) -> Run | None:
        """A run, or None where there is none of that id."""
        with reading(self._engine) as db:
            row = db.execute(select(t.runs).where(t.runs.c.run_id == run_id)).one_or_none()
        if row is None:
            return None
        return Run(**{**row._asdict(), "options": json.loads(row.options)})

    def add_file(
        self,
        run_id: int,
        planned: Iterable[tuple[int, Upload]],
        *,
        path: str,
        sha256: str,
        kind: str,
        sheet: str | None = None,
    ) -> int:
        """A file with all its rows: `plan.uploads`, (package number, upload). Returns its key.

        All of it or, when `planned` raises, nothing.
        """
        with writing(self._engine) as db:
            values = {"path": path, "sha256": sha256, "kind": kind, "sheet": sheet}
            done = db.execute(insert(t.files).values(run_id=run_id, **values))
            file = key_of(done.inserted_primary_key)
            keys: dict[int, int] = {}
            stream = iter(planned)
            while batch := list(islice(stream, BATCH)):
                add_uploads(db, file, keys, batch)
            counted = select(func.count()).where(t.rows.c.package == t.packages.c.package)
            db.execute(
                update(t.packages)
                .where(t.packages.c.file == file)
                .values(rows=counted.scalar_subquery())
            )
        return file

    # How far it is.

    def files(self, run_id: int) -> list[int]:
        """The keys of a run's files, in their order."""
        with reading(self._engine) as db:
            query = select(t.files.c.file).where(t.files.c.run_id == run_id)
            return list(db.execute(query.order_by(t.files.c.file)).scalars())

    def read_packages(self, run_id: int) -> list[Package]:
        """All that is known of a run's packages, file by file, by number."""
        mine = t.files.c.run_id == run_id
        joined = t.packages.join(t.files)
        with reading(self._engine) as db:
            columns = select(t.uploads.c.package, t.uploads.c.stage).where(mine)
            columns = columns.select_from(t.uploads.join(joined))
            stages = stages_of(db.execute(columns.order_by(*t.uploads.primary_key)))
            query = select(t.packages).select_from(joined).where(mine)
            found = db.execute(query.order_by(t.packages.c.file, t.packages.c.number)).all()
        return [package_of(row, stages.get(row.package, ())) for row in found]

    def bodies(self, package: int, upload: int) -> list[bytes]:
        """The requests of an upload, in the order of the rows."""
        query = select(t.rows.c.body).where(t.rows.c.package == package, t.rows.c.upload == upload)
        with reading(self._engine) as db:
            return list(db.execute(query.order_by(t.rows.c.row)).scalars())

    def unanswered(self, package: int) -> int:
        """How many rows the service has taken for a package and given no result for."""
        staged = FACTS.where(t.rows.c.package == package, t.uploads.c.stage == Stage.STAGED)
        missing = staged.where(t.results.c.status.is_(None)).order_by(None).subquery()
        with reading(self._engine) as db:
            return int(db.execute(select(func.count()).select_from(missing)).scalar_one())

    def save(self, changes: Sequence[Change]) -> None:
        """Write changes down, in one full commit. What it returns from, no crash takes back."""
        with writing(self._engine) as db:
            for change in changes:
                save_change(db, change)

    # What came of it.

    def verdicts(self, file: int) -> Iterator[Verdict]:
        """What became of each row of a file, in row order; nothing is held open meanwhile."""
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

    def packages(self, file: int) -> list[PackageSummary]:
        """The packages of a file, by number, as `--format json` shows them."""
        count = select(func.count()).where(t.uploads.c.package == t.packages.c.package)
        query = select(t.packages, count.scalar_subquery().label("uploads"))
        query = query.where(t.packages.c.file == file).order_by(t.packages.c.number)
        with reading(self._engine) as db:
            return [summary_of(row) for row in db.execute(query)]

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
