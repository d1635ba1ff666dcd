"""The transitions of a package at the answer to a step: what every protocol shares. Pure.

Nothing in the service has an idempotency key, hence:
- what was refused, or never left, is undone, and may be done again;
- what may have taken effect is in doubt, and is looked at before anything is done again;
- reading is repeated as often as it takes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeAlias

from feedtool.delivery.steps import AT_ONCE, GO_ON, DeliverySettings, Step, StepIntent
from feedtool.feeds.delivery import DeliveryRoute
from feedtool.ledger import Package, Phase, Resolution, Result, Stage
from feedtool.model.errors import FeedtoolError, Interrupted, NotAuthorised, UsageProblem
from feedtool.model.nouns import Message
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import Answer, back_off
from feedtool.service.fetch import no_answer

ABOUT_THE_CONTENT = {400, 409, 413, 415, 422}
"""Refusals of what was sent: the rows are refused, the run goes on."""
GONE = {404, 410}
FORBIDDEN = 403

A_SECOND = timedelta(seconds=1)
"""A date-time may be cut to the second."""


@dataclass(frozen=True, slots=True)
class TransitionContext:
    """The circumstances in which an answer is read."""

    time: datetime
    jitter: float
    """From 0 to 1, for pauses that differ between clients."""
    settings: DeliverySettings
    route: DeliveryRoute
    skew: timedelta = timedelta(0)
    """The time that the service's clock is ahead of ours."""

    @property
    def service_time(self) -> datetime:
        """The time by the service's clock."""
        return self.time + self.skew

    @property
    def protocol(self) -> Any:
        """The package's protocol, of the kind that the rule is of."""
        return self.route.protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerContext(TransitionContext):
    """The same, with the answer and the step that it answers."""

    intent: StepIntent
    answer: Answer

    @property
    def at(self) -> datetime:
        """The time of the answer by the service's clock."""
        return self.answer.at or self.service_time

    @property
    def message(self) -> Message:
        """The reason of a refusal."""
        refusal = self.answer.refusal
        return Message(refusal.code if refusal else "", self.answer.detail)


class Transition(NamedTuple):
    """A package after an answer, and all that the answer brings."""

    package: Package
    results: Sequence[Result] = ()
    refused: tuple[int, Message] | None = None
    """An upload that was refused, and why."""
    hold: datetime | None = None
    """No call at all before this."""
    stop: FeedtoolError | None = None
    """The run cannot go on."""
    resolutions: Sequence[Resolution] = ()
    """The ends of rows that were looked up, or are to be sent again."""
    rest: datetime | None = None
    """No package that reports tell of before this: a quota is used up."""


Rule: TypeAlias = Callable[[Package, AnswerContext], Transition]
Rules: TypeAlias = dict[tuple[Step, AnswerKind], Rule]


def poll_pause(tries: int) -> timedelta:
    """Between two looks: from 1 s, growing, to 30 s."""
    return timedelta(seconds=min(30.0, 1.5 ** min(tries, 30)))


def retry(
    package: Package, context: TransitionContext, pause: timedelta | None = None, **changes: Any
) -> Package:
    """An answer, but no progress: the next look is after a pause."""
    pause = poll_pause(package.tries) if pause is None else pause
    return package.retry_at(context.time + pause, **changes)


def poll_soon(package: Package, context: TransitionContext) -> Package:
    """The package after progress: it is looked at again after the shortest pause."""
    return replace(package, due=context.time + poll_pause(0))


def look_up(package: Package, context: AnswerContext) -> Transition:
    """A package that the service no longer has: a look-up tells what became of its rows."""
    text = f"The service no longer has package {package.package_id}: {context.answer.detail}"
    return Transition(package.advance(context.time, phase=Phase.LOOKING, message=Message("", text)))


def read_from_start(package: Package, context: AnswerContext) -> Transition:
    """Not yet, or a stale address of a page: from the first page again, after a pause."""
    return Transition(retry(package, context, link=None, pages=0))


def close(package: Package, context: TransitionContext, message: Message | None = None) -> Package:
    """The package at its end."""
    return package.close(context.time, message, context.service_time)


