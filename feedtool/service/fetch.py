"""Reading much: many calls that change nothing, several at a time, each until it is answered.

What may be repeated as it is needs no ledger: a 429 makes all calls wait and slows the pace
(`pace`), what is not answered is asked again with growing pauses, and a refused credential ends
it. Calls run in a pool; everything else, `take` included, happens in the calling thread.
"""

import random
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, Protocol, TypeVar

from feedtool.model.call import Call, Failure, NotSent, Reply, Sender
from feedtool.model.errors import FeedtoolError, Interrupted, NotAuthorised
from feedtool.service.answers import AnswerKind, kind_of, refusal, retry_after
from feedtool.service.bodies import Unreadable
from feedtool.service.calling import ReplyResult, ask, executor
from feedtool.service.pace import Pace, back_off, longest_back_off

Asked = TypeVar("Asked", bound="Hashable")

TRIES = 6
"""So many times in a row without any usable answer, and the service is given up."""

TRIES_OF_ONE = 3
"""So many times without one, while others are answered, and a call is given up."""

LONGEST_HOLD = timedelta(hours=1)
"""Whoever is asked to wait longer is told so: a delivery waits no longer for one package either."""

FORBIDDEN = 403

NO_RIGHT = (
    "The service does not allow that",
    "The token is known but lacks the right: check the seller and what the account is opened for.",
)
"""What a 403 means, and what to do."""


class Reader(Protocol[Asked]):
    """What is asked for, and what becomes of the answers."""

    def call(self, asked: Asked) -> Call:
        """The call that asks for it."""
        ...

    def take(self, asked: Asked, reply: Reply) -> Iterable[Asked]:
        """Read a success, and name what is to be asked for next; Unreadable has it asked again."""
        ...

    def lack(self, asked: Asked, reason: str, status: int | None) -> Iterable[Asked]:
        """What was asked for is not to be had; name what is to be asked for next.

        It was refused with `status`, or (None) has never given a usable answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class FetchContext:
    """Time, chance, and how far to go."""

    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    luck: Callable[[], float] = random.random
    """From 0 to 1, for pauses that differ between clients."""
    pool: int = 4
    """Calls under way at a time; 1 has all happen in the calling thread, in the same order."""
    stopping: Callable[[], FeedtoolError | None] = lambda: None
    """Why no call is to be begun any more, once that is so."""
    go_on: str = ""
    """What to do when it was stopped."""
    closed: tuple[str, str] | None = None
    """What a 403 means where the right to a route is one of an opening, and what to do."""
    on_unreachable: Callable[[str], None] = lambda _: None
    """Is told at once, on one line, when the service cannot be reached, and until when it is
    tried."""
    ahead: Callable[[], timedelta] = timedelta
    """What `now` is ahead of real time: the embedded sandbox's time leaps."""

    def wall(self) -> datetime:
        """Real time, for people."""
        return self.now() - self.ahead()


def fetch(
    asked: Iterable[Asked], reader: Reader[Asked], client: Sender, around: FetchContext
) -> None:
    """Ask for all of it, and for what that leads to, in the order in which it was named.

    Raises:
        NotAuthorised: the service refuses the credential.
        Interrupted: it cannot be reached, or gives no usable answer; what was taken stays so.
        FeedtoolError: what `stopping` said. The calls under way are finished first.
    """
    with executor(around.pool) as lanes:
        _Fetching(reader, client, around, lanes, asked).run()


