"""Choose the next packages of a delivery and their times, by the tables of `machine`. Pure.

Only `DeliveryState` writes to the ledger.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.delivery.events import EventBuffer
from feedtool.delivery.machine import next_step, requeue_of
from feedtool.delivery.steps import GO_ON, DeliverySettings, Step
from feedtool.delivery.transition import Transition
from feedtool.feeds.direct import Direct
from feedtool.feeds.feed import Routes, Travel
from feedtool.ledger import Attempt, Change, Ledger, Package, Phase, Stage
from feedtool.model.errors import FeedtoolError, Interrupted
from feedtool.model.text import tr

BEING_FILLED = {Phase.CLEARED, Phase.CREATING, Phase.FILLING, Phase.PROBING}

AFTER_COMMIT = {
    *(Phase.COMMITTED, Phase.INTEGRATED, Phase.READ, Phase.LOOKING),
    *(Phase.SUBMITTED, Phase.CLOSED),
}
"""Phases in which the service continues by itself."""

FETCHED = AFTER_COMMIT | {Phase.SUBMITTING}
"""Phases in which only reading is left; a lost answer counts as sent."""

FIRST = {Step.CLEAR, Step.SUBMIT}
"""Steps that come before reading the reports of other packages, which can wait."""


class Schedule(Struct, frozen=True):
    """The packages of a delivery at a time."""

    packages: Collection[Package]
    routes: Routes
    now: datetime
    settings: DeliverySettings = field(default_factory=DeliverySettings)
    wait: bool = True
    """False if committed packages are not waited for."""

    def next_steps(
        self, busy: Collection[int] = (), skew: timedelta = timedelta(0)
    ) -> list[tuple[Package, Step, int]]:
        """The steps that may begin now, the most urgent first: (package, step, upload).

        `busy` packages have a step other than an upload under way; `skew` as in the context.
        """
        steps: list[tuple[Package, Step, int]] = []
        for package in self.with_steps_left():
            step = next_step(package, self.routes)
            if step is None or self._due(package) > self.now:
                continue
            age = self.now + skew - (package.created_at or self.now + skew)
            if step is Step.UPLOAD and age <= self.settings.filling:
                steps += [(package, step, number) for number in _uploads_to_send(package)]
            elif step is Step.UPLOAD:
                # Its content is completed once the calls under way are answered.
                is_busy = package.key in busy or package.staged(Stage.SENDING)
                steps += [] if is_busy else [(package, Step.GET_PACKAGE, 0)]
            elif package.key not in busy:
                steps.append((package, step, 0))
        steps.sort(key=lambda step: not (self._travel(step[0]).has_reports and step[1] in FIRST))
        return steps

    def wake_at(self) -> datetime | None:
        return min(map(self._due, self.with_steps_left()), default=None)

    def with_steps_left(self) -> list[Package]:
        """The packages with steps left, now or later.

        Only one is filled at a time, since an open package lives for 6 hours only. The planned
        ones wait for it, and for open packages that hold their rows' keys or make what they need.
        Packages with reports wait while too many are in doubt. Without `wait`, packages that make
        what others are held back for are waited for all the same. Single requests wait for no
        package.
        """
        planned = [package for package in self.packages if package.phase is Phase.PLANNED]
        needed = {key for package in planned for key in package.blocked_by}
        left = [package for package in self.packages if self._is_left(package, needed)]
        is_open = {package.key for package in self.packages if package.phase is not Phase.CLOSED}
        is_held = sum(map(self._is_in_doubt, self.packages)) >= self.settings.most_in_doubt
        single = {
            package.key for package in left if isinstance(self._travel(package).protocol, Direct)
        }
        is_filling = any(
            package.key not in single and _is_being_filled(package) for package in left
        )
        free = [
            package.key
            for package in left
            if package.phase is Phase.PLANNED
            and not package.blocked_by & is_open
            and not (is_held and self._travel(package).has_reports)
        ]
        others = [key for key in free if key not in single][: 0 if is_filling else 1]
        first = {*others, *(single & {*free})}
        return [
            package
            for package in left
            if package.phase is not Phase.PLANNED or package.key in first
        ]

    def _travel(self, package: Package) -> Travel:
        return self.routes[package.package_type].travel

    def _due(self, package: Package) -> datetime:
        """The earliest time of a package's next step, from now on."""
        due = max(self.now, package.due or self.now)
        if (
            package.phase is Phase.SUBMITTING
            and package.committed_at
            and self._travel(package).lookup
        ):
            # Rows with a lost answer are looked up once their package may be integrated.
            pause = min(self.settings.before_lookup, self.settings.before_resending)
            return max(due, package.committed_at + pause)
        return due

    def _is_left(self, package: Package, needed: Collection[int]) -> bool:
        """True if steps are left for a package, now or later."""
        is_needed = package.key in needed and self._travel(package).provides is not None
        waits = self.wait or is_needed
        if package.phase is Phase.CLOSED or (package.phase in AFTER_COMMIT and not waits):
            return False
        return self._due(package) - (package.since or self.now) <= self.settings.patience

    def _is_in_doubt(self, package: Package) -> bool:
        """True if a package with reports was sent, and its answer lost."""
        is_sent = package.phase in {Phase.CLEARED, Phase.SUBMITTING}
        is_lost = is_sent and package.uploads[0] is Stage.DOUBTFUL
        return is_lost and self._travel(package).has_reports


