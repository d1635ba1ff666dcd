"""The shell that carries the steps out: `schedule` and `machine` say which, and what they come to.

All that is read and written of the ledger is so from the calling thread; only the calls
themselves run in a pool. Each turn writes what the answers came to and which steps are begun
next in one commit, so that no request leaves before its intent is on disk, and no step follows
from an answer that is not.
"""

import random
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from feedtool.delivery.deadlines import Clock
from feedtool.delivery.events import Event, EventBuffer
from feedtool.delivery.foreign_packages import without_foreign
from feedtool.delivery.machine import (
    CallBuilder,
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
    DeliverySettings,
    PendingCall,
    Step,
    StepIntent,
    intend,
    resume,
)
from feedtool.delivery.transition import Transition, TransitionContext, clear, unknown
from feedtool.feeds.feed import Feed, Routes
from feedtool.ledger import Ledger, Package, Run
from feedtool.model.call import NotSent, Sender
from feedtool.model.errors import FeedtoolError
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import Answer, CallPool, CallResult, Pace, read_answer

POOL = 4
"""Calls under way at a time."""


def deliver(
    ledger: Ledger,
    run_id: int,
    client: Sender,
    routes: Routes,
    *,
    now: Callable[[], datetime],
    sleep: Callable[[float], None],
    jitter: Callable[[], float] = random.random,
    pool: int = POOL,
    on_event: Callable[[Event], None] = lambda _: None,
    wait: bool = True,
    settings: DeliverySettings | None = None,
    stopping: Callable[[], FeedtoolError | None] = lambda: None,
    only_fetch: bool = False,
    ahead: timedelta = timedelta(0),
) -> None:
    """Deliver what a run planned, or go on with it; what came of it is in `ledger.verdicts`.

    What other runs of the seller have committed is brought to its end too, since their rows may
    keep ours waiting. Once `stopping` says why, no step is begun and that is raised.

    `routes` says how packages of each type are delivered. With `only_fetch` the packages that are
    not committed are left as they are. Without `wait` it returns once all is committed. Otherwise
    it returns when every package is closed, or when one has made no progress for so long
    (`settings.patience`) that its rows stay Pending. Raises NotAuthorised, or Interrupted when
    something is left uncommitted; the ledger is true and the results can be read after either.
    With `pool` 1 all happens in the calling thread, in the same order every time. `now` may be
    `ahead` of real time, in which deadlines are told.
    """
    run = ledger.run(run_id)
    if run is None:
        raise ValueError(f"the ledger has no run {run_id}")
    packages = ledger.read_packages(run_id)
    settings = settings or DeliverySettings()
    if only_fetch:
        packages = [package for package in packages if package.phase in FETCHED]
        settings = replace(settings, submissions=0)
    paths = {file.file: file.path for file in ledger.files(run_id)}
    events = EventBuffer(on_event, paths, settings.failures, routes)
    with CallPool[PendingCall](client, pool) as calls:
        _Delivery(
            ledger=ledger,
            order=run,
            state=DeliveryState(ledger, routes, paths, events, only_fetch),
            routes=routes,
            builder=CallBuilder(ledger, run.language, settings),
            calls=calls,
            pace=Pace(pool),
            events=events,
            leapt=ahead,
            now=now,
            sleep=sleep,
            jitter=jitter,
            wait=wait,
            settings=settings,
            stopping=stopping,
            skew=ledger.skew(run.service),
        ).run(ledger.irrevocable(run_id), packages)


