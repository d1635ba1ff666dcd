"""The joined state machines: a package's next step, its calls, and the reading of its answer.

Each protocol has its own tables (`staged`, `submitted`, `direct`). No call is made in this module.
"""

from collections.abc import Callable, Collection
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from msgspec import Struct, field

from feedtool.delivery import direct, staged, submitted
from feedtool.delivery.steps import CallSettings, DeliverySettings, Step, StepIntent
from feedtool.delivery.transition import AnswerContext, Rules, Transition, TransitionContext
from feedtool.feeds.delivery import Lookup, Protocol, Report, Staged, Submitted
from feedtool.feeds.direct import Direct, RequestAttempt
from feedtool.feeds.feed import Routes, Travel
from feedtool.feeds.package_ref import PackageRef
from feedtool.ledger import Clearance, Ledger, Package, Requeue, Stage
from feedtool.model.call import Call, Reply, language_tag
from feedtool.model.nouns import PendingRow
from feedtool.service.calls import Answer

RULES: Rules = {**staged.RULES, **submitted.RULES, **direct.RULES}

MOST_SINGLES = 2_000
"""Single requests held in memory."""
AHEAD = 16
"""Uploads whose requests are read at once."""


def next_step(package: Package, routes: Routes) -> Step | None:
    """The next step of a package; None at its end."""
    travel = routes[package.package_type].travel
    if isinstance(travel.protocol, Submitted):
        table = submitted.WITH_REPORTS if travel.has_reports else submitted.WITH_LOG
    else:
        table = staged.NEXT if isinstance(travel.protocol, Staged) else direct.NEXT
    return table[package.phase]


def transition(
    package: Package, intent: StepIntent, answer: Answer, context: TransitionContext
) -> Transition:
    """The package after an answer. An answer about a package given up changes nothing."""
    if intent.package_id != package.package_id:
        return Transition(package)
    circumstances = (context.time, context.jitter, context.settings, context.travel, context.skew)
    answer_context = AnswerContext(*circumstances, intent=intent, answer=answer)
    return RULES[intent.step, answer.kind](package, answer_context)


def requeue_of(package: Package, protocol: Protocol) -> Requeue:
    """The way in which rows that are to be sent again go into later packages."""
    if isinstance(protocol, Staged):
        return Requeue.TOGETHER
    if isinstance(protocol, Direct):
        return Requeue.NEVER
    is_repeatable = protocol.is_repeatable(package.package_type)
    return Requeue.APART if is_repeatable else Requeue.NEVER


def clearance_of(package: Package, routes: Routes) -> Clearance:
    """The conditions of a package's beginning, besides the keys of its rows."""
    travels = {kind: feed.travel for kind, feed in routes.items()}
    travel = travels[package.package_type]
    return Clearance(
        is_exclusive=travel.is_exclusive(package.package_type),
        exclusive=frozenset(kind for kind, other in travels.items() if other.is_exclusive(kind)),
        needs=travel.needs.names if travel.needs else None,
        provides={kind: other.provides for kind, other in travels.items() if other.provides},
    )


class StepCalls(NamedTuple):
    """The calls of a step, and the rows or the request that they are about."""

    calls: tuple[Call, ...] = ()
    """Empty if nothing is left to query, or no call can do it."""
    read: Callable[[Any], Any] | None = None
    """The reader of a successful answer; None if it carries nothing."""
    rows: tuple[PendingRow, ...] = ()
    act: RequestAttempt | None = None


def check_sendable(package: Package, travel: Travel, language: str) -> None:
    """Raise UsageProblem if a channel or a language cannot be sent, before any call."""
    if isinstance(travel.protocol, Staged):
        travel.protocol.create.call(_ref_of(package, language, CallSettings()))
    else:
        language_tag(language)


def _ref_of(package: Package, language: str, settings: CallSettings) -> PackageRef:
    return PackageRef(
        package.package_type,
        package.channel,
        language,
        settings.dialect,
        package.package_id or "",
        package.link,
        package.pages + 1,
        settings.results_limit,
        settings.seller,
    )


