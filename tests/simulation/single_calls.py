"""A seller's single calls, in a world as of `world`: what the worlds of such calls share."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple
from unittest import mock

import orjson
from msgspec.structs import replace
from sqlalchemy import or_, select

from feedtool.delivery import direct, engine
from feedtool.delivery.direct import SINGLY
from feedtool.ledger import tables as t
from feedtool.model.call import JSON, Call, Reply
from feedtool.sandbox import HttpRequest
from feedtool.sandbox.exchange import HttpResponse
from feedtool.service.answers import AnswerKind
from tests.simulation.checker import Wrong
from tests.simulation.network import GOOD, SELLER, Network
from tests.simulation.story import Told
from tests.simulation.world import FAULTS, World

LIVES = 3
"""Number of processes, enough for a few single calls."""


class Deed(NamedTuple):
    """The effect of a call, equal for calls with the same effect."""

    kind: str
    key: str
    """The identifier of its object: an order's."""
    what: str


@dataclass
class SingleCallsStory:
    """The seller's runs."""

    runs: list[Told] = field(default_factory=list)
    before: tuple[Told, ...] = ()
    references: list[str] = field(default_factory=list)


class SingleCallsNetwork(Network):
    """A network that remembers the effects of its own calls."""

    deed_of: Callable[[str, Any], Deed]
    done: Counter[Deed]
    is_reading = False
    """True while the process may do nothing but read."""

    def _send(self, call: Call, token: str) -> Reply:
        """Looks are many, and what goes wrong with them is harmless."""
        usual = self.chance
        self.chance = min(0.6, usual * (4 if call.method == "POST" else 1))
        try:
            return super()._send(call, token)
        finally:
            self.chance = usual

    def _arrive(self, call: Call, token: str) -> Reply:
        reply = super()._arrive(call, token)
        if call.method == "POST" and reply.status in {200, 201}:
            self.done[self.deed_of(call.target, json.loads(call.body or b""))] += 1
        return reply

    def _leaves(self, call: Call) -> None:
        if self.is_reading and call.method == "POST":
            raise Wrong(f"{call.target} was sent where answers alone are fetched")

    def _remember(self, call: Call, path: str, status: int) -> None:
        """Do nothing: there are no packages."""

    def half(self, call: Call, token: str) -> Reply:
        """Take the call whole or not at all."""
        return self.broken(call, token)


@dataclass
class SingleCalls(World):
    """The world of single calls of one seed; the sandbox's effects are the judge."""

    network: SingleCallsNetwork = field(init=False)
    others: set[int] = field(default_factory=set)
    """The effects that colleagues had."""
    others_deeds: set[Deed] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__post_init__()
        scale = self.dice.choice((0.3, 1.0, 1.0, 3.0))
        self.network.ahead = timedelta(minutes=self.dice.randint(-5, 5))
        self.network.chance, self.crashes = 2 * FAULTS * scale, 0.02 * scale
        self.network.deed_of, self.network.done = self.deed_of, Counter()
        self.chaotic_lives = LIVES
        self.singly = self.dice.choice((SINGLY, SINGLY, 1))
        """So many things are looked at one by one, and more in a list."""
        self.hurry = self.dice.choice((0.0, 0.01, 0.03, 0.1))
        """How likely a colleague acts while we wait."""

    def deed_of(self, target: str, body: Any) -> Deed:
        raise NotImplementedError

    def interfere(self) -> None:
        """Act as a colleague, or a customer, would meanwhile."""

    def _tell_story(self) -> Any:
        return SingleCallsStory()

    def _network_type(self) -> type[SingleCallsNetwork]:
        return SingleCallsNetwork

    @contextmanager
    def _threads(self) -> Iterator[None]:
        with (
            super()._threads(),
            mock.patch.object(engine, "SINGLY", self.singly),
            mock.patch.object(direct, "SINGLY", self.singly),
        ):
            yield

    def _calm_down(self) -> None:
        super()._calm_down()
        self.settings = replace(self.settings, patience=timedelta(hours=1))

    def _one_life(self, to_begin: list[Told]) -> bool:
        is_chaotic = self.power.chance > 0
        self.network.is_reading = self.only_fetch = is_chaotic and self.dice.random() < 0.1
        return super()._one_life(to_begin)

    def _wait(self, duration: timedelta) -> None:
        self.network.pass_time(duration)
        if self.power.chance and self.dice.random() < self.hurry:
            self.interfere()

    def ask(self, method: str, path: str, body: Any = None) -> HttpResponse:
        """The service's answer, past our network."""
        headers = {**dict(JSON), "SellerId": SELLER, "Authorization": f"Bearer {GOOD}"}
        content = b"" if body is None else orjson.dumps(body)
        request = HttpRequest(method, path, "", headers, content)
        return self.service.handle(request, self.network.service_time)

    def post_by_other(self, path: str, body: Any) -> HttpResponse:
        """Make a colleague's call, whose effects are not counted as the seller's."""
        before = {effect.id for effect in self.service.effects()}
        answer = self.ask("POST", path, body)
        self.others |= {effect.id for effect in self.service.effects()} - before
        if answer.status < 300:
            self.others_deeds.add(self.deed_of(path, body))
        self.note(f"A COLLEAGUE: {path} {orjson.dumps(body).decode()} → {answer.status}")
        return answer

    def lost(self) -> set[tuple[int, int]]:
        """The files and rows whose call was intended, and of which we have no answer."""
        has_none = or_(
            t.attempts.c.outcome.is_(None), t.attempts.c.outcome == str(AnswerKind.UNKNOWN)
        )
        query = (
            select(t.requests.c.file, t.requests.c.row)
            .join(t.attempts, t.attempts.c.package == t.requests.c.package)
            .where(t.attempts.c.step == "call", has_none)
        )
        with self.ledger.engine.connect() as db:
            return {(file, row) for file, row in db.execute(query)}
