"""The transitions of a package at the answer to a step, for all protocols. Pure.

Nothing in the service has an idempotency key, hence:
- a step that was refused, or never left, is undone, and may be done again;
- a step that may have taken effect is in doubt: the state is read before anything is done again;
- reading is repeated as often as necessary;
- rows without a result are looked up: a row that the service shows as requested is in force; an
  unchanged one goes into a later package, at most three times, and never after the results were
  purged; all others are Unknown, and not sent again.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from feedtool.delivery.steps import AT_ONCE, GO_ON, DeliverySettings, Step, StepIntent
from feedtool.feeds.delivery import Since, Submitted, Trace
from feedtool.feeds.feed import Travel
from feedtool.ledger import Package, Phase, Resolution, Result, Stage
from feedtool.ledger.admission import MOST_SENDS
from feedtool.model.errors import FeedtoolError, Interrupted, NotAuthorised, UsageProblem
from feedtool.model.nouns import Message, PendingRow, Status
from feedtool.model.text import joined as joined_texts
from feedtool.model.text import tr
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import Answer
from feedtool.service.fetch import no_answer
from feedtool.service.pace import back_off

ABOUT_THE_CONTENT = {400, 409, 413, 415, 422}
"""Refusals of the content: the rows are refused, the run continues."""
GONE = {404, 410}
FORBIDDEN = 403

A_SECOND = timedelta(seconds=1)
"""A date-time may be cut to the second."""

NO_REASON = tr("The service rejected the package and gave no reason.")


class TransitionContext(Struct, frozen=True):
    """The circumstances in which an answer is read."""

    time: datetime
    jitter: float
    """From 0 to 1, for pauses that differ between clients."""
    settings: DeliverySettings
    travel: Travel
    skew: timedelta = timedelta(0)
    """The lead of the service's clock over the local one."""

    @property
    def service_time(self) -> datetime:
        return self.time + self.skew

    @property
    def protocol(self) -> Any:
        """The package's protocol, of the kind that the rule handles."""
        return self.travel.protocol

    def retry(self, package: Package, pause: timedelta | None = None, **changes: Any) -> Package:
        """The package after an answer without progress: the next step is after a pause."""
        pause = poll_pause(package.tries) if pause is None else pause
        return package.retry_at(self.time + pause, **changes)

    def poll_soon(self, package: Package) -> Package:
        """The package after progress: its state is read after the shortest pause."""
        return replace(package, due=self.time + poll_pause(0))

    def close(self, package: Package, message: Message | None = None) -> Package:
        return package.close(self.time, message, self.service_time)


class AnswerContext(TransitionContext, frozen=True, kw_only=True):
    """The circumstances, with the answer and its step."""

    intent: StepIntent
    answer: Answer

    @property
    def at(self) -> datetime:
        """The time of the answer by the service's clock."""
        return self.answer.service_time or self.service_time

    @property
    def message(self) -> Message:
        refusal = self.answer.refusal
        return Message(refusal.code if refusal else "", self.answer.detail)


class Transition(NamedTuple):
    """A package after an answer, with the answer's results."""

    package: Package
    results: Sequence[Result] = ()
    refused: tuple[int, Message] | None = None
    hold: datetime | None = None
    """The time before which no call begins."""
    stop: FeedtoolError | None = None
    resolutions: Sequence[Resolution] = ()
    """Outcomes of rows that were looked up, or are to be sent again."""
    quota_until: datetime | None = None
    """The time before which no package with reports is sent: a quota is used up."""


Rule: TypeAlias = Callable[[Package, AnswerContext], Transition]
Rules: TypeAlias = dict[tuple[Step, AnswerKind], Rule]


def poll_pause(tries: int) -> timedelta:
    """The pause between two readings of a state: from 1 s, growing, to 30 s."""
    return timedelta(seconds=min(30.0, 1.5 ** min(tries, 30)))


