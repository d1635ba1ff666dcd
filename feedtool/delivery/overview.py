"""Read the states of many single requests by a list of the service, instead of one by one.

The lists are only an optimisation: a request that the list does not show is read by itself, and so
are all if the list cannot be read. Before sending, all requests of a run are read at once; after
it those that are waited for, once there are many.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from datetime import datetime, timedelta
from itertools import chain

from msgspec import Struct, field

from feedtool.delivery.steps import Step
from feedtool.feeds.direct import Direct, Overview
from feedtool.feeds.feed import Routes
from feedtool.ledger import Package, Phase
from feedtool.model.call import READ, Failure, Reply, Sender
from feedtool.model.errors import FeedtoolError
from feedtool.service.answers import Unreadable
from feedtool.service.calls import results_of

SINGLY = 30
"""Up to this number requests are read one by one."""
MANY = 100
"""While other work is left, readings of sent requests wait until there are as many."""
AT_ONCE = 32
"""Steps without a call that are taken in one turn."""
AHEAD = 8
"""Pages that are read at a time if the number of needed pages is unknown."""
FRESH = timedelta(minutes=10)
"""The greatest age of a list's state when its request is sent."""
LOOKS = frozenset({Step.CHECK, Step.FOLLOW})

StepOf = tuple[Package, Step, int]
"""A package, its step, and the upload."""


class OverviewReader(Struct):
    """The lists that a delivery has read of its requests."""

    client: Sender
    routes: Routes
    references: Mapping[int, str]
    """The references of single requests, by the package's key."""
    lanes: Executor
    """The threads that read the lists, besides the calls."""
    _before: dict[str, Reply] = field(default_factory=dict)
    """Unused states from before the sending, by reference."""
    _read_at: datetime | None = None
    _after: dict[int, Reply] = field(default_factory=dict)
    """Unused states from after the sending, by package."""
    _reading: Future[dict[int, Reply]] | None = None
    """A list of sent packages that is being read."""
    _asked: set[int] = field(default_factory=set)
    """The packages of the last list that were not read since."""

    def choose(
        self, steps: Sequence[StepOf], room: int, now: datetime, *, is_busy: bool
    ) -> list[StepOf]:
        """The steps to begin: all that a list has answered, and up to `room` others.

        Readings of sent requests wait until they are many, and while a list is read, as long as
        calls are under way or other work is left.
        """
        listed = [step for step in steps if step[1] in LOOKS and self._overview(step[0])]
        self._read_before([package for package, step, _ in listed if step is Step.CHECK], now)
        follows = [package for package, step, _ in listed if step is Step.FOLLOW]
        waiting = self._read_after(follows, has_time=is_busy or len(follows) < len(steps))
        free = [step for step in listed if self._shown(*step[:2])]
        free += [step for step in steps if step[1] is Step.CLEAR and self._overview(step[0])]
        known = {package.key for package, *_ in free} | waiting
        left = [step for step in steps if step[0].key not in known]
        return [*free[:AT_ONCE], *left[:room]]

    def take(self, package: Package, step: Step) -> Reply | None:
        """Take a package's state from a list, once; None if it has to be read by itself."""
        reply = self._shown(package, step)
        if reply and step is Step.CHECK:
            self._before.pop(self.references[package.key])
        self._asked.discard(package.key)
        self._after.pop(package.key, None)
        return reply

    def _shown(self, package: Package, step: Step) -> Reply | None:
        if self._overview(package) is None:
            return None  # another request of the same reference has one
        if step is Step.CHECK:
            return self._before.get(self.references.get(package.key, ""))
        return self._after.get(package.key) if step is Step.FOLLOW else None

    def _overview(self, package: Package) -> Overview | None:
        protocol = self.routes[package.package_type].travel.protocol
        has_reference = package.key in self.references
        return protocol.overview if isinstance(protocol, Direct) and has_reference else None

    def _read_before(self, checked: Sequence[Package], now: datetime) -> None:
        if self._read_at and now - self._read_at > FRESH:
            self._before, self._read_at = {}, None
        overview = self._overview(checked[0]) if checked else None
        if overview and self._read_at is None and len(self.references) > SINGLY:
            references = set(self.references.values())
            self._before = read_overview(self.client, overview, references, self._at_once)
            self._read_at = now

    def _at_once(
        self, read: Callable[[int], Mapping[str, Reply]], pages: Iterable[int]
    ) -> Iterable[Mapping[str, Reply]]:
        return results_of([self.lanes.submit(read, page) for page in pages])

    def _read_after(self, followed: Sequence[Package], *, has_time: bool) -> set[int]:
        """Read a list of sent packages once they are many; return the keys that wait for it."""
        if self._reading and (self._reading.done() or not has_time):
            (shown,) = results_of([self._reading])
            self._after, self._reading = self._after | shown, None
        new = [package for package in followed if package.key not in self._asked]
        are_enough = len(new) >= (MANY if has_time else SINGLY)
        overview = self._overview(new[0]) if are_enough and not self._reading else None
        if overview:
            names = {self.references[package.key]: package.key for package in new}
            self._reading = self.lanes.submit(self._shown_after, overview, names)
            self._asked = set(names.values())
            return self._read_after(followed, has_time=has_time)
        waiting = {package.key for package in new} if has_time else set()
        return waiting | (self._asked if self._reading else set())

    def _shown_after(self, overview: Overview, names: Mapping[str, int]) -> dict[int, Reply]:
        shown = read_overview(self.client, overview, names.keys())
        return {names[name]: reply for name, reply in shown.items()}


def read_overview(
    client: Sender,
    overview: Overview,
    references: Collection[str],
    each: Callable[..., Iterable[Mapping[str, Reply]]] = map,
) -> dict[str, Reply]:
    """The states of references in a list of the service, the last changes first.

    Reading stops when all are found, and before it takes longer than reading each by itself.
    Pages may be read at a time, the certainly needed ones all at once: `each` is like `map`.
    """

    def shown_on(number: int) -> Mapping[str, Reply]:
        try:
            reply = client.send(overview.page(number))
            return overview.read(reply) if reply.status in READ else {}
        except (Failure, FeedtoolError, Unreadable):
            return {}

    least, last = 1 + (len(references) - 1) // overview.size, 1 + len(references) // 4
    replies: dict[str, Reply] = {}
    at_once = (range(1, least + 1), *(range(n, n + AHEAD) for n in range(least + 1, last, AHEAD)))
    for shown in chain.from_iterable(each(shown_on, numbers) for numbers in at_once):
        # A later page may show an older state of an entry that has moved down since.
        replies = {name: shown[name] for name in shown if name in references} | replies
        if len(shown) < overview.size or len(replies) == len(references):
            break
    return replies


def single_packages(packages: Iterable[Package], routes: Routes) -> list[int]:
    """The keys of single requests that are not closed."""
    return [
        package.key
        for package in packages
        if package.phase is not Phase.CLOSED
        and isinstance(routes[package.package_type].travel.protocol, Direct)
    ]
