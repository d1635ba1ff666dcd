"""Note in the ledger how a command that sends a seller's rows has ended."""

from collections.abc import Iterator
from contextlib import contextmanager

from feedtool.ledger.records import seller_key
from feedtool.model.errors import FeedtoolError, Interrupted, NotAuthorised
from feedtool.runs.deliver import Submission
from feedtool.runs.workspace import Session, Workspace


class PassOutcome:
    """The outcome of a command that sends rows, so far."""

    def __init__(self) -> None:
        self.has_sent = False
        self.stopped: FeedtoolError | None = None

    def end(self, submission: Submission) -> Submission:
        """Note the outcome of a submission, and return it; one without a run sent nothing."""
        self.has_sent = any(result.run for result in submission.outcomes)
        self.stopped = submission.stopped
        return submission


@contextmanager
def note_pass(session: Session, workspace: Workspace) -> Iterator[PassOutcome]:
    """Note with the seller whether the sending reaches its end.

    An error is noted as the seller's trouble if the service could not be reached, or refused the
    account. A stop by the user, a wrong option and a wrong file are not noted.
    """
    passing = PassOutcome()
    try:
        yield passing
    except (Interrupted, NotAuthorised) as error:
        passing.stopped = error
        raise
    finally:
        stopped = passing.stopped
        is_trouble = isinstance(stopped, Interrupted | NotAuthorised)
        if is_trouble and stopped is not session.stopping():
            _note(session, workspace, stopped)
        elif passing.has_sent and stopped is None:
            _note(session, workspace, None)


def _note(session: Session, workspace: Workspace, error: FeedtoolError | None) -> None:
    key = seller_key(session.address, session.seller)
    workspace.ledger.sellers.passed(key, session.profile, None, error, None, session.wall())
