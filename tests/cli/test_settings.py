"""Options, variables, feedtool.toml, defaults: which one counts, and what is shown of them."""

import json
import os
from pathlib import Path

import click
import pytest

from feedtool.cli import COMMANDS
from feedtool.cli import feedtool as group
from tests.cli.conftest import Feedtool, Ran
from tests.conftest import Files, offer


def commands() -> dict[str, click.Command]:
    """Every command by its words."""
    found: dict[str, click.Command] = {}
    for name in COMMANDS:
        command = group.get_command(click.Context(group), name)
        assert command is not None
        if isinstance(command, click.Group):
            context = click.Context(command)
            for own in command.list_commands(context):
                inner = command.get_command(context, own)
                assert inner is not None
                found[f"{name} {own}"] = inner
        else:
            found[name] = command
    return found


@pytest.mark.parametrize("command", commands().values(), ids=commands())
def test_each_option_has_its_variable(command: click.Command) -> None:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            long = next(name for name in parameter.opts if name.startswith("--"))
            variable = f"FEEDTOOL_{long.removeprefix('--').replace('-', '_').upper()}"
            # What lets a token travel unencrypted is typed, or written for one account.
            assert parameter.envvar == (None if long == "--insecure-http" else variable)


@pytest.mark.parametrize("command", commands().values(), ids=commands())
def test_each_option_is_explained(command: click.Command) -> None:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.opts


def settings(ran: Ran) -> dict[str, tuple[object, str]]:
    assert ran.code == 0, ran
    return {one["name"]: (one["value"], one["source"]) for one in ran.json}


def test_precedence(feedtool: Feedtool, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    show = ("config", "show", "--format", "json")
    assert settings(feedtool(*show))["language"] == ("en", "default")
    files.text('[defaults]\nlanguage = "es"\n', "feedtool.toml")
    assert settings(feedtool(*show))["language"] == ("es", "feedtool.toml, defaults")
    monkeypatch.setenv("FEEDTOOL_LANGUAGE", "fr")
    assert settings(feedtool(*show))["language"] == ("fr", "environment FEEDTOOL_LANGUAGE")
    assert settings(feedtool(*show, "--language", "en"))["language"] == ("en", "option")


SHOP = """
[profile.shop]
base_url = "https://seller.example/v2"
seller = "12345"
token = "do-not-show"
vat_scale = 1
"""


def test_a_profile_gives_values_and_options_go_before_it(
    feedtool: Feedtool, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.text(SHOP, "feedtool.toml")
    show = ("config", "show", "--format", "json", "--profile", "shop")
    found = settings(feedtool(*show))
    assert found["seller"] == ("12345", "feedtool.toml, profile shop")
    assert found["vat_scale"] == (1, "feedtool.toml, profile")
    assert found["gtin_as"] == ("string", "default")
    monkeypatch.setenv("FEEDTOOL_SELLER", "777")
    assert settings(feedtool(*show))["seller"] == ("777", "environment FEEDTOOL_SELLER")
    assert settings(feedtool(*show, "--seller", "1"))["seller"] == ("1", "option")


def test_how_much_is_read_is_a_setting(feedtool: Feedtool, files: Files) -> None:
    files.book({"Offers": [offer()]})
    files.text("[profile.strict.reading]\nparts = 3\n", "feedtool.toml")
    found = settings(feedtool("config", "show", "--format", "json", "--profile", "strict"))
    assert found["reading.parts"] == (3, "feedtool.toml, profile")
    assert found["reading.total"] == (4294967296, "default")
    assert found["limits.upload"] == (100, "default")
    assert feedtool("validate", "offers.xlsx").code == 0
    ran = feedtool("validate", "offers.xlsx", "--profile", "strict", "--format", "json")
    assert ran.code == 3
    assert ran.only["error"]["code"] == "zip-bomb"


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("way", ["option", "environment", "profile"])
def test_secrets_are_masked(
    feedtool: Feedtool, files: Files, monkeypatch: pytest.MonkeyPatch, form: str, way: str
) -> None:
    show = ["config", "show", "--format", form]
    if way == "option":
        show += ["--token", "do-not-show"]
    elif way == "environment":
        monkeypatch.setenv("FEEDTOOL_TOKEN", "do-not-show")
    else:
        files.text(SHOP, "feedtool.toml")
        show += ["--profile", "shop"]
    ran = feedtool(*show)
    assert "do-not-show" not in ran.out + ran.err
    assert "********" in ran.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--config", "mine.toml", "--profile", "shop"],
        ["--profile", "shop", "--config", "mine.toml"],
    ],
    ids=["config first", "profile first"],
)
def test_the_order_of_options_decides_nothing(
    feedtool: Feedtool, files: Files, arguments: list[str]
) -> None:
    files.text(SHOP, "mine.toml")
    found = settings(feedtool("config", "show", "--format", "json", *arguments))
    assert found["seller"] == ("12345", "mine.toml, profile shop")


