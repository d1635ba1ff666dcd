"""The way to the service: it loses, delays, doubles nothing, and lies about nothing else."""

import heapq
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import format_datetime
from itertools import count
from random import Random
from urllib.parse import urlencode, urlsplit

from feedtool.model.call import Call, NotSent, OutcomeUnknown, Reply
from feedtool.sandbox import HttpRequest, Sandbox
from feedtool.sandbox.exchange import NOWHERE, relative
from feedtool.service.auth import send_with
from tests.simulation.machine import Clock, Power
from tests.simulation.story import MARK

SELLER = "S1"
GOOD, STALE = "sandbox", "stale"
"""The token that the service takes, and one that it took before."""

TIMEOUT = timedelta(seconds=60)


class Tokens:
    """A token that runs out; a new one is had for the asking, mostly."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.token = GOOD

    def get(self) -> str:
        return self.token

    def renew(self, stale: str) -> str:
        del stale
        if self.random.random() < 0.8:
            self.token = GOOD
        return self.token


@dataclass
class Seen:
    """The requests on the line: the checker's second witness, beside the service itself."""

    left: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Packages in which a row has left us, by its mark."""
    staged: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """References that the service took, by package."""
    created: dict[str, datetime] = field(default_factory=dict)
    """The time of each creation, by the service's clock."""
    absent: set[tuple[str, str]] = field(default_factory=set)
    """Channels and references that GET /offers was asked for, and did not show."""
    gone: dict[str, timedelta] = field(default_factory=dict)
    """Packages of which the service told us that it has nothing, and how old they were then.

    The last time counts: what was told before was not heard, or it would not be asked again.
    """


