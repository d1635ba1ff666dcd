"""`feedtool account check`: what is wrong with an account, and the way out."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from feedtool.model.errors import Exit
from tests.cli.conftest import Feedtool
from tests.conftest import Files
from tests.loopback import serving_answers


def test_a_missing_account_is_reported(feedtool: Feedtool) -> None:
    assert feedtool("account check").error()[0] == "there is no account to try"


def test_all_is_well_in_the_sandbox(feedtool: Feedtool) -> None:
    ran = feedtool("account check --sandbox")
    assert (ran.code, [line.split() for line in ran.out.splitlines()]) == (
        Exit.OK,
        [
            ["token", "http://sandbox.invalid/v2", "works"],
            ["seller", "sandbox", "works"],
            ["channel", "PRIMARY", "works"],
            ["channel", "SECOND", "works"],
        ],
    )
    assert ran.next.startswith("`feedtool demo`")


BRANDS, CHANNELS = "/brands", "/sales-channel-configurations"
PACKAGES, OFFERS = "/offer-packages", "/offers"
Answers = dict[str, tuple[int, object]]
USED: Answers = {PACKAGES: (200, [{"packageId": "1", "salesChannelId": "USED"}])}
LISTED: Answers = {CHANNELS: (200, [{"salesChannel": "LISTED"}, {"isEnabled": True}, "strange"])}
MINE = {"token": True, "seller": True, "channel MINE": True}
CASES: dict[str, tuple[Answers, int, dict[str, bool], str]] = {
    "nothing is listed": ({}, Exit.OK, MINE, ""),
    "what is listed or was used": (
        {**USED, **LISTED},
        Exit.OK,
        {**MINE, "channel LISTED": True, "channel USED": True},
        "",
    ),
    "a wrong token": ({BRANDS: (401, {})}, Exit.AUTH, {"token": False}, "does not accept"),
    "another address": ({BRANDS: (404, {})}, Exit.USAGE, {"token": False}, "Check base_url"),
    "a seller of somebody else": (
        {PACKAGES: (403, {})},
        Exit.AUTH,
        {"token": True, "seller": False},
        "check the seller",
    ),
    "no seller": (
        {PACKAGES: (400, {})},
        Exit.USAGE,
        {"token": True, "seller": False},
        "Check seller",
    ),
    "a wrong channel": (
        {OFFERS: (400, {})},
        Exit.USAGE,
        {**MINE, "channel MINE": False},
        "Check channel: ",
    ),
    "wrong channels": (
        {OFFERS: (404, {}), **LISTED},
        Exit.USAGE,
        {**MINE, "channel MINE": False, "channel LISTED": False},
        "names: LISTED",
    ),
    "too many calls": ({BRANDS: (429, {})}, Exit.INTERRUPTED, {"token": False}, "asks to wait"),
    "a broken service": ({BRANDS: (500, {})}, Exit.INTERRUPTED, {"token": False}, "no usable"),
}


@pytest.mark.parametrize("case", CASES)
def test_problems_of_an_account_have_hints(feedtool: Feedtool, case: str) -> None:
    answers, code, expected, said = CASES[case]

    def answer(path: str) -> tuple[int, dict[str, str], bytes]:
        path = path.partition("?")[0]
        status, document = answers.get(path, (404 if path == CHANNELS else 200, []))
        return status, {}, json.dumps(document).encode()

    with serving_answers(answer) as service:
        account = f"--base-url {service.url} --seller S --token t --channel MINE"
        ran = feedtool(f"account check --format json {account}")
    shown = {
        f"channel {entry['value']}" if entry["check"] == "channel" else entry["check"]: (
            entry["works"]
        )
        for entry in ran.json
    }
    assert (ran.code, shown) == (code, expected), ran.err
    assert said in ran.err
    assert all(entry["works"] or (entry["message"] and entry["hint"]) for entry in ran.json)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("--base-url http://127.0.0.1:9/v2 --seller S --token t", Exit.INTERRUPTED, "base_url"),
        ("--base-url http://127.0.0.1:9/v2 --seller S", Exit.USAGE, "--token-file"),
        ("--base-url http://127.0.0.1:9/v2 --token t", Exit.USAGE, "--seller"),
        ("", Exit.USAGE, "--sandbox"),
        ("--sandbox --token wrong", Exit.AUTH, "Check the token"),
        ("--sandbox --channel NOPE", Exit.USAGE, "the service names: PRIMARY, SECOND"),
    ],
)
def test_an_account_that_is_not_reached(
    feedtool: Feedtool, options: str, code: int, said: str
) -> None:
    ran = feedtool(f"account check {options}")
    assert (ran.code, said in " ".join(ran.error())) == (code, True), ran.err


def test_practice_by_default_is_never_taken_for_an_account(
    feedtool: Feedtool, files: Files
) -> None:
    files.text("[defaults]\nsandbox = true\n[profile.shop]\nseller = 'S'\n", "feedtool.toml")
    for typed in ("--profile shop", "--base-url https://a.example/v2"):
        ran = feedtool(f"account check {typed}")
        assert (ran.code, "look for `sandbox`" in ran.error()[1]) == (Exit.USAGE, True)
    assert feedtool("account check --profile shop --sandbox").code == Exit.OK


BUDGET = """
[budgets.both]
per_second = 50
burst = 50

