"""Carry out the steps of a delivery; `schedule` and `machine` choose them and judge the answers.

Only the calls themselves run in a pool. Each turn saves the results of answers and the intents of
new steps in one commit, so that no request leaves before its intent is on disk, and no step
follows from an unsaved answer.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from feedtool.delivery.deadlines import ServiceClock
from feedtool.delivery.direct import SINGLY, OverviewReader, single_packages
from feedtool.delivery.events import Event, EventBuffer
from feedtool.delivery.foreign_packages import without_foreign
from feedtool.delivery.machine import (
    CallBuilder,
    StepCalls,
    check_sendable,
    clearance_of,
    transition,
)
from feedtool.delivery.schedule import (
    FETCHED,
    DeliveryState,
    Schedule,
    check_all_committed,
    held_until,
    waits_for_others,
)
from feedtool.delivery.staged import count_results
from feedtool.delivery.steps import (
    AT_ONCE,
    LOCAL,
    READ_REPORTS,
    SINGLE,
    DeliverySettings,
    Step,
    StepIntent,
    intend,
    resume,
)
from feedtool.delivery.transition import Transition, TransitionContext, clear, unknown
from feedtool.feeds.feed import Routes
from feedtool.ledger import Attempt, Ledger, Package
from feedtool.ledger.lock import check_lock
from feedtool.model.call import NotSent, NotYet, Sender
from feedtool.model.errors import FeedtoolError
from feedtool.model.text import tr
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import Answer, CallPool, CallResult, read_answer
from feedtool.service.pace import Pace

POOL = 4


class PendingCall(NamedTuple):
    """A step with one call, or several reading ones: intended, and then under way."""

    intent: StepIntent
    attempt: Attempt
    step_calls: StepCalls


@dataclass
class Delivery:
    """The delivery of a run's packages, or the rest of them; its outcome is `ledger.row_results`.

    Committed packages of the seller's other runs are completed too, since their rows may keep
    ours waiting.
    """

    ledger: Ledger
    run_id: int
    client: Sender
    routes: Routes
    _: KW_ONLY
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    jitter: Callable[[], float] = random.random
    pool: int = POOL
    """With 1 all calls are made in the calling thread, always in the same order."""
    on_event: Callable[[Event], None] = lambda _: None
    wait: bool = True
    """False if the delivery ends once all is committed."""
    settings: DeliverySettings = field(default_factory=DeliverySettings)
    stopping: Callable[[], FeedtoolError | None] = lambda: None
    """Returns None, or the error that ends the delivery: no further step is begun."""
    only_fetch: bool = False
    """True if uncommitted packages are not touched."""
    ahead: timedelta = timedelta(0)
    """The lead of `now` over real time, in which people read deadlines."""
    kept_pace: str | None = None
    """The stored pace of the seller's previous run; see `pace`."""

    def __post_init__(self) -> None:
        run = self.ledger.run(self.run_id)
        if run is None:
            raise ValueError(f"the ledger has no run {self.run_id}")
        self._run = run
        if self.only_fetch:
            self.settings = replace(self.settings, submissions=0)
        paths = {file.file: file.path for file in self.ledger.files(self.run_id)}
        self._events = EventBuffer(self.on_event, paths, self.settings.failures, self.routes)
        self._state = DeliveryState(self.ledger, self.routes, paths, self._events, self.only_fetch)
        self._builder = CallBuilder(self.ledger, run.language, self.settings)
        self._skew = self.ledger.skew(run.service)
        """The lead of the service's clock over the local one."""
        self.pace = Pace.restored(self.pool, self.kept_pace, self.now())
        """The rate of calls that the seller's quota seems to allow."""

    def run(self) -> None:
        """Take steps until none is left; packages of other runs come first.

        The delivery ends when every package is closed, or when one has made no progress for so
        long (`settings.patience`) that its rows stay Pending.

        Raises:
            NotAuthorised: The service does not accept the token.
            Interrupted: Some package is left uncommitted. The ledger is up to date after either.
        """
        run_packages = self.ledger.read_packages(self.run_id)
        packages = [*self.ledger.irrevocable(self.run_id), *run_packages]
        if self.only_fetch:  # sent single requests of other runs may be due again, too
            packages = [package for package in packages if package.phase in FETCHED]
        with CallPool[PendingCall](self.client, self.pool) as self._calls:
            for package in packages:
                travel = self.routes[package.package_type].travel
                check_sendable(package, travel, self._run.language)
                self._state.add(package)
                self._state.change(package, resume(package))
            singles = single_packages(run_packages, self.routes)
            names = self.ledger.single_references(self.run_id) if len(singles) > SINGLY else {}
            self._overviews = OverviewReader(self.client, self.routes, names, self._calls.lanes)
            try:
                while self._turn():
                    pass
            except BaseException:
                self._park()
                raise
        if self._state.stop and not self._state.is_closed():
            raise self._state.stop
        check_all_committed(self._state.own(), self.routes)

    def _turn(self) -> bool:
        """Begin all possible steps, then wait for an answer or a due time; False at the end."""
        steps = self._steps()
        reads = {Step.LOOKUP} | (READ_REPORTS if self._state.has_results() else set())
        if any(step in reads for _, step, _ in steps):
            self._state.save()  # the rows that are still to be looked up are read from the ledger
        self._builder.read_singles([package.key for package, step, _ in steps if step in SINGLE])
        for package, step, upload in steps:
            if step not in LOCAL:
                self._begin(package, step, upload)
        self._state.save()
        self._calls.send()
        self._events.flush()
        self._clear([package.key for package, step, _ in steps if step is Step.CLEAR])
        for package, step, _ in steps:
            if step is Step.CLOSE:
                self._close(package)
        if self._calls.under_way:
            self._take_results(self._calls.results())
            return True
        return bool(steps) or self._sleep_until_due()

    def _steps(self) -> list[tuple[Package, Step, int]]:
        now = self.now()
        self._state.stop = self._state.stop or self.stopping()
        earliest = self._held_until()
        if self._state.stop or (earliest and now < earliest):
            return []
        busy = {
            pending.intent.package
            for pending in self._calls.under_way
            if pending.intent.step is not Step.UPLOAD
        }
        packages = self._state.active(self.settings)
        schedule = Schedule(packages, self.routes, now, self.settings, self.wait)
        steps = schedule.next_steps(busy, self._skew)
        room, is_busy = self._calls.room(self.pace), bool(self._calls.under_way)
        return self._overviews.choose(steps, room, now, is_busy=is_busy)

    def _begin(self, package: Package, step: Step, upload: int) -> None:
        """Save the intent of a step, and begin its calls."""
        # An earlier step of this turn may have changed the package.
        package = self._state.packages[package.key]
        travel = self.routes[package.package_type].travel
        step_calls = self._builder.build(package, step, upload, travel)
        if step_calls.calls:
            if step is Step.SUBMIT and travel.has_reports:
                self._state.sent_at = self.now()
            after, intent, attempt = intend(package, step, upload, travel, self.now(), self._skew)
            self._state.change(package, after, attempt)
            intent = intent._replace(rows=step_calls.rows, act=step_calls.act)
            pending = PendingCall(intent, attempt, step_calls)
            if shown := self._overviews.take(package, step):
                self._read(pending, shown)
            else:
                leaving = partial(check_lock, self.ledger.engine, attempt.intended_at, self.now)
                self._calls.begin(
                    pending, [replace(call, leaving=leaving) for call in step_calls.calls]
                )
        elif step_calls.rows:
            resolved = unknown(
                step_calls.rows, travel.lookup.texts.unaskable if travel.lookup else ""
            )
            self._state.change(package, package, news=Transition(package, resolutions=resolved))
        else:  # no row is left to query: the package is finished
            self._state.change(package, self._context(package).close(package, package.message))

    def _take_results(self, results: Iterable[tuple[PendingCall, CallResult]]) -> None:
        for pending, result in results:
            self._read(pending, result)
        held = self._held_until()
        if self._state.stop or self.pace.behind or (held and held > self.now()):
            self._cancel()

    def _cancel(self) -> None:
        """Cancel calls that wait for a lane: they have not left."""
        for pending in self._calls.cancelled():
            self._take_in(
                pending, Answer(AnswerKind.WAIT, tr("taken back before it left"), wait=0.0)
            )

    def _read(self, pending: PendingCall, result: CallResult) -> None:
        now, intent = self.now(), pending.intent
        package = self._state.packages[intent.package]
        answer = without_foreign(
            intent.step,
            read_answer(pending.step_calls.calls[0], result, now, pending.step_calls.read),
            package,
            self.routes[package.package_type].travel,
            self.ledger,
            read_before=self._events.results[intent.package],
            delivered=self._state.packages.values(),
        )
        if answer.service_time is not None:
            self._skew = answer.service_time - now
        if not isinstance(result, NotYet):  # that is not about the seller's own quota
            self.pace = self.pace.after(answer.kind, now)
        self._take_in(pending, answer)

    def _take_in(self, pending: PendingCall, answer: Answer) -> None:
        now, intent = self.now(), pending.intent
        before = self._state.packages[intent.package]
        news = transition(before, intent, answer, self._context(before))
        is_named = intent.step in {Step.CREATE, *AT_ONCE} and isinstance(answer.value, str)
        package_id = answer.value if is_named else None
        if intent.step is Step.FIND_REPORT:
            package_id = news.package.package_id
        attempt = replace(
            pending.attempt,
            answered_at=now,
            outcome=answer.kind,
            status=answer.status,
            trace_id=(answer.refusal.trace_id or None) if answer.refusal else None,
            detail=answer.detail or None,
            package_id=package_id,
        )
        self._state.change(before, news.package, attempt, news)
        after = self._state.packages[before.key]
        self._events.answer(intent.step, answer, before, after, now)
        if news.quota_until:
            self._events.quota_used_up(news.quota_until, before)

    def _clear(self, keys: Sequence[int]) -> None:
        """Clear packages, all in one commit: find the rows that may be in flight."""
        packages = [self._state.packages[key] for key in keys]
        clearances = [(package, clearance_of(package, self.routes)) for package in packages]
        if clearances:
            self._builder.forget()
        for package in self.ledger.clear(clearances, self._run) if clearances else ():
            self._state.packages[package.key] = package
            self._state.change(package, clear(package, self._context(package)))
            others = self._state.packages
            if not package.tries and waits_for_others(package, others, self.routes):
                self._events.held(package)

    def _close(self, package: Package) -> None:
        """Count the results of a package after its last page."""
        package, context = self._state.packages[package.key], self._context(package)
        after = count_results(package, self.ledger.result_counts(package.key), context)
        self._state.change(package, after)
        self._events.answer(Step.CLOSE, Answer(AnswerKind.DONE), package, after, self.now())

    def _context(self, package: Package) -> TransitionContext:
        travel = self.routes[package.package_type].travel
        return TransitionContext(self.now(), self.jitter(), self.settings, travel, self._skew)

    def _held_until(self) -> datetime | None:
        """The time before which no call begins: the service, or its quota, needs a pause."""
        return max(filter(None, (self._state.hold, self.pace.next_at)), default=None)

    def _sleep_until_due(self) -> bool:
        self._state.save()
        clock = ServiceClock(self.now(), self._skew, self.ahead)
        self._events.deadlines(self._state.packages.values(), clock)
        self._events.flush()
        packages = self._state.active(self.settings)
        if earliest := self._held_until():
            packages = list(held_until(packages, earliest))
        now = self.now()
        due = Schedule(packages, self.routes, now, self.settings, self.wait).wake_at()
        if self._state.stop or due is None:
            return False
        if due > now:
            self.sleep((due - now).total_seconds())
        return True

    def _park(self) -> None:
        """Let the calls under way finish, and save their results."""
        with suppress(FeedtoolError):
            for pending in self._calls.unsent:
                self._read(pending, NotSent(tr("the run was stopped")))
            self._cancel()
            self._take_results(self._calls.last_results())
            self._state.save()
