"""Single requests, each of which is one call: `NEXT` and `RULES`. Pure.

A request is a package of its own. Without failures its phases are

    planned → cleared → checked → submitting → submitted → closed

- Before it is sent its state is read: a request that is done already, or can no longer be done, is
  not sent. The state before it, the baseline, is saved with the intent.
- After a call of unknown outcome the state is read: changes from the baseline are ours. If none
  shows after the area's patience and two readings, the call is sent again if it is repeatable
  (`Repeat`): a SAFE one three times in all, a TRACED one twice, and a NEVER one never.
- A request that was taken is read until the service has given a final answer, or for so long that
  nothing will come of it: somebody else was faster.
"""

from datetime import timedelta

from msgspec.structs import replace

from feedtool.delivery.steps import Step
from feedtool.delivery.transition import (
    ABOUT_THE_CONTENT,
    GONE,
    AnswerContext,
    Rules,
    Transition,
    fail,
    in_doubt,
    look_again,
    stop_run,
    with_common,
)
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.ledger import Package, Phase, Resolution, Stage
from feedtool.model.nouns import Message, Status
from feedtool.model.text import tr
from feedtool.service.answers import AnswerKind

NEXT: dict[Phase, Step | None] = {
    Phase.PLANNED: Step.CLEAR,
    Phase.CLEARED: Step.CHECK,
    Phase.CHECKED: Step.CALL,
    Phase.SUBMITTING: Step.CONFIRM,
    Phase.SUBMITTED: Step.FOLLOW,
    Phase.CLOSED: None,
}
"""The next step of each phase. A request with a call under way is busy: one that is found in
SUBMITTING had no answer, or was refused."""

SENDS = {Repeat.SAFE: 3, Repeat.TRACED: 2, Repeat.NEVER: 1}
"""The most calls of a request while its outcome stays unknown."""

LOOKS = 2
"""Readings without an effect before a call counts as without effect."""

NOT_SHOWN = tr(
    "The answer was lost, and the service shows no effect: look at it before you send again"
)
NOT_READABLE = tr("The answer was lost, and the service does not show what came of it.")
NO_EFFECT = tr("The service took it, and shows no effect: look at it before you send again")


def _judged(context: AnswerContext) -> Judgement:
    judgement: Judgement = context.protocol.judge(_act_of(context), context.answer.value)
    return judgement


def _act_of(context: AnswerContext) -> RequestAttempt:
    if context.intent.act is None:
        raise ValueError(f"the step {context.intent.step} is of no request")
    return context.intent.act


def _closed(package: Package, judgement: Judgement, context: AnswerContext) -> Transition:
    """Close the package with the row's result from its state."""
    after = context.close(replace(package, state=judgement.word or package.state))
    result = (_act_of(context).reference, judgement.status, judgement.messages)
    return Transition(after, results=[result])


def _rejected(package: Package, message: Message, context: AnswerContext) -> Transition:
    return _closed(package, Judgement(Goal.IMPOSSIBLE, Status.REJECTED, (message,)), context)


def _unknown(package: Package, text: str, context: AnswerContext) -> Transition:
    act = _act_of(context)
    resolved = [Resolution(act.row, Status.UNKNOWN, text, act.number)]
    return Transition(context.close(package), resolutions=resolved)


def _checked(package: Package, context: AnswerContext) -> Transition:
    judgement = _judged(context)
    if judgement.goal is Goal.WAITING:
        return Transition(context.retry(package, state=judgement.word or package.state))
    if judgement.goal is not Goal.OPEN:
        return _closed(package, judgement, context)
    baseline = context.protocol.baseline(_act_of(context), context.answer.value)
    return Transition(package.advance(context.time, phase=Phase.CHECKED, baseline=baseline))


def _not_checked(package: Package, context: AnswerContext) -> Transition:
    if context.answer.status in ABOUT_THE_CONTENT | GONE:
        return _rejected(package, context.message, context)
    return stop_run(package, context)


