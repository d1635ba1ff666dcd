"""Many calls that only read: repetitions, their times, and the end."""

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from feedtool.model.call import READ, Call, NotSent, NotYet, OutcomeUnknown, Reply
from feedtool.model.errors import FeedtoolError, Interrupted, NotAuthorised, Stopped, UsageProblem
from feedtool.service.answers import Unreadable
from feedtool.service.fetch import FetchContext, fetch

T0 = datetime(2026, 3, 1, tzinfo=UTC)
OK = Reply(200)
BROKEN = Reply(200, body=b"broken")
SLOW_DOWN = Reply(429)
Answer = Reply | Exception


class World:
    """A service with set answers for each path, the last of which repeats; and time."""

    def __init__(self, answers: dict[str, Sequence[Answer]]) -> None:
        self.answers = {path: list(those) for path, those in answers.items()}
        self.sent, self.taken, self.said = list[str](), list[str](), list[str]()
        self.lacks: list[tuple[str, str, int | None]] = []
        self.slept: list[float] = []
        self.more: dict[str, list[str]] = {}
        self.at = T0

    def send(self, call: Call) -> Reply:
        self.sent.append(call.target)
        answers = self.answers.get(call.target, [OK])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def call(self, asked: str) -> Call:
        return Call("GET", asked, READ)

    def take(self, asked: str, reply: Reply) -> Iterable[str]:
        if reply.body == b"broken":
            raise Unreadable("it is broken")
        self.taken.append(asked)
        return self.more.get(asked, [])

    def skip(self, asked: str, reason: str, status: int | None) -> Iterable[str]:
        self.lacks.append((asked, reason, status))
        return self.more.get(asked, [])

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += timedelta(seconds=seconds)

    def fetch(
        self,
        *asked: str,
        pool: int = 1,
        stopping: Callable[[], FeedtoolError | None] = lambda: None,
        forbidden_texts: tuple[str, str] | None = None,
    ) -> None:
        go_on, told = "Go on with `x`.", self.said.append
        around = (lambda: self.at, self.sleep, lambda: 1.0, pool, stopping)
        texts = (go_on, forbidden_texts, told)
        fetch(asked, self, self, FetchContext(*around, *texts))


def test_all_calls_and_their_followers_are_fetched() -> None:
    world = World({})
    world.more = {"a": ["c", "d"], "c": ["e"]}
    world.fetch("a", "b")
    assert world.taken == ["a", "b", "c", "d", "e"]
    assert world.slept == []


def test_a_silent_service_is_reported_at_once_and_once() -> None:
    refused = NotSent("shop.example:443 refused the connection")
    world = World({"a": [refused, refused, OutcomeUnknown("reset"), OK]})
    world.fetch("a")
    until = T0 + timedelta(seconds=62)
    assert world.said == [f"{refused}; trying again until about {until:%H:%M:%S} UTC"]


@pytest.mark.parametrize(
    ("answers", "slept"),
    [
        ([Reply(429, {"retry-after": "7"}), OK], [7.0]),
        *(([failure, OK], [2.0]) for failure in (SLOW_DOWN, NotSent("refused"), BROKEN)),
        ([SLOW_DOWN, SLOW_DOWN, OK], [2.0, 4.0]),
        ([OutcomeUnknown("reset"), Reply(500), Reply(502), OK], None),
        ([Reply(503), BROKEN, OK], [2.0, 4.0]),
    ],
)
def test_failed_calls_are_repeated(answers: list[Answer], slept: list[float] | None) -> None:
    world = World({"a": answers})
    world.fetch("a", "b")
    if slept is None:
        assert [one for one, _, _ in world.lacks] == ["a"]
        assert world.taken == ["b"]
    else:
        assert world.taken == ["a", "b"]
        assert world.slept[: len(slept)] == slept
        # After a 429 calls have a pause between them.
        is_slow = any(getattr(answer, "status", 0) == SLOW_DOWN.status for answer in answers)
        assert bool(world.slept[len(slept) :]) == is_slow


