"""The accounts of a command that serves several, each as if the command line had named it."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import pytest
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.cli import options
from feedtool.cli.accounts import ServedAccounts, Serving, ServingCommand
from feedtool.cli.console import CONSOLE, StopSignal
from feedtool.cli.notifier import RunNotices
from feedtool.cli.typed import command_of
from feedtool.feeds.selection import SelectionOptions
from feedtool.model.errors import Exit, UsageProblem
from feedtool.model.text import LanguageChoice, Translator
from feedtool.runs.config import SANDBOX
from feedtool.runs.notify import Notifier, Target
from feedtool.runs.plan_file import Account
from tests.conftest import Files

CONFIG = """[profile.shop]
base_url = "https://a.example/v2"
seller = "1"
channel = "B"
token = "t"
changed_only = true
columns = { "Ma ref" = "sellerExternalReference" }
[profile.mall]
base_url = "https://a.example/v2"
"""
ADDRESS = "https://a.example/v2"


@command_of(Serving, ServingCommand)
def serve(_: click.Context, _options: Serving) -> None:
    """Serves all accounts."""


Open = Callable[..., ServedAccounts]


@pytest.fixture
def accounts() -> Iterator[Open]:
    console = vars(CONSOLE).copy()

    def of(*words: str) -> ServedAccounts:
        line = serve.make_context("serve", list(words))
        CONSOLE.say, CONSOLE.language = Translator("es"), LanguageChoice("es", "es")
        notices = RunNotices("serve", None, {}, Notifier(lambda _: None))
        return ServedAccounts(line, StopSignal(), notices)

    yield of
    vars(CONSOLE).update(console)


def test_without_a_configuration_only_the_sandbox_exists(accounts: Open) -> None:
    every = accounts()
    assert (every.names, every.usual) == ((SANDBOX,), SANDBOX)
    with every.planning(SANDBOX) as account:
        assert account.identity == Account(options.SANDBOX, "sandbox", None, is_sandbox=True)
        assert account.reading.dialect.primary_channel == "PRIMARY"
    with every.open(SANDBOX) as opened:
        assert (opened.session.seller, opened.session.profile) == ("sandbox", None)
        assert opened.workspace.ledger.run_ids() == []


def test_a_file_is_checked_without_an_account(accounts: Open) -> None:
    with accounts().planning(None) as account:
        assert account.identity == Account()
        assert account.selection == SelectionOptions()


def test_each_profile_is_as_if_it_had_been_named(accounts: Open, files: Files) -> None:
    files.text(CONFIG, "feedtool.toml")
    every = accounts("--prefer-update")
    assert (every.names, every.usual) == (("shop", "mall", SANDBOX), "shop")
    assert [every.is_sandbox(name) for name in every.names] == [False, False, True]
    with every.planning("shop") as account:
        assert account.identity == Account(ADDRESS, "1", "shop")
        assert account.selection == SelectionOptions(changed_only=True, prefer_update=True)
        assert account.reading.dialect.columns == {"Ma ref": "sellerExternalReference"}
    with every.open("shop") as opened:
        assert (opened.session.address, opened.session.seller) == (ADDRESS, "1")
        assert (opened.session.profile, opened.reading.channel) == ("shop", "B")
        query = opened.query(load().exports["offers"], {})
        assert (query.channel, query.language) == ("B", "en")
    assert [every.seller_of(name) for name in every.names] == [
        (ADDRESS, "1"),
        (ADDRESS, "mall"),
        (options.SANDBOX, "sandbox"),
    ]
    assert accounts("--profile", "mall").usual == "mall"
    assert accounts("--sandbox").usual == SANDBOX


def test_the_sandbox_is_no_profile(
    accounts: Open, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.text(CONFIG, "feedtool.toml")
    monkeypatch.setenv("FEEDTOOL_PROFILE", "shop")
    for every in (accounts(), accounts("--profile", "shop", "--base-url", ADDRESS)):
        with every.open(SANDBOX) as opened:
            assert (opened.session.profile, opened.session.is_sandbox) == (None, True)
            assert opened.reading.dialect.columns == {}


def test_corrected_profiles_count_from_the_next_time_on(accounts: Open, files: Files) -> None:
    files.text(CONFIG, "feedtool.toml")
    every = accounts()
    with pytest.raises(UsageProblem, match="--seller is missing"), every.open("mall"):
        pass
    files.text(f'{CONFIG}seller = "2"\ntoken = "t"\n', "feedtool.toml")
    with every.open("mall") as opened:
        assert opened.session.seller == "2"
    Path("feedtool.toml").unlink()
    with pytest.raises(UsageProblem, match="no profile “mall”"), every.planning("mall"):
        pass


OWN = ("--base-url", "https://b.example:8443/v2", "--seller", "9", "--token", "t")
NAMES: Mapping[str, tuple[str, Sequence[str], Sequence[str]]] = {
    "alone": ("", OWN, ("9@b.example:8443", SANDBOX)),
    "it decides for all": (CONFIG, OWN, ("9@b.example:8443", SANDBOX)),
    "beside profiles": (
        f'[defaults]\nbase_url = "{ADDRESS}"\nseller = "9"\n{CONFIG}',
        (),
        ("9@a.example", "shop", "mall", SANDBOX),
    ),
    "half of it": ("", OWN[:2], ("b.example:8443", SANDBOX)),
    "the other half": ("", OWN[2:], ("9", SANDBOX)),
    "half of it for all profiles": (CONFIG, OWN[:2], ("shop", "mall", SANDBOX)),
    "a profile is named": (CONFIG, (*OWN, "--profile", "shop"), ("shop", "mall", SANDBOX)),
    "the sandbox is meant": ("", ("--sandbox", "--seller", "9"), (SANDBOX,)),
}


@pytest.mark.parametrize("case", NAMES)
def test_an_account_of_options_has_a_name(accounts: Open, files: Files, case: str) -> None:
    config, words, names = NAMES[case]
    files.text(config, "feedtool.toml")
    every = accounts(*words)
    assert (every.names, every.usual) == (names, names[0])
    assert [every.is_sandbox(name) for name in names] == [name == SANDBOX for name in names]


def test_an_account_of_options_is_opened_by_its_name(accounts: Open, files: Files) -> None:
    files.text(CONFIG, "feedtool.toml")
    every = accounts(*OWN)
    address, name = OWN[1], every.usual
    with every.planning(name) as account:
        assert account.identity == Account(address, "9", None)
    with every.open(name) as opened:
        assert (opened.session.seller, opened.session.profile) == ("9", None)
        assert not opened.session.is_sandbox
    assert every.of_seller(address.upper(), "9") == name
    assert every.of_seller(address, "8") == every.of_seller(ADDRESS, "9") == ""
    assert accounts().of_seller(address, "9") == ""


WHOLE = 'base_url = "https://a.example/v2"\nseller = "2"\n'
LACKS = {
    "": "missing: the address of the service, the seller, the token",
    'base_url = "https://a.example/v2"': "missing: the seller, the token",
    'seller = "2"\ntoken = "t"': "missing: the address of the service",
    f'{WHOLE}token_file = "gone"': "missing: the token",
    f'{WHOLE}token_url = "https://a.example"': "missing: the token",
    f'{WHOLE}token_command = "told"': "",
}


@pytest.mark.parametrize("profile", LACKS)
def test_missing_settings_are_known_before_any_request(
    accounts: Open, files: Files, profile: str
) -> None:
    files.text(f"[profile.shop]\n{profile}\n", "feedtool.toml")
    every = accounts()
    assert every.lack("shop") == LACKS[profile]
    assert "the sales channel" in every.lack("shop", needs_channel=True)
    assert every.lack(SANDBOX, needs_channel=True) == ""


def test_a_removed_account_is_missing(accounts: Open, files: Files) -> None:
    files.text(CONFIG, "feedtool.toml")
    every = accounts()
    assert every.lack("shop", needs_channel=True) == ""
    assert "there is no profile “shops”" in every.lack("shops")


def test_the_terminal_keeps_its_language(accounts: Open) -> None:
    every = accounts("--language", "fr", "--")
    with ThreadPoolExecutor() as threads:

        def language() -> LanguageChoice:
            with every.open(SANDBOX) as opened:
                return opened.language

        assert threads.submit(language).result() == LanguageChoice("fr", "fr")
    assert (CONSOLE.say.language, CONSOLE.language.asked) == ("es", "es")


class Heard(Notifier):
    """Keeps what would be sent, and to whom."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)
        self.sent: list[tuple[list[str], str]] = []

    def send(self, targets: Mapping[str, Target], body: bytes) -> None:
        self.sent.append(([*targets], json.loads(body)["profile"]))


