import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from feedtool.model.call import Failure, NotSent, OutcomeUnknown, Reply
from feedtool.model.errors import FeedtoolError, Interrupted, NotAuthorised, UsageProblem
from feedtool.service.auth import MARGIN, SECRET, ClientCredentials, FileToken, Grant, StaticToken

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
URL = "https://auth.example/token"
PLANTED = "planted-s3cret-é"


def granted(token: str, **more: Any) -> Reply:
    return Reply(200, body=json.dumps({"access_token": token, **more}).encode())


class Endpoint:
    """A token endpoint that answers what it is told, then tokens by number; and the clock."""

    def __init__(
        self,
        *answers: Reply | Failure,
        life: object = 3600,
        hold: Callable[[], object] = lambda: None,
    ) -> None:
        self.answers = list(answers)
        self.life = life
        self.hold = hold
        self.forms: list[dict[str, str]] = []
        self.now = START

    def post(self, url: str, form: bytes) -> Reply:
        assert url == URL
        self.forms.append(dict(parse_qsl(form.decode(), strict_parsing=True)))
        self.hold()
        answer = (
            self.answers.pop(0)
            if self.answers
            else granted(f"token-{len(self.forms)}", expires_in=self.life, token_type="Bearer")
        )
        if isinstance(answer, Failure):
            raise answer
        return answer

    def token(self, **more: str) -> ClientCredentials:
        grant = Grant(URL, "me", StaticToken(PLANTED, SECRET), **more)
        return ClientCredentials(grant, self.post, lambda: self.now)


@pytest.mark.parametrize(
    "more", [{}, {"scope": "a b"}, {"audience": "https://x/"}, {"scope": "a", "audience": "b"}]
)
def test_what_is_asked(more: dict[str, str]) -> None:
    endpoint = Endpoint()
    assert endpoint.token(**more).get() == "token-1"
    asked = {"grant_type": "client_credentials", "client_id": "me", "client_secret": PLANTED}
    assert endpoint.forms == [{**asked, **more}]


@pytest.mark.parametrize(
    ("life", "waited", "asked"),
    [
        (3600, 3600 - MARGIN.total_seconds() - 1, 1),
        (3600, 3600 - MARGIN.total_seconds(), 2),
        ("3600", 3600 - MARGIN.total_seconds(), 2),
        (7200.5, 7200, 2),
        (60, 29, 1),  # a margin longer than the life would ask each time
        (60, 30, 2),
        (10**400, 360 * 86400, 1),
        (10**400, 365 * 86400, 2),
        (None, 10**8, 1),
        (0, 10**8, 1),
        (-5, 10**8, 1),
        (True, 10**8, 1),
        (float("nan"), 10**8, 1),
        ("soon", 10**8, 1),
        ([], 10**8, 1),
    ],
)
def test_a_token_is_renewed_before_it_ends(life: object, waited: float, asked: int) -> None:
    endpoint = Endpoint(life=life)
    token = endpoint.token()
    token.get()
    endpoint.now += timedelta(seconds=waited)
    assert token.get() == f"token-{asked}"
    assert len(endpoint.forms) == asked


NO_JSON, NO_OBJECT = Reply(200, body=b"<html>"), Reply(200, body=b"[" * 100_000)
REFUSED = {
    "an unknown client": (Reply(401, body=b'{"error":"invalid_client"}'), "not its secret"),
    "an unknown scope": (Reply(400, body=b'{"error":"invalid_scope"}'), "the scope"),
    "an error that no one has": (Reply(400, body=b'{"error":"said-it"}'), "does not say why"),
    "an error of no text": (Reply(400, body=b'{"error":["said-it"]}'), "does not say why"),
    "no reason": (Reply(403, body=b"said-it"), "does not say why"),
    "nothing there": (Reply(404), "HTTP 404"),
    "a redirect": (Reply(307, {"location": "https://evil.example/said-it"}), "HTTP 307"),
    "another type": (granted("said-it", token_type="MAC"), "no bearer token"),
}
LATER: dict[str, tuple[Reply | Failure, str]] = {
    "nobody there": (NotSent("ConnectError"), "cannot be reached: ConnectError"),
    "no answer": (OutcomeUnknown("ReadTimeout"), "cannot be reached: ReadTimeout"),
    "too often": (Reply(429, body=b"said-it"), "HTTP 429"),
    "out of order": (Reply(503, body=b"said-it"), "HTTP 503"),
    "no JSON": (NO_JSON, "holds no token"),
    "too deep": (NO_OBJECT, "holds no token"),
    "a list": (Reply(200, body=b'["said-it"]'), "holds no token"),
    "no token": (Reply(200, body=b'{"accessToken":"said-it"}'), "holds no token"),
    "a number": (Reply(200, body=b'{"access_token":12}'), "holds no token"),
    "an empty one": (granted(""), "holds no token"),
    "two lines": (granted("said-it\nsaid-it"), "holds no token"),
    "two words": (granted("said-it said-it"), "holds no token"),
    "other letters": (granted("said-it-é"), "holds no token"),
    "a long one": (granted("said-it" * 10_000), "holds no token"),
}


