"""The request that an application gets after the guards, and its answers."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from msgspec.structs import replace
from werkzeug.test import Client

from feedtool.page.access import GUARDS, HEADERS, Access, Guard, SharedAccess
from feedtool.page.app import USER, guarded
from feedtool.serving import WebServer, listen
from tests.page.requests import ANNA, CASES, LOCAL, PROXY, SHARED, TOKEN, Case, local, shared
from tests.pairs import sample

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

SEEN = ("SCRIPT_NAME", "PATH_INFO", USER)


def report_facts(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain"), ("Cache-Control", "public")])
    return [" ".join(environ[name] for name in SEEN).encode()]


def answer_to(case: Case) -> tuple[int, str, dict[str, str]]:
    answer = Client(guarded(report_facts, case.access)).open(environ_overrides=case.environ)
    return answer.status_code, answer.text, dict(answer.headers)


def test_every_answer_has_the_headers() -> None:
    for name, case in CASES.items():
        status, text, headers = answer_to(case)
        assert status == (case.status or 200), name
        assert HEADERS.items() <= headers.items(), name
        assert TOKEN not in text or status == 200, name


@pytest.mark.parametrize(
    ("case", "seen"),
    [
        (local(None, path=f"/{TOKEN}"), f"/{TOKEN}  "),
        (local(None, path=f"/{TOKEN}/"), f"/{TOKEN} / "),
        (local(None, path=f"/{TOKEN}/{TOKEN}/x"), f"/{TOKEN} /{TOKEN}/x "),
        (local(None, Remote_User="eve"), f"/{TOKEN} /en/ "),
        (shared(None), f" /en/ {ANNA}"),
    ],
)
def test_the_application_sees_no_token_but_the_user(case: Case, seen: str) -> None:
    assert answer_to(case)[:2] == (200, seen)


@pytest.mark.parametrize(
    ("languages", "said"),
    [
        ("", "There is no page"),
        ("fr-BE,fr;q=0.9,en;q=0.8", "pas de page ici"),
        ("es", "ninguna página"),
    ],
)
def test_a_denial_is_in_the_language_of_the_browser(languages: str, said: str) -> None:
    status, text, headers = answer_to(local(404, path="/", Accept_Language=languages))
    assert status == 404
    assert said in text
    assert headers["Content-Type"] == "text/plain; charset=utf-8"


def test_a_name_is_text() -> None:
    _, text, headers = answer_to(shared(403, Remote_User="<b>eve</b>"))
    assert text.startswith("<b>eve</b> has no rights here")
    assert headers["Content-Type"].startswith("text/plain")


PEERS = {PROXY: "127.0.0.1"}
"""The addresses of this machine that stand for those of the table; all others are 127.0.0.2."""


@contextmanager
def served(access: Access, guards: Sequence[Guard]) -> Iterator[int]:
    """The port of a real server, whose proxy is on this machine."""
    proxy = None
    if isinstance(access, SharedAccess):
        proxy = PEERS[access.proxy]
        access = replace(access, proxy=proxy)
    listening = listen("127.0.0.1", 0)
    app = guarded(report_facts, access, guards)
    with WebServer(listening, app, largest_body=1000, trusted_proxy=proxy):
        yield listening.getsockname()[1]


def status_over(port: int, case: Case) -> int:
    source = PEERS.get(case.environ["REMOTE_ADDR"], "127.0.0.2")
    connection = HTTPConnection("127.0.0.1", port, source_address=(source, 0))
    path = quote(case.environ["PATH_INFO"], encoding="latin-1")
    connection.putrequest(case.method, path, skip_host=True)
    for name, value in case.all_headers.items():
        connection.putheader(name, value)
    connection.putheader("X-Forwarded-Proto", case.scheme)
    connection.putheader("Content-Length", "0")
    connection.endheaders()
    try:
        return connection.getresponse().status
    finally:
        connection.close()


def wrong_lines(guards: Sequence[Guard]) -> Generator[str]:
    """The requests of the table to which a real server with these guards answers otherwise."""
    for access in (LOCAL, SHARED):
        with served(access, guards) as port:
            for name, case in CASES.items():
                if case.access is access and status_over(port, case) != (case.status or 200):
                    yield name


def test_the_table_over_a_port() -> None:
    assert [*wrong_lines(GUARDS)] == []


@pytest.mark.parametrize("guard", sample(GUARDS, 2))
def test_over_a_port_no_guard_could_be_missed(guard: Guard) -> None:
    """`test_access` shows it without a port."""
    with closing(wrong_lines([other for other in GUARDS if other is not guard])) as wrong:
        assert next(wrong, None)
