import json
import os
import sys
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
from feedtool.service.auth import (
    MARGIN,
    SECRET,
    ClientCredentials,
    CommandToken,
    FileToken,
    Grant,
    StaticToken,
    Token,
    send_with,
)

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
URL = "https://auth.example/token"
PLANTED = "planted-s3cret-é"


def show(token: Token, valid: str) -> tuple[int, list[str]]:
    """The status of a call where only one token is valid, and all tokens that were shown."""
    shown: list[str] = []

    def send(text: str) -> Reply:
        shown.append(text)
        return Reply(200 if text == valid else 401)

    return send_with(token, send).status, shown


def command(tmp_path: Path, *lines: str) -> CommandToken:
    """A command that prints the lines, `{n}` in them being how often it has been run."""
    script = tmp_path / "token.py"
    script.write_text(
        "import pathlib\n"
        "count = pathlib.Path(__file__).with_name('count')\n"
        "n = int(count.read_text()) + 1 if count.exists() else 1\n"
        "count.write_text(str(n))\n" + "".join(f"print({line!r}.format(n=n))\n" for line in lines)
    )
    return CommandToken([sys.executable, str(script)])


def test_a_static_token_is_tried_once() -> None:
    assert show(StaticToken(" old\n"), "new") == (401, ["old"])


def test_a_file_is_read_again_although_no_change_of_it_shows(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("aaaa\nsecond line\n")
    token = FileToken(path)
    assert token.get() == "aaaa"
    seen = path.stat()
    with path.open("r+") as file:
        file.write("bbbb")
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert show(token, "bbbb")[0] == 200
    assert token.renew("aaaa") == "bbbb"


@pytest.mark.parametrize(("valid", "status"), [("token-2", 200), ("never", 401)])
def test_a_command_is_run_once_and_again_on_a_401(tmp_path: Path, valid: str, status: int) -> None:
    token = command(tmp_path, "token-{n}", "chatter")
    assert (token.get(), token.get()) == ("token-1", "token-1")
    assert show(token, valid) == (status, ["token-1", "token-2"])
    assert token.get() == "token-2"


@pytest.mark.parametrize("held", ["", "\n", "two words\ttab", "clé", "a\x00b"])
def test_an_invalid_token_is_not_shown(tmp_path: Path, held: str) -> None:
    path = tmp_path / "token"
    path.write_text(held)
    for make in (lambda: StaticToken(held), lambda: FileToken(path).get()):
        with pytest.raises(NotAuthorised) as caught:
            make()
        assert not held.strip() or held.strip() not in caught.value.message


def test_a_token_that_is_not_to_be_had(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_bytes(b"\xff\xfe\x00")
    python = [sys.executable, "-c"]
    missing: list[tuple[Token, str]] = [
        (FileToken(path), "not text"),
        (FileToken(tmp_path / "none"), "No such file"),
        (CommandToken("/nowhere/token --quiet"), "No such file"),
        (CommandToken([*python, "import sys; sys.exit(3)"]), "exit code 3"),
        (CommandToken([*python, "import sys; sys.stdout.buffer.write(b'\\xff')"]), "not text"),
        (CommandToken([*python, ""]), "is not a token"),
    ]
    for token, why in missing:
        with pytest.raises(NotAuthorised, match=why):
            token.get()


@pytest.mark.parametrize("text", ["", "  ", "pass 'unclosed"])
def test_an_empty_command_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem, match="token command"):
        CommandToken(text)


# Client credentials.


def granted(token: str, **more: Any) -> Reply:
    return Reply(200, body=json.dumps({"access_token": token, **more}).encode())


class Endpoint:
    """A token endpoint with set answers, then tokens by number; and the clock."""

    now = START

    def __init__(self, *answers: Reply | Failure, life: object = 3600) -> None:
        self.answers, self.life = list(answers), life
        self.forms: list[dict[str, str]] = []
        self.hold: Callable[[], object] = lambda: None

    def post(self, url: str, form: bytes) -> Reply:
        assert url == URL
        self.forms.append(dict(parse_qsl(form.decode(), strict_parsing=True)))
        self.hold()
        given = granted(f"token-{len(self.forms)}", expires_in=self.life, token_type="Bearer")
        answer = self.answers.pop(0) if self.answers else given
        if isinstance(answer, Failure):
            raise answer
        return answer

    def token(self, secret: Token | None = None, **more: Any) -> ClientCredentials:
        grant = Grant(URL, "me", secret or StaticToken(PLANTED, SECRET), **more)
        return ClientCredentials(grant, self.post, lambda: self.now)


@pytest.mark.parametrize(
    "more", [{}, {"scope": "a b"}, {"audience": "https://x/"}, {"scope": "a", "audience": "b"}]
)
def test_the_form_of_a_token_request(more: dict[str, Any]) -> None:
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
        *((60, 29, 1), (60, 30, 2)),  # a margin longer than the life would ask each time
        *((10**400, 360 * 86400, 1), (10**400, 365 * 86400, 2)),
        *((none, 10**8, 1) for none in (None, 0, -5, True, float("nan"), "soon", ["x"])),
    ],
)
def test_a_token_is_renewed_before_it_ends(life: object, waited: float, asked: int) -> None:
    endpoint = Endpoint(life=life)
    token = endpoint.token()
    token.get()
    endpoint.now += timedelta(seconds=waited)
    assert token.get() == f"token-{asked}"
    assert len(endpoint.forms) == asked


