"""The Ledger, with all its writing methods; `reader` has the reading ones. Use it in one thread.

Every method is one transaction. None is open between two calls, so that no request to the
service ever waits for the database or the other way round. See `deliver`.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace
from sqlalchemy import and_, delete, exists, func, insert, select, update

from feedtool.ledger import admission
from feedtool.ledger import tables as t
from feedtool.ledger.admission import requeue_rows
from feedtool.ledger.claims import begin_run
from feedtool.ledger.database import writing
from feedtool.ledger.forgetting import lock_runs
from feedtool.ledger.packages import (
    add_row,
    add_uploads,
    count_requests,
    forget_requests,
    read_packages,
    save_changes,
)
from feedtool.ledger.reader import LedgerReader
from feedtool.ledger.records import (
    ABANDONED,
    PROFILE,
    REQUEUE,
    Change,
    Clearance,
    Package,
    Phase,
    Run,
    seller_key,
)
from feedtool.ledger.row_history import add_withheld
from feedtool.ledger.run_lists import begin_count, reopen
from feedtool.ledger.sellers import begin_seller
from feedtool.model.nouns import NOT_DONE, RowResult, Status, Upload
from feedtool.model.text import kept_text

BATCH = 1_000
"""Rows written at a time; the last upload may exceed it. More take no less time, and more memory:
7 MiB of 5,000."""


class Ledger(LedgerReader):
    """An open ledger."""

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
        """Begin a run, for a `claim` if one is named; return its id. `options` are JSON."""
        with writing(self.engine) as db:
            values = {"seller": seller, "service": service, "language": language}
            noted = json.dumps(options or {})
            run_id = add_row(db, t.runs, started_at=now, options=noted, **values)
            key = seller_key(service, seller)
            begin_count(db, key, run_id, now)
            begin_seller(db, key, (options or {}).get(PROFILE), run_id)
            if claim is not None:
                begin_run(db, claim, run_id)
            return run_id

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
        withheld: Iterable[RowResult] = (),
    ) -> int:
        """Add a file with all its rows: `plan.uploads`, (package number, upload). Returns its key.

        `withheld` has the results of rows that are not sent; `size` is given if later files are
        to be compared with it. If `planned` raises, nothing is added.
        """
        with writing(self.engine) as db:
            values = {"path": path, "sha256": sha256, "kind": kind, "sheet": sheet, "size": size}
            file = add_row(db, t.files, run_id=run_id, **values)
            keys: dict[int, int] = {}
            for batch in _batches(planned):
                add_uploads(db, file, keys, batch)
            for package in keys.values():
                count_requests(db, package)
            add_withheld(db, file, withheld)
        return file

    def abandon(
        self,
        run_id: int,
        now: datetime,
        ended: Mapping[int, tuple[Status, str]],
        personal: Collection[int] = (),
    ) -> dict[int, int]:
        """Give a run up: close its packages; it is never resumed.

        `ended` has, by the key of each open package, the result of its rows without one. Of
        `personal` packages only digests of the requests are kept.
        Returns the number of these rows, by the same keys.
        """
        is_run = t.runs.c.run_id == run_id
        has_result = exists().where(
            t.results.c.package == t.requests.c.package,
            t.results.c.reference == t.requests.c.reference,
        )
        is_open = func.coalesce(t.requests.c.fate, REQUEUE) == REQUEUE
        rows: dict[int, int] = {}
        with writing(self.engine) as db:
            options = json.loads(db.execute(select(t.runs.c.options).where(is_run)).scalar_one())
            noted = json.dumps({**options, ABANDONED: now.isoformat()})
            db.execute(update(t.runs).where(is_run).values(options=noted))
            for package, (status, text) in ended.items():
                without = (t.requests.c.package == package, is_open, ~has_result)
                fate = {"fate": str(status), "fate_text": kept_text(text)}
                rows[package] = db.execute(update(t.requests).where(*without).values(fate)).rowcount
                finished_at = func.coalesce(t.packages.c.finished_at, t.as_text(now))
                closed = {"phase": Phase.CLOSED, "finished_at": finished_at, "due": None}
                is_package = t.packages.c.package == package
                db.execute(update(t.packages).where(is_package).values(closed))
                admission.release(db, package)
            forget_requests(db, personal)
        return rows

    def look_again(self, run_id: int, last_words: Mapping[str, Collection[str]]) -> None:
        """Read the state of single requests again that were successful, but may still change.

        `last_words` has the final states, by package type. The result of a request stays until
        another is known.
        """
        packages, result = t.packages.c, t.results.c
        is_done = exists().where(result.package == packages.package, result.status.not_in(NOT_DONE))
        of_run = packages.file.in_(select(t.files.c.file).where(t.files.c.run_id == run_id))
        # A request that the service had already was never sent: it belongs to another run.
        was_sent = and_(packages.phase == Phase.CLOSED, packages.committed_at.is_not(None))
        taken_up = {"phase": Phase.SUBMITTED, "tries": 0, "due": None}
        with writing(self.engine) as db:
            if not lock_runs(db, [run_id]):
                return
            for kind, words in last_words.items():
                goes_on = and_(packages.package_type == kind, packages.state.not_in(words))
                which = (of_run, is_done, was_sent, goes_on)
                if db.execute(update(t.packages).where(*which).values(taken_up)).rowcount:
                    reopen(db, run_id)

    def clear(self, packages: Iterable[tuple[Package, Clearance]], run: Run) -> list[Package]:
        """Begin packages and return them; rows that a later run has sent are given up.

        Each is `blocked_by` the committed packages that hold one of its keys, and by those that
        its clearance names; without any, its keys are in flight from here on.
        """
        packages = [*packages]
        with writing(self.engine) as db:
            are_free = admission.clear_together(db, packages, run)
            blocked_by = {
                package.key: (
                    package,
                    frozenset() if are_free else admission.clear(db, package, run, clearance),
                )
                for package, clearance in packages
            }
            cleared = read_packages(db, t.packages.c.package.in_(blocked_by))
        uploads = {package.key: package.uploads for package in cleared}
        return [
            replace(package, uploads=uploads[package.key], blocked_by=others)
            for package, others in blocked_by.values()
        ]

    def save(self, changes: Sequence[Change]) -> list[Package]:
        """Save changes in one full commit: after the return no crash undoes them.

        Rows of a closed package that are sent again are put into new packages, which are returned.
        """
        new: list[int] = []
        personal: list[int] = []
        with writing(self.engine) as db:
            save_changes(db, changes)
            for change in changes:
                if change.releases:
                    admission.release(db, change.after.key)
                if change.closes:
                    new += requeue_rows(db, change.after, change.requeue)
                    personal += [change.after.key] if change.is_personal else []
            forget_requests(db, personal)
            return read_packages(db, t.packages.c.package.in_(new)) if new else []

    def add_output(self, run_id: int, path: str, sha256: str, now: datetime) -> None:
        """Note that a copy was written for a run, in place of any earlier one."""
        with writing(self.engine) as db:
            db.execute(delete(t.outputs).where(t.outputs.c.path == path))
            values = {"path": path, "run_id": run_id, "sha256": sha256, "written_at": now}
            db.execute(insert(t.outputs).values(values))


def _batches(planned: Iterable[tuple[int, Upload]]) -> Iterator[list[tuple[int, Upload]]]:
    """Join uploads until they have enough rows: an upload may have 100, a zip 40,000."""
    batch: list[tuple[int, Upload]] = []
    size = 0
    for number, upload in planned:
        batch.append((number, upload))
        size += len(upload.items)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
