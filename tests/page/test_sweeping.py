"""Old uploads are removed at the start and once a day, unless in use."""

import io
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from threading import Event

import msgspec
import pytest

from feedtool.check import ReadOptions
from feedtool.model.errors import FeedtoolError, Stopped
from feedtool.page.access import LocalAccess, local_hosts
from feedtool.page.app import serve
from feedtool.page.checks import CHECK
from feedtool.page.jobs import Job
from feedtool.page.runs import COPY, folder_of_run
from feedtool.page.session import PageSession
from feedtool.page.sweeping import RETENTION, remove_old
from feedtool.page.uploads import FileUpload
from feedtool.runs.outputs import Outputs
from feedtool.runs.run_record import RunOptions
from feedtool.serving import LOOPBACK, listen

NOON, DAY = datetime(2026, 11, 24, 12, tzinfo=UTC), timedelta(days=1)
KEPT = 30 * DAY
OLD, NEW = NOON - KEPT - timedelta(seconds=1), NOON - KEPT + timedelta(seconds=1)


def put(
    session: PageSession, at: datetime, run: int | None = None, changed: datetime = OLD
) -> FileUpload:
    """A file that was brought at a moment."""
    file = session.uploads.take_in(
        "a.csv", io.BytesIO(b"x"), limit=10, account="sandbox", who="me", at=at
    )
    file = session.uploads.save(msgspec.structs.replace(file, run=run))
    os.utime(session.uploads.folder(file.id), (changed.timestamp(),) * 2)
    return file


def begun(session: PageSession, *, is_finished: bool) -> int:
    """A run, and what the page has made of it long ago."""
    lacks = [] if is_finished else [("offers.csv", None)]  # what is to be in the ledger
    options = RunOptions(ReadOptions(), Outputs(), is_sandbox=True, sheets=lacks)
    with session.workspace() as workspace:
        run = workspace.ledger.start_run(
            now=OLD, seller="7", service="sandbox", language="en", options=options.as_json()
        )
    (folder := folder_of_run(session, run)).mkdir(parents=True)
    os.utime(folder, (OLD.timestamp(),) * 2)
    return run


def left(session: PageSession) -> set[str]:
    """The names of the remaining uploads and runs."""
    top = session.uploads.folder("")
    return {place.name for place in (*top.glob("*"), *top.glob("runs/*"))} - {"runs"}


@pytest.fixture
def working() -> Iterator[Callable[[Job], None]]:
    """A job that lasts until the end of the test."""
    done = Event()

    def wait(_: Job) -> None:
        done.wait(60)

    yield wait
    done.set()


def test_old_uploads_are_removed_unless_in_use(
    session: PageSession, working: Callable[[Job], None]
) -> None:
    finished, under_way = begun(session, is_finished=True), begun(session, is_finished=False)
    stay = {
        "brought since": put(session, NEW).id,
        "changed within a day": put(session, OLD, changed=NOON - timedelta(hours=23)).id,
        "its run is under way": put(session, OLD, under_way).id,
        "of a run that is under way": str(under_way),
        "checked at the moment": put(session, OLD).id,
        "copied at the moment": str(begun(session, is_finished=True)),
    }
    go = {
        "never sent": put(session, OLD).id,
        "its run is finished": put(session, OLD, finished).id,
        "its facts are gone": put(session, OLD).id,
    }
    (session.uploads.folder(go["its facts are gone"]) / "facts.json").unlink()
    os.utime(session.uploads.folder(go["its facts are gone"]), (OLD.timestamp(),) * 2)
    session.jobs.start(f"{CHECK}{stay['checked at the moment']} x", "check", working)
    session.jobs.start(f"{COPY}{stay['copied at the moment']} en marked 0", "check", working)
    assert left(session) == {*stay.values(), *go.values(), str(finished)}
    remove_old(session, NOON, KEPT, Job(Event()))
    names = {name: what for what, name in (stay | go).items()}
    assert {names.get(name, name) for name in left(session)} == set(stay)


def test_no_upload_is_removed_while_the_ledger_is_unreadable(session: PageSession) -> None:
    file, ledger = put(session, OLD), session.uploads.folder("..") / "ledger.sqlite"
    ledger.write_bytes(b"no ledger" * 200)
    with pytest.raises(FeedtoolError):
        remove_old(session, NOON, KEPT, Job(Event()))
    assert left(session) == {file.id}


def test_a_page_that_runs_for_weeks_sweeps_each_day(session: PageSession) -> None:
    """Its clock is put forward at each rest."""
    now, seen = NOON, list[tuple[int, int]]()
    files = {put(session, NOON - KEPT + days * DAY).id for days in (-1, 1, 3)}
    resting = 0

    def rest(_: float) -> None:
        nonlocal now, resting
        if job := session.jobs.of(RETENTION):
            job.wait(60)
        seen.append(((now - NOON).days, len(files & left(session))))
        now += DAY / 2
        resting += 1

    listening = listen(LOOPBACK, 0)
    serve(
        session,
        listening,
        LocalAccess(local_hosts(listening.getsockname()[1]), "secret"),
        KEPT,
        stopping=lambda: Stopped("enough") if resting == 10 else None,
        sleep=rest,
        clock=lambda: now,
    )
    assert seen == [(0, 2), (0, 2), (1, 2), (1, 2), (2, 1), (2, 1), (3, 1), (3, 1), (4, 0), (4, 0)]
