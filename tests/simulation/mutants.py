"""Four small alterations of the protocol, each of which must be caught. None touches feedtool."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from unittest import mock

from feedtool.delivery import machine
from feedtool.delivery.steps import Step, StepIntent
from feedtool.delivery.transition import Transition, TransitionContext, fail
from feedtool.ledger import Change, Package, Phase, Stage, clearing
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import Answer
from tests.simulation.machine import FragileLedger

Rule = Callable[[Package, StepIntent, Answer, TransitionContext], Transition]


class Forgetful(FragileLedger):
    """Writes an intent down with what came of it, and not before the request."""

    def __init__(self) -> None:
        super().__init__()
        self.kept_back: list[Change] = []

    def wipe(self) -> None:
        super().wipe()
        self.kept_back = []

    def save(self, changes: Sequence[Change]) -> list[Package]:
        told = [*self.kept_back, *changes]
        self.kept_back = []
        while told and _is_intent(told[-1]):
            self.kept_back.insert(0, told.pop())
        return super().save(told) if told else []

    def read_packages(self, run_id: int) -> list[Package]:
        self.kept_back = []  # a new process knows nothing of it
        return super().read_packages(run_id)


def _is_intent(change: Change) -> bool:
    return change.attempt is not None and change.attempt.answered_at is None


@contextmanager
def repeated_upload() -> Iterator[None]:
    """An upload of unknown outcome is sent again in its package."""

    def again(
        package: Package, step: StepIntent, answer: Answer, now: TransitionContext
    ) -> Transition:
        return fail(package.with_stage(step.upload, Stage.PLANNED), answer, now)

    with _rule(Step.UPLOAD, AnswerKind.UNKNOWN, again):
        yield


@contextmanager
def no_intent() -> Iterator[None]:
    """The ledger is a Forgetful one; nothing else changes."""
    yield


@contextmanager
def no_waiting() -> Iterator[None]:
    """Rows are sent whatever else of theirs is in flight."""
    with (
        mock.patch.object(clearing, "blockers", return_value=frozenset()),
        mock.patch.object(clearing, "acquire", return_value=None),
    ):
        yield


@contextmanager
def abandoned() -> Iterator[None]:
    """After an unknown answer to the PATCH the rows are sent anew, in another package."""

    def anew(
        package: Package, _step: StepIntent, _answer: Answer, now: TransitionContext
    ) -> Transition:
        return Transition(_anew(package, now))

    with _rule(Step.COMMIT, AnswerKind.UNKNOWN, anew):
        yield


def _anew(package: Package, now: TransitionContext) -> Package:
    return package.advance(
        now.time,
        phase=Phase.PLANNED,
        package_id=None,
        state=None,
        created_at=None,
        committed_at=None,
        uploads=tuple(Stage.PLANNED for _ in package.uploads),
    )


def _rule(do: Step, kind: AnswerKind, rule: Rule) -> AbstractContextManager[object]:
    return mock.patch.dict(machine.RULES, {(do, kind): rule})


MUTANTS: dict[str, tuple[Callable[[], AbstractContextManager[None]], type[FragileLedger]]] = {
    "upload repeated in its package": (repeated_upload, FragileLedger),
    "no intent before the request": (no_intent, Forgetful),
    "no waiting for references in flight": (no_waiting, FragileLedger),
    "package abandoned after PATCH": (abandoned, FragileLedger),
}
"""What is altered, and the ledger that goes with it."""
