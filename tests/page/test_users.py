"""A shared page: what each user sees, and what each may do."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from io import BytesIO
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace
from werkzeug.routing import Rule
from werkzeug.test import Client, TestResponse

from feedtool.areas.registry import sandbox_parts
from feedtool.cli import run
from feedtool.model.errors import UsageProblem
from feedtool.page.access import HEALTH, SAFE, SharedAccess, User, Users
from feedtool.page.app import guarded
from feedtool.page.session import PageSession
from feedtool.runs.config import ACTIONS, PageRights
from feedtool.runs.workspace import Workspace
from feedtool.sandbox.server import Server
from tests.clocks import quick_clock
from tests.page.conftest import application, made_session
from tests.page.own_sheets import mixed_offers

NAME, PROXY = "feeds.example.org", "10.0.0.2"
SECRET_WORDS = ("backroom", "S-4711", "offers-mistakes")
"""The name of a profile, its seller, its file."""

CONFIGURATION = """
[profile.window]
seller = "1"
base_url = "{base}"
channel = "PRIMARY"
token = "sandbox"

[profile.backroom]
seller = "S-4711"
base_url = "{base}"
channel = "PRIMARY"
token = "sandbox"
"""
RIGHTS = {
    "anna": PageRights(("backroom",), ACTIONS),
    "bruno": PageRights(("*",)),
    "carla": PageRights(("window", "sandbox"), ACTIONS),
    "dora": PageRights(("backroom",), ("check",)),
    "emil": PageRights(("backroom",), ("send",)),
    "nobody": PageRights(),
}


class World(Struct, frozen=True):
    """A page with a file and a run of one profile."""

    session: PageSession
    client: Client
    file: str

    def ask(
        self, user: str, method: str, path: str, data: bytes | dict[str, Any] = b""
    ) -> TestResponse:
        """The answer to what the proxy brings."""
        headers = {"Remote-User": user, "Origin": f"https://{NAME}"}
        return self.client.open(
            path,
            method=method,
            base_url=f"https://{NAME}/",
            headers={name: text for name, text in headers.items() if text},
            environ_overrides={"REMOTE_ADDR": PROXY},
            data=data,
            buffered=True,
        )

    def paths(self, *, unsafe: bool) -> Iterator[tuple[str, str, str]]:
        """The endpoint, a method and the path of each route, about the file and the run."""
        app = application(self.session)
        for rule in app.url_map.iter_rules():
            for method in sorted((rule.methods or set()) - {"OPTIONS", "HEAD"}):
                if (method not in SAFE) is unsafe:
                    yield rule.endpoint, method, self.path(rule)

    def path(self, rule: Rule) -> str:
        values = {"language": "en", "id_": self.file, "run": 1, "name": "new.csv"}
        values |= {"what": "marked", "filename": "page.css", "code": "gtin-invalid"}
        _, path = rule.build({name: values.get(name, 0) for name in rule.arguments}) or ("", "")
        return path


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("shared")
    home, config = folder / "home", folder / "feedtool.toml"
    access = SharedAccess(frozenset({NAME}), PROXY, "Remote-User", frozenset(RIGHTS))
    sample = mixed_offers(folder / "offers-mistakes.xlsx")
    with Server(sandbox_parts()) as server:
        config.write_text(CONFIGURATION.format(base=server.base), "utf-8")
        words = ["--config", str(config), "--profile", "backroom", "--home", str(home)]
        submit = ["submit", str(sample), *words, "--out", str(folder / "out.xlsx")]
        assert run(submit, quick_clock()) == 1
        with made_session(home, "--config", str(config)) as session:
            shared = replace(session, users=Users("owner", RIGHTS))
            client = Client(guarded(application(shared), access))
            made = World(shared, client, "")
            path = f"/en/files/{sample.name}?account=backroom"
            answer = made.ask("anna", "PUT", path, data=sample.read_bytes())
            assert answer.status_code == 201, answer.text
            assert answer.json
            made = replace(made, file=answer.json["id"])
            for _, method, path in made.paths(unsafe=False):
                if made.file in path or "/runs/1" in path:
                    made.ask("anna", method, path)  # what is made of them is there from now on
            yield made


@pytest.mark.parametrize(
    ("user", "account", "sees"),
    [
        *(("anna", "backroom", True), ("anna", "window", False), ("anna", "sandbox", False)),
        *(("bruno", "backroom", True), ("bruno", "sandbox", True), ("carla", "backroom", False)),
        *(("nobody", "backroom", False), ("anna", "", False), ("anna", "*", False)),
    ],
)
def test_files_that_a_user_sees(user: str, account: str, *, sees: bool) -> None:
    assert User(user, RIGHTS[user]).sees(account) is sees


def test_the_owner_of_a_page_that_is_not_shared_may_all() -> None:
    owner = Users("me@laptop").of("somebody")
    assert owner.name == "me@laptop"
    assert owner.sees("any")
    assert all(map(owner.may, ACTIONS))


def test_a_user_who_is_not_in_the_configuration_has_no_right() -> None:
    stranger = Users("owner", RIGHTS).of("eve")
    assert not stranger.sees("window")
    assert not any(map(stranger.may, ACTIONS))


def test_hidden_pages_are_not_found(world: World) -> None:
    """Not even by a user who may do all with other accounts."""
    for unsafe in (False, True):
        for endpoint, method, path in world.paths(unsafe=unsafe):
            answer = world.ask("carla", method, path)
            assert not [word for word in SECRET_WORDS if word in answer.text], endpoint
            if "run" in endpoint or world.file in path:
                seen = f"{method} {path}: {answer.status_code}"
                assert answer.status_code == 404 or endpoint == "runs.every", seen


def test_permitted_pages_are_shown(world: World) -> None:
    for user in ("anna", "bruno", "dora"):
        for path in ("/en/", "/en/runs", f"/en/files/{world.file}"):
            assert "offers-mistakes" in world.ask(user, "GET", path).text, (user, path)


def test_no_change_is_possible_without_a_right(world: World) -> None:
    routes = [*world.paths(unsafe=True)]
    assert {"files.put", "plan.send"} <= {endpoint for endpoint, _, _ in routes}
    for endpoint, method, path in routes:
        form = {"account": "backroom", "file": (BytesIO(b"x"), "new.csv")}
        data = form if endpoint == "files.post" else {"run": "1", "code": "price-jump"}
        query = "?account=backroom" if endpoint == "files.put" else ""
        answer = world.ask("bruno", method, path + query, data)
        assert answer.status_code == 403, (endpoint, answer.status_code)


@pytest.mark.parametrize(
    ("user", "path", "allowed"),
    [
        ("dora", "/en/files/{file}/plan", True),
        ("dora", "/en/files/{file}/send", False),
        ("dora", "/en/runs/1/resume", False),
        ("emil", "/en/runs/1/resume", True),
        ("emil", "/en/files/new.csv?account=backroom", False),
        ("anna", "/en/files/new.csv?account=backroom", True),
        ("anna", "/en/files/new.csv?account=window", False),
        ("anna", "/en/files/new.csv?account=none", False),
        ("anna", "/en/files/new.csv", False),
        ("dora", "/en/files/{file}/named/new.csv", True),
        ("emil", "/en/files/{file}/named/new.csv", False),
    ],
)
def test_a_right_is_for_one_thing(world: World, user: str, path: str, *, allowed: bool) -> None:
    method = "PUT" if "new.csv" in path else "POST"
    status = world.ask(user, method, path.format(file=world.file), data=b"x").status_code
    assert (status < 400) is allowed, status
    assert allowed or status in {403, 404}


def test_health_needs_no_user(world: World) -> None:
    answer = world.ask("", "GET", HEALTH)
    assert (answer.status_code, answer.text) == (200, "ok\n")


def test_health_is_bad_where_the_records_cannot_be_opened(world: World) -> None:
    def broken() -> AbstractContextManager[Workspace]:
        raise UsageProblem("the ledger /srv/secret is no ledger")

    client = application(replace(world.session, workspace=broken)).test_client()
    answer = client.get(HEALTH)
    assert answer.status_code == 503
    assert "secret" not in answer.text