def test_a_default_may_name_the_profile(feedtool: Feedtool, files: Files) -> None:
    files.text(f'[defaults]\nprofile = "shop"\n{SHOP}', "feedtool.toml")
    found = settings(feedtool("config", "show", "--format", "json"))
    assert found["seller"] == ("12345", "feedtool.toml, profile shop")


@pytest.mark.parametrize(
    ("default", "arguments"),
    [
        ('format = "json"', ["validate", "offers.csv"]),
        ('as = "offers-delete"\nformat = "json"', ["validate", "offers.csv"]),
        ('"dry-run" = true\nformat = "json"', ["submit", "offers.csv"]),
        ('dry_run = true\nformat = "json"', ["submit", "offers.csv"]),
        ('base_url = "http://x/v2"\nformat = "json"', ["validate", "offers.csv"]),
    ],
    ids=["format", "as", "dry-run", "dry_run", "an option of another command"],
)
def test_any_option_has_its_default_by_its_name(
    feedtool: Feedtool, files: Files, default: str, arguments: list[str]
) -> None:
    files.csv(offer())
    files.text(f"[defaults]\n{default}\n", "feedtool.toml")
    ran = feedtool(*arguments)
    assert ran.code == 0
    expected = "offers-delete" if default.startswith("as") else "offers-upsert"
    assert ran.only["kind"] == expected


@pytest.mark.parametrize(
    ("variable", "value", "arguments"),
    [
        ("FEEDTOOL_AS", "offers-delete", ["validate", "offers.csv", "--format", "json"]),
        ("FEEDTOOL_FORMAT", "json", ["validate", "offers.csv", "--as", "offers-delete"]),
        (
            "FEEDTOOL_DRY_RUN",
            "1",
            ["submit", "offers.csv", "--format", "json", "--as", "offers-delete"],
        ),
        (
            "FEEDTOOL_SANDBOX",
            "true",
            ["submit", "offers.csv", "--format", "json", "--as", "offers-delete", "--no-wait"],
        ),
    ],
)
def test_variables_count(
    feedtool: Feedtool,
    files: Files,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    arguments: list[str],
) -> None:
    files.csv(offer())
    monkeypatch.setenv(variable, value)
    ran = feedtool(*arguments)
    assert ran.code in (0, 6)
    assert ran.only["kind"] == "offers-delete"


def test_a_profile_speaks_a_dialect_of_its_own(feedtool: Feedtool, files: Files) -> None:
    files.csv(offer(product__gtin=None) | {"Mon EAN": "4006381333931"})
    files.text(
        '[profile.shop]\nupload_body = "offerRequests"\ngtin_as = "number"\n'
        '[profile.shop.columns]\n"mon ean" = "product.gtin"\n[profile.shop.limits]\nupload = 1\n',
        "feedtool.toml",
    )
    ran = feedtool(
        "submit", "--dry-run", "offers.csv", "--profile", "shop", "--requests", "out",
        "--format", "json",
    )  # fmt: skip
    assert ran.code == 0
    body = json.loads(
        Path("out/offers.csv/package-001-Upsert-PRIMARY/upload-001.json").read_bytes()
    )
    assert body["offerRequests"][0]["product"] == {"gtin": 4006381333931}


def test_the_settings_are_found_in_the_users_folder(feedtool: Feedtool, files: Files) -> None:
    files.text('[defaults]\nlanguage = "es"\n', "settings/feedtool/feedtool.toml")
    found = settings(feedtool("config", "show", "--format", "json"))
    assert found["language"][0] == "es"


@pytest.mark.skipif(os.name == "nt", reason="permissions of another kind")
def test_the_state_is_the_users_alone(feedtool: Feedtool, files: Files) -> None:
    files.csv(offer())
    assert feedtool("submit", "--sandbox", "offers.csv", "--home", "mine").code == 0
    assert Path("mine").stat().st_mode & 0o077 == 0