def fail(package: Package, context: AnswerContext) -> Transition:
    """No answer. Calls that fail together, before the pause is over, count as one."""
    if package.due is not None and package.due > context.time:
        return Transition(package)
    failures = package.failures + 1
    due = context.time + back_off(failures, context.jitter)
    after = replace(package, failures=failures, due=due)
    stop = None
    if failures >= context.settings.failures:
        stop = Interrupted(no_answer(context.answer), GO_ON)
    return Transition(after, hold=due, stop=stop)


def undo(package: Package, intent: StepIntent) -> Package:
    """The package as if the step had never been begun."""
    if intent.step is Step.CREATE:
        return replace(package, phase=Phase.CLEARED)
    if intent.step is Step.UPLOAD:
        return package.with_stage(intent.upload, Stage.PLANNED)
    if intent.step in AT_ONCE:
        return _not_submitted(package, intent)
    return package  # a COMMIT stays intended: looking again is always safe


def _not_submitted(package: Package, intent: StepIntent) -> Package:
    """A package before its last submission: an earlier one may be in doubt."""
    times = package.creations - 1
    return replace(
        package,
        phase=Phase.CHECKED if intent.step is Step.CALL else Phase.CLEARED,
        creations=times,
        created_at=None,  # when it was sent before is not kept: the time of the first will do
        committed_at=package.committed_at if times else None,
        uploads=(Stage.DOUBTFUL if times else Stage.PLANNED,),
    )


def stop_run(package: Package, context: AnswerContext) -> Transition:
    """A refusal that no row can help."""
    # What refuses even to create is not in trouble: it is the wrong address or seller.
    kind = UsageProblem if context.intent.step in {Step.CREATE, *AT_ONCE} else Interrupted
    stop = kind(
        f"The service refuses to {context.intent.step}: {context.answer.detail}",
        "Check the base address (its version segment included) and the seller.",
    )
    return Transition(undo(package, context.intent), stop=stop)


# Rules for every step.


def asked_to_wait(package: Package, context: AnswerContext) -> Transition:
    """429: all calls wait."""
    asked = None if context.answer.wait is None else timedelta(seconds=context.answer.wait)
    pause = back_off(package.tries + 1, context.jitter) if asked is None else asked
    after = retry(undo(package, context.intent), context, pause)
    return Transition(after, hold=after.due)


def not_authorised(package: Package, context: AnswerContext) -> Transition:
    """401 or 403: the run stops."""
    forbidden = context.answer.status == FORBIDDEN
    what = "does not allow this seller to do that" if forbidden else "does not accept the token"
    hint = (
        "The token is known but lacks the right: check the seller and what the account is opened"
        " for."
        if forbidden
        else "Check the token, and that it has not run out; then go on with `feedtool resume`."
    )
    stop = context.answer.error or NotAuthorised(
        f"The service {what}: {context.answer.detail}", hint
    )
    return Transition(undo(package, context.intent), stop=stop)


def not_sent(package: Package, context: AnswerContext) -> Transition:
    """It never left: it is done again."""
    return fail(undo(package, context.intent), context)


def read_again(package: Package, context: AnswerContext) -> Transition:
    """Reading had no answer: it is repeated."""
    return fail(package, context)


def clear(package: Package, context: TransitionContext) -> Package:
    """A package of which it is known which rows may be in flight."""
    if package.blocked_by:
        return retry(package, context)
    if not package.staged(Stage.PLANNED):
        return close(package, context)
    return replace(package, phase=Phase.CLEARED, tries=0, due=None)


COMMON: dict[AnswerKind, Rule] = {
    AnswerKind.WAIT: asked_to_wait,
    AnswerKind.AUTH: not_authorised,
    AnswerKind.NOT_SENT: not_sent,
    AnswerKind.UNKNOWN: read_again,
}
"""The rules of steps that have none of their own."""


def with_common(rules: Rules) -> Rules:
    """The rules of a protocol, with the common ones of its steps."""
    steps = {step for step, _ in rules}
    return {(step, kind): rule for step in steps for kind, rule in COMMON.items()} | rules
