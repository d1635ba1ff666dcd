"""Eight small alterations of the protocol, each of which must be caught. None touches feedtool."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple
from unittest import mock

from msgspec.structs import replace

from feedtool.areas.offers.changes import undo
from feedtool.delivery import machine
from feedtool.delivery.steps import Step
from feedtool.delivery.transition import AnswerContext, Rule, Transition, fail
from feedtool.ledger import Change, Package, Phase, Stage, admission
from feedtool.service.answers import AnswerKind
from tests.simulation.machine import FragileLedger
from tests.simulation.shop import Shop
from tests.simulation.undone import Undone
from tests.simulation.world import World

Alter = Callable[[], AbstractContextManager[object]]


class Forgetful(FragileLedger):
    """Writes an intent together with its result, and not before the request."""

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


def repeated_upload(package: Package, context: AnswerContext) -> Transition:
    """Send an upload of unknown outcome again in its package."""
    return fail(package.with_stage(context.intent.upload, Stage.PLANNED), context)


def abandoned(package: Package, context: AnswerContext) -> Transition:
    """Send the rows again in another package after an unknown answer to the PATCH."""
    free = dict.fromkeys(("package_id", "state", "created_at", "committed_at"))
    uploads = tuple(Stage.PLANNED for _ in package.uploads)
    return Transition(package.advance(context.time, phase=Phase.PLANNED, uploads=uploads, **free))


def unread(package: Package, context: AnswerContext) -> Transition:
    """Send a batch whose answer was lost again at once."""
    return fail(replace(package, phase=Phase.CLEARED, uploads=(Stage.PLANNED,)), context)


def _unknown(do: Step, rule: Rule) -> Alter:
    return lambda: mock.patch.dict(machine.RULES, {(do, AnswerKind.UNKNOWN): rule})


def _without(*names: str) -> Alter:
    """These find, and hold, nothing that a package waits for."""
    return lambda: mock.patch.multiple(
        admission, **{name: mock.Mock(return_value=frozenset()) for name in names}
    )


class Mutant(NamedTuple):
    """The alteration, and the world in which it is to be caught."""

    alter: Alter
    seed: int
    """The first that caught it when this was written: tried first, and then all others."""
    kind: type[World] = World
    ledger: type[FragileLedger] = FragileLedger


def _forgetful_undo() -> AbstractContextManager[object]:
    """Undo does not restore prices."""
    return mock.patch.object(undo, "RESTORED", undo.RESTORED[1:])


def _blind_undo() -> AbstractContextManager[object]:
    """Undo does not see what was sent since."""
    return mock.patch.object(undo._Undo, "_changed_since", return_value=None)  # noqa: SLF001


MUTANTS = {
    "no intent before the request": Mutant(nullcontext, 14, ledger=Forgetful),
    "no waiting for references in flight": Mutant(_without("blockers", "acquire"), 74),
    "a batch is sent again unread": Mutant(_unknown(Step.SUBMIT, unread), 45, Shop),
    "undo forgets the price": Mutant(_forgetful_undo, 0, Undone),
    "upload repeated in its package": Mutant(_unknown(Step.UPLOAD, repeated_upload), 21),
    "package abandoned after PATCH": Mutant(_unknown(Step.COMMIT, abandoned), 45),
    "offers are not held back": Mutant(_without("unanswered"), 1, Shop),
    "undo takes back what was sent since": Mutant(_blind_undo, 6, Undone),
}
"""The normal run tests the first four: one of each kind of world, and of each kind of ledger."""