def joined(messages: Sequence[Message]) -> Message | None:
    """The reason of a package's rejection as a whole, with the first code."""
    if not messages:
        return None
    first, *others = messages
    text = joined_texts((message.text for message in messages), " ") if others else first.text
    return Message(first.code, text)


def look_up(package: Package, context: AnswerContext) -> Transition:
    """Look up the rows of a package that the service no longer has."""
    text = tr(
        "The service no longer has package {package_id}: {detail}",
        package_id=package.package_id,
        detail=context.answer.detail,
    )
    return Transition(package.advance(context.time, phase=Phase.LOOKING, message=Message("", text)))


def look_again(package: Package, context: AnswerContext) -> Transition:
    return Transition(context.retry(package))


def read_from_start(package: Package, context: AnswerContext) -> Transition:
    """Read again from the first page after a pause: not ready, or a stale address of a page."""
    return Transition(context.retry(package, link=None, pages=0))


def in_doubt(package: Package, context: AnswerContext) -> Transition:
    """Handle a lost answer to a call that stages and commits: its effect is looked for."""
    return fail(replace(package, uploads=(Stage.DOUBTFUL,), readings=0), context)


def fail(package: Package, context: AnswerContext) -> Transition:
    """Count a call without an answer. Failures before the pause is over count as one."""
    if package.due is not None and package.due > context.time:
        return Transition(package)
    failures = package.failures + 1
    due = context.time + back_off(failures, context.jitter)
    after = replace(package, failures=failures, due=due)
    is_enough = failures >= context.settings.failures
    stop = Interrupted(no_answer(context.answer), GO_ON) if is_enough else None
    return Transition(after, hold=due, stop=stop)


def undo(package: Package, intent: StepIntent) -> Package:
    """The package as if the step had never been begun."""
    if intent.step is Step.CREATE:
        return replace(package, phase=Phase.CLEARED)
    if intent.step is Step.UPLOAD:
        return package.with_stage(intent.upload, Stage.PLANNED)
    if intent.step not in AT_ONCE:
        return package  # a COMMIT stays intended: reading the state again is always safe
    times = package.creations - 1
    return replace(
        package,
        phase=Phase.CHECKED if intent.step is Step.CALL else Phase.CLEARED,
        creations=times,
        created_at=None,  # the time of the last sending is not kept: that of the first will do
        committed_at=package.committed_at if times else None,
        uploads=(Stage.DOUBTFUL if times else Stage.PLANNED,),  # an earlier one may be in doubt
    )


def stop_run(package: Package, context: AnswerContext) -> Transition:
    """Stop the run for a refusal that does not depend on a row."""
    # A service that refuses to create is not failing: the address or the seller is wrong.
    kind = UsageProblem if context.intent.step in {Step.CREATE, *AT_ONCE} else Interrupted
    stop = kind(
        tr(
            "The service refuses to {step}: {detail}",
            step=context.intent.step,
            detail=context.answer.detail,
        ),
        tr("Check the base address (its version segment included) and the seller."),
    )
    return Transition(undo(package, context.intent), stop=stop)


# Rules for every step.


def asked_to_wait(package: Package, context: AnswerContext) -> Transition:
    """Handle 429: all calls wait."""
    wait = context.answer.wait
    pause = timedelta(seconds=wait) if wait is not None else None
    pause = back_off(package.tries + 1, context.jitter) if pause is None else pause
    after = context.retry(undo(package, context.intent), pause)
    return Transition(after, hold=after.due)


def not_authorised(package: Package, context: AnswerContext) -> Transition:
    """Handle 401 and 403: the run stops."""
    forbidden = context.answer.status == FORBIDDEN
    what = (
        tr("does not allow this seller to do that")
        if forbidden
        else tr("does not accept the token")
    )
    hint = (
        tr(
            "The token is known but lacks the right: check the seller and what the account "
            "is opened for."
        )
        if forbidden
        else tr("Check the token, and that it has not run out; then go on with `feedtool resume`.")
    )
    stop = context.answer.error or NotAuthorised(
        tr("The service {what}: {detail}", what=what, detail=context.answer.detail), hint
    )
    return Transition(undo(package, context.intent), stop=stop)


