"""How a command that sends a seller's rows has ended, noted with the seller in the ledger."""

from collections.abc import Iterator
from contextlib import contextmanager

from feedtool.ledger.records import seller_key
from feedtool.model.errors import FeedtoolError, Interrupted, NotAuthorised
from feedtool.runs.deliver import Submission
from feedtool.runs.workspace import Session, Workspace


class Pass:
    """What has come of a command so far."""

    def __init__(self) -> None:
        self.has_sent = False
        self.stopped: FeedtoolError | None = None

    def end(self, submission: Submission) -> Submission:
        """Takes in what was sent, which is returned; a command that begins no run sends nothing."""
        self.has_sent = any(result.run for result in submission.outcomes)
        self.stopped = submission.stopped
        return submission


@contextmanager
def noted_pass(session: Session, workspace: Workspace) -> Iterator[Pass]:
    """Notes with the seller whether what is sent here gets to its end.

    What stops it is the seller's trouble if the service could not be reached, or refused the
    account. To be told to stop is none, nor is an option, or a file, that cannot be used.
    """
    passing = Pass()
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
