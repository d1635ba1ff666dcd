"""Six small alterations of the protocol, each of which must be caught. None touches feedtool."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import NamedTuple
from unittest import mock

from feedtool.delivery import machine
from feedtool.delivery.steps import Step
from feedtool.delivery.transition import AnswerContext, Rule, Transition, fail
from feedtool.ledger import Change, Package, Phase, Stage, clearing
from feedtool.service.answers import AnswerKind
from tests.simulation.machine import FragileLedger
from tests.simulation.shop import Shop
from tests.simulation.world import World


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

    def again(package: Package, context: AnswerContext) -> Transition:
        return fail(package.with_stage(context.intent.upload, Stage.PLANNED), context)

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

    def anew(package: Package, context: AnswerContext) -> Transition:
        return Transition(
            package.advance(
                context.time,
                phase=Phase.PLANNED,
                package_id=None,
                state=None,
                created_at=None,
                committed_at=None,
                uploads=tuple(Stage.PLANNED for _ in package.uploads),
            )
        )

    with _rule(Step.COMMIT, AnswerKind.UNKNOWN, anew):
        yield


def _rule(do: Step, kind: AnswerKind, rule: Rule) -> AbstractContextManager[object]:
    return mock.patch.dict(machine.RULES, {(do, kind): rule})


@contextmanager
def no_holding() -> Iterator[None]:
    """Offers go before their products are answered."""
    with mock.patch.object(clearing, "unanswered", return_value=frozenset()):
        yield


@contextmanager
def unread() -> Iterator[None]:
    """A batch whose answer was lost is sent again at once."""

    def again(package: Package, context: AnswerContext) -> Transition:
        return fail(replace(package, phase=Phase.CLEARED, uploads=(Stage.PLANNED,)), context)

    with _rule(Step.SUBMIT, AnswerKind.UNKNOWN, again):
        yield


class Mutant(NamedTuple):
    """What is altered, and the world in which it is to be caught."""

    alter: Callable[[], AbstractContextManager[None]]
    seed: int
    """The first that caught it when this was written: tried first, and then all others."""
    kind: type[World] = World
    ledger: type[FragileLedger] = FragileLedger


MUTANTS = {
    "upload repeated in its package": Mutant(repeated_upload, 21),
    "no intent before the request": Mutant(no_intent, 14, ledger=Forgetful),
    "no waiting for references in flight": Mutant(no_waiting, 74),
    "package abandoned after PATCH": Mutant(abandoned, 45),
    "offers are not held back": Mutant(no_holding, 1, Shop),
    "a batch is sent again unread": Mutant(unread, 36, Shop),
}