class _Fetching(Generic[Asked]):
    def __init__(
        self,
        reader: Reader[Asked],
        client: Sender,
        around: FetchContext,
        lanes: Executor,
        asked: Iterable[Asked],
    ) -> None:
        self._reader, self._client, self._around, self._lanes = reader, client, around, lanes
        self._waiting: deque[Asked] = deque(asked)
        self._flights: dict[Future[ReplyResult], tuple[Asked, Call]] = {}
        self._pace = Pace(around.pool)
        self._tries: Counter[Asked] = Counter()
        self._failures = 0
        self._waits = 0
        self._hold: datetime | None = None
        self._stop: FeedtoolError | None = None

    def run(self) -> None:
        while self._waiting or self._flights:
            self._stop = self._stop or self._around.stopping()
            self._begin()
            if self._flights:
                for future in wait_for(self._flights, return_when=FIRST_COMPLETED).done:
                    self._land(*self._flights.pop(future), future.result())
            elif self._stop:
                raise self._stop
            else:
                self._sleep()
        if self._stop:
            raise self._stop

    def _begin(self) -> None:
        held = self._held_until()
        if self._stop or (held and self._around.now() < held):
            return
        for _ in range(min(self._pace.room(len(self._flights)), len(self._waiting))):
            asked = self._waiting.popleft()
            call = self._reader.call(asked)
            self._flights[self._lanes.submit(ask, self._client, call)] = asked, call

    def _sleep(self) -> None:
        held, now = self._held_until(), self._around.now()
        if held and held > now:
            self._around.sleep((held - now).total_seconds())

    def _held_until(self) -> datetime | None:
        return max(filter(None, (self._hold, self._pace.next_at)), default=None)

    def _land(self, asked: Asked, call: Call, heard: ReplyResult) -> None:
        if isinstance(heard, FeedtoolError):
            self._stop = self._stop or heard
            self._waiting.appendleft(asked)
        elif isinstance(heard, Failure):
            kind = AnswerKind.NOT_SENT if isinstance(heard, NotSent) else AnswerKind.UNKNOWN
            self._fail(asked, kind, str(heard))
        else:
            self._answered(asked, heard, kind_of(call, heard))

    def _answered(self, asked: Asked, reply: Reply, kind: AnswerKind) -> None:
        self._pace = self._pace.after(kind, self._around.now())
        if kind is AnswerKind.DONE:
            self._take(asked, reply)
        elif kind is AnswerKind.WAIT:
            self._wait(asked, reply)
        elif kind is AnswerKind.AUTH:
            self._stop = self._stop or not_authorised(
                reply, self._around.go_on, self._around.closed
            )
            self._waiting.appendleft(asked)
        elif kind is AnswerKind.REFUSED:
            self._failures = 0
            self._waiting.extend(self._reader.lack(asked, refusal(reply).text, reply.status))
        else:
            self._fail(asked, kind, refusal(reply).text)

    def _take(self, asked: Asked, reply: Reply) -> None:
        try:
            more = list(self._reader.take(asked, reply))
        except Unreadable as error:
            self._fail(asked, AnswerKind.UNKNOWN, str(error))
            return
        self._failures = self._waits = 0
        self._waiting.extend(more)

    def _wait(self, asked: Asked, reply: Reply) -> None:
        """Nothing was wrong with the call; all wait as long as the service says."""
        now = self._around.now()
        self._waits += 1
        seconds = retry_after(reply, now)
        if seconds is None:
            pause = back_off(self._waits, self._around.luck())
        else:
            pause = timedelta(seconds=seconds)
        if pause > LONGEST_HOLD:
            self._stop = self._stop or Interrupted(
                f"The service asks to wait until {now + pause:%Y-%m-%d %H:%M} UTC:"
                f" {refusal(reply).text}",
                self._around.go_on,
            )
        self._hold_for(pause)
        self._waiting.appendleft(asked)

    def _fail(self, asked: Asked, kind: AnswerKind, detail: str) -> None:
        """No usable answer. Calls that fail together, before the pause is over, count as one."""
        held = self._hold is not None and self._hold > self._around.now()
        self._failures += not held
        if kind is AnswerKind.NOT_SENT and self._failures == 1 and not held:
            until = self._around.now() + longest_back_off(1, TRIES)
            self._around.on_unreachable(
                f"{detail.rstrip('.')}; trying again until about {until:%H:%M:%S} UTC"
            )
        self._tries[asked] += 1
        if self._failures >= TRIES:
            what = "cannot be reached" if kind is AnswerKind.NOT_SENT else "gives no usable answer"
            self._stop = self._stop or Interrupted(
                f"The service {what}: {detail}", self._around.go_on
            )
        if (
            kind is not AnswerKind.NOT_SENT
            and self._tries[asked] >= TRIES_OF_ONE
            and not self._stop
        ):
            self._waiting.extend(self._reader.lack(asked, detail, None))
            return
        self._waiting.appendleft(asked)
        if not held:
            self._hold_for(back_off(self._failures, self._around.luck()))

    def _hold_for(self, pause: timedelta) -> None:
        until = self._around.now() + pause
        self._hold = max(self._hold or until, until)


def not_authorised(
    reply: Reply, go_on: str = "", closed: tuple[str, str] | None = None
) -> NotAuthorised:
    """What a 401 or a 403 stops a command with.

    Args:
        reply: The answer.
        go_on: What to do once the token is right.
        closed: As `Circumstances.closed`.
    """
    said = refusal(reply).text
    if reply.status == FORBIDDEN:
        meaning, hint = closed or NO_RIGHT
        return NotAuthorised(f"{meaning}: {said}", hint)
    return NotAuthorised(
        f"The service does not accept the token: {said}",
        f"Check the token, and that it has not run out. {go_on}".strip(),
    )
