"""What `--help` shows, and under which heading."""

import re

import pytest

from tests.cli.conftest import Feedtool

HEADINGS = {
    "validate": ["Options", "Output", "Advanced", "Made by --fix", "Made by --fix=NAME"],
    "submit": ["Options", "Sending", "Output", "Account", "Advanced"],
    "export offers": ["Options", "Sending", "Output", "Account", "Advanced"],
}


@pytest.mark.parametrize("command", HEADINGS)
def test_options_stand_under_headings(feedtool: Feedtool, command: str) -> None:
    out = feedtool(f"{command} --help").out
    assert re.findall(r"^(\w.*):$", out, re.MULTILINE) == HEADINGS[command]


def test_the_account_is_shown_when_it_is_asked_for(feedtool: Feedtool) -> None:
    short, long = feedtool("submit --help"), feedtool("submit --help-all")
    assert "--help-all" in short.out
    assert "--token-url" not in short.out
    assert "--token-url" in long.out
    assert (short.code, long.code) == (0, 0)
