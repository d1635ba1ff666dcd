"""Options, variables, feedtool.toml, defaults: which one counts, and what is shown of them."""

import json
import os
from pathlib import Path

import click
import pytest

from feedtool.cli import feedtool as group
from feedtool.cli.config import MASK
from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer


@pytest.mark.parametrize("command", list(group.every()), ids=lambda command: command.name)
def test_each_option_is_explained_and_has_its_variable(command: click.Command) -> None:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            long = next(name for name in parameter.opts if name.startswith("--"))
            variable = f"FEEDTOOL_{long.removeprefix('--').replace('-', '_').upper()}"
            # What lets a token travel unencrypted is typed, or written for one account.
            assert parameter.help, long
            assert parameter.envvar == (None if long == "--insecure-http" else variable)


SHOW = "config show --format json"
SHOP = '[profile.shop]\nbase_url = "https://a.example/v2"\nseller = "12345"\nvat_scale = 1\n'
SPANISH = '[defaults]\nlanguage = "es"\n'
OF_SHOP = ("12345", "feedtool.toml, profile shop")
UNSAFE = f"{SHOP}insecure_http = true\n"
SOURCES: dict[str, tuple[str, str, str, str, tuple[object, str]]] = {
    "a default": ("", "", "", "language", ("en", "default")),
    "a file": (SPANISH, "", "", "language", ("es", "feedtool.toml, defaults")),
    "a variable": (SPANISH, "LANGUAGE=fr", "", "language", ("fr", "environment FEEDTOOL_LANGUAGE")),
    "an option": (SPANISH, "LANGUAGE=fr", "--language en", "language", ("en", "option")),
    "a profile": (SHOP, "", "--profile shop", "seller", OF_SHOP),
    "a profile by default": (f'[defaults]\nprofile = "shop"\n{SHOP}', "", "", "seller", OF_SHOP),
    "its file": (SHOP, "", "--profile shop --config feedtool.toml", "seller", OF_SHOP),
    "a variable before a profile": (
        *(SHOP, "SELLER=7", "--profile shop", "seller", ("7", "environment FEEDTOOL_SELLER")),
    ),
    "a setting": (SHOP, "", "--profile shop", "vat_scale", (1, "feedtool.toml, profile")),
    "no setting": (SHOP, "", "--profile shop", "gtin_as", ("string", "default")),
    "unencrypted": (UNSAFE, "", "--profile shop", "insecure_http", (True, OF_SHOP[1])),
    "unencrypted by no variable": (
        *(UNSAFE, "INSECURE_HTTP=1", "", "insecure_http", (False, "default")),
    ),
    "a time": (
        *("[profile.shop]\ncall_timeout = 30", "", "--profile shop", "call_timeout"),
        ("30.0", "feedtool.toml, profile shop"),
    ),
}