def _called(package: Package, context: AnswerContext) -> Transition:
    answered = context.answer.value
    if isinstance(answered, Judgement):
        return _closed(replace(package, uploads=(Stage.STAGED,)), answered, context)
    after = package.advance(
        context.time,
        phase=Phase.SUBMITTED,
        package_id=answered or package.package_id,
        uploads=(Stage.STAGED,),
        created_at=context.at,
    )
    return Transition(context.poll_soon(after))


def _call_refused(package: Package, context: AnswerContext) -> Transition:
    """Read the state again, since an earlier call, or somebody else, may have done it."""
    if context.answer.status not in ABOUT_THE_CONTENT | GONE:
        return stop_run(package, context)
    stage = Stage.DOUBTFUL if package.creations > 1 else Stage.REFUSED
    message = context.message
    return Transition(package.advance(context.time, uploads=(stage,), message=message))


def _call_in_doubt(package: Package, context: AnswerContext) -> Transition:
    """Wait for the effect from now on: the call may have been under way all the time."""
    return in_doubt(replace(package, created_at=context.service_time), context)


def _confirmed(package: Package, context: AnswerContext) -> Transition:
    judgement = _judged(context)
    if judgement.goal is Goal.WAITING:
        return Transition(context.retry(package, state=judgement.word or package.state))
    if judgement.goal is Goal.REACHED or not package.staged(Stage.REFUSED):
        if judgement.goal is not Goal.OPEN:
            return _closed(package, judgement, context)
        return _not_shown(package, judgement, context)
    return _refused(package, context)


def _refused(package: Package, context: AnswerContext) -> Transition:
    """Close a refused request with the reason of the refusal."""
    refusal = package.message or Message("", tr("The service refused it and gave no reason."))
    return _rejected(replace(package, message=None), refusal, context)


def _not_shown(package: Package, judgement: Judgement, context: AnswerContext) -> Transition:
    """Handle a call that may have been taken, but shows no effect."""
    protocol: Direct[object] = context.protocol
    looks, only_reads = package.readings + 1, not context.settings.submissions
    if looks < LOOKS or _is_early(package, context) or only_reads:
        return Transition(context.retry(package, readings=looks))
    if package.creations >= SENDS[protocol.repeat] or judgement.status is Status.UNKNOWN:
        return _unknown(package, NOT_SHOWN, context)
    anew = {"phase": Phase.CHECKED, "readings": 0, "uploads": (Stage.PLANNED,)}
    return Transition(package.advance(context.time, **anew))


def _is_early(package: Package, context: AnswerContext) -> bool:
    """True if an effect may still appear."""
    protocol: Direct[object] = context.protocol
    return _age(package, context) < protocol.patience


def _age(package: Package, context: AnswerContext) -> timedelta:
    return context.service_time - (package.created_at or context.service_time)


def _not_confirmed(package: Package, context: AnswerContext) -> Transition:
    """Handle an unreadable state: a service without any answer may answer later."""
    if package.staged(Stage.REFUSED):
        return _refused(package, context)
    if _is_early(package, context):
        return fail(package, context)
    return _unknown(package, NOT_READABLE, context)


def _followed(package: Package, context: AnswerContext) -> Transition:
    judgement = _judged(context)
    if judgement.goal not in {Goal.WAITING, Goal.OPEN}:
        return _closed(package, judgement, context)
    if judgement.goal is Goal.OPEN and _age(package, context) > context.settings.patience:
        return _unknown(package, NO_EFFECT, context)
    if judgement.word and judgement.word != package.state:
        after = package.advance(context.time, state=judgement.word)
        return Transition(context.poll_soon(after))
    return look_again(package, context)


RULES: Rules = with_common(
    {
        (Step.CHECK, AnswerKind.DONE): _checked,
        (Step.CHECK, AnswerKind.REFUSED): _not_checked,
        (Step.CALL, AnswerKind.DONE): _called,
        (Step.CALL, AnswerKind.REFUSED): _call_refused,
        (Step.CALL, AnswerKind.UNKNOWN): _call_in_doubt,
        (Step.CONFIRM, AnswerKind.DONE): _confirmed,
        (Step.CONFIRM, AnswerKind.REFUSED): _not_confirmed,
        (Step.FOLLOW, AnswerKind.DONE): _followed,
        (Step.FOLLOW, AnswerKind.REFUSED): look_again,
    }
)
