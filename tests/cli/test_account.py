"""Access to an account: the source of its token, the way of the token, and the timeouts."""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from msgspec.structs import asdict

from feedtool.areas.registry import sandbox_parts
from feedtool.cli.account_check import check
from feedtool.cli.console import StopSignal
from feedtool.cli.options_account import TokenOptions
from feedtool.cli.session import ChosenAccount, chosen_account, connect, timeouts_of, token_of
from feedtool.model.call import Reply
from feedtool.model.errors import UsageProblem
from feedtool.sandbox.server import Server
from feedtool.service.network import Timeouts
from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer
from tests.loopback import serving_answers

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SECRET = "planted-client-secret"
PRINTS = f"{sys.executable} -c \"print('printed')\""
GRANT = {"token_url": "https://auth.example/token", "client_id": "me"}


def account_in(words: list[str]) -> ChosenAccount:
    return chosen_account(check.make_context("check", words))


def post(url: str, form: bytes) -> Reply:
    """A token endpoint whose token repeats the request."""
    asked = "|".join([url, *(f"{name}:{value}" for name, value in parse_qsl(form.decode()))])
    return Reply(200, body=json.dumps({"access_token": asked.replace(" ", "_")}).encode())


def granted(**asked: str) -> str:
    asked = {"grant_type": "client_credentials", "client_id": "me", **asked}
    return "|".join([GRANT["token_url"], *(f"{name}:{value}" for name, value in asked.items())])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"token": "a"}, "a"),
        ({"token_file": "held"}, "from-file"),
        ({"token_command": PRINTS}, "printed"),
        ({"token": "a", "token_file": "held"}, "from-file"),
        ({**GRANT, "client_secret": "s"}, granted(client_secret="s")),
        ({**GRANT, "client_secret_file": "held"}, granted(client_secret="from-file")),
        ({**GRANT, "client_secret_command": PRINTS}, granted(client_secret="printed")),
        (
            {**GRANT, "client_secret": "s", "token_scope": "a b", "token_audience": "c"},
            granted(client_secret="s", scope="a_b", audience="c"),
        ),
        ({**GRANT, "client_secret": "s", "token": "a"}, granted(client_secret="s")),
    ],
)
def test_each_way_of_having_a_token(files: Files, given: dict[str, Any], expected: str) -> None:
    files.text("from-file\n", "held")
    assert token_of(TokenOptions(**given), post, lambda: NOW).get() == expected


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, "there is no token"),
        ({"client_id": "me"}, "--token-url is missing"),
        ({"token_url": GRANT["token_url"]}, "--client-id is missing"),
        (GRANT, "client's secret is missing"),
        ({**GRANT, "token_url": "auth.example", "client_secret": SECRET}, "not the address"),
        ({**GRANT, "token_url": "http://auth.example", "client_secret": SECRET}, "would travel"),
    ],
)
def test_incomplete_access_is_reported(given: dict[str, Any], missing: str) -> None:
    with pytest.raises(UsageProblem, match=missing) as caught:
        token_of(TokenOptions(**given), post, lambda: NOW)
    assert caught.value.hint
    assert SECRET not in caught.value.message + caught.value.hint


def test_timeouts_of_requests() -> None:
    typed = ["--connect-timeout", "1.5", "--answer-timeout", "2"]
    for words, expected in ((typed, Timeouts(1.5, 2, 300)), ([], Timeouts(10, 60, 300))):
        assert timeouts_of(account_in(words).connection.timeouts) == expected


@pytest.mark.parametrize("name", ["base_url", "seller", "channel"])
def test_an_account_is_all_of_it(name: str, tmp_path: Path) -> None:
    account = {"base_url": "https://x/v2", "seller": "S", "channel": "C", "token": "t", name: ""}
    words = [f"--{option.replace('_', '-')}={value}" for option, value in account.items()]
    with (
        pytest.raises(UsageProblem, match=f"--{name.replace('_', '-')} is missing"),
        connect(tmp_path, account_in(words), StopSignal(), needs_channel=True),
    ):
        pass


# Which of several sources counts.

PROFILE = """
[profile.shop]
token_url = "https://auth.example/token"
client_id = "me"
client_secret_file = "held"
call_timeout = 30
"""


SOURCES: tuple[tuple[list[str], dict[str, str], set[str]], ...] = (
    ([], {}, {"token_url", "client_secret_file"}),
    ([], {"CLIENT_SECRET": SECRET}, {"token_url", "client_secret"}),
    (["--client-secret", SECRET], {}, {"token_url", "client_secret"}),
    ([], {"TOKEN": "t"}, {"token", "client_secret_file"}),
    (["--token-file", "f"], {"TOKEN": "t"}, {"token_file", "client_secret_file"}),
    (["--sandbox"], {"TOKEN": "t", "CLIENT_SECRET": SECRET}, set()),
    (["--sandbox", "--token", "t"], {}, {"token"}),
)


