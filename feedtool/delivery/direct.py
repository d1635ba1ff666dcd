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

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from datetime import datetime, timedelta
from itertools import chain

from msgspec import Struct, field
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
from feedtool.feeds.direct import Direct, Goal, Judgement, Overview, Repeat, RequestAttempt
from feedtool.feeds.feed import Routes
from feedtool.ledger import Package, Phase, Resolution, Stage
from feedtool.model.call import READ, Failure, Reply, Sender
from feedtool.model.errors import FeedtoolError
from feedtool.model.nouns import Message, Status
from feedtool.model.text import tr
from feedtool.service.answers import AnswerKind, Unreadable
from feedtool.service.calls import results_of

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
NOT_READABLE = tr("The answer was lost, and the service does not show the result.")
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


# Read the states of many single requests by a list of the service, instead of one by one.


SINGLY = 30
"""Up to this number requests are read one by one."""
MANY = 100
"""While other work is left, readings of sent requests wait until there are as many."""
AT_ONCE = 32
"""Steps without a call that are taken in one turn."""
AHEAD = 8
"""Pages that are read at a time if the number of needed pages is unknown."""
FRESH = timedelta(minutes=10)
"""The greatest age of a list's state when its request is sent."""
LISTED_STEPS = frozenset({Step.CHECK, Step.FOLLOW})

StepOf = tuple[Package, Step, int]
"""A package, its step, and the upload."""


class OverviewReader(Struct):
    """The lists that a delivery has read of its requests."""

    client: Sender
    routes: Routes
    references: Mapping[int, str]
    """The references of single requests, by the package's key."""
    lanes: Executor
    """The threads that read the lists, besides the calls."""
    _before: dict[str, Reply] = field(default_factory=dict)
    """Unused states from before the sending, by reference."""
    _read_at: datetime | None = None
    _after: dict[int, Reply] = field(default_factory=dict)
    """Unused states from after the sending, by package."""
    _reading: Future[dict[int, Reply]] | None = None
    """A list of sent packages that is being read."""
    _asked: set[int] = field(default_factory=set)
    """The packages of the last list that were not read since."""

    def choose(
        self, steps: Sequence[StepOf], room: int, now: datetime, *, is_busy: bool
    ) -> list[StepOf]:
        """The steps to begin: all that a list has answered, and up to `room` others.

        Readings of sent requests wait until they are many, and while a list is read, as long as
        calls are under way or other work is left.
        """
        listed = [step for step in steps if step[1] in LISTED_STEPS and self._overview(step[0])]
        self._read_before([package for package, step, _ in listed if step is Step.CHECK], now)
        follows = [package for package, step, _ in listed if step is Step.FOLLOW]
        waiting = self._read_after(follows, has_time=is_busy or len(follows) < len(steps))
        free = [step for step in listed if self._shown(*step[:2])]
        free += [step for step in steps if step[1] is Step.CLEAR and self._overview(step[0])]
        known = {package.key for package, *_ in free} | waiting
        left = [step for step in steps if step[0].key not in known]
        return [*free[:AT_ONCE], *left[:room]]

    def take(self, package: Package, step: Step) -> Reply | None:
        """Take a package's state from a list, once; None if it has to be read by itself."""
        reply = self._shown(package, step)
        if reply and step is Step.CHECK:
            self._before.pop(self.references[package.key])
        self._asked.discard(package.key)
        self._after.pop(package.key, None)
        return reply

    def _shown(self, package: Package, step: Step) -> Reply | None:
        if self._overview(package) is None:
            return None  # another request of the same reference has one
        if step is Step.CHECK:
            return self._before.get(self.references.get(package.key, ""))
        return self._after.get(package.key) if step is Step.FOLLOW else None

    def _overview(self, package: Package) -> Overview | None:
        protocol = self.routes[package.package_type].travel.protocol
        has_reference = package.key in self.references
        return protocol.overview if isinstance(protocol, Direct) and has_reference else None

    def _read_before(self, checked: Sequence[Package], now: datetime) -> None:
        if self._read_at and now - self._read_at > FRESH:
            self._before, self._read_at = {}, None
        overview = self._overview(checked[0]) if checked else None
        if overview and self._read_at is None and len(self.references) > SINGLY:
            references = set(self.references.values())
            self._before = read_overview(self.client, overview, references, self._at_once)
            self._read_at = now

    def _at_once(
        self, read: Callable[[int], Mapping[str, Reply]], pages: Iterable[int]
    ) -> Iterable[Mapping[str, Reply]]:
        return results_of([self.lanes.submit(read, page) for page in pages])

    def _read_after(self, followed: Sequence[Package], *, has_time: bool) -> set[int]:
        """Read a list of sent packages once they are many; return the keys that wait for it."""
        if self._reading and (self._reading.done() or not has_time):
            (shown,) = results_of([self._reading])
            self._after, self._reading = self._after | shown, None
        new = [package for package in followed if package.key not in self._asked]
        are_enough = len(new) >= (MANY if has_time else SINGLY)
        overview = self._overview(new[0]) if are_enough and not self._reading else None
        if overview:
            names = {self.references[package.key]: package.key for package in new}
            self._reading = self.lanes.submit(self._shown_after, overview, names)
            self._asked = set(names.values())
            return self._read_after(followed, has_time=has_time)
        waiting = {package.key for package in new} if has_time else set()
        return waiting | (self._asked if self._reading else set())

    def _shown_after(self, overview: Overview, names: Mapping[str, int]) -> dict[int, Reply]:
        shown = read_overview(self.client, overview, names.keys())
        return {names[name]: reply for name, reply in shown.items()}


def read_overview(
    client: Sender,
    overview: Overview,
    references: Collection[str],
    each: Callable[..., Iterable[Mapping[str, Reply]]] = map,
) -> dict[str, Reply]:
    """The states of references in a list of the service, the last changes first.

    Reading stops when all are found, and before it takes longer than reading each by itself.
    Pages may be read at a time, the certainly needed ones all at once: `each` is like `map`.
    """

    def shown_on(number: int) -> Mapping[str, Reply]:
        try:
            reply = client.send(overview.page(number))
            return overview.read(reply) if reply.status in READ else {}
        except (Failure, FeedtoolError, Unreadable):
            return {}

    least, last = 1 + (len(references) - 1) // overview.size, 1 + len(references) // 4
    replies: dict[str, Reply] = {}
    at_once = (range(1, least + 1), *(range(n, n + AHEAD) for n in range(least + 1, last, AHEAD)))
    for shown in chain.from_iterable(each(shown_on, numbers) for numbers in at_once):
        # A later page may show an older state of an entry that has moved down since.
        replies = {name: shown[name] for name in shown if name in references} | replies
        if len(shown) < overview.size or len(replies) == len(references):
            break
    return replies


def single_packages(packages: Iterable[Package], routes: Routes) -> list[int]:
    """The keys of single requests that are not closed."""
    return [
        package.key
        for package in packages
        if package.phase is not Phase.CLOSED
        and isinstance(routes[package.package_type].travel.protocol, Direct)
    ]
