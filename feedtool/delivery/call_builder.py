"""The calls that a step is: its requests and rows are read from the ledger, no call is made."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from feedtool.delivery.machine import call_of, ref_of, report_call
from feedtool.delivery.steps import AT_ONCE, READ_REPORTS, DeliverySettings, Step
from feedtool.feeds.delivery import Act, DeliveryRoute, Direct, PackageRef, Report, Submitted
from feedtool.ledger import Ledger, Package, Stage
from feedtool.model.call import Call
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
        ref = ref_of(package, self.language, self.settings)
        protocol = route.protocol
        if step is Step.LOOKUP:
            return self._lookup(package, ref, route)
        if step in READ_REPORTS and isinstance(protocol, Submitted):
            return self._reading(package, ref, step, protocol)
        if isinstance(protocol, Direct):
            (body,) = self._whole(package)
            (row,) = self.ledger.pending(package.key)
            act = Act(ref, row.row, row.reference, body, package.baseline, row.number)
            calls = (protocol.call(act),) if step is Step.CALL else (*protocol.looks(act),)
            return StepCalls(calls, act=act)
        bodies: Sequence[bytes] = ()
        if step is Step.UPLOAD:
            bodies = self._upload(package, upload)
        elif step in AT_ONCE:
            bodies = self._whole(package)
        return StepCalls((call_of(step, ref, protocol, bodies),))

    def forget(self) -> None:
        """Read the requests of uploads anew: which of them are sent may have changed."""
        self._ahead = {}

    def _lookup(self, package: Package, ref: PackageRef, route: DeliveryRoute) -> StepCalls:
        rows = self.ledger.lookup_rows(package.key, self.settings.sought)
        asked = route.lookup.ask(ref, rows) if route.lookup and rows else None
        return StepCalls((asked[1],), tuple(asked[0])) if asked else StepCalls((), tuple(rows))

    def _reading(
        self, package: Package, ref: PackageRef, step: Step, protocol: Submitted
    ) -> StepCalls:
        rows = self.ledger.pending(package.key)
        if not rows or not isinstance(protocol.outcome, Report):
            return StepCalls()
        call, asked = report_call(step, ref, protocol.outcome, rows)
        return StepCalls((call,), pending=asked)

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
