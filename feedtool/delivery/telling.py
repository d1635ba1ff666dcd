"""What a delivery has to tell, kept until it is in the ledger: nothing is told before."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from feedtool.delivery.deadlines import soon
from feedtool.delivery.events import (
    deadline_event,
    event_of,
    held_event,
    rest_event,
    unreachable_event,
)
from feedtool.service.answers import Kind
from feedtool.service.pace import longest_back_off

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from feedtool.delivery.deadlines import Clock
    from feedtool.delivery.decide import Do
    from feedtool.delivery.events import Event
    from feedtool.ledger import Package


@dataclass
class Telling:
    """The events that are still to be told, and what they tell of."""

    on_event: Callable[[Event], None]
    paths: Mapping[int, str]
    """Of the run's files, by key."""
    failures: int
    """So many calls in a row without an answer end the run."""
    results: Counter[int] = field(default_factory=Counter)
    """Rows that have a result, by package."""
    events: list[Event] = field(default_factory=list)
    warned: set[str] = field(default_factory=set)
    """The deadlines that were told of."""

    def answer(
        self, do: Do, kind: Kind, detail: str, before: Package, after: Package, now: datetime
    ) -> None:
        """What an answer came to; `now` by our clock."""
        if kind is Kind.NOT_SENT and before.failures < after.failures == 1:
            until = now + longest_back_off(1, self.failures)
            event: Event | None = unreachable_event(detail, until, after, *self._about(after))
        else:
            event = event_of(do, kind, detail, before, after, *self._about(after))
        if event is not None:
            self.events.append(event)

    def rest(self, until: datetime, package: Package) -> None:
        """A quota is used up: no batch is sent for a while."""
        self.events.append(rest_event(until, package, *self._about(package)))

    def held(self, package: Package) -> None:
        """Its offers' products have had no answer yet."""
        self.events.append(held_event(package, *self._about(package)))

    def deadlines(self, packages: Iterable[Package], clock: Clock) -> None:
        """Once, what is lost before long: whoever reads it may see to the service meanwhile."""
        for package in packages:
            what = soon(package, clock)
            told = f"{package.package_id}: {what}"
            if what and told not in self.warned:
                self.warned.add(told)
                self.events.append(deadline_event(what, package, *self._about(package)))

    def tell(self) -> None:
        """Tell what there is: it is in the ledger."""
        events, self.events = self.events, []
        for event in events:
            self.on_event(event)

    def _about(self, package: Package) -> tuple[int, str]:
        return self.results[package.key], self.paths.get(package.file, "")
