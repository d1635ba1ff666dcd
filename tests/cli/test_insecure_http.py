"""A token leaves this machine encrypted, or because somebody said that it may travel otherwise."""

import json
from collections.abc import Iterator

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox.server import serving
from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer

ADDRESS = "http://service.invalid/v2"
ACCOUNT = {"BASE_URL": ADDRESS, "SELLER": "S", "CHANNEL": "PRIMARY", "TOKEN": "sandbox"}
PROFILE = f"""
[profile.shop]
base_url = "{ADDRESS}"
seller = "S"
channel = "PRIMARY"
token = "sandbox"
"""
COMMANDS = (
    *("submit offers.csv", "submit offers.csv --no-wait", "watch feeds --create --once"),
    *("export offers", "export products", "export competing-offers", "catalog sync"),
    "export competing-offer-changes",
)


@pytest.fixture
def _reached(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The address leads to a sandbox, over a proxy."""
    with serving(sandbox_parts()) as server:
        monkeypatch.setenv("http_proxy", server.base.removesuffix("/v2"))
        yield


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("_reached")
def test_no_command_sends_a_token_unencrypted(
    feedtool: Feedtool, files: Files, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    files.csv(offer(1))
    for name, value in {**ACCOUNT, "INSECURE_HTTP": "1"}.items():
        monkeypatch.setenv(f"FEEDTOOL_{name}", value)
    for account in ((), ("--profile", "shop")):
        files.text(PROFILE if account else "", "feedtool.toml")
        ran = feedtool(command, *account)
        assert ran.code == 2
        message, hint = ran.error()
        assert "token would travel to service.invalid unencrypted" in message
        assert "--insecure-http" in hint
    assert feedtool("runs").out == "", "no run was written down"


@pytest.mark.parametrize("given", [("--insecure-http",), ("--profile", "shop")])
@pytest.mark.usefixtures("_reached")
def test_who_allows_it_reaches_the_service(
    feedtool: Feedtool, files: Files, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...]
) -> None:
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(f"FEEDTOOL_{name}", value)
    files.text(f"{PROFILE}insecure_http = true\n", "feedtool.toml")
    ran = feedtool("submit", files.csv(offer(1)), *given, "--no-wait")
    assert ran.code == 6, ran.err
    if "--insecure-http" in given:  # it was for that one command
        for again in ("results", "resume"):
            assert "--insecure-http" in feedtool(again, "1").error()[1]
        assert feedtool("results 1 --insecure-http").code == 0
    else:  # the run's profile allows it
        assert feedtool("resume 1").code == 0


@pytest.mark.parametrize("name", ["insecure_http", "insecure-http"])
def test_it_is_no_default_of_all_accounts(feedtool: Feedtool, files: Files, name: str) -> None:
    files.text(f"[defaults]\n{name} = true\n{PROFILE}", "feedtool.toml")
    ran = feedtool("submit", files.csv(offer(1)), "--profile", "shop")
    assert ran.code == 2
    message, hint = ran.error()
    assert "[defaults]: insecure_http" in message
    assert "[profile.NAME]" in hint


def test_what_allows_it_is_shown(
    feedtool: Feedtool, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEEDTOOL_INSECURE_HTTP", "1")
    files.text(f"{PROFILE}insecure_http = true\n", "feedtool.toml")
    for given, shown in (((), (False, "default")), (("--profile", "shop"), (True, None))):
        ran = feedtool("config show --format json", *given)
        (found,) = (one for one in json.loads(ran.out) if one["name"] == "insecure-http")
        assert str(found["value"]) == str(shown[0])
        assert found["source"] == (shown[1] or "feedtool.toml, profile shop")
