"""What became of a row, from what the ledger has of it. Pure.

Nothing is claimed that no answer said: a row without a result of its own is told by its upload
and its package, in the order of the table in `verdict`.
"""

from typing import NamedTuple

from feedtool.ledger.records import Phase, Stage
from feedtool.model.nouns import Message, RowResult, Status

BATCHES = (Phase.CLEARED, Phase.SUBMITTING, Phase.SUBMITTED)
"""Phases in which only a batch of products, or a legacy zip, is committed."""

REJECTED = "Rejected"
"""The package state that gives its message to all rows."""


class RowFacts(NamedTuple):
    """A row, its upload and its package."""

    row: int
    reference: str
    fate: Status | None
    """What was decided of the row without a result: by a look-up, or a later run."""
    why: str
    """Of that; or why it is sent again, where nothing is decided yet."""
    phase: Phase
    package_id: str | None
    state: str | None
    """The last package state that the service said."""
    is_committed: bool
    """Whether the PATCH was at least intended."""
    package_message: Message | None
    stage: Stage
    upload_message: Message | None
    status: Status | None
    """The service's result for the row, if there is one."""
    messages: tuple[Message, ...]


def row_result(facts: RowFacts) -> RowResult:
    """What became of the row."""
    if facts.status is not None:
        return _verdict(facts, facts.status, *facts.messages)
    if facts.fate is not None:
        return _verdict(facts, facts.fate, Message("", facts.why) if facts.why else None)
    if facts.phase is Phase.CLOSED:
        return _closed(facts)
    if facts.stage is Stage.REFUSED:
        return _verdict(facts, Status.PENDING, _REFUSED_SO_FAR, facts.upload_message)
    return _verdict(facts, Status.PENDING, _why_pending(facts))


def _why_pending(facts: RowFacts) -> Message:
    """What a row waits for in a package that is not closed."""
    if facts.is_committed and facts.phase in BATCHES:
        return Message("", _REPORTS[facts.package_id is not None].text.format(id=facts.package_id))
    if facts.why and not facts.is_committed:
        return Message("", facts.why)
    if not facts.is_committed:
        return _NOT_SENT if facts.package_id is None else _NOT_YET
    if facts.stage is Stage.PLANNED:
        return _LEFT_OUT
    doubt = _DOUBTFUL if facts.stage is not Stage.STAGED else _WAITED_FOR
    if facts.phase is Phase.COMMITTING:
        doubt = _COMMITTING
    return Message("", doubt.text.format(id=facts.package_id))


def _closed(facts: RowFacts) -> RowResult:
    """A row without a result in a package of which nothing more is to be had."""
    if facts.stage is Stage.REFUSED:
        return _verdict(facts, Status.REJECTED, facts.upload_message)
    if facts.package_id is None and facts.package_message:
        return _verdict(facts, Status.REJECTED, facts.package_message)
    if facts.stage is Stage.PLANNED:
        return _verdict(facts, Status.PENDING, _LEFT_OUT)
    if facts.stage is not Stage.STAGED:
        # Not even a Rejected package speaks of a row that may never have been in it.
        return _verdict(facts, Status.UNKNOWN, _IN_DOUBT, facts.package_message)
    if facts.state == REJECTED:
        return _verdict(facts, Status.REJECTED, facts.package_message)
    return _verdict(facts, Status.UNKNOWN, _LOST, facts.package_message)


def _verdict(facts: RowFacts, status: Status, *messages: Message | None) -> RowResult:
    return RowResult(facts.row, facts.reference, status, tuple(filter(None, messages)))


_REFUSED_SO_FAR = Message(
    "", "Its upload was refused as a whole; which row is to blame is found out in a later package."
)
_NOT_SENT = Message("", "Not sent: the run stopped before its package was begun.")
_NOT_YET = Message("", "Not in force: the run stopped before its package was committed.")
_LEFT_OUT = Message("", "Not sent: its package was completed without it.")
_COMMITTING = Message("", "Sent in package {id}; that it is completed is not confirmed yet.")
_WAITED_FOR = Message("", "Committed in package {id}; its result is not there yet.")
_DOUBTFUL = Message("", "The answer to its upload was lost; the results of package {id} will tell.")
_REPORTS = (
    Message("", "Sent; the answer was lost, and nothing that the service shows names it yet."),
    Message("", "Sent in package {id}; the service has not said the last word on it yet."),
)
_LOST = Message("", "The service took it, and has given no result for it.")
_IN_DOUBT = Message(
    "",
    "The answer to its upload was lost, and nothing that the service says of the package names it:"
    " most likely it was never taken. It was not sent again.",
)