@pytest.mark.parametrize("case", SOURCES)
def test_the_strongest_source_names_the_way(
    files: Files, monkeypatch: pytest.MonkeyPatch, case: tuple[list[str], dict[str, str], set[str]]
) -> None:
    arguments, environment, expected = case
    files.text(PROFILE, "feedtool.toml")
    for name, value in environment.items():
        monkeypatch.setenv(f"FEEDTOOL_{name}", value)
    connection = account_in(["--profile", "shop", *arguments]).connection
    ways = {name for name, value in asdict(connection.tokens).items() if value}
    assert ways == expected | {"client_id"}
    assert connection.timeouts.call_timeout == 30


# With a real token endpoint and a real service.


@pytest.mark.parametrize(
    "granting",
    [
        (200, {"access_token": "sandbox", "expires_in": 3600}, 0),
        (401, {"error": "invalid_client", "error_description": SECRET}, 4),
    ],
)
def test_client_credentials_lead_to_answers_beside_rows(
    feedtool: Feedtool,
    files: Files,
    account: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    granting: tuple[int, object, int],
) -> None:
    status, answer, code = granting
    monkeypatch.setenv("FEEDTOOL_CLIENT_SECRET", SECRET)
    path = files.csv(offer(1), offer(2))
    with serving_answers(lambda _path: (status, {}, json.dumps(answer).encode())) as endpoint:
        files.text(
            f'[profile.shop]\nbase_url = "{account[1]}"\nseller = "S1"\nchannel = "PRIMARY"\n'
            f'token_url = "{endpoint.url}/token"\nclient_id = "me"\ntoken_scope = "offers"\n',
            "feedtool.toml",
        )
        ran = feedtool("submit", path, "--profile", "shop", "--format", "json")
    assert ran.code == code, ran
    asked = {"grant_type": "client_credentials", "client_id": "me", "client_secret": SECRET}
    assert dict(parse_qsl(endpoint.bodies[0].decode())) == {**asked, "scope": "offers"}
    assert SECRET not in ran.out + ran.err
    if code:
        assert "does not know the client id" in ran.error()[0]
    else:
        assert len(endpoint.bodies) == 1
        assert set(ran.statuses) == {"Integrated"}
    for file in filter(lambda file: file.is_file(), files.folder.rglob("*")):
        assert SECRET.encode() not in file.read_bytes(), file


# A token leaves this machine encrypted, or because somebody said that it may travel otherwise.

ADDRESS = "http://service.invalid/v2"
OPEN = {"base_url": ADDRESS, "seller": "S", "channel": "PRIMARY", "token": "sandbox"}
OF_SHOP = "".join(["\n[profile.shop]\n", *(f'{name} = "{it}"\n' for name, it in OPEN.items())])
ALLOWING = f"{OF_SHOP}insecure_http = true\n"
COMMANDS = (
    *("submit offers.csv", "submit offers.csv --no-wait", "watch feeds --create --once"),
    *("export offers", "export products", "export competing-offers", "catalog sync"),
    "export competing-offer-changes",
)


@pytest.fixture
def _reached(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The environment's address leads to a sandbox, over a proxy."""
    for name, value in OPEN.items():
        monkeypatch.setenv(f"FEEDTOOL_{name.upper()}", value)
    with Server(sandbox_parts()) as server:
        monkeypatch.setenv("http_proxy", server.base.removesuffix("/v2"))
        yield


@pytest.mark.usefixtures("_reached")
def test_no_command_sends_a_token_unencrypted(
    feedtool: Feedtool, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.csv(offer(1))
    monkeypatch.setenv("FEEDTOOL_INSECURE_HTTP", "1")
    for command, named in product(COMMANDS, ((), ("--profile", "shop"))):
        files.text(OF_SHOP if named else "", "feedtool.toml")
        ran = feedtool(command, *named)
        message, hint = ran.error()
        assert ran.code == 2, command
        assert "token would travel to service.invalid unencrypted" in message
        assert "--insecure-http" in hint
    assert feedtool("runs").out == "", "no run was written down"


@pytest.mark.usefixtures("_reached")
def test_allowed_insecure_http_reaches_the_service(feedtool: Feedtool, files: Files) -> None:
    files.text(ALLOWING, "feedtool.toml")
    files.csv(offer(1))
    assert feedtool("submit offers.csv --no-wait --profile shop").code == 6
    assert feedtool("resume 1").code == 0  # the run's profile allows it
    assert feedtool("submit offers.csv --no-wait --insecure-http").code == 6
    for again in ("results", "resume"):  # it was for that one command
        assert "--insecure-http" in feedtool(again, "2").error()[1]
    assert feedtool("results 2 --insecure-http").code == 0
