"""The shell that carries the steps out: `decide` and `learn` say which, and what they come to.

All that is read and written of the ledger is so from the calling thread; only the calls
themselves run in a pool. Each turn writes what the answers came to and which steps are begun
next in one commit, so that no request leaves before its intent is on disk, and no step follows
from an answer that is not.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

from feedtool.areas.offers.wire.offers import read_offers
from feedtool.delivery.answer import Answer, read_answer
from feedtool.delivery.calls import call_of, check_sendable, reading_of
from feedtool.delivery.deadlines import Clock
from feedtool.delivery.decide import (
    ALONE,
    LOCAL,
    Do,
    Settings,
    held_until,
    intended,
    next_steps,
    paced,
    resumed,
    waits_for_products,
    wake_at,
)
from feedtool.delivery.ending import FETCHED, check_all_committed
from feedtool.delivery.lanes import Flight, Lanes
from feedtool.delivery.learn import cleared, counted, learnt
from feedtool.delivery.progress import Learnt, Now, closed
from feedtool.delivery.seek import asked, unaskable
from feedtool.delivery.strangers import without_strangers
from feedtool.delivery.telling import Telling
from feedtool.ledger import Change, Phase, Stage
from feedtool.model.call import NotSent
from feedtool.model.errors import FeedtoolError
from feedtool.service.answers import Kind
from feedtool.service.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from feedtool.delivery.decide import Step
    from feedtool.delivery.events import Event
    from feedtool.delivery.lanes import Heard
    from feedtool.ledger import Attempt, Ledger, Package, Run
    from feedtool.model.call import Call, Sender

POOL = 4
"""Calls under way at a time."""

READING = {Do.FIND, Do.REPORT}
"""Steps that ask for the reports of a batch."""

AHEAD = 16
"""Uploads whose requests are read at once."""


def deliver(
    ledger: Ledger,
    run_id: int,
    client: Sender,
    *,
    now: Callable[[], datetime],
    sleep: Callable[[float], None],
    luck: Callable[[], float] = random.random,
    pool: int = POOL,
    on_event: Callable[[Event], None] = lambda _: None,
    wait: bool = True,
    settings: Settings | None = None,
    stopping: Callable[[], FeedtoolError | None] = lambda: None,
    only_fetch: bool = False,
    ahead: timedelta = timedelta(0),
) -> None:
    """Deliver what a run planned, or go on with it; what came of it is in `ledger.verdicts`.

    What other runs of the seller have committed is brought to its end too, since their rows may
    keep ours waiting. Once `stopping` says why, no step is begun and that is raised.

    With `only_fetch` the packages that are not committed are left as they are. Without `wait`
    it returns once all is committed. Otherwise it returns when every package is
    closed, or when one has made no progress for so long (`settings.patience`) that its rows stay
    Pending. Raises NotAuthorised, or Interrupted when something is left uncommitted; the ledger
    is true and the verdicts can be read after either. With `pool` 1 all happens in the calling
    thread, in the same order every time. `now` may be `ahead` of real time, in which deadlines are
    told.
    """
    run = ledger.run(run_id)
    if run is None:
        raise ValueError(f"the ledger has no run {run_id}")
    packages = ledger.read_packages(run_id)
    settings = settings or Settings()
    if only_fetch:
        packages = [package for package in packages if package.phase in FETCHED]
        settings = replace(settings, submissions=0)
    paths = {file.file: file.path for file in ledger.files(run_id)}
    with Lanes(client, pool) as lanes:
        _Delivery(
            ledger=ledger,
            order=run,
            paths=paths,
            lanes=lanes,
            pace=Pace(pool),
            telling=Telling(on_event, paths, settings.failures),
            leapt=ahead,
            now=now,
            sleep=sleep,
            luck=luck,
            wait=wait,
            settings=settings,
            stopping=stopping,
            only_fetch=only_fetch,
            skew=ledger.skew(run.service),
        ).run(ledger.irrevocable(run_id), packages)


@dataclass
class _Delivery:
    """One delivery: the packages as the ledger has them, and the calls under way."""

    ledger: Ledger
    order: Run
    paths: dict[int, str]
    """Of this run's files, by key; other packages are here for what they keep waiting."""
    lanes: Lanes
    pace: Pace
    """How many calls the seller's quota seems to bear."""
    telling: Telling
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    luck: Callable[[], float]
    wait: bool
    settings: Settings
    stopping: Callable[[], FeedtoolError | None]
    only_fetch: bool = False
    packages: dict[int, Package] = field(default_factory=dict)
    ahead: dict[tuple[int, int], list[bytes]] = field(default_factory=dict)
    """The requests of the next uploads, by package and upload."""
    changes: list[Change] = field(default_factory=list)
    """Not yet in the ledger."""
    hold: datetime | None = None
    skew: timedelta = timedelta(0)
    """What the service's clock is ahead of ours."""
    leapt: timedelta = timedelta(0)
    """What both are ahead of real time."""
    sent_at: datetime | None = None
    """When the last batch was sent."""
    rest: datetime | None = None
    """No batch is sent before this: a quota is used up."""
    stop: FeedtoolError | None = None

    def run(self, others: list[Package], packages: list[Package]) -> None:
        """Take steps until there is none to take. What others began is fetched first."""
        for package in (*others, *packages):
            check_sendable(package, self.order.language)
            self.packages[package.key] = package
            self._change(package, resumed(package))
        try:
            while self._turn():
                pass
        except BaseException:
            self._park()
            raise
        if self.stop and not self._is_at_end():
            raise self.stop
        check_all_committed(one for one in self.packages.values() if one.file in self.paths)

    def _turn(self) -> bool:
        """Begin what can begin, then wait for an answer or for time to pass; False at the end."""
        steps = self._steps()
        if any(do is Do.SEEK or (do in READING and self._has_news()) for _, do, _ in steps):
            self._save()  # which rows are still to be looked up is read from the ledger
        for package, do, upload in steps:
            if do not in LOCAL:
                self._begin(package, do, upload)
        self._save()
        self.lanes.send()
        self.telling.tell()
        for package, do, _ in steps:
            if do in LOCAL:
                self._take_local(package, do)
        if self.lanes.steps:
            self._land(self.lanes.answers())
            return True
        return bool(steps) or self._sleep_until_due()

    def _steps(self) -> list[tuple[Package, Do, int]]:
        now = self.now()
        self.stop = self.stop or self.stopping()
        earliest = self._held_until()
        if self.stop or (earliest and now < earliest):
            return []
        return next_steps(
            self._in_hand(),
            now,
            room=self.lanes.room(self.pace),
            busy={step.package for step in self.lanes.steps if step.do is not Do.UPLOAD},
            wait=self.wait,
            settings=self.settings,
            skew=self.skew,
        )

    def _in_hand(self) -> list[Package]:
        """What this run goes on with: of other runs' packages those that are not to be sent anew.

        Where such a one has expired its own run decides what is still to be sent of it.
        """
        return [
            package
            for package in paced(self.packages.values(), self.sent_at, self.settings, self.rest)
            if package.phase is not Phase.CLOSED
            and (package.file in self.paths or package.phase is not Phase.PLANNED)
        ]

    def _begin(self, package: Package, do: Do, upload: int) -> None:
        """Write down that a step is intended."""
        # An earlier step of this turn may have changed the package.
        package = self.packages[package.key]
        if do is Do.SEEK:
            self._begin_seeking(package)
        elif do in READING:
            self._begin_reading(package, do)
        else:
            self._fly(package, do, upload, self._call(package, do, upload))

    def _begin_seeking(self, package: Package) -> None:
        """Ask for the offers of the next rows; where none is left, the package is at its end."""
        rows = self.ledger.sought(package.key, self.settings.sought)
        asking = asked(rows)
        if asking.rows:
            call = read_offers(package.channel, asking.references, asking.gtins)
            self._fly(package, Do.SEEK, 0, call, sought=asking.rows)
        elif rows:
            self._change(package, package, news=Learnt(package, fates=unaskable(rows)))
        else:
            self._change(package, closed(package, self._now(), package.message))

    def _begin_reading(self, package: Package, do: Do) -> None:
        """Read a page of the reports that products of a batch are to be found in."""
        rows = self.ledger.awaited(package.key)
        if not rows:
            self._change(package, closed(package, self._now(), package.message))
            return
        call, asked_for = reading_of(package, do, self.order.language, self.settings, rows)
        self._fly(package, do, 0, call, awaited=tuple(asked_for))

    def _fly(self, package: Package, do: Do, upload: int, call: Call, **asked: Any) -> None:
        if do is Do.SUBMIT:
            self.sent_at = self.now()
        after, step, attempt = intended(package, do, upload, self.now(), self.skew)
        self._change(package, after, attempt)
        self.lanes.begin(Flight(step._replace(**asked), attempt, call))

    def _call(self, package: Package, do: Do, upload: int) -> Call:
        bodies: Sequence[bytes] = ()
        if do is Do.UPLOAD:
            bodies = self._bodies(package, upload)
        if do in ALONE:
            (bodies,) = self.ledger.bodies(package.key, [1]).values()
        return call_of(package, do, self.order.language, self.settings, bodies)

    def _bodies(self, package: Package, upload: int) -> list[bytes]:
        """The requests of an upload; those of the next ones are read with them."""
        if (package.key, upload) not in self.ahead:
            stages = enumerate(package.uploads, 1)
            left = (n for n, stage in stages if stage is Stage.PLANNED and n >= upload)
            read = self.ledger.bodies(package.key, [*islice(left, AHEAD)])
            self.ahead = {(package.key, number): bodies for number, bodies in read.items()}
        return self.ahead[package.key, upload]

    def _land(self, answers: Iterable[tuple[Flight, Heard]]) -> None:
        for flight, heard in answers:
            self._learn(flight, heard)
        held = self._held_until()
        if self.stop or self.pace.behind or (held and held > self.now()):
            self._recall()

    def _recall(self) -> None:
        """Take back what still waits for a lane: it has never left."""
        for flight in self.lanes.recalled():
            self._take_in(flight, Answer(Kind.WAIT, "taken back before it left", wait=0.0))

    def _learn(self, flight: Flight, heard: Heard) -> None:
        """Read the answer to a step."""
        now = self.now()
        answer = without_strangers(
            flight.step.do,
            read_answer(flight.step.do, flight.call, heard, now),
            self.packages[flight.step.package],
            self.ledger,
            seen=self.telling.results[flight.step.package],
            ours=self.packages.values(),
        )
        if answer.at is not None:
            self.skew = answer.at - now
        self.pace = self.pace.after(answer.kind, now)
        self._take_in(flight, answer)

    def _take_in(self, flight: Flight, answer: Answer) -> None:
        """What an answer comes to."""
        now, step = self.now(), flight.step
        before = self.packages[step.package]
        news = learnt(before, step, answer, self._now())
        attempt = replace(
            flight.attempt,
            answered_at=now,
            outcome=answer.kind,
            status=answer.status,
            trace_id=(answer.refusal.trace_id or None) if answer.refusal else None,
            detail=answer.detail or None,
            package_id=_named(step, answer, news),
        )
        self._change(before, news.package, attempt, news)
        after = self.packages[before.key]
        self.telling.answer(step.do, answer.kind, answer.detail, before, after, now)
        if news.rest:
            self.telling.rest(news.rest, before)

    def _take_local(self, package: Package, do: Do) -> None:
        """A step that asks nothing of the service."""
        package = self.packages[package.key]
        if do is Do.CLEAR:
            self.ahead = {}
            found = self.ledger.clear(package, self.order)
            self.packages[package.key] = found
            self._change(found, cleared(found, self._now()))
            if not package.tries and waits_for_products(found, self.packages):
                self.telling.held(found)
            return
        news = counted(package, self.ledger.tail(package.key), self._now())
        self._change(package, news.package)
        self.telling.answer(do, Kind.DONE, "", package, self.packages[package.key], self.now())

    def _now(self) -> Now:
        return Now(self.now(), self.luck(), self.settings, self.skew)

    def _change(
        self,
        before: Package,
        after: Package,
        attempt: Attempt | None = None,
        news: Learnt | None = None,
    ) -> None:
        """Note what is to be saved at the turn's end."""
        if before == after and attempt is None and news is None:
            return
        self.packages[after.key] = after
        results = news.results if news else ()
        refused, fates = (news.refused, news.fates) if news else (None, ())
        self.changes.append(Change(before, after, attempt, results, refused, fates))
        self.telling.results[after.key] += len(results)
        if news and news.hold:
            self.hold = max(self.hold or news.hold, news.hold)
        if news and news.rest:
            self.rest = max(self.rest or news.rest, news.rest)
        if news and news.stop:
            self.stop = self.stop or news.stop

    def _save(self) -> None:
        changes, self.changes = self.changes, []
        for package in self.ledger.save(changes) if changes else ():
            # What is left of another run's package is that run's to go on with.
            if package.file in self.paths and not self.only_fetch:
                self.packages[package.key] = package

    def _has_news(self) -> bool:
        return any(change.results or change.fates for change in self.changes)

    def _held_until(self) -> datetime | None:
        """No call begins before this: the service asked for it, or its quota wants a pause."""
        return max(filter(None, (self.hold, self.pace.next_at)), default=None)

    def _sleep_until_due(self) -> bool:
        self._save()
        self.telling.deadlines(self.packages.values(), Clock(self.now(), self.skew, self.leapt))
        self.telling.tell()
        packages = self._in_hand()
        if earliest := self._held_until():
            packages = list(held_until(packages, earliest))
        now = self.now()
        due = wake_at(packages, now, wait=self.wait, settings=self.settings)
        if self.stop or due is None:
            return False
        if due > now:
            self.sleep((due - now).total_seconds())
        return True

    def _park(self) -> None:
        """Let the calls under way finish, and write down what they came to."""
        with suppress(FeedtoolError):
            for flight in self.lanes.unsent:
                self._learn(flight, NotSent("the run was stopped"))
            self._recall()
            self._land(self.lanes.last_answers())
            self._save()

    def _is_at_end(self) -> bool:
        return all(package.phase is Phase.CLOSED for package in self.packages.values())


def _named(step: Step, answer: Answer, news: Learnt) -> str | None:
    """The service's package that an answer names as ours."""
    if step.do is Do.FIND:
        return news.package.package_id
    return answer.value if step.do in {Do.CREATE, *ALONE} else None
