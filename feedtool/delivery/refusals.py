"""What follows on an answer that says that a step took no effect. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from feedtool.delivery.decide import ALONE, Do, staged
from feedtool.delivery.progress import Learnt, Now
from feedtool.ledger import Phase, Stage
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.model.nouns import Message

if TYPE_CHECKING:
    from feedtool.delivery.answer import Answer
    from feedtool.delivery.decide import Step
    from feedtool.ledger import Package

ABOUT_THE_CONTENT = {400, 409, 413, 415, 422}
"""Refusals of what was sent: the rows are refused, the run goes on."""
GONE = {404, 410}


def undone(package: Package, step: Step) -> Package:
    """The package as if the step had never been begun, which is what its answer says."""
    if step.do is Do.CREATE:
        return replace(package, phase=Phase.CLEARED)
    if step.do is Do.UPLOAD:
        return staged(package, step.upload, Stage.PLANNED)
    if step.do in ALONE:
        return _unsubmitted(package)
    return package  # a COMMIT stays intended: looking again is always safe


def _unsubmitted(package: Package) -> Package:
    """A batch, or a zip, before its last POST: of an earlier one a batch may be in doubt."""
    times = package.creations - 1
    return replace(
        package,
        phase=Phase.CLEARED,
        creations=times,
        created_at=None,  # when it was sent before is not kept: the time of the first will do
        committed_at=package.committed_at if times else None,
        uploads=(Stage.DOUBTFUL if times else Stage.PLANNED,),
    )


def stopped(package: Package, step: Step, answer: Answer, _now: Now) -> Learnt:
    """A refusal that no row can help."""
    # What refuses even to create is not in trouble: it is the wrong address or seller.
    kind = UsageProblem if step.do in {Do.CREATE, *ALONE} else Interrupted
    stop = kind(
        f"The service refuses to {step.do}: {answer.detail}",
        "Check the base address (its version segment included) and the seller.",
    )
    return Learnt(undone(package, step), stop=stop)


def message_of(answer: Answer) -> Message:
    """Why something was refused."""
    return Message(answer.refusal.code if answer.refusal else "", answer.detail)
