"""No path makes the page fail or reads a file outside the page."""

import re
from pathlib import Path
from typing import cast

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from werkzeug.test import Client

from feedtool.page.access import HEADERS, LocalAccess
from feedtool.page.app import guarded
from feedtool.page.session import PageSession
from tests.hostile import SAMPLES
from tests.page.conftest import application, upload_file

TOKEN, HOST = "t" * 32, "127.0.0.1:5000"
CANARY = "the canary of the tests"

PARTS = st.one_of(
    st.sampled_from(
        [
            *("", ".", "..", "%2e%2e", "..%2f..", "..\\..", "%00", "~", "etc", "passwd", "C:"),
            *("en", "fr", "static", "files", "runs", "copies", "plan", "progress", "health"),
            *("1", "0", "-1", "9" * 30, "facts.json", "file", "marked", "canary.txt", TOKEN),
            *("page", "ledger.sqlite", "grid.sqlite", "app.py", "templates", "base.html"),
        ]
    ),
    st.sampled_from(SAMPLES),
    st.text(max_size=8),
)
ANY_PATHS = st.lists(PARTS, max_size=8).map(lambda parts: "/" + "/".join(parts))
RULES = [*application(cast("PageSession", None)).url_map.iter_rules()]
OWN_PATHS = st.builds(
    lambda rule, parts: re.sub("<[^>]+>", lambda _: parts.pop() if parts else "1", rule),
    st.sampled_from([re.sub("<any[^>]+>", "en", rule.rule) for rule in RULES]),
    st.lists(st.sampled_from(["1", "0", "9" * 30]) | PARTS, min_size=2, max_size=2),
)
"""The page's own paths, with any values."""
PATHS = OWN_PATHS | ANY_PATHS
METHODS = st.sampled_from(["GET", "POST", "PUT", "DELETE"])
SOME = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
PLENTY = settings(SOME, max_examples=400)


@pytest.fixture
def guarded_client(session: PageSession, tmp_path: Path) -> Client:
    """A client of the page through its guards; secrets lie beside its folders."""
    for folder in (tmp_path, tmp_path / "home", tmp_path / "home" / "page"):
        folder.mkdir(exist_ok=True)
        (folder / "canary.txt").write_text(CANARY)
        (folder / "facts.json").write_text(CANARY)
    return Client(guarded(application(session), LocalAccess(frozenset({HOST}), TOKEN)))


def status_of(client: Client, method: str, path: str, query: str = "") -> int:
    """The status of the answer, which has the headers of all answers and no canary."""
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path.encode("utf-8", "replace").decode("latin-1"),
        "QUERY_STRING": query.encode("utf-8", "replace").decode("latin-1"),
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": HOST,
        "HTTP_ORIGIN": f"http://{HOST}",
    }
    answer = client.open(environ_overrides=environ, buffered=True)
    assert HEADERS.keys() <= {name for name, _ in answer.headers}
    assert CANARY not in answer.text
    return answer.status_code


def test_every_route_is_below_the_token(guarded_client: Client) -> None:
    for rule in RULES:
        path = re.sub("<any[^>]+>", "en", rule.rule)
        path = re.sub("<[^>]+>", "1", path)
        for method in rule.methods or ():
            for wrong in ("", f"/{TOKEN[1:]}", f"/{TOKEN}t", f"/{TOKEN.upper()}"):
                status = status_of(guarded_client, method, wrong + path)
                assert status == 404, (rule.endpoint, method, wrong)


@SOME
@given(METHODS, PATHS)
def test_without_the_token_no_page_is_found(guarded_client: Client, method: str, path: str) -> None:
    if path.split("/")[1] != TOKEN:
        assert status_of(guarded_client, method, path) == 404


QUERIES = st.text(max_size=12) | PATHS


@SOME
@given(METHODS, PATHS, QUERIES)
@example("GET", f"/en/runs/{10**30}", "")
def test_no_path_below_the_token_fails(
    guarded_client: Client, method: str, path: str, query: str
) -> None:
    assert status_of(guarded_client, method, f"/{TOKEN}{path}", query) < 500


@pytest.mark.long
@PLENTY
@given(METHODS, PATHS, QUERIES)
def test_no_path_of_many_fails(guarded_client: Client, method: str, path: str, query: str) -> None:
    if path.split("/")[1] != TOKEN:
        assert status_of(guarded_client, method, path) == 404
    assert status_of(guarded_client, method, f"/{TOKEN}{path}", query) < 500


@pytest.mark.parametrize("name", ["_scheme=javascript&_external=1", "_anchor=x", "endpoint=x"])
def test_a_query_is_no_more_than_text_in_a_link(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/en/?{name}")
    assert answer.status_code == 200
    assert f'href="/fr/?{name.replace("&", "&amp;")}"' in answer.text


@pytest.mark.parametrize(
    "name", ["../../canary.csv", "..%2f..%2fcanary.csv", "..\\..\\canary.csv", "%2Fetc%2Fx.csv"]
)
def test_a_name_leads_to_no_other_folder(
    client: FlaskClient, session: PageSession, tmp_path: Path, name: str
) -> None:
    before = {path for path in tmp_path.rglob("*") if "page" not in path.parts}
    answer = client.put(f"/en/files/{name}", data=b"x")
    assert answer.status_code in {201, 308, 404}
    assert {path for path in tmp_path.rglob("*") if "page" not in path.parts} == before
    for file in session.uploads.files():
        assert session.uploads.input(file).path.parent == session.uploads.folder(file.id) / "file"


@pytest.mark.parametrize(
    "path",
    [
        *("static/../app.py", "static/..%2fapp.py", "static//etc/passwd", "static/%2e%2e/app.py"),
        *("en/files/{id}/copies/../facts.json", "en/files/{id}/copies/..%2ffacts.json"),
        *("en/files/..%2f{id}", "en/files/{id}/../{id}/facts.json", "en/files/{id}/file"),
    ],
)
def test_no_file_beside_the_pages_own(
    client: FlaskClient, guarded_client: Client, tmp_path: Path, path: str
) -> None:
    source = tmp_path / "brought.csv"
    source.write_text("x")
    own = path.format(id=upload_file(client, source))
    for way in (own, own.replace("%2f", "/").replace("%2e", ".")):
        assert status_of(guarded_client, "GET", f"/{TOKEN}/{way}") in {308, 404, 405}
