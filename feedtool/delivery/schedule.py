"""Which steps come next, from the ledger's records of the packages and the time. Pure.

Which step each phase waits for is said by the table of the package's protocol (`staged.NEXT`,
`submitted.NEXT`, `direct.NEXT`); here is which package goes first, and when.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from feedtool.delivery.machine import next_step
from feedtool.delivery.steps import GO_ON, DeliverySettings, Step
from feedtool.feeds.delivery import Direct, Routes
from feedtool.ledger import Package, Phase, Stage
from feedtool.model.errors import Interrupted

BEING_FILLED = {Phase.CLEARED, Phase.CREATING, Phase.FILLING, Phase.PROBING}
"""Until every upload has had its answer."""

AFTER_COMMIT = {
    *(Phase.COMMITTED, Phase.INTEGRATED, Phase.READ, Phase.LOOKING),
    *(Phase.SUBMITTED, Phase.CLOSED),
}
"""The service goes on by itself."""

FETCHED = AFTER_COMMIT | {Phase.SUBMITTING}
"""What is left to do is reading: where an answer was lost no more than that is known."""

IN_DOUBT = {Phase.CLEARED, Phase.SUBMITTING}
"""Of a package that was submitted it is not known here whether it was taken."""

FIRST = {Step.CLEAR, Step.SUBMIT}
"""Steps that come before the reports of other packages: these can be read at any time."""


def next_steps(
    packages: Sequence[Package],
    now: datetime,
    routes: Routes,
    *,
    room: int,
    busy: Collection[int] = (),
    wait: bool = True,
    settings: DeliverySettings | None = None,
    skew: timedelta = timedelta(0),
) -> list[tuple[Package, Step, int]]:
    """At most `room` steps that may begin now: (package, step, upload).

    `busy` are the keys of packages that have a step other than an upload under way. Without
    `wait` a package is left alone once it is committed. `skew` is what the service's clock is
    ahead of `now`.
    """
    settings = settings or DeliverySettings()
    steps: list[tuple[Package, Step, int]] = []
    for package in in_turn(packages, now, routes, wait=wait, settings=settings):
        if (due := due_of(package, routes, settings)) is not None and due > now:
            continue
        step = next_step(package, routes)
        if step is None:
            continue
        if step is Step.UPLOAD and _is_late(package, now + skew, settings):
            is_busy = package.key in busy or package.staged(Stage.SENDING)
            steps += [] if is_busy else [(package, Step.GET_PACKAGE, 0)]
        elif step is Step.UPLOAD:
            steps += [(package, step, number) for number in _uploads_to_send(package)]
        elif package.key not in busy:
            steps.append((package, step, 0))
    steps.sort(key=lambda it: not (routes[it[0].package_type].has_reports and it[1] in FIRST))
    return steps[:room]


def due_of(package: Package, routes: Routes, settings: DeliverySettings) -> datetime | None:
    """When a package's next step may come at the earliest.

    Rows of a submitted package whose answer was lost are looked up once it may be integrated.
    """
    is_looked_up = package.phase is Phase.SUBMITTING and routes[package.package_type].lookup
    if not (is_looked_up and package.committed_at):
        return package.due
    known = package.committed_at + min(settings.before_seeking, settings.before_resending)
    return max(known, package.due) if package.due else known


def _is_late(package: Package, now: datetime, settings: DeliverySettings) -> bool:
    """Whether a package is to be completed with what is in it; `now` by the service's clock."""
    return package.created_at is not None and now - package.created_at > settings.filling


def in_turn(
    packages: Sequence[Package],
    now: datetime,
    routes: Routes,
    *,
    wait: bool,
    settings: DeliverySettings,
) -> list[Package]:
    """The packages that something is to be done for, now or later.

    One at a time is filled, since an open package lives for 6 hours only; the planned ones wait
    for that, and for the open packages that hold their rows' keys or make what they need. Those of
    which reports tell wait while too many are in doubt. Without `wait` those are waited for all
    the same that make what others are held back for. Single requests wait for nobody.
    """
    needed = {key for p in packages if p.phase is Phase.PLANNED for key in p.blocked_by}
    waited_for = [
        p
        for p in packages
        if is_waited_for(
            p,
            now,
            routes,
            wait=wait or (p.key in needed and routes[p.package_type].provides is not None),
            settings=settings,
        )
    ]
    is_open = {p.key for p in packages if p.phase is not Phase.CLOSED}
    single = {p.key for p in waited_for if isinstance(routes[p.package_type].protocol, Direct)}
    filling = [
        p.key
        for p in waited_for
        if p.key not in single and (p.phase in BEING_FILLED or _is_being_sent(p))
    ]
    doubtful = sum(p.phase in IN_DOUBT and is_in_doubt(p, routes) for p in packages)
    is_held = doubtful >= settings.doubts
    planned = [
        p.key
        for p in waited_for
        if p.phase is Phase.PLANNED
        and not p.blocked_by & is_open
        and not (is_held and routes[p.package_type].has_reports)
    ]
    first = {*(filling or [key for key in planned if key not in single][:1])}
    first |= single & {*planned}
    return [p for p in waited_for if p.phase is not Phase.PLANNED or p.key in first]