def not_sent(package: Package, context: AnswerContext) -> Transition:
    """Undo a step whose call never left; it is done again."""
    return fail(undo(package, context.intent), context)


def clear(package: Package, context: TransitionContext) -> Package:
    """The package after it is known which rows may be in flight."""
    if package.blocked_by:
        return context.retry(package)
    if not package.staged(Stage.PLANNED):
        return context.close(package)
    return replace(package, phase=Phase.CLEARED, tries=0, due=None)


COMMON: dict[AnswerKind, Rule] = {
    AnswerKind.WAIT: asked_to_wait,
    AnswerKind.AUTH: not_authorised,
    AnswerKind.NOT_SENT: not_sent,
    AnswerKind.UNKNOWN: fail,  # reading is repeated
}
"""Rules of steps without a rule of their own."""


def with_common(rules: Rules) -> Rules:
    steps = {step for step, _ in rules}
    return {(step, kind): rule for step in steps for kind, rule in COMMON.items()} | rules


# LOOKUP. The area defines the comparison of rows (`feeds.delivery.Lookup`).


def unknown(rows: Iterable[PendingRow], text: str) -> list[Resolution]:
    return [Resolution(row.row, Status.UNKNOWN, text, row.number) for row in rows]


def resolutions(
    package: Package, rows: Sequence[PendingRow], page: object, context: TransitionContext
) -> list[Resolution]:
    """Outcomes of the rows, without those that a further page may show."""
    sent_at = package.created_at
    if sent_at is None and package.committed_at and isinstance(context.protocol, Submitted):
        # Without an answer the earliest possible time, by the service's clock.
        sent_at = package.committed_at + context.skew - A_SECOND
    since = Since(package.package_type, sent_at, context.settings.calls.dialect)
    traces = context.protocol.lookup.traces(since, rows, page)
    resolved = [_resolution(package, row, trace, context) for row, trace in traces]
    since_sent = context.time - (package.committed_at or context.time)
    if package.phase is Phase.SUBMITTING and since_sent < context.settings.before_resending:
        # It may still be integrated, so no row counts as missing.
        return [resolution for resolution in resolved if resolution.status is Status.INTEGRATED]
    return resolved


def _resolution(
    package: Package, row: PendingRow, trace: Trace, context: TransitionContext
) -> Resolution:
    protocol, texts = context.protocol, context.protocol.lookup.texts
    if trace in {Trace.IN_FORCE, Trace.REMOVED}:
        text = texts.in_force if trace is Trace.IN_FORCE else texts.removed
        return Resolution(row.row, Status.INTEGRATED, text, row.number)
    reasons_not_to_repeat = {
        texts.changed: trace is Trace.CHANGED,
        texts.not_repeated: isinstance(protocol, Submitted)
        and not protocol.is_repeatable(package.package_type),
        texts.results_gone: package.message is not None,
        texts.too_often: row.sends + 1 >= MOST_SENDS,
    }
    why_not = next((text for text, applies in reasons_not_to_repeat.items() if applies), "")
    return Resolution(row.row, Status.UNKNOWN if why_not else None, why_not, row.number)


def _looked_up(package: Package, context: AnswerContext) -> Transition:
    resolved = resolutions(package, context.intent.rows, context.answer.value, context)
    if resolved:
        return Transition(package.advance(context.time), resolutions=resolved)
    # If this is not the last page, missing rows may be on the next.
    return look_again(package, context)


def _not_looked_up(package: Package, context: AnswerContext) -> Transition:
    text = tr(
        "The service gives no result for it, nor its offers: {detail}", detail=context.answer.detail
    )
    resolved = unknown(context.intent.rows, text)
    return Transition(package.advance(context.time), resolutions=resolved)


LOOKUP_RULES: Rules = {
    (Step.LOOKUP, AnswerKind.DONE): _looked_up,
    (Step.LOOKUP, AnswerKind.REFUSED): _not_looked_up,
}
