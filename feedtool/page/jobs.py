"""Run work that is too long for a request: checks, plans and deliveries, each in a thread."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from typing import Literal, NamedTuple

from feedtool.ledger.records import Stage
from feedtool.model.errors import FeedtoolError, Stopped
from feedtool.model.nouns import Status
from feedtool.model.text import MessageText, joined, plural, tr
from feedtool.report.statuses import state_word
from feedtool.runs.history import PackageState, RunState

CHECKS, DELIVERIES = 2, 8
"""Most jobs at once; others wait."""

Lane = Literal["check", "delivery"]


class JobFailed(FeedtoolError):
    """The job failed unexpectedly; a bug report exists."""


class Job:
    """A job that waits, runs, or has ended."""

    def __init__(self, closing: threading.Event) -> None:
        """`closing` is set when the page has to end."""
        self._closing = closing
        self.text: str = tr("waiting for its turn")
        """The present step."""
        self.done = 0
        """Rows or requests so far; 0 if nothing is counted."""
        self.total = 0
        self.run: int | None = None
        """The run that the job has begun."""
        self.error: FeedtoolError | None = None
        self._moved = threading.Event()

    @property
    def is_over(self) -> bool:
        return self._future.done()

    def report(self, text: str, done: int = 0, total: int = 0) -> None:
        self.text, self.done, self.total = text, done, total

    def count(self, rows: int) -> None:
        """Count rows; Stopped if the page has to end, since a check can begin again."""
        if self._closing.is_set():
            raise Stopped(tr("the page is ending"), tr("open it again to go on"))
        self.done += rows

    def begin_run(self, run: int) -> None:
        self.run = run
        self._moved.set()

    def wait(self, seconds: float) -> None:
        """Wait until the job is over, or has begun a run."""
        self._moved.wait(seconds)

    def start(self, executor: Executor, work: Callable[[], None]) -> None:
        self._future: Future[None] = executor.submit(work)
        self._future.add_done_callback(lambda _: self._moved.set())


class Jobs:
    """All jobs, by key: the last of each key is remembered while the page runs."""

    def __init__(self, report_bug: Callable[[Exception], str]) -> None:
        """`report_bug` writes a bug report, and returns its place."""
        self._report_bug = report_bug
        self._jobs: dict[str, Job] = {}
        self._lock, self._closing = threading.Lock(), threading.Event()
        self._lanes: dict[Lane, Executor] = {
            "check": ThreadPoolExecutor(CHECKS, "check"),
            "delivery": ThreadPoolExecutor(DELIVERIES, "delivery"),
        }

    def start(self, key: str, lane: Lane, work: Callable[[Job], None]) -> Job:
        """Begin a job, unless that of the same key is still at work.

        A key names the work and, in its second word, its subject: `check ID`, `answers RUN`.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.is_over:
                self._jobs.pop(key, None)  # the newest job comes last
                job = self._jobs[key] = Job(self._closing)
                job.start(self._lanes[lane], partial(self._run, job, work))
            return job

    def of(self, key: str) -> Job | None:
        return self._jobs.get(key)

    def call_unless_running(self, on: str, act: Callable[[], None]) -> None:
        """Call a quick function, unless a job works on a file or run; none begins meanwhile."""
        with self._lock:
            at_work = (key.split()[1:2] for key, job in self._jobs.items() if not job.is_over)
            if [on] not in at_work:
                act()

    def of_run(self, run: int) -> Job | None:
        return next((job for job in reversed([*self._jobs.values()]) if job.run == run), None)

    def close(self) -> None:
        """Wait for running deliveries, and stop checks; queued jobs do not begin."""
        self._closing.set()
        for executor in self._lanes.values():
            executor.shutdown(cancel_futures=True)

    def _run(self, job: Job, work: Callable[[Job], None]) -> None:
        try:
            work(job)
        except FeedtoolError as error:
            job.error = error
        except Exception as error:  # noqa: BLE001  # no job ends the page
            text = tr("this is a bug in feedtool: {name}", name=type(error).__name__)
            place = self._report_bug(error)
            hint = tr("please report it with the contents of {path}", path=place)
            job.error = JobFailed(text, hint)


# The state of a run for a page, from the ledger.


OPEN = frozenset({Status.PENDING})
"""Rows of these statuses have no answer yet."""


UNSENT = frozenset({Stage.PLANNED, Stage.SENDING})
"""Uploads at these stages are still to be sent, or are being sent."""


class PackageLine(NamedTuple):
    """One package of a run."""

    name: MessageText
    state: str
    rows: MessageText
    loss: str
    """A sentence with the data and time of a loss; empty without a loss."""


class RunProgress(NamedTuple):
    """The state of a run."""

    counts: Mapping[Status, int]
    answered: int
    rows: int
    sent: int
    """Uploads that were sent, or need not be sent."""
    uploads: int
    """All planned uploads."""
    is_written: bool
    """False while the rows are being written: their number is not known yet."""
    packages: list[PackageLine]
    warnings: list[str]
    is_finished: bool


def progress_of(state: RunState) -> RunProgress:
    """The state of a run: answered rows, and packages with their last known state."""
    rows = sum(state.counts.values())
    waiting = sum(state.counts.get(status, 0) for status in OPEN)
    uploads = [stage for entry in state.packages for stage in entry.package.uploads]
    return RunProgress(
        state.counts,
        rows - waiting,
        rows,
        sum(stage not in UNSENT for stage in uploads),
        len(uploads),
        state.is_written,
        [_line(package) for package in state.packages],
        [] if state.is_finished else list(state.warnings),
        state.is_finished,
    )


def _line(state: PackageState) -> PackageLine:
    package = state.package
    channel = (tr("channel {channel}", channel=package.channel),) if package.channel else ()
    return PackageLine(
        joined((tr("Package {number}", number=package.number), package.package_type, *channel)),
        state_word(package.state or package.phase),
        plural("{count:,} row", "{count:,} rows", package.rows),
        state.describe_loss,
    )