def _is_being_filled(package: Package) -> bool:
    """True until every upload, or the single call that stages and commits, is answered."""
    is_being_sent = package.phase is Phase.SUBMITTING and package.uploads[0] is Stage.SENDING
    return package.phase in BEING_FILLED or is_being_sent


def _uploads_to_send(package: Package) -> list[int]:
    """The uploads that are not sent yet; only one while calls fail."""
    numbers = [n for n, stage in enumerate(package.uploads, 1) if stage is Stage.PLANNED]
    if package.failures or package.tries:
        return [] if package.staged(Stage.SENDING) else numbers[:1]
    return numbers


def waits_for_others(package: Package, packages: Mapping[int, Package], routes: Routes) -> bool:
    """True if a package waits for the answer to things that its rows need."""
    return routes[package.package_type].travel.needs is not None and any(
        routes[packages[key].package_type].travel.provides is not None
        for key in package.blocked_by
        if key in packages
    )


def paced(
    packages: Iterable[Package],
    sent_at: datetime | None,
    routes: Routes,
    settings: DeliverySettings,
    quota_until: datetime | None = None,
) -> Iterator[Package]:
    """The packages; none with reports is sent before the pause is over, or before `quota_until`.

    This waiting is no lack of progress.
    """
    pause = sent_at + settings.batch_pause if sent_at and settings.batch_pause else None
    earliest = max(filter(None, (pause, quota_until)), default=None)
    for package in packages:
        is_paced = routes[package.package_type].travel.has_reports
        if earliest and is_paced and next_step(package, routes) is Step.SUBMIT:
            due = max(package.due or earliest, earliest)
            yield replace(package, due=due, since=due)
        else:
            yield package


def held_until(packages: Iterable[Package], hold: datetime) -> Iterator[Package]:
    """The packages, with no step before `hold`."""
    for package in packages:
        yield replace(package, due=max(package.due or hold, hold))


def check_all_committed(packages: Iterable[Package], routes: Routes) -> None:
    """Raise Interrupted if a package is neither committed nor waits for its reports."""
    by_key = {package.key: package for package in packages}
    for package in by_key.values():
        if package.phase not in FETCHED:
            raise Interrupted(_why_not_committed(package, by_key, routes), GO_ON)


def _why_not_committed(package: Package, by_key: Mapping[int, Package], routes: Routes) -> str:
    name, kind = tr("Package {number}", number=package.number), package.package_type
    if package.phase is not Phase.PLANNED:
        state = (
            tr("the service says {state}", state=package.state)
            if package.state
            else tr("the service lets it wait")
        )
        until = tr(", until {due:%Y-%m-%d %H:%M} UTC", due=package.due) if package.due else ""
        since = f"{package.since:%H:%M:%S} UTC"
        return tr(
            "{name} ({kind}) has made no progress since {since}; {state}{until}.",
            name=name,
            kind=kind,
            since=since,
            state=state,
            until=until,
        )
    travel = routes[kind].travel
    if travel.has_reports and not package.blocked_by:
        return tr(
            "{name} waits for the results of the ones sent before it: their answers "
            "were lost, and no report names them yet.",
            name=name,
        )
    if travel.needs and waits_for_others(package, by_key, routes):
        return tr(
            "{name} ({kind}) is held back: its offers' products have had no answer yet.",
            name=name,
            kind=kind,
        )
    return tr(
        "{name} waits for another one that has the same references or products and is "
        "not integrated yet.",
        name=name,
    )