def test_notices_name_their_account(accounts: Open, files: Files) -> None:
    files.text(f'{CONFIG}hook = "told"\n', "feedtool.toml")
    every, heard = accounts("--seller", "9", "--token", "t"), Heard()
    every = replace(every, notices=replace(every.notices, notifier=heard))
    for name in ("mall", "shop"):
        with every.open(name) as opened:
            opened.on_answered([], Exit.OK)
    assert heard.sent == [(["hook told"], "mall")]


def test_a_folder_of_profiles_is_read_in_its_present_state(accounts: Open, files: Files) -> None:
    seller = f'base_url = "{ADDRESS}"\nseller = "{{}}"\ntoken = "t"\n'
    files.text(seller.format(2), "sellers/south.toml")
    every = accounts("--profiles", str(files.folder / "sellers"))
    assert (every.names, every.usual) == (("south", SANDBOX), "south")
    files.text(seller.format(3), "sellers/north.toml")
    files.text("seller = ", "sellers/broken.toml")
    assert every.names == ("broken", "north", "south", SANDBOX)
    assert not every.is_sandbox("broken")
    assert every.seller_of("north") == (ADDRESS, "3")
    with pytest.raises(UsageProblem, match=r"broken\.toml cannot be read"), every.open("broken"):
        pass
    files.text(seller.format(4), "sellers/south.toml")
    with every.open("south") as opened:
        assert (opened.session.seller, opened.session.profile) == ("4", "south")


def test_missing_settings_are_checked_again_after_a_change(accounts: Open, files: Files) -> None:
    seller = f'base_url = "{ADDRESS}"\nseller = "2"\n'
    files.text(seller, "sellers/south.toml")
    every = accounts("--profiles", str(files.folder / "sellers"))
    assert [every.lack("south") for _ in range(2)] == ["missing: the token"] * 2
    files.text(f'{seller}token = "t"\n', "sellers/south.toml")
    assert [every.lack("south"), every.lack("south", needs_channel=True)] == [
        "",
        "missing: the sales channel",
    ]
    files.text(f'{seller}token = "t"\nchannel = \n', "sellers/south.toml")
    assert "south.toml cannot be read: it is not TOML" in every.lack("south")
    token = files.folder / "token.txt"
    files.text(f'{seller}token_file = "{token.as_posix()}"\n', "sellers/south.toml")
    assert every.lack("south") == "missing: the token"
    files.text("t", token.name)
    assert every.lack("south") == ""
    files.text("profile = 1\n", "feedtool.toml")
    assert "feedtool.toml" in every.lack("south")