REFUSED = [
    (Reply(401, body=b'{"error":"invalid_client"}'), "not its secret"),
    (Reply(400, body=b'{"error":"invalid_scope"}'), "the scope"),
    (Reply(400, body=b'{"error":"said-it"}'), "does not say why"),
    (Reply(400, body=b'{"error":["said-it"]}'), "does not say why"),
    (Reply(403, body=b"said-it"), "does not say why"),
    (Reply(404), "HTTP 404"),
    (Reply(307, {"location": "https://evil.example/said-it"}), "HTTP 307"),
    (granted("said-it", token_type="MAC"), "not a bearer token"),
]
UNREADABLE = (
    *(b"<html>", b"[" * 100_000, b'["said-it"]', b'{"accessToken":"said-it"}'),
    b'{"access_token":12}',
)
NONE = ("", "said-it\nsaid-it", "said-it said-it", "said-it-é", "said-it" * 10_000)
LATER: list[tuple[Reply | Failure, str]] = [
    (NotSent("ConnectError"), "cannot be reached: ConnectError"),
    (OutcomeUnknown("ReadTimeout"), "cannot be reached: ReadTimeout"),
    (Reply(429, body=b"said-it"), "HTTP 429"),
    (Reply(503, body=b"said-it"), "HTTP 503"),
    *((Reply(200, body=body), "holds no token") for body in UNREADABLE),
    *((granted(token), "holds no token") for token in NONE),
]


@pytest.mark.parametrize(
    ("answer", "why", "kind"),
    [*((*case, NotAuthorised) for case in REFUSED), *((*case, Interrupted) for case in LATER)],
)
def test_errors_without_a_token_hide_secret_and_answer(
    answer: Reply | Failure, why: str, kind: type[FeedtoolError]
) -> None:
    token = Endpoint(answer).token()
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
    token = endpoint.token(FileToken(path, SECRET))
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


@pytest.mark.parametrize(
    ("answers", "is_renewed", "expected"),
    [
        ((), False, "token-1"),
        ((), True, "token-2"),
        ((Reply(503),), False, "Interrupted"),
        ((Reply(401),), False, "NotAuthorised"),
    ],
)
def test_many_threads_ask_once(
    answers: tuple[Reply, ...], expected: str, *, is_renewed: bool
) -> None:
    asking, endpoint = threading.Semaphore(0), Endpoint(*answers)
    token = endpoint.token()
    stale = token.get() if is_renewed else ""

    def hold() -> None:
        """None is answered before all threads have begun."""
        for _ in range(CALLS):
            assert asking.acquire(timeout=60)
        time.sleep(0.03)  # now let them come to the lock

    def ask(_: int) -> str:
        asking.release()
        try:
            return token.renew(stale) if is_renewed else token.get()
        except FeedtoolError as error:
            return type(error).__name__

    endpoint.hold = hold
    with ThreadPoolExecutor(CALLS) as pool:
        assert set(pool.map(ask, range(CALLS))) == {expected}
    assert len(endpoint.forms) == 1 + is_renewed


@pytest.mark.parametrize(
    ("url", "why"),
    [
        *((url, "not the address of a token endpoint") for url in ("token", "", "http://[x")),
        *((url, "not the address of a token") for url in ("https:///token", "ftp://auth.example/")),
        ("http://auth.example/token", r"travel to auth\.example"),
        *((f"http://{host}/token", "") for host in ("127.0.0.1:8080", "[::1]", "localhost")),
    ],
)
def test_no_secret_travels_in_the_open(url: str, why: str) -> None:
    if why:
        with pytest.raises(UsageProblem, match=why):
            Grant(url, "me", StaticToken("s"))
    else:
        assert Grant(url, "me", StaticToken("s")).url == url
