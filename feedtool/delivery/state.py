"""The packages of a delivery as they are now, and what of them is not yet in the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from feedtool.delivery.events import EventBuffer
from feedtool.delivery.machine import requeue_of
from feedtool.delivery.schedule import paced
from feedtool.delivery.steps import DeliverySettings
from feedtool.delivery.transition import Transition
from feedtool.feeds.delivery import Routes
from feedtool.ledger import Attempt, Change, Ledger, Package, Phase
from feedtool.model.errors import FeedtoolError


@dataclass
class DeliveryState:
    """The state of a delivery, changed in memory and saved once a turn."""

    ledger: Ledger
    routes: Routes
    paths: Mapping[int, str]
    """Of the run's files, by key; other packages are here for what they keep waiting."""
    events: EventBuffer
    only_fetch: bool
    packages: dict[int, Package] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    """Not yet in the ledger."""
    hold: datetime | None = None
    """No call begins before this."""
    rest: datetime | None = None
    """No package is sent before this of which reports tell: a quota is used up."""
    sent_at: datetime | None = None
    """When the last such package was sent."""
    stop: FeedtoolError | None = None
    """The reason why no step is begun any more."""

    def change(
        self,
        before: Package,
        after: Package,
        attempt: Attempt | None = None,
        news: Transition | None = None,
    ) -> None:
        """Note what is to be saved at the turn's end."""
        if before == after and attempt is None and news is None:
            return
        self.packages[after.key] = after
        results = news.results if news else ()
        refused, resolutions = (news.refused, news.resolutions) if news else (None, ())
        requeue = requeue_of(after, self.routes[after.package_type])
        change = Change(before, after, attempt, results, refused, resolutions, requeue)
        self.changes.append(change)
        self.events.results[after.key] += len(results)
        if news:
            self.hold = max(filter(None, (self.hold, news.hold)), default=None)
            self.rest = max(filter(None, (self.rest, news.rest)), default=None)
            self.stop = self.stop or news.stop

    def in_hand(self, settings: DeliverySettings) -> list[Package]:
        """The packages to go on with; of other runs those that are not to be sent anew.

        Where such a one has expired its own run decides what is still to be sent of it.
        """
        packages = self.packages.values()
        return [
            package
            for package in paced(packages, self.sent_at, self.routes, settings, self.rest)
            if package.phase is not Phase.CLOSED
            and (package.file in self.paths or package.phase is not Phase.PLANNED)
        ]

    def save(self) -> None:
        """Write the changes to the ledger, in one commit."""
        changes, self.changes = self.changes, []
        for package in self.ledger.save(changes) if changes else ():
            # What is left of another run's package is that run's to go on with.
            if package.file in self.paths and not self.only_fetch:
                self.packages[package.key] = package

    def has_results(self) -> bool:
        """True if results of rows are not yet in the ledger."""
        return any(change.results or change.resolutions for change in self.changes)

    def is_closed(self) -> bool:
        """True if nothing is left to be done for any package."""
        return all(package.phase is Phase.CLOSED for package in self.packages.values())