@dataclass
class _Delivery:
    """One delivery: the packages as the ledger has them, and the calls under way."""

    ledger: Ledger
    order: Run
    state: DeliveryState
    routes: Routes
    builder: CallBuilder
    calls: CallPool[PendingCall]
    pace: Pace
    """How many calls the seller's quota seems to bear."""
    events: EventBuffer
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    jitter: Callable[[], float]
    wait: bool
    settings: DeliverySettings
    stopping: Callable[[], FeedtoolError | None]
    skew: timedelta = timedelta(0)
    """What the service's clock is ahead of ours."""
    leapt: timedelta = timedelta(0)
    """What both are ahead of real time."""

    def run(self, others: list[Package], packages: list[Package]) -> None:
        """Take steps until there is none to take. What others began is fetched first."""
        for package in (*others, *packages):
            check_sendable(package, self._feed(package), self.order.language)
            self.state.packages[package.key] = package
            self.state.change(package, resume(package))
        try:
            while self._turn():
                pass
        except BaseException:
            self._park()
            raise
        if self.state.stop and not self.state.is_closed():
            raise self.state.stop
        own = (
            package for package in self.state.packages.values() if package.file in self.state.paths
        )
        check_all_committed(own, self.routes)

    def _turn(self) -> bool:
        """Begin what can begin, then wait for an answer or for time to pass; False at the end."""
        steps = self._steps()
        reads = {Step.LOOKUP} | (READ_REPORTS if self.state.has_results() else set())
        if any(step in reads for _, step, _ in steps):
            self.state.save()  # which rows are still to be looked up is read from the ledger
        for package, step, upload in steps:
            if step not in LOCAL:
                self._begin(package, step, upload)
        self.state.save()
        self.calls.send()
        self.events.flush()
        for package, step, _ in steps:
            if step in LOCAL:
                self._take_local(package, step)
        if self.calls.under_way:
            self._take_results(self.calls.results())
            return True
        return bool(steps) or self._sleep_until_due()

    def _steps(self) -> list[tuple[Package, Step, int]]:
        now = self.now()
        self.state.stop = self.state.stop or self.stopping()
        earliest = self._held_until()
        if self.state.stop or (earliest and now < earliest):
            return []
        busy = {
            pending.intent.package
            for pending in self.calls.under_way
            if pending.intent.step is not Step.UPLOAD
        }
        schedule = self._schedule(self.state.in_hand(self.settings), now)
        return schedule.next_steps(self.calls.room(self.pace), busy, self.skew)

    def _schedule(self, packages: list[Package], now: datetime) -> Schedule:
        return Schedule(packages, self.routes, now, self.settings, self.wait)

    # Beginning steps.

    def _begin(self, package: Package, step: Step, upload: int) -> None:
        """Write down that a step is intended."""
        # An earlier step of this turn may have changed the package.
        package = self.state.packages[package.key]
        feed = self._feed(package)
        asked = self.builder.build(package, step, upload, feed)
        if asked.calls:
            if step is Step.SUBMIT and feed.has_reports:
                self.state.sent_at = self.now()
            after, intent, attempt = intend(package, step, upload, feed, self.now(), self.skew)
            self.state.change(package, after, attempt)
            intent = intent._replace(rows=asked.rows, act=asked.act)
            self.calls.begin(PendingCall(intent, attempt, asked.calls, asked.read), asked.calls)
        elif asked.rows:
            resolved = unknown(asked.rows, feed.lookup.texts.unaskable if feed.lookup else "")
            self.state.change(package, package, news=Transition(package, resolutions=resolved))
        else:  # no row is left to ask for: the package is at its end
            self.state.change(package, self._context(package).close(package, package.message))

    # Taking answers in.

    def _take_results(self, results: Iterable[tuple[PendingCall, CallResult]]) -> None:
        for pending, result in results:
            self._read(pending, result)
        held = self._held_until()
        if self.state.stop or self.pace.behind or (held and held > self.now()):
            self._cancel()

    def _cancel(self) -> None:
        """Take back what still waits for a lane: it has never left."""
        for pending in self.calls.cancelled():
            self._take_in(pending, Answer(AnswerKind.WAIT, "taken back before it left", wait=0.0))

    def _read(self, pending: PendingCall, result: CallResult) -> None:
        """Read the answer to a step."""
        now, intent = self.now(), pending.intent
        package = self.state.packages[intent.package]
        answer = without_foreign(
            intent.step,
            read_answer(pending.calls[0], result, now, pending.read),
            package,
            self._feed(package).delivery,
            self.ledger,
            seen=self.events.results[intent.package],
            ours=self.state.packages.values(),
        )
        if answer.at is not None:
            self.skew = answer.at - now
        self.pace = self.pace.after(answer.kind, now)
        self._take_in(pending, answer)

    def _take_in(self, pending: PendingCall, answer: Answer) -> None:
        """Write down what an answer comes to."""
        now, intent = self.now(), pending.intent
        before = self.state.packages[intent.package]
        news = transition(before, intent, answer, self._context(before))
        attempt = replace(
            pending.attempt,
            answered_at=now,
            outcome=answer.kind,
            status=answer.status,
            trace_id=(answer.refusal.trace_id or None) if answer.refusal else None,
            detail=answer.detail or None,
            package_id=_named(intent, answer, news),
        )
        self.state.change(before, news.package, attempt, news)
        after = self.state.packages[before.key]
        self.events.answer(intent.step, answer.kind, answer.detail, before, after, now)
        if news.rest:
            self.events.rest(news.rest, before)

    def _take_local(self, package: Package, step: Step) -> None:
        """A step that asks nothing of the service."""
        package = self.state.packages[package.key]
        context = self._context(package)
        if step is Step.CLEAR:
            self.builder.forget()
            cleared = self.ledger.clear(package, self.order, clearance_of(package, self.routes))
            self.state.packages[package.key] = cleared
            self.state.change(cleared, clear(cleared, context))
            needs = context.feed.needs
            if (
                needs
                and not package.tries
                and waits_for_others(cleared, self.state.packages, self.routes)
            ):
                self.events.held(cleared, needs.noun)
            return
        counts = self.ledger.result_counts(package.key)
        self.state.change(package, count_results(package, counts, context))
        self.events.answer(
            step, AnswerKind.DONE, "", package, self.state.packages[package.key], self.now()
        )

    def _feed(self, package: Package) -> Feed:
        return self.routes[package.package_type]

    def _context(self, package: Package) -> TransitionContext:
        feed = self._feed(package)
        return TransitionContext(self.now(), self.jitter(), self.settings, feed, self.skew)

    # Waiting, and the end.

    def _held_until(self) -> datetime | None:
        """No call begins before this: the service asked for it, or its quota wants a pause."""
        return max(filter(None, (self.state.hold, self.pace.next_at)), default=None)

    def _sleep_until_due(self) -> bool:
        self.state.save()
        self.events.deadlines(
            self.state.packages.values(), Clock(self.now(), self.skew, self.leapt)
        )
        self.events.flush()
        packages = self.state.in_hand(self.settings)
        if earliest := self._held_until():
            packages = list(held_until(packages, earliest))
        now = self.now()
        due = self._schedule(packages, now).wake_at()
        if self.state.stop or due is None:
            return False
        if due > now:
            self.sleep((due - now).total_seconds())
        return True

    def _park(self) -> None:
        """Let the calls under way finish, and write down what they came to."""
        with suppress(FeedtoolError):
            for pending in self.calls.unsent:
                self._read(pending, NotSent("the run was stopped"))
            self._cancel()
            self._take_results(self.calls.last_results())
            self.state.save()


def _named(intent: StepIntent, answer: Answer, news: Transition) -> str | None:
    """The service's package that an answer names as ours."""
    if intent.step is Step.FIND_REPORT:
        return news.package.package_id
    return answer.value if intent.step in {Step.CREATE, *AT_ONCE} else None