@pytest.mark.parametrize(
    ("answer", "why", "kind"),
    [(*case, NotAuthorised) for case in REFUSED.values()]
    + [(*case, Interrupted) for case in LATER.values()],
    ids=[*REFUSED, *LATER],
)
def test_no_token_is_told_without_secret_or_answer(
    answer: Reply | Failure, why: str, kind: type[FeedtoolError]
) -> None:
    endpoint = Endpoint(answer)
    token = endpoint.token()
    with pytest.raises(kind) as caught:
        token.get()
    told = f"{caught.value.message} {caught.value.hint}"
    assert why in told
    assert "auth.example" in told
    assert "said-it" not in told
    assert PLANTED not in told
    assert caught.value.__context__ is None
    assert token.get() == "token-2"  # nothing of it stays


def test_a_secret_is_read_anew_each_time(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("first")
    endpoint = Endpoint()
    secret = FileToken(path, SECRET)
    token = ClientCredentials(Grant(URL, "me", secret), endpoint.post, lambda: endpoint.now)
    stale = token.get()
    path.write_text("second, longer")
    token.renew(stale)
    assert [form["client_secret"] for form in endpoint.forms] == ["first", "second, longer"]
    path.unlink()
    with pytest.raises(NotAuthorised, match=r"The client secret file .* cannot be read"):
        token.renew("token-2")


def test_a_token_is_used_to_its_end_while_no_other_is_to_be_had() -> None:
    endpoint = Endpoint()
    token = endpoint.token()
    token.get()
    endpoint.answers = [Reply(503), Reply(503), Reply(503)]
    endpoint.now += timedelta(seconds=3600) - MARGIN
    assert [token.get(), token.get()] == ["token-1", "token-1"]
    assert len(endpoint.forms) == 2  # not with every call
    endpoint.now += MARGIN / 2
    assert token.get() == "token-1"
    endpoint.now += MARGIN / 2
    with pytest.raises(Interrupted):
        token.get()
    assert token.get() == "token-5"


CALLS = 4


class Crowd:
    """Threads that ask for a token together; none is answered before all of them have begun."""

    def __init__(self) -> None:
        self.asking = threading.Semaphore(0)

    def hold(self) -> None:
        for _ in range(CALLS):
            assert self.asking.acquire(timeout=60)
        time.sleep(0.3)  # they have begun; now let them come to the lock

    def all(self, ask: Callable[[], str]) -> set[str]:
        def one(_: int) -> str:
            self.asking.release()
            try:
                return ask()
            except FeedtoolError as error:
                return type(error).__name__

        with ThreadPoolExecutor(CALLS) as pool:
            return set(pool.map(one, range(CALLS)))


@pytest.mark.parametrize(
    ("answers", "expected"),
    [((), {"token-1"}), ((Reply(503),), {"Interrupted"}), ((Reply(401),), {"NotAuthorised"})],
    ids=["granted", "later", "refused"],
)
def test_many_threads_ask_once(answers: tuple[Reply, ...], expected: set[str]) -> None:
    crowd = Crowd()
    endpoint = Endpoint(*answers, hold=crowd.hold)
    assert crowd.all(endpoint.token().get) == expected
    assert len(endpoint.forms) == 1


def test_many_threads_renew_once() -> None:
    crowd, endpoint = Crowd(), Endpoint()
    token = endpoint.token()
    stale = token.get()
    endpoint.hold = crowd.hold
    assert crowd.all(lambda: token.renew(stale)) == {"token-2"}
    assert len(endpoint.forms) == 2


@pytest.mark.parametrize(
    "path", ["https:///token", "ftp://auth.example/", "token", "", "http://[x"]
)
def test_addresses_that_are_none(path: str) -> None:
    with pytest.raises(UsageProblem, match="no address of a token endpoint"):
        Grant(path, "me", StaticToken("s"))


@pytest.mark.parametrize(
    ("url", "is_refused"),
    [
        ("http://auth.example/token", True),
        ("http://127.0.0.1:8080/token", False),
        ("http://[::1]/token", False),
        ("http://localhost/token", False),
    ],
)
def test_no_secret_travels_in_the_open(url: str, *, is_refused: bool) -> None:
    if is_refused:
        with pytest.raises(UsageProblem, match=r"travel to auth\.example"):
            Grant(url, "me", StaticToken("s"))
    else:
        assert Grant(url, "me", StaticToken("s")).url == url
