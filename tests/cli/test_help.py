"""Contents and headings of `--help`."""

import re

import pytest

from feedtool.cli import COMMANDS
from feedtool.cli import HEADINGS as COMMAND_HEADINGS
from feedtool.model.text import LANGUAGES
from tests.cli.conftest import Feedtool
from tests.messages import every_command

MORE = ["Account", "Advanced"]
FIXES = ["Made by --fix", "Made by --fix=NAME"]
HEADINGS = {
    "validate --help": ["Options", "Output", *FIXES],
    "validate --help-all": ["Options", "Output", "Advanced", *FIXES],
    "submit --help": ["Options", "Sending", "Output"],
    "submit --help-all": ["Options", "Sending", "Output", *MORE],
    "export offers --help": ["Options", "Sending", "Output"],
    "export offers --help-all": ["Options", "Sending", "Output", *MORE],
    "catalog --help-all": ["Options", "Commands"],
    "--help-all": ["Options", *COMMAND_HEADINGS],
    "--help": ["Options", *COMMAND_HEADINGS],
    "help": ["Options", *COMMAND_HEADINGS],
}


@pytest.mark.parametrize("command", HEADINGS)
def test_options_and_commands_are_under_headings(feedtool: Feedtool, command: str) -> None:
    out = feedtool(command).out
    assert re.findall(r"^(\w.*):$", out, re.MULTILINE) == HEADINGS[command]


def test_every_command_is_under_one_heading(feedtool: Feedtool) -> None:
    listed = [name for names in COMMAND_HEADINGS.values() for name in names.split()]
    assert sorted(listed) == sorted([*COMMANDS, "help"])
    shown = re.findall(r"^  ([a-z]+)  +[A-Z]", feedtool("--help").out, re.MULTILINE)
    assert shown == listed


def test_every_command_shows_all_of_its_options(feedtool: Feedtool) -> None:
    for words, _ in every_command():
        short, long = feedtool(f"{words} --help"), feedtool(f"{words} --help-all")
        assert (short.code, long.code) == (0, 0), words
        hidden = len(options_in(long.out)) - len(options_in(short.out))
        counted = re.search(r"--help-all +Show (\d+) more options?\.", short.out)
        assert (int(counted[1]) if counted else 0) == hidden + bool(counted), words
        assert "--help-all" not in long.out, words


def options_in(text: str) -> list[str]:
    return re.findall(r"^  -[-\w]+", text, re.MULTILINE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_of_submit_fits_two_screens(
    feedtool: Feedtool, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = feedtool(f"submit --help --language {language}").out
    assert len(out.splitlines()) <= 2 * 24
