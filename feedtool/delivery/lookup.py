"""Look-ups of rows that no result names. Pure.

What the service shows as it was asked for is in force. What is plainly as it was before goes into
a later package, at most three times, and never after the results were purged. All else is Unknown,
and not sent again. What a row is compared with, and how, is the area's (`feeds.delivery.Lookup`).
"""

from collections.abc import Sequence
from datetime import datetime

from feedtool.delivery.steps import Step
from feedtool.delivery.transition import (
    A_SECOND,
    AnswerContext,
    Rules,
    Transition,
    TransitionContext,
    retry,
)
from feedtool.feeds.delivery import DeliveryRoute, LookupTexts, Since, Submitted, Trace
from feedtool.ledger import Package, Phase, Resolution
from feedtool.ledger.clearing import MOST_SENDS
from feedtool.model.nouns import LookupRow, Status
from feedtool.service.answers import AnswerKind


def unaskable(rows: Sequence[LookupRow], route: DeliveryRoute) -> list[Resolution]:
    """The ends of rows that no call can ask for."""
    text = route.lookup.texts.unaskable if route.lookup else ""
    return [Resolution(row.row, Status.UNKNOWN, text, row.number) for row in rows]


def resolutions(
    package: Package, rows: Sequence[LookupRow], page: object, context: TransitionContext
) -> list[Resolution]:
    """The ends of the rows, but for those that a further page may show."""
    lookup = context.protocol.lookup
    since = Since(package.package_type, _sent_at(package, context), context.settings.dialect)
    resolved = [
        _resolution(package, row, trace, context) for row, trace in lookup.traces(since, rows, page)
    ]
    since_sent = context.time - (package.committed_at or context.time)
    if package.phase is Phase.SUBMITTING and since_sent < context.settings.before_resending:
        # It may be integrated yet, so nothing speaks against any row.
        return [resolution for resolution in resolved if resolution.status is Status.INTEGRATED]
    return resolved


def _sent_at(package: Package, context: TransitionContext) -> datetime | None:
    """When it was sent by the service's clock; without an answer as early as it may have been."""
    is_submitted = isinstance(context.protocol, Submitted)
    if package.created_at is None and package.committed_at and is_submitted:
        return package.committed_at + context.skew - A_SECOND
    return package.created_at


def _resolution(
    package: Package, row: LookupRow, trace: Trace, context: TransitionContext
) -> Resolution:
    texts: LookupTexts = context.protocol.lookup.texts
    if trace in {Trace.IN_FORCE, Trace.REMOVED}:
        text = texts.in_force if trace is Trace.IN_FORCE else texts.removed
        return Resolution(row.row, Status.INTEGRATED, text, row.number)
    why_not = texts.changed if trace is Trace.CHANGED else _why_not_again(package, row, context)
    return Resolution(row.row, Status.UNKNOWN if why_not else None, why_not, row.number)


def _why_not_again(package: Package, row: LookupRow, context: TransitionContext) -> str:
    """The reason why a row that is as it was is not sent again; empty where it is."""
    protocol, texts = context.protocol, context.protocol.lookup.texts
    reasons = {
        texts.not_repeated: isinstance(protocol, Submitted)
        and not protocol.is_repeatable(package.package_type),
        texts.results_gone: package.message is not None,
        texts.too_often: row.sends + 1 >= MOST_SENDS,
    }
    return next((text for text, applies in reasons.items() if applies), "")


def _looked_up(package: Package, context: AnswerContext) -> Transition:
    resolved = resolutions(package, context.intent.lookup_rows, context.answer.value, context)
    if resolved:
        return Transition(package.advance(context.time), resolutions=resolved)
    # Where a page is not the last, the rows that it lacks may be on the next.
    return Transition(retry(package, context))


def _not_looked_up(package: Package, context: AnswerContext) -> Transition:
    text = f"The service gives no result for it, nor its offers: {context.answer.detail}"
    resolved = [
        Resolution(row.row, Status.UNKNOWN, text, row.number) for row in context.intent.lookup_rows
    ]
    return Transition(package.advance(context.time), resolutions=resolved)


RULES: Rules = {
    (Step.LOOKUP, AnswerKind.DONE): _looked_up,
    (Step.LOOKUP, AnswerKind.REFUSED): _not_looked_up,
}