[profile.shop]
base_url = "{url}"
seller = "S"
token = "t"
budget = "both"

[profile.alone]
base_url = "{url}"
seller = "S"
token = "t"

[profile.granted]
base_url = "{url}"
seller = "S"
token_url = "{url}/token"
client_id = "us"
client_secret = "s"
budget = "both"
"""
UNTIL = "SELECT until FROM budgets WHERE name = 'both'"


# Of each are asked the token, the seller, the list of channels and one channel.
@pytest.mark.parametrize(("profile", "calls"), [("shop", 4), ("granted", 5)])
def test_each_call_takes_of_the_budget_of_its_profile(
    feedtool: Feedtool, files: Files, profile: str, calls: int
) -> None:
    ledger = files.folder / "home/ledger.sqlite"

    def answer(path: str) -> tuple[int, dict[str, str], bytes]:
        status = 404 if path.startswith(CHANNELS) else 200
        return status, {}, b'{"access_token": "t"}' if path == "/token" else b"[]"

    with serving_answers(answer) as service:
        files.text(BUDGET.format(url=service.url), "feedtool.toml")
        assert feedtool("account check --profile alone").code == Exit.OK
        assert not ledger.exists(), "whoever has no budget asks for none"
        begun = time.time()
        ran = feedtool(f"account check --profile {profile}")
        assert ran.code == Exit.OK
    assert "the budget “both” allows 50 calls a second" in ran.err
    with closing(sqlite3.connect(ledger)) as database:
        ((until,),) = database.execute(UNTIL).fetchall()
    assert until - begun >= calls / 50


# All of them.

OTHERS = 6
"""A number of settings beyond those that are tried side by side."""


@pytest.fixture
def sellers(files: Files) -> Iterator[None]:
    """A profile in the configuration, and some in a folder: of one the token is wrong."""

    def answer(path: str) -> tuple[int, dict[str, str], bytes]:
        seller = path.split("/")[1]
        status = 401 if seller == "wrong" else 404 if CHANNELS in path else 200
        return status, {}, b"[]"

    with serving_answers(answer) as service:
        account = f'base_url = "{service.url}/{{name}}"\nseller = "S"\ntoken = "t"\n'
        own = f"[defaults]\nprofiles = 'sellers'\n[profile.shop]\n{account.format(name='shop')}"
        files.text(own, "feedtool.toml")
        for name in ("north", "wrong", *(f"s{number}" for number in range(OTHERS))):
            files.text(account.format(name=name), f"sellers/{name}.toml")
        yield


@pytest.mark.usefixtures("sellers")
def test_all_accounts_are_tried(feedtool: Feedtool, files: Files) -> None:
    files.text("seller = 7", "sellers/broken.toml")
    ran = feedtool("account check --all")
    lines = dict(line.split(None, 1) for line in ran.out.splitlines())
    rest = sorted(f"s{number}" for number in range(OTHERS))
    assert list(lines) == ["shop", "broken", "north", *rest, "wrong"]
    for name in ("shop", "north", *rest):
        assert lines.pop(name) == "works"
    assert lines["wrong"].startswith("fails  token: The service does not accept the token")
    assert lines["broken"] == "fails  sellers/broken.toml: seller must be a text"
    assert ran.code == Exit.USAGE
    assert "help: Check the token, and that it has not run out." in ran.err
    assert "help: write seller = " in ran.err
    assert f"note: {OTHERS + 2} of {OTHERS + 4} accounts work" in ran.err


@pytest.mark.usefixtures("sellers")
def test_all_accounts_for_scripts(feedtool: Feedtool, files: Files) -> None:
    ran = feedtool("account check --all --format jsonl")
    found = {entry["profile"]: entry for entry in ran.events}
    wrong = found.pop("wrong")
    assert (wrong["works"], wrong["exitCode"]) == (False, Exit.AUTH)
    assert [check["works"] for check in wrong["checks"]] == [False]
    assert wrong["message"] == wrong["checks"][0]["message"] != ""
    for entry in found.values():
        assert (entry["works"], entry["exitCode"], entry["message"]) == (True, 0, "")
        assert [check["check"] for check in entry["checks"]] == ["token", "seller", "channel"]
    (files.folder / "sellers/wrong.toml").unlink()
    ran = feedtool("account check --all --format json")
    assert (ran.code, len(ran.json)) == (Exit.OK, OTHERS + 2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "there is no account to try"),
        ("--sandbox", "--all and --sandbox contradict"),
        ("--profile shop", "--all and --profile contradict"),
        ("--base-url https://a.example/v2", "--all and --base-url contradict"),
    ],
)
def test_all_of_them_are_those_of_profiles(
    feedtool: Feedtool, files: Files, words: str, said: str
) -> None:
    if words:
        files.text("[profile.shop]\n", "feedtool.toml")
    ran = feedtool(f"account check --all {words}")
    assert (ran.code, said in ran.error()[0]) == (Exit.USAGE, True)