SINGLE = 512
"""Single requests that are active at a time, of all: sent ones are not read for a second or more,
in which others are sent."""


class DeliveryState(Struct):
    """The state of a delivery, changed in memory and saved once a turn."""

    ledger: Ledger
    routes: Routes
    paths: Mapping[int, str]
    """The paths of the run's files, by key. Packages of other files are here because they keep
    others waiting."""
    events: EventBuffer
    only_fetch: bool
    packages: dict[int, Package] = field(default_factory=dict)
    _live: dict[int, None] = field(default_factory=dict)
    """The packages that each turn considers: neither closed nor in `_later`."""
    _later: deque[int] = field(default_factory=deque)
    """Single requests that wait for those in front of them."""
    changes: list[Change] = field(default_factory=list)
    """Changes that are not in the ledger yet."""
    hold: datetime | None = None
    """The time before which no call begins."""
    quota_until: datetime | None = None
    """The time before which no package with reports is sent: a quota is used up."""
    sent_at: datetime | None = None
    """The time when the last package with reports was sent."""
    stop: FeedtoolError | None = None
    """The error that ends the delivery: no further step is begun."""

    def add(self, package: Package) -> None:
        self.packages[package.key] = package
        is_single = isinstance(self.routes[package.package_type].travel.protocol, Direct)
        if is_single and package.phase is Phase.PLANNED:
            self._later.append(package.key)
        elif package.phase is not Phase.CLOSED:
            self._live[package.key] = None

    def _fill(self) -> None:
        """Activate single requests until there are enough; those held back do not count."""
        live = sum(not self.packages[key].blocked_by for key in self._live) if self._later else 0
        while self._later and live < SINGLE:
            self._live[self._later.popleft()] = None
            live += 1

    def change(
        self,
        before: Package,
        after: Package,
        attempt: Attempt | None = None,
        news: Transition | None = None,
    ) -> None:
        """Note a change, to be saved at the turn's end."""
        if before == after and attempt is None and news is None:
            return
        news = news or Transition(after)
        self.packages[after.key] = after
        if after.phase is Phase.CLOSED:
            self._live.pop(after.key, None)
        feed = self.routes[after.package_type]
        requeue = requeue_of(after, feed.travel.protocol)
        outcome = (news.results, news.refused, news.resolutions, requeue)
        is_personal = feed.requests.is_personal
        self.changes.append(Change(before, after, attempt, *outcome, is_personal))
        self.events.results[after.key] += len(news.results)
        self.hold = max(filter(None, (self.hold, news.hold)), default=None)
        self.quota_until = max(filter(None, (self.quota_until, news.quota_until)), default=None)
        self.stop = self.stop or news.stop

    def own(self) -> list[Package]:
        return [package for package in self.packages.values() if package.file in self.paths]

    def active(self, settings: DeliverySettings) -> list[Package]:
        """The packages to continue; of other runs only those that are not to be sent anew.

        If such a one has expired, its own run decides on its rows.
        """
        self._fill()
        packages = [self.packages[key] for key in self._live]
        return [
            package
            for package in paced(packages, self.sent_at, self.routes, settings, self.quota_until)
            if package.phase is not Phase.CLOSED
            and (package.file in self.paths or package.phase is not Phase.PLANNED)
        ]

    def save(self) -> None:
        """Write the changes to the ledger, in one commit."""
        changes, self.changes = self.changes, []
        for package in self.ledger.save(changes) if changes else ():
            # The rest of another run's package belongs to that run.
            if package.file in self.paths and not self.only_fetch:
                self.add(package)

    def has_results(self) -> bool:
        return any(change.results or change.resolutions for change in self.changes)

    def is_closed(self) -> bool:
        return all(package.phase is Phase.CLOSED for package in self.packages.values())
