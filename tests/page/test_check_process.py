"""A large file is checked by a process of its own, and what that finds is found here."""

import pickle
import sys
import threading

import pytest
from msgspec.structs import replace

from feedtool.model.errors import CannotWrite, Stopped
from feedtool.page.checks import DONE, CheckEnded, check_elsewhere, check_file, grid_of
from feedtool.page.grid import RowFilter
from feedtool.page.jobs import Job
from feedtool.page.session import PageSession
from tests.conftest import Files, offer
from tests.forked import forking
from tests.page.conftest import application, settled, upload_file


def process(*told: object, end: str = "") -> list[str]:
    """The command of a process that writes these objects, and then ends so."""
    script = f"import sys; sys.stdout.buffer.write({b''.join(map(pickle.dumps, told))!r}); {end}"
    return [sys.executable, "-c", script]


@pytest.fixture
def closing() -> threading.Event:
    return threading.Event()


@pytest.fixture
def job(closing: threading.Event) -> Job:
    return Job(closing)


def test_rows_are_counted(job: Job) -> None:
    check_elsewhere(process(485, 1_000, 15, DONE), "file", job)
    assert job.done == 1_500


@pytest.mark.parametrize(
    ("told", "end", "kind"),
    [
        ((500, CannotWrite("no room", "make some")), "", CannotWrite),
        ((500, KeyError("a bug")), "", KeyError),
        ((500,), "import os; sys.stdout.flush(); os.kill(os.getpid(), 9)", CheckEnded),
        ((), "sys.exit(70)", CheckEnded),
        ((), "", CheckEnded),
        ((), "sys.stdout.write('a warning')", CheckEnded),
    ],
)
def test_errors_of_the_process_are_raised_here(
    job: Job, told: tuple[object, ...], end: str, kind: type[Exception]
) -> None:
    with pytest.raises(kind) as raised:
        check_elsewhere(process(*told, end=end), "file", job)
    if isinstance(raised.value, CannotWrite):
        assert (raised.value.message, raised.value.hint) == ("no room", "make some")


def test_the_check_ends_with_the_page(job: Job, closing: threading.Event) -> None:
    closing.set()
    endless = "import pickle\nwhile True: pickle.dump(1, sys.stdout.buffer)"
    with pytest.raises(Stopped):
        check_elsewhere(process(1, end="exec(" + repr(endless) + ")"), "file", job)


def test_a_large_file_is_checked_as_a_small_one_is(
    session: PageSession, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = files.csv(*(offer(n, quantity="7" if n % 9 else "x") for n in range(660)))
    client = application(session).test_client()
    file = session.uploads.file(upload_file(client, path))
    settled(client, f"/en/files/{file.id}")
    monkeypatch.setattr("feedtool.page.checks.LARGE", path.stat().st_size)
    start, words = session.checking[:4], session.checking[4:]
    assert start == [sys.executable, "-P", "-m", "feedtool"]
    found = []
    with forking(files.folder):
        for checking in ([str(files.folder / "feedtool"), *words], []):
            session.uploads.grid(file).unlink(missing_ok=True)
            job = Job(threading.Event())
            check_file(replace(session, checking=checking), file, job)
            with grid_of(session, file) as grid:
                rows = RowFilter(0)
                found.append((job.done, grid.sheets, grid.count(rows), grid.rows(rows, 600, 50)))
    assert found[0] == found[1]
    assert found[0][0] == 660
