"""The calls of a step: its requests and rows are read from the ledger, no call is made."""

from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from feedtool.delivery.steps import DeliverySettings, Step
from feedtool.feeds.delivery import (
    Act,
    DeliveryRoute,
    Direct,
    PackageRef,
    Report,
    Staged,
    Submitted,
)
from feedtool.ledger import Ledger, Package, Stage
from feedtool.model.call import Call, language_tag
from feedtool.model.nouns import LookupRow, PendingProduct

AHEAD = 16
"""Uploads whose requests are read at once."""


class StepCalls(NamedTuple):
    """The calls of a step, and what they ask for."""

    calls: tuple[Call, ...] = ()
    """None where nothing is left to ask for, or where no call can ask for it."""
    lookup_rows: tuple[LookupRow, ...] = ()
    pending: tuple[PendingProduct, ...] = ()
    act: Act | None = None


def ref_of(package: Package, language: str, settings: DeliverySettings) -> PackageRef:
    """A package as its calls need it."""
    return PackageRef(
        package.package_type,
        package.channel,
        language,
        settings.dialect,
        package.package_id or "",
        package.link,
        package.pages + 1,
        settings.results_limit,
    )


def check_sendable(package: Package, route: DeliveryRoute, language: str) -> None:
    """UsageProblem where a channel or a language cannot be sent; found before anything is."""
    if isinstance(route.protocol, Staged):
        route.protocol.create.call(ref_of(package, language, DeliverySettings()))
    else:
        language_tag(language)


@dataclass
class CallBuilder:
    """Makes the calls of steps, with what the ledger has of their rows."""

    ledger: Ledger
    language: str
    settings: DeliverySettings
    _ahead: dict[tuple[int, int], list[bytes]] = field(default_factory=dict)
    """The requests of the next uploads, by package and upload."""

    def build(self, package: Package, step: Step, upload: int, route: DeliveryRoute) -> StepCalls:
        """The calls of a step of a package."""
        ref, protocol = ref_of(package, self.language, self.settings), route.protocol
        if step is Step.LOOKUP:
            return self._lookup(package, ref, route)
        if isinstance(protocol, Direct):
            (body,) = self._whole(package)
            (row,) = self.ledger.pending(package.key)
            act = Act(ref, row.row, row.reference, body, package.baseline, row.number)
            calls = (protocol.call(act),) if step is Step.CALL else (*protocol.looks(act),)
            return StepCalls(calls, act=act)
        if isinstance(protocol, Submitted):
            return self._submitted(package, ref, step, protocol)
        if step is Step.UPLOAD:
            return StepCalls((protocol.upload(ref, self._upload(package, upload)),))
        makers = {
            Step.CREATE: protocol.create.call,
            Step.GET_PACKAGE: protocol.look.call,
            Step.COMMIT: protocol.commit,
            Step.GET_RESULTS: protocol.results.call,
        }
        return StepCalls((makers[step](ref),))

    def forget(self) -> None:
        """Read the requests of uploads anew: which of them are sent may have changed."""
        self._ahead = {}

    def _lookup(self, package: Package, ref: PackageRef, route: DeliveryRoute) -> StepCalls:
        rows = self.ledger.lookup_rows(package.key, self.settings.sought)
        asked = route.lookup.ask(ref, rows) if route.lookup and rows else None
        return StepCalls((asked[1],), tuple(asked[0])) if asked else StepCalls((), tuple(rows))

    def _submitted(
        self, package: Package, ref: PackageRef, step: Step, protocol: Submitted
    ) -> StepCalls:
        outcome = protocol.outcome
        if step is Step.SUBMIT:
            return StepCalls((protocol.submit(ref, self._whole(package)),))
        if not isinstance(outcome, Report):
            return StepCalls((outcome.page.call(ref),))
        rows = self.ledger.pending(package.key)
        if not rows:
            return StepCalls()
        if step is Step.GET_REPORT:
            return StepCalls((outcome.page.call(ref),), pending=tuple(rows))
        # A package whose id is not known is asked for by its rows.
        call, asked = outcome.find(ref, rows)
        return StepCalls((call,), pending=tuple(rows[:asked]))

    def _whole(self, package: Package) -> list[bytes]:
        """The requests of a package of one upload."""
        return self.ledger.bodies(package.key, [1])[1]

    def _upload(self, package: Package, upload: int) -> list[bytes]:
        """The requests of an upload; those of the next ones are read with them."""
        if (package.key, upload) not in self._ahead:
            stages = enumerate(package.uploads, 1)
            left = (n for n, stage in stages if stage is Stage.PLANNED and n >= upload)
            read = self.ledger.bodies(package.key, [*islice(left, AHEAD)])
            self._ahead = {(package.key, number): bodies for number, bodies in read.items()}
        return self._ahead[package.key, upload]
