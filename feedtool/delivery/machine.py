"""The state machines together: a package's next step, its call, and what its answer comes to. Pure.

Each protocol has its own tables (`staged`, `submitted`, `direct`). But for a zip that has to be
put where its address leads, nothing here does anything.
"""

from collections.abc import Callable, Sequence
from typing import Any

from feedtool.delivery import direct, staged, submitted
from feedtool.delivery.steps import DeliverySettings, Step, StepIntent
from feedtool.delivery.transition import AnswerContext, Rules, Transition, TransitionContext
from feedtool.feeds.delivery import (
    DeliveryRoute,
    Direct,
    PackageRef,
    Protocol,
    Report,
    Routes,
    Staged,
    Submitted,
)
from feedtool.ledger import Clearance, Package, Phase, Requeue
from feedtool.model.call import Call, Reply, language_tag
from feedtool.model.nouns import PendingProduct
from feedtool.service.calls import Answer

RULES: Rules = {**staged.RULES, **submitted.RULES, **direct.RULES}
"""By step and kind of answer."""


def table_of(protocol: Protocol) -> dict[Phase, Step | None]:
    """The step that each phase of a protocol waits for."""
    if isinstance(protocol, Submitted):
        return submitted.next_of(protocol)
    return staged.NEXT if isinstance(protocol, Staged) else direct.NEXT


def next_step(package: Package, routes: Routes) -> Step | None:
    """The step that a package waits for."""
    return table_of(routes[package.package_type].protocol)[package.phase]


def transition(
    package: Package, intent: StepIntent, answer: Answer, context: TransitionContext
) -> Transition:
    """The package after an answer. One about a package given up changes nothing."""
    if intent.package_id != package.package_id:
        return Transition(package)
    read = AnswerContext(
        context.time,
        context.jitter,
        context.settings,
        context.route,
        context.skew,
        intent=intent,
        answer=answer,
    )
    return RULES[intent.step, answer.kind](package, read)


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


def call_of(
    step: Step, ref: PackageRef, protocol: Staged | Submitted, bodies: Sequence[bytes] = ()
) -> Call:
    """The call of a step of a package; of what is sent with its requests."""
    if isinstance(protocol, Submitted):
        is_sent = step is Step.SUBMIT
        return protocol.submit(ref, bodies) if is_sent else protocol.outcome.page.call(ref)
    if step is Step.UPLOAD:
        return protocol.upload(ref, bodies)
    calls = {
        Step.CREATE: protocol.create.call,
        Step.GET_PACKAGE: protocol.look.call,
        Step.COMMIT: protocol.commit,
        Step.GET_RESULTS: protocol.results.call,
    }
    return calls[step](ref)


def report_call(
    step: Step, ref: PackageRef, report: Report, rows: Sequence[PendingProduct]
) -> tuple[Call, tuple[PendingProduct, ...]]:
    """The call for a page of reports, and the rows that it asks for.

    A package whose id is known is asked for by that, any other by its rows.
    """
    if step is Step.GET_REPORT:
        return report.page.call(ref), tuple(rows)
    call, asked = report.find(ref, rows)
    return call, tuple(rows[:asked])


def reader_of(intent: StepIntent, protocol: Protocol) -> Callable[[Any], Any] | None:
    """The reader of a step's success; None where it carries nothing."""
    step, act = intent.step, intent.act
    if step is Step.LOOKUP and not isinstance(protocol, Direct) and protocol.lookup:
        return protocol.lookup.read
    if isinstance(protocol, Staged):
        exchanges = {
            Step.CREATE: protocol.create.read,
            Step.GET_PACKAGE: protocol.look.read,
            Step.GET_RESULTS: protocol.results.read,
        }
        return exchanges.get(step)
    if isinstance(protocol, Submitted):
        return protocol.submitted if step is Step.SUBMIT else protocol.outcome.page.read
    if step is Step.CALL or act is None:
        return protocol.created
    return lambda found: protocol.state(act, (found,) if isinstance(found, Reply) else found)


def requeue_of(package: Package, route: DeliveryRoute) -> Requeue:
    """The way in which rows that are to be sent again go into later packages."""
    if isinstance(route.protocol, Staged):
        return Requeue.TOGETHER
    if isinstance(route.protocol, Direct):
        return Requeue.NEVER
    is_repeatable = route.protocol.is_repeatable(package.package_type)
    return Requeue.APART if is_repeatable else Requeue.NEVER


def clearance_of(package: Package, routes: Routes) -> Clearance:
    """The packages that one waits for, beside those that hold its rows' keys."""
    route = routes[package.package_type]
    return Clearance(
        is_exclusive=route.is_exclusive(package.package_type),
        exclusive=frozenset(kind for kind, other in routes.items() if other.is_exclusive(kind)),
        needs=route.needs.names if route.needs else None,
        provides={kind: other.provides for kind, other in routes.items() if other.provides},
    )
