"""What takes longer than an answer may: checks, plans and deliveries, each in a thread."""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Literal, NamedTuple

from feedtool.ledger.records import Stage
from feedtool.model.errors import FeedtoolError, Stopped
from feedtool.model.nouns import Status
from feedtool.model.text import MessageText, joined, plural, tr
from feedtool.report.statuses import state_word
from feedtool.runs.history import PackageState, RunState

CHECKS, DELIVERIES = 2, 8
"""So many at once; others wait."""

Lane = Literal["check", "delivery"]


class JobFailed(FeedtoolError):
    """What nobody expected; a report of it was written."""


class Job:
    """Something that is being done, or was."""

    def __init__(self, closing: threading.Event) -> None:
        """`closing` says that the page is to end."""
        self._closing = closing
        self.text: str = tr("waiting for its turn")
        """What it does now."""
        self.done = 0
        """Rows or requests so far; 0 where nothing is counted."""
        self.total = 0
        self.run: int | None = None
        """The run that it has begun."""
        self.error: FeedtoolError | None = None
        self._moved = threading.Event()

    @property
    def is_over(self) -> bool:
        """True once it is done, or has failed."""
        return self._future.done()

    def tell(self, text: str, done: int = 0, total: int = 0) -> None:
        """Says what is done now."""
        self.text, self.done, self.total = text, done, total

    def count(self, rows: int) -> None:
        """Counts rows; Stopped where the page is to end, since a check can begin anew."""
        if self._closing.is_set():
            raise Stopped(tr("the page is ending"), tr("open it again to go on"))
        self.done += rows

    def begin_run(self, run: int) -> None:
        """Says which run it has begun."""
        self.run = run
        self._moved.set()

    def wait(self, seconds: float) -> None:
        """Waits until it is over, or has begun a run."""
        self._moved.wait(seconds)

    def start(self, executor: Executor, work: Callable[[], None]) -> None:
        """Begins, or waits for its turn."""
        self._future: Future[None] = executor.submit(work)
        self._future.add_done_callback(lambda _: self._moved.set())


class Jobs:
    """All jobs, by key: the last of each key is remembered while the page runs."""

    def __init__(self, report_bug: Callable[[Exception], str]) -> None:
        """`report_bug` writes down what is ready to be pasted; returns where."""
        self._report_bug = report_bug
        self._jobs: dict[str, Job] = {}
        self._lock, self._closing = threading.Lock(), threading.Event()
        self._lanes: dict[Lane, Executor] = {
            "check": ThreadPoolExecutor(CHECKS, "check"),
            "delivery": ThreadPoolExecutor(DELIVERIES, "delivery"),
        }

    def start(self, key: str, lane: Lane, work: Callable[[Job], None]) -> Job:
        """Begins a job, unless that of the same key is still at work.

        A key says what is done and, in its second word, to what: `check ID`, `answers RUN`.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.is_over:
                self._jobs.pop(key, None)  # the newest stands last
                job = self._jobs[key] = Job(self._closing)
                job.start(self._lanes[lane], self._guarded(job, work))
            return job

    def of(self, key: str) -> Job | None:
        """The last job of a key."""
        return self._jobs.get(key)

    def unless_at_work(self, on: str, act: Callable[[], None]) -> None:
        """Does something quick, unless a job is at work on a file or run; none begins meanwhile."""
        with self._lock:
            at_work = (key.split()[1:2] for key, job in self._jobs.items() if not job.is_over)
            if [on] not in at_work:
                act()

    def of_run(self, run: int) -> Job | None:
        """The last job that has worked on a run."""
        return next((job for job in reversed([*self._jobs.values()]) if job.run == run), None)

    def close(self) -> None:
        """Waits for what is at work, checks aside; what waits for its turn is not begun."""
        self._closing.set()
        for executor in self._lanes.values():
            executor.shutdown(cancel_futures=True)

    def _guarded(self, job: Job, work: Callable[[Job], None]) -> Callable[[], None]:
        def guarded() -> None:
            try:
                work(job)
            except FeedtoolError as error:
                job.error = error
            except Exception as error:  # noqa: BLE001  # no job ends the page
                text = tr("this is a bug in feedtool: {name}", name=type(error).__name__)
                place = self._report_bug(error)
                hint = tr("please report it with the contents of {path}", path=place)
                job.error = JobFailed(text, hint)

        return guarded


# What a page shows of a run, out of the ledger.


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
    """A sentence of what is lost when; empty where nothing is."""


class RunProgress(NamedTuple):
    """One run."""

    counts: Mapping[Status, int]
    answered: int
    rows: int
    sent: int
    """Uploads that are not to be sent any more."""
    uploads: int
    """All that are planned."""
    is_written: bool
    """False while the rows are being written down: nothing says yet how many they are."""
    packages: list[PackageLine]
    warnings: list[str]
    is_finished: bool
    is_given_up: bool


def progress_of(state: RunState) -> RunProgress:
    """How far a run is: rows that have their answer, packages with the service's last word."""
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
        list(_warnings(state)),
        state.is_finished,
        state.options.abandoned is not None,
    )


def _warnings(state: RunState) -> Iterator[str]:
    yield from state.warnings if not state.is_finished else ()


def _line(state: PackageState) -> PackageLine:
    package = state.package
    channel = (tr("channel {channel}", channel=package.channel),) if package.channel else ()
    return PackageLine(
        joined((tr("Package {number}", number=package.number), package.package_type, *channel)),
        state_word(package.state or package.phase),
        plural("{count:,} row", "{count:,} rows", package.rows),
        state.describe_loss,
    )