def test_a_used_up_shared_budget_leaves_the_own_pace() -> None:
    world = World({"a": [NotYet("used up", 30), OK]})
    world.fetch("a", "b", "c")
    assert (world.taken, world.slept) == (["a", "b", "c"], [30.0])


@pytest.mark.parametrize("asked", ["3601", "9" * 40, "Fri, 31 Dec 2099 23:59:59 GMT"])
def test_long_waits_end_the_fetch(asked: str) -> None:
    world = World({"a": [Reply(429, {"retry-after": asked}), OK]})
    with pytest.raises(Interrupted, match=r"asks to wait until 2026-03-0\d [\d:]{5} UTC") as caught:
        world.fetch("a")
    assert caught.value.hint == "Go on with `x`."
    assert world.slept == []


def test_a_429_is_no_failure_however_often_it_comes() -> None:
    world = World({"a": [*[SLOW_DOWN] * 20, OK]})
    world.fetch("a")
    assert world.taken == ["a"]
    assert max(world.slept) == 60


@pytest.mark.parametrize(
    ("answer", "lack", "sent"),
    [
        (Reply(404), ("b", "no reason given (HTTP 404)", 404), "abcd"),
        (BROKEN, ("b", "it is broken", None), "abbbcd"),
    ],
)
def test_a_refused_or_unreadable_call_does_not_end_the_fetch(
    answer: Reply, lack: tuple[str, str, int | None], sent: str
) -> None:
    world = World({"b": [answer]})
    world.more = {"b": ["d"]}
    world.fetch("a", "b", "c")
    assert world.lacks == [lack]
    assert (world.taken, world.sent) == (["a", "c", "d"], [*sent])
    assert bool(world.slept) == (answer is BROKEN)


STOPS: dict[str, tuple[Answer, type[FeedtoolError], str]] = {
    "401": (Reply(401), NotAuthorised, "does not accept the token"),
    "403": (Reply(403), NotAuthorised, "does not allow that"),
    "no token to be had": (NotAuthorised("none"), NotAuthorised, "none"),
    "a link that leads away": (UsageProblem("away"), UsageProblem, "away"),
    "down": (Reply(503), Interrupted, "gives no usable answer: no reason given"),
    "gone": (NotSent("ConnectError"), Interrupted, "cannot be reached: ConnectError"),
    "a redirection": (Reply(302), Interrupted, "gives no usable answer"),
}


@pytest.mark.parametrize(("answer", "kind", "message"), STOPS.values(), ids=STOPS)
def test_answers_that_end_a_fetch(answer: Answer, kind: type[FeedtoolError], message: str) -> None:
    world = World({path: [answer] for path in "abcdef"})
    with pytest.raises(kind, match=message):
        world.fetch(*"abcdef")
    assert world.taken == []
    assert len(world.sent) <= 6


def test_a_caller_may_explain_a_403() -> None:
    with pytest.raises(NotAuthorised, match=r"^It is closed: ") as caught:
        World({"a": [Reply(403)]}).fetch("a", forbidden_texts=("It is closed", "Ask."))
    assert caught.value.hint == "Ask."


@pytest.mark.parametrize("pool", [1, 3])
def test_stopping_finishes_calls_under_way(pool: int) -> None:
    world = World({})

    def stopping() -> FeedtoolError | None:
        return Stopped("enough") if len(world.taken) >= 4 else None

    with pytest.raises(Stopped, match="enough"):
        world.fetch(*"abcdefghij", pool=pool, stopping=stopping)
    assert sorted(world.taken) == sorted(world.sent)
    assert 4 <= len(world.taken) <= 4 + pool


def test_the_pool_runs_its_number_of_calls_at_once() -> None:
    together = threading.Barrier(3)

    class Together(World):
        def send(self, call: Call) -> Reply:
            together.wait(timeout=60)  # breaks unless three are under way at once
            return super().send(call)

    world = Together({})
    world.fetch(*"abcdef", pool=3)
    assert sorted(world.taken) == list("abcdef")
