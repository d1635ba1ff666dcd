"""The service as a command has reached it: whose account, at what time, and how much at a time."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from feedtool.model.call import Sender
from feedtool.runs.workspace import Workspace

if TYPE_CHECKING:
    from feedtool.delivery.deadlines import Clock
    from feedtool.model.errors import FeedtoolError
    from feedtool.service.fetch import FetchContext


@dataclass(frozen=True, slots=True)
class Session:
    """A way to the service, and its time."""

    client: Sender
    seller: str
    address: str
    language: str
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    pool: int = 4
    """Calls under way at a time."""
    page: int | None = None
    """Results a page is asked for; None leaves it to the session."""
    stopping: "Callable[[], FeedtoolError | None]" = lambda: None
    """Why no step is to be begun any more, once that is so."""
    profile: str | None = None
    """The account's name in the configuration, if it was reached by that."""
    is_sandbox: bool = False
    has_channel: bool = True
    """True if a channel was named for the rows that name none."""
    ahead: Callable[[], timedelta] = timedelta
    """What `now` is ahead of real time: in the embedded sandbox nothing waits, time leaps."""
    holds_lock: bool = False
    """True if the seller's lock is held already, by whoever runs one file after the other."""

    def wall(self) -> datetime:
        """Real time, for people; `now` is for what is compared with the service's own."""
        return self.now() - self.ahead()


def locked(session: Session, workspace: Workspace, command: str) -> AbstractContextManager[None]:
    """The seller's lock, unless it is held already."""
    if session.holds_lock:
        return nullcontext()
    from feedtool.ledger.lock import hold

    engine = workspace.ledger.engine
    return hold(engine, session.seller, session.address, command=command, now=session.wall())


def clock_of(session: Session, workspace: Workspace) -> "Clock":
    """The time at the service, for what it will delete."""
    from feedtool.delivery.deadlines import Clock

    return Clock(session.now(), workspace.ledger.skew(session.address), session.ahead())


def fetch_context_of(session: Session) -> "FetchContext":
    """For lists of the service that are read to their end."""
    from feedtool.service.fetch import FetchContext

    return FetchContext(session.now, session.sleep, pool=session.pool, stopping=session.stopping)
