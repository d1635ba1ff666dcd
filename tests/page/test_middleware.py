"""What an application sees of a request that the guards let through, and what it answers with."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest
from werkzeug.test import Client

from feedtool.page.guards import HEADERS
from feedtool.page.middleware import USER, guarded
from tests.page.requests import ANNA, CASES, TOKEN, Case, local, shared

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

SEEN = ("SCRIPT_NAME", "PATH_INFO", USER)


def tell(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain"), ("Cache-Control", "public")])
    return [" ".join(environ[name] for name in SEEN).encode()]


def asked(case: Case) -> tuple[int, str, dict[str, str]]:
    answer = Client(guarded(tell, case.access)).open(environ_overrides=case.environ)
    return answer.status_code, answer.text, dict(answer.headers)


@pytest.mark.parametrize("name", CASES)
def test_every_answer_has_the_headers(name: str) -> None:
    status, text, headers = asked(CASES[name])
    assert status == CASES[name].status or 200
    assert HEADERS.items() <= headers.items()
    assert TOKEN not in text or status == 200


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
    assert asked(case)[:2] == (200, seen)


@pytest.mark.parametrize(
    ("languages", "said"),
    [
        ("", "There is no page"),
        ("fr-BE,fr;q=0.9,en;q=0.8", "pas de page ici"),
        ("es", "ninguna página"),
    ],
)
def test_a_denial_is_in_the_language_of_the_browser(languages: str, said: str) -> None:
    status, text, headers = asked(local(404, path="/", Accept_Language=languages))
    assert status == 404
    assert said in text
    assert headers["Content-Type"] == "text/plain; charset=utf-8"


def test_a_name_is_text() -> None:
    _, text, headers = asked(shared(403, Remote_User="<b>eve</b>"))
    assert text.startswith("<b>eve</b> has no rights here")
    assert headers["Content-Type"].startswith("text/plain")