def waits_for_others(package: Package, packages: Mapping[int, Package], routes: Routes) -> bool:
    """Whether a package is held back for an answer to what its rows need."""
    return routes[package.package_type].needs is not None and any(
        routes[packages[key].package_type].provides is not None
        for key in package.blocked_by
        if key in packages
    )


def _is_being_sent(package: Package) -> bool:
    """Whether a call that stages and commits in one is under way."""
    return package.phase is Phase.SUBMITTING and package.uploads[0] is Stage.SENDING


def is_in_doubt(package: Package, routes: Routes) -> bool:
    """Whether a package that reports tell of was sent, and its answer lost."""
    is_sent = package.phase in IN_DOUBT and routes[package.package_type].has_reports
    return is_sent and package.uploads[0] is Stage.DOUBTFUL


def _uploads_to_send(package: Package) -> list[int]:
    """The uploads that have not been sent; one at a time while things go wrong."""
    numbers = [n for n, stage in enumerate(package.uploads, 1) if stage is Stage.PLANNED]
    if package.failures or package.tries:
        return [] if package.staged(Stage.SENDING) else numbers[:1]
    return numbers


def is_waited_for(
    package: Package, now: datetime, routes: Routes, *, wait: bool, settings: DeliverySettings
) -> bool:
    """Whether anything is still to be done for a package, now or later."""
    if package.phase is Phase.CLOSED or (package.phase in AFTER_COMMIT and not wait):
        return False
    due = due_of(package, routes, settings)
    begins = max(now, due) if due else now
    return begins - (package.since or now) <= settings.patience


def wake_at(
    packages: Sequence[Package],
    now: datetime,
    routes: Routes,
    *,
    wait: bool,
    settings: DeliverySettings,
) -> datetime | None:
    """When the next step may begin; None when there is none to wait for."""
    found = in_turn(packages, now, routes, wait=wait, settings=settings)
    due = (due_of(package, routes, settings) or now for package in found)
    return min(due, default=None)


def paced(
    packages: Iterable[Package],
    sent_at: datetime | None,
    routes: Routes,
    settings: DeliverySettings,
    rest: datetime | None = None,
) -> Iterator[Package]:
    """The packages; of those that reports tell of none is sent before the pause is over.

    Nor before `rest`, when a quota has room again. To be held so is no lack of progress.
    """
    pause = sent_at + settings.batch_pause if sent_at and settings.batch_pause else None
    earliest = max(filter(None, (pause, rest)), default=None)
    for package in packages:
        is_paced = earliest and routes[package.package_type].has_reports
        if earliest and is_paced and next_step(package, routes) is Step.SUBMIT:
            (held,) = held_until([package], earliest)
            yield replace(held, since=held.due)
        else:
            yield package


def held_until(packages: Iterable[Package], hold: datetime) -> Iterator[Package]:
    """The packages, none of which is to be touched before `hold`."""
    for package in packages:
        yield package if package.due and package.due >= hold else replace(package, due=hold)


def check_all_committed(packages: Iterable[Package], routes: Routes) -> None:
    """Interrupted when a package is left that is neither committed nor waits for its reports."""
    own = {package.key: package for package in packages}
    for package in own.values():
        if package.phase not in FETCHED:
            raise Interrupted(_why_not_committed(package, own, routes), GO_ON)


def _why_not_committed(package: Package, own: Mapping[int, Package], routes: Routes) -> str:
    what = f"Package {package.number}"
    if package.phase is Phase.PLANNED:
        route = routes[package.package_type]
        if route.has_reports and not package.blocked_by:
            return (
                f"{what} waits until it is known what became of those that were"
                " sent before it: the answers were lost, and no reports name them yet."
            )
        if route.needs and waits_for_others(package, own, routes):
            return (
                f"{what} ({package.package_type}) is held back: its offers'"
                f" {route.needs.noun}s have had no answer yet."
            )
        return (
            f"{what} waits for another one that has the same references"
            " or products and is not integrated yet."
        )
    said = f"the service says {package.state}" if package.state else "the service lets it wait"
    until = f", until {package.due:%Y-%m-%d %H:%M} UTC" if package.due else ""
    return (
        f"{what} ({package.package_type}) has made no progress since"
        f" {package.since:%H:%M:%S} UTC; {said}{until}."
    )
