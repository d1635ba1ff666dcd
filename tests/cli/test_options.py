"""An option means the same in every command that has it; `-q` leaves errors alone on stderr."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from feedtool.cli import feedtool as commands
from tests.cli.conftest import Feedtool, OnTerminal
from tests.conftest import Files, offer

OWN_MEANINGS = {
    "--all": "of settings also the usual ones, of accounts those of all profiles",
    "--as": "design: of `export offers` the shape of what comes out",
    "--dry-run": "what is not done is sending for some, forgetting for another",
    "--health": "a watcher is one of a folder, a worker one of a home",
    "--once": "what is there is sent, and by workers what is due",
    "--out": "design: the file that the command writes, each another",
    "--reference": "of an offer the seller's reference, of an order its own",
    "--reason": "of a release why it is meant, of exports a filter of the service's own reasons",
    "--state": "design: the file of the served sandbox",
    "--port": "the sandbox is on loopback alone, a shared page need not be",
    "--json-schema": "names the file that the schema is for",
    **dict.fromkeys(
        ("--status", "--order", "--since", "--type", "--supply-mode", "--country"),
        "a filter of each list of the service: of orders, of shipments, of operations",
    ),
}
"""Options with a meaning of their own in some command, and why."""


def every_option() -> Iterator[tuple[str, tuple[object, ...]]]:
    """The long name of each option of each command, with its meaning."""
    for command in commands.every():
        for option in command.params:
            if isinstance(option, click.Option):
                kind = option.type.to_info_dict()
                meaning = (option.help, option.metavar, str(kind), option.multiple)
                yield max(option.opts, key=len), meaning


def test_an_option_means_the_same_in_every_command() -> None:
    meanings: dict[str, set[tuple[object, ...]]] = {}
    for name, meaning in every_option():
        meanings.setdefault(name, set()).add(meaning)
    several = {name for name, its in meanings.items() if len(its) > 1}
    assert several <= set(OWN_MEANINGS)
    assert set(OWN_MEANINGS) <= set(meanings)


LISTS = ("runs", "status 1", "sellers", "forget --older-than 90d --dry-run")


def test_the_ledger_of_the_configuration_is_every_commands(
    feedtool: Feedtool, files: Files, tmp_path: Path
) -> None:
    Path("feedtool.toml").write_text(f'[defaults]\nledger = "sqlite:///{tmp_path}/shared"\n')
    assert feedtool("submit --sandbox", files.csv(offer(1))).code == 0
    for words in LISTS:
        assert feedtool(words).code == 0, words
    assert "Run 1," in feedtool("runs").out
    for command in commands.every():
        names = {name for parameter in command.params for name in parameter.opts}
        assert "--ledger" not in names or "--config" in names, command.name


FORMATS = {
    "config show": 1,
    "account check --sandbox": 1,
    "runs": 0,
}


@pytest.mark.parametrize("command", FORMATS)
def test_jsonl_is_an_object_a_line(feedtool: Feedtool, command: str) -> None:
    listed = feedtool(f"{command} --format json").json
    assert feedtool(f"{command} --format jsonl").events == listed
    assert len(listed) >= FORMATS[command]


QUIET = {
    "results 9": "error: there is no run 9\n",
    "validate offers.csv --report r.html": "",
    "template offers-delete --yes": "",
    "account check --sandbox": "",
    "validate x --unheard": "error: No such option '--unheard'.\n",
    "catalog search x": "error: there is no catalogue in en here\n",
}
"""Commands that have notes or a next command, and what `-q` leaves on stderr of them."""


@pytest.mark.parametrize("command", QUIET)
def test_quiet_keeps_errors(feedtool: Feedtool, files: Files, command: str) -> None:
    files.csv(offer(1), offer(2, quantity="-1"))
    loud = feedtool(f"{command} --home loud")
    quiet = feedtool(f"{command} --home quiet -q")
    assert quiet.err == QUIET[command]
    assert loud.err != quiet.err
    assert quiet.code == loud.code


def test_quiet_has_no_progress(on_terminal: OnTerminal, files: Files) -> None:
    command = ("submit", files.csv(offer(1)).name, "--sandbox", "--in-place")
    assert "package 1" in on_terminal("", *command, "--home", "loud")[1]
    assert on_terminal("", *command, "--home", "quiet", "-q") == (0, "")


def test_quiet_affects_stderr_and_verbose_the_result(feedtool: Feedtool, files: Files) -> None:
    files.csv(offer(1), offer(2, quantity="-1"))
    loud, quiet = (feedtool(f"validate offers.csv -v {word}") for word in ("", "-q"))
    assert (quiet.code, quiet.out, quiet.err) == (loud.code, loud.out, "")