class Network:
    """A fake of `client.Client`: sends a Call to the sandbox, if it gets there."""

    def __init__(
        self,
        sandbox: Sandbox,
        clock: Clock,
        power: Power,
        random: Random,
        note: Callable[[str], None],
        *,
        ahead: timedelta,
        chance: float,
    ) -> None:
        self.sandbox, self.clock, self.power = sandbox, clock, power
        self.random, self.note = random, note
        self.ahead = ahead
        """What the service's clock is ahead of ours."""
        self.chance = chance
        """Of a fault, at each call."""
        self.tokens = Tokens(random)
        self.seen = Seen()
        self.out_until: datetime | None = None
        """No call gets through before that."""
        self._late: list[tuple[datetime, int, Call]] = []
        self._numbers = count()

    # The service's side.

    @property
    def service_time(self) -> datetime:
        return self.clock.time + self.ahead

    def pass_time(self, duration: timedelta) -> None:
        """Let time pass; what is under way arrives meanwhile."""
        end = self.clock.time + duration
        while self._late and self._late[0][0] <= end:
            due, _, call = heapq.heappop(self._late)
            self.clock.time = max(self.clock.time, due)
            reply = self._arrive(call, GOOD)
            self.note(f"late: {call.method} {_shown(call)} → {reply.status}")
        self.clock.time = end

    def post_late(self, call: Call, within: timedelta) -> None:
        """Let the call arrive some time later, even if nobody waits for it by then."""
        due = self.clock.time + within * self.random.random()
        self._leaves(call)
        heapq.heappush(self._late, (due, next(self._numbers), call))

    def _arrive(self, call: Call, token: str) -> Reply:
        """The service answers; what it did is remembered."""
        url = urlsplit(call.target if "://" in call.target else NOWHERE + call.target)
        headers = {**dict(call.headers), "SellerId": SELLER, "Authorization": f"Bearer {token}"}
        path, query = relative(url.path), url.query or urlencode(call.query)
        request = HttpRequest(call.method, path, query, headers, call.body or b"")
        response = self.sandbox.handle(request, self.service_time)
        headers = {name.lower(): value for name, value in response.headers.items()}
        if path == "/offers":
            self._remember_offers(call, response.body)
        elif response.status == 201 and path == "/offer-packages":
            package = headers["content-location"].rpartition("/")[2]
            self.seen.created[package] = self.service_time
        else:
            self._remember(call, path, response.status)
        return Reply(response.status, headers, response.body, url.geturl())

    def _remember(self, call: Call, path: str, status: int) -> None:
        package = path.split("/")[2] if path.count("/") > 1 else ""
        if call.method == "POST" and package and status == 201:
            self.seen.staged[package] += [row["sellerExternalReference"] for row in _rows(call)]
        if call.method != "POST" and status == 404:
            age = self.service_time - self.seen.created[package]
            self.seen.gone[package] = age

    def _remember_offers(self, call: Call, body: bytes) -> None:
        asked = dict(call.query)
        shown = {item["sellerExternalReference"] for item in json.loads(body)["items"]}
        wanted = asked.get("sellerExternalReferences", "").split(",")
        self.seen.absent.update((asked["salesChannelId"], name) for name in {*wanted} - shown)

    # Our side.

    def send(self, call: Call) -> Reply:
        """Return the answer, or raise the failure that replaces it."""
        return send_with(self.tokens, lambda token: self._send(call, token))

    def _send(self, call: Call, token: str) -> Reply:
        self.power.point("before a call")
        self.pass_time(timedelta(milliseconds=self.random.randint(50, 1500)))
        if self.out_until and self.clock.time < self.out_until:
            return self._fail(call, token, self.random.choice(("not_sent", "not_sent", "lost")))
        if self.random.random() < self.chance:
            return self._fail(call, token, self.random.choice(FAULTS))
        if token == GOOD:
            self._leaves(call)
        reply = self._arrive(call, token)
        self.note(f"{call.method} {_shown(call)} → {reply.status}")
        self.power.point("after a call")
        return reply

    def _leaves(self, call: Call) -> None:
        if _is_upload(call):
            package = call.target.split("/")[2]
            for row in _rows(call):
                self.seen.left[row[MARK]].add(package)

    def _fail(self, call: Call, token: str, fault: str) -> Reply:
        self.note(f"{call.method} {_shown(call)} → {fault.upper()}")
        if fault not in {"not_sent", "busy", "busy_until", "outage", "expired"}:
            self._leaves(call)
        reply: Reply = getattr(self, fault)(call, token)
        return reply

    def not_sent(self, _call: Call, _token: str) -> Reply:
        raise NotSent("connection refused")

    def lost(self, _call: Call, _token: str) -> Reply:
        """Never deliver the request."""
        self.pass_time(TIMEOUT)
        raise OutcomeUnknown("timeout")

    def late(self, call: Call, _token: str) -> Reply:
        """The request arrives after we gave up, often after the next steps of the package."""
        within = self.random.choice((timedelta(seconds=5), timedelta(minutes=10), HOURS))
        self.pass_time(TIMEOUT)
        self.post_late(call, within)
        raise OutcomeUnknown("timeout")

    def answer_lost(self, call: Call, token: str) -> Reply:
        """A reset, or an answer after we gave up."""
        self._arrive(call, token)
        self.pass_time(self.random.choice((timedelta(0), TIMEOUT)))
        raise OutcomeUnknown("reset")

    def broken(self, call: Call, token: str) -> Reply:
        """500 with the effect."""
        self._arrive(call, token)
        return Reply(500, self._dated())

    def unavailable(self, _call: Call, _token: str) -> Reply:
        """5xx without the effect."""
        return Reply(self.random.choice((500, 502, 503, 504)), self._dated())

    def half(self, call: Call, token: str) -> Reply:
        """500 with half of the effect: only the first rows of an upload are staged.

        Nothing in the specification says that an upload is taken whole or not at all.
        """
        if call.method != "POST" or call.target == "/offer-packages":
            return self.broken(call, token)
        rows = _rows(call)
        part = rows[: self.random.randint(0, len(rows))]
        if part:
            self._arrive(_with_body(call, json.dumps(part).encode()), token)
        return Reply(500, self._dated())

    def strange(self, call: Call, token: str) -> Reply:
        """Answer with a success of another kind, or a creation whose id cannot be read."""
        reply = self._arrive(call, token)
        return Reply(226 if reply.status // 100 == 2 else reply.status, self._dated())

    def busy(self, _call: Call, _token: str) -> Reply:
        wait = {"retry-after": str(self.random.randint(0, 300))}
        return Reply(429, {**self._dated(), **(wait if self.random.random() < 0.7 else {})})

    def busy_until(self, _call: Call, _token: str) -> Reply:
        """429, with Retry-After as a date by the service's clock."""
        until = self.service_time + timedelta(seconds=self.random.randint(0, 300))
        date = {"date": format_datetime(self.service_time, usegmt=True)}
        return Reply(429, {**date, "retry-after": format_datetime(until, usegmt=True)})

    def outage(self, call: Call, token: str) -> Reply:
        """Let no call through for a while, perhaps for hours."""
        longest = self.random.choice((timedelta(minutes=5), timedelta(hours=1), HOURS))
        self.out_until = self.clock.time + longest * self.random.random()
        return self.not_sent(call, token)

    def expired(self, call: Call, _token: str) -> Reply:
        """Let the token run out: the service answers 401."""
        self.tokens.token = STALE
        return self._arrive(call, STALE)

    def _dated(self) -> dict[str, str]:
        """The Date header, which some proxies leave out."""
        date = {"date": format_datetime(self.service_time, usegmt=True)}
        return date if self.random.random() < 0.5 else {}


HOURS = timedelta(hours=8)

FAULTS = (
    *("not_sent", "lost", "late", "answer_lost", "broken", "unavailable", "half", "strange"),
    *("busy", "busy_until", "outage", "expired"),
)


def _rows(call: Call) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = json.loads(call.body or b"[]")
    return rows


def _with_body(call: Call, body: bytes) -> Call:
    return type(call)(call.method, call.target, call.success, call.query, call.headers, body)


def _shown(call: Call) -> str:
    """A call in the log: ids cut short, the rows of an upload by their marks."""
    path, _, query = call.target.removeprefix(NOWHERE).partition("?")
    shown = "/".join(part[:6] if len(part) == 36 else part for part in path.split("/"))
    shown += f"?{query}" if query else ""
    if call.target.startswith("/offers?") or call.target == "/offers":
        shown += "?" + ",".join(value for name, value in call.query if name != "fields")
    marks: Iterator[str] = (row[MARK] for row in _rows(call)) if _is_upload(call) else iter(())
    return " ".join((shown, *marks))


def _is_upload(call: Call) -> bool:
    return call.method == "POST" and call.target.endswith("/offer-requests")
