"""The state machines together: a package's next step, and the reading of its answer. Pure.

Each protocol has its own tables (`staged`, `submitted`, `direct`).
"""

from collections.abc import Callable
from typing import Any

from feedtool.delivery import direct, staged, submitted
from feedtool.delivery.steps import Step, StepIntent
from feedtool.delivery.transition import AnswerContext, Rules, Transition, TransitionContext
from feedtool.feeds.delivery import (
    DeliveryRoute,
    Direct,
    Protocol,
    Routes,
    Staged,
    Submitted,
)
from feedtool.ledger import Clearance, Package, Phase, Requeue
from feedtool.model.call import Reply
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