@pytest.mark.parametrize("case", SOURCES)
def test_the_source_of_a_setting(
    feedtool: Feedtool, files: Files, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    file, variable, options, name, shown = SOURCES[case]
    files.text(file, "feedtool.toml")
    if variable:
        monkeypatch.setenv(*f"FEEDTOOL_{variable}".split("="))
    assert feedtool(f"{SHOW} {options}").settings[name] == shown


RECIPE = """\
[match]
kind = "offers-update"
headers = ["Réf", "Reste"]
[columns]
"Réf" = "sellerExternalReference"
"Reste" = "quantity"
"""


@pytest.mark.parametrize(
    ("home", "folder"), [(None, "settings/feedtool"), ("", "settings/feedtool"), ("own", "own")]
)
def test_the_settings_and_recipes_are_found_in_the_users_folder(
    feedtool: Feedtool,
    files: Files,
    monkeypatch: pytest.MonkeyPatch,
    home: str | None,
    folder: str,
) -> None:
    """The system's folder, unless FEEDTOOL_HOME names another, which then counts alone."""
    if home is None:
        monkeypatch.delenv("FEEDTOOL_HOME")
    else:
        monkeypatch.setenv("FEEDTOOL_HOME", home)
    french = SPANISH.replace("es", "fr")
    for place, text in (("own", french), ("settings/feedtool", french), (folder, SPANISH)):
        files.text(text, f"{place}/feedtool.toml")
    files.text(RECIPE, f"{folder}/recipes/mine.toml")
    assert feedtool(SHOW).settings["language"][0] == "es"
    assert "Uso: " in feedtool("validate --help").out
    files.text("Réf;Reste\nA-1;7\n", "sheets/a.csv")
    assert feedtool("validate sheets/a.csv --format json").only["recipe"]["name"] == "mine"


DEFAULTS = {
    "format": ('format = "json"', "", "validate", "offers-upsert"),
    "as": ('as = "offers-delete"\nformat = "json"', "", "validate", "offers-delete"),
    "dry-run": ('"dry-run" = true\nformat = "json"', "", "submit", "offers-upsert"),
    "dry_run": ('dry_run = true\nformat = "json"', "", "submit", "offers-upsert"),
    "FORMAT": ("", "FORMAT=json", "validate", "offers-upsert"),
    "DRY_RUN": ('format = "json"', "DRY_RUN=1", "submit", "offers-upsert"),
}


@pytest.mark.parametrize("case", DEFAULTS)
def test_any_option_has_its_default_and_its_variable(
    feedtool: Feedtool, files: Files, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    defaults, variable, command, kind = DEFAULTS[case]
    files.csv(offer())
    files.text(f"[defaults]\n{defaults}\n", "feedtool.toml")
    if variable:
        monkeypatch.setenv(*f"FEEDTOOL_{variable}".split("="))
    ran = feedtool(f"{command} offers.csv")
    assert (ran.code, ran.only["kind"]) == (0, kind)


def test_limits_of_reading_are_settings(feedtool: Feedtool, files: Files) -> None:
    files.book({"Offers": [offer()]})
    files.text("[profile.strict.reading]\nparts = 3\n", "feedtool.toml")
    found = feedtool(f"{SHOW} --profile strict").settings
    assert found["reading.parts"] == (3, "feedtool.toml, profile")
    assert found["reading.total"] == (4294967296, "default")
    assert found["limits.upload"] == (100, "default")
    assert feedtool("validate offers.xlsx").code == 0
    ran = feedtool("validate offers.xlsx --profile strict --format json")
    assert ran.code == 3
    assert ran.only["error"]["code"] == "zip-bomb"


def test_the_budget_of_an_account_is_shown(feedtool: Feedtool, files: Files) -> None:
    budgets = "[budgets.both]\nper_second = 2.5\n"
    files.text(f'{budgets}[profile.shop]\nbudget = "both"\n[profile.alone]\n', "feedtool.toml")
    found = feedtool(f"{SHOW} --profile shop").settings
    assert {name: found[name] for name in found if name.startswith("budget")} == {
        "budget": ("both", "feedtool.toml, profile"),
        "budget.per_second": (2.5, "feedtool.toml, budgets"),
        "budget.burst": (1, "feedtool.toml, budgets"),
    }
    assert feedtool(f"{SHOW} --profile alone").settings["budget"] == ("", "default")


@pytest.mark.parametrize("way", ["option", "environment", "defaults"])
def test_a_folder_of_profiles(
    feedtool: Feedtool, files: Files, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    own = '[defaults]\nprofiles = "sellers"\n' if way == "defaults" else "[defaults]\n"
    files.text(f"{own}{SHOP}", "feedtool.toml")
    files.text('seller = "2"\nvat_scale = 1\ntoken = "t"\n', "sellers/north.toml")
    if way == "environment":
        monkeypatch.setenv("FEEDTOOL_PROFILES", "sellers")
    option = "--profiles sellers" if way == "option" else ""
    # Whatever their order.
    found = feedtool(f"{SHOW} --profile north {option}").settings
    assert found["seller"] == ("2", "sellers/north.toml")
    assert found["vat_scale"] == (1, "sellers/north.toml")
    assert found["token"] == ("********", "sellers/north.toml")
    sources = {"environment": "environment FEEDTOOL_PROFILES", "option": "option"}
    assert found["profiles"] == ("sellers", sources.get(way, "feedtool.toml, defaults"))
    shop = feedtool(f"{SHOW} {option} --profile shop").settings
    assert shop["seller"][1] == "feedtool.toml, profile shop"
    ran = feedtool("config show --profiles nowhere --profile shop")
    assert (ran.code, "there is no such folder" in ran.error()[0]) == (2, True)


def test_only_changed_settings_are_shown(feedtool: Feedtool, files: Files) -> None:
    files.text(f'[defaults]\n"dry-run" = true\nprofile = "shop"\n{SHOP}', "feedtool.toml")
    differing = {line.split()[0] for line in feedtool("config show").out.splitlines()}
    assert differing == {"base_url", "dry_run", "home", "profile", "seller", "vat_scale"}
    every = {line.split()[0] for line in feedtool("config show --all").out.splitlines()}
    assert every == feedtool(SHOW).settings.keys() > differing
    assert not any("-" in name for name in every), "named as in feedtool.toml"


def test_without_changed_settings_the_list_is_empty(
    feedtool: Feedtool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FEEDTOOL_HOME")
    ran = feedtool("config show")
    assert (ran.out, "--all" in ran.err) == ("", True)


@pytest.mark.skipif(os.name == "nt", reason="permissions of another kind")
def test_only_the_user_can_read_the_state(feedtool: Feedtool, files: Files) -> None:
    files.csv(offer())
    assert feedtool("submit --sandbox offers.csv --home mine").code == 0
    assert Path("mine").stat().st_mode & 0o077 == 0


SECRET = "planted-secret"


@pytest.mark.parametrize("name", ["token", "token-command", "client-secret", "hook", "webhook"])
@pytest.mark.parametrize("way", ["option", "environment", "profile"])
def test_no_secret_is_shown(
    feedtool: Feedtool, files: Files, monkeypatch: pytest.MonkeyPatch, name: str, way: str
) -> None:
    words = {"option": f" --{name} {SECRET}", "profile": " --profile shop"}.get(way, "")
    if way == "environment":
        monkeypatch.setenv(f"FEEDTOOL_{name.replace('-', '_').upper()}", SECRET)
    files.text(f'[profile.shop]\n{name.replace("-", "_")} = "{SECRET}"\n', "feedtool.toml")
    ran = feedtool(SHOW + words)
    assert SECRET not in ran.out + ran.err
    assert ran.settings[name.replace("-", "_")][0] == MASK


ADDRESSES = {
    f"postgresql://anna:{SECRET}@db/feeds": "postgresql://********@db/feeds",
    f"postgresql://anna:{SECRET}@db:5432/feeds?sslmode=require": (
        "postgresql://********@db:5432/feeds?sslmode=require"
    ),
    f"postgresql://db/feeds?user=anna&password={SECRET}&host=a": (
        "postgresql://db/feeds?user=********&password=********&host=a"
    ),
    f"postgresql://db/feeds?PASSWORD={SECRET}": "postgresql://db/feeds?PASSWORD=********",
    f"postgresql://anna:p@{SECRET}@db/feeds": "postgresql://********@db/feeds",
    f"postgresql://anna:p/{SECRET}@db/feeds": "postgresql://********@db/feeds",
    f"postgresql://anna:p?{SECRET}@db/feeds?port=1": "postgresql://********@db/feeds?port=1",
    f"postgresql://anna:p@/{SECRET}@db/feeds": "postgresql://********@db/feeds",
    f"sftp://anna@host/in@box?key=k&password_command=echo {SECRET}": (
        "sftp://********@host/in@box?key=k&password_command=********"
    ),
    f"az://box/feeds?{SECRET}": "az://box/feeds?=********",
    "s3://example-feeds/store": "s3://example-feeds/store",
    "s3://feeds/a@b": "s3://feeds/a@b",
    "https://host:8080/v2": "https://host:8080/v2",
    "file:///srv/feeds": "file:///srv/feeds",
    "answers/a?b=c": "answers/a?b=c",
}
"""Addresses, and what is shown of them."""


def test_no_secret_of_an_address_is_shown(feedtool: Feedtool, files: Files) -> None:
    names, addresses = ("ledger", "store", "results", "base_url"), [*ADDRESSES]
    for first in range(0, len(addresses), len(names)):
        given = dict(zip(names, (addresses[first:] + addresses)[: len(names)], strict=True))
        lines = (f"{name} = {json.dumps(address)}\n" for name, address in given.items())
        files.text("[defaults]\n" + "".join(lines), "feedtool.toml")
        ran = feedtool("config show --format json --all")
        found = {entry["name"]: entry["value"] for entry in ran.json}
        shown = {name: ADDRESSES[address] for name, address in given.items()}
        assert {name: found[name] for name in names} == shown
        assert SECRET not in feedtool("config show").out