class CallBuilder(Struct):
    """Builds the calls of steps from the ledger's requests."""

    ledger: Ledger
    language: str
    settings: DeliverySettings
    _ahead: dict[tuple[int, int], list[bytes]] = field(default_factory=dict)
    """The requests of the next uploads, by package and upload."""
    _singles: dict[int, PendingRow] = field(default_factory=dict)
    """The requests of single-request packages, by the package's key."""

    def build(self, package: Package, step: Step, upload: int, travel: Travel) -> StepCalls:
        ref, protocol = _ref_of(package, self.language, self.settings.calls), travel.protocol
        if step is Step.LOOKUP:
            return self._lookup(package, ref, travel.lookup)
        if isinstance(protocol, Direct):
            return self._direct(package, ref, step, protocol)
        if isinstance(protocol, Submitted):
            return self._submitted(package, ref, step, protocol)
        if step is Step.UPLOAD:
            return StepCalls((protocol.upload(ref, self._upload(package, upload)),))
        if step is Step.COMMIT:
            return StepCalls((protocol.commit(ref),))
        call, read = {
            Step.CREATE: protocol.create,
            Step.GET_PACKAGE: protocol.look,
            Step.GET_RESULTS: protocol.results,
        }[step]
        return StepCalls((call(ref),), read)

    def read_singles(self, packages: Collection[int]) -> None:
        """Read the requests of single-request packages: many at once take the time of a few."""
        missing = [key for key in packages if key not in self._singles]
        if len(self._singles) > MOST_SINGLES:
            self._singles, missing = {}, [*packages]
        if missing:
            self._singles |= self.ledger.single_requests(missing)

    def forget(self) -> None:
        """Forget the requests of uploads, since those to be sent may have changed."""
        self._ahead = {}

    def _lookup(self, package: Package, ref: PackageRef, lookup: Lookup[Any] | None) -> StepCalls:
        rows = self.ledger.lookup_rows(package.key, self.settings.lookup_rows)
        chosen = lookup.ask(ref, rows) if lookup and rows else None
        if lookup is None or chosen is None:
            return StepCalls(rows=tuple(rows))
        return StepCalls((chosen[1],), lookup.read, tuple(chosen[0]))

    def _direct(
        self, package: Package, ref: PackageRef, step: Step, protocol: Direct[Any]
    ) -> StepCalls:
        self.read_singles([package.key])
        row = self._singles[package.key]
        of_row = (row.row, row.reference, row.body, package.baseline, row.number)
        act = RequestAttempt(ref, *of_row, row.further_rows)
        if step is Step.CALL:
            read = partial(protocol.answered, act) if protocol.answered else protocol.created
            return StepCalls((protocol.call(act),), read, act=act)

        def state(result: Reply | list[Reply]) -> Any:
            return protocol.state(act, (result,) if isinstance(result, Reply) else result)

        return StepCalls((*protocol.looks(act),), state, act=act)

    def _submitted(
        self, package: Package, ref: PackageRef, step: Step, protocol: Submitted
    ) -> StepCalls:
        outcome, read = protocol.outcome, protocol.outcome.page.read
        if step is Step.SUBMIT:
            # All its requests are in one upload.
            call = protocol.submit(ref, self.ledger.bodies(package.key, [1])[1])
            return StepCalls((call,), protocol.submitted)
        if not isinstance(outcome, Report):
            return StepCalls((outcome.page.call(ref),), read)
        rows = tuple(self.ledger.pending(package.key))
        if not rows:
            return StepCalls()
        if step is Step.GET_REPORT:
            return StepCalls((outcome.page.call(ref),), read, rows)
        # A package with an unknown id is found by its rows.
        call, count = outcome.find(ref, rows)
        return StepCalls((call,), read, rows[:count])

    def _upload(self, package: Package, upload: int) -> list[bytes]:
        """The requests of an upload; those of the next uploads are read too."""
        if (package.key, upload) not in self._ahead:
            stages = enumerate(package.uploads, 1)
            left = (n for n, stage in stages if stage is Stage.PLANNED and n >= upload)
            read = self.ledger.bodies(package.key, [*islice(left, AHEAD)])
            self._ahead = {(package.key, number): bodies for number, bodies in read.items()}
        return self._ahead[package.key, upload]
