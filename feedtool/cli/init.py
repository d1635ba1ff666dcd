"""`feedtool init`: ask four questions, and write the configuration from the answers."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import click
from msgspec import Struct

from feedtool.cli.console import CONSOLE, echo, echo_error
from feedtool.cli.next_command import command, echo_next, typed
from feedtool.cli.options import CHANNEL, YES, Showing
from feedtool.cli.options_account import BASE_URL, SANDBOX_OPTION, SELLER, TOKEN_COMMAND, TOKEN_FILE
from feedtool.cli.typed import command_of
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.text import MessageText, tr
from feedtool.runs.config import FILE

PRACTISE = "sandbox"
"""The answer that selects the embedded sandbox."""
COMMAND = "command:"
"""The prefix of an answer that is a command, not a file."""
PROFILE = "shop"
NEEDED = ("base_url", "seller", "token_file", "channel")
"""The settings that are asked for; each is an option, too."""


class AccountAnswers(Struct, frozen=True, kw_only=True):
    """The options that answer questions in advance."""

    base_url: Annotated[str | None, BASE_URL]
    seller: Annotated[str | None, SELLER]
    token_file: Annotated[Path | None, TOKEN_FILE]
    token_command: Annotated[str | None, TOKEN_COMMAND]
    channel: Annotated[str | None, CHANNEL]


class InitOptions(Struct, frozen=True, kw_only=True):
    sandbox: Annotated[bool, SANDBOX_OPTION]
    account: AccountAnswers
    showing: Showing
    yes: Annotated[bool, YES]


@command_of(InitOptions)
def init(ctx: click.Context, options: InitOptions) -> None:
    """Ask four questions, and write feedtool.toml here.

    The questions: the service's address (or the sandbox, to practise), the seller, where the token
    is, the channel. Options answer them in advance; without a terminal they must. The language is
    --language, else the terminal's. No token is asked for, nor written down.
    """
    path = Path(FILE)
    can_ask = sys.stdin.isatty() and sys.stderr.isatty()
    if path.exists() and not options.yes:
        question = tr("There is a {file} here. Replace it? It is kept as {file}.old", file=FILE)
        if not (can_ask and click.confirm(CONSOLE.say(question), err=True)):
            raise UsageProblem(
                tr("{file} exists here already; it is not changed", file=FILE),
                tr("edit it, or replace it with --yes; it is then kept as {file}.old", file=FILE),
            )
    # In the order of the command line.
    names = [name for name in ctx.params if name in AccountAnswers.__struct_fields__]
    texts = {name: str(ctx.params[name] or "") for name in names}
    answers = {} if options.sandbox else _answers(texts, can_ask=can_ask)
    _write(path, configuration_text(options.showing.language, answers))
    token_file = answers.get("token_file")
    if token_file and not Path(token_file).exists():
        echo("note", tr("write your token into {file}, readable by you alone", file=token_file))
    line = command("account", "check", options=typed({"language"}))
    echo_next(tr("`{command}` tries what you have answered", command=line))


def _answers(texts: Mapping[str, str], *, can_ask: bool) -> dict[str, str]:
    """Setting of the profile → its value; empty for the sandbox."""
    answers = {name: text for name, text in texts.items() if text}
    if "token_command" in answers:
        answers.pop("token_file", None)
    missing = [
        name
        for name in NEEDED
        if name not in answers and not (name == "token_file" and "token_command" in answers)
    ]
    if missing and not can_ask:
        words = ", ".join(f"--{name.replace('_', '-')}" for name in missing)
        raise UsageProblem(
            tr("there is no terminal to ask on, and this is missing: {options}", options=words),
            tr("give these options, or --sandbox alone to practise"),
        )
    for name in missing:
        answers[name] = _ask(name, answers)
        if answers.get("base_url") == PRACTISE:
            return {}
    if answers.get("token_file", "").startswith(COMMAND):
        answers["token_command"] = answers.pop("token_file").removeprefix(COMMAND).strip()
    _check(answers)
    return answers


QUESTIONS: Mapping[str, tuple[MessageText, str | None]] = {
    "base_url": (tr("Address of the service (Enter: the sandbox, to practise)"), PRACTISE),
    "seller": (tr("Your SellerId"), None),
    "token_file": (tr("File that holds the token, or “command: …”, which prints it"), "token.txt"),
    "channel": (tr("Sales channel"), "PRIMARY"),
}
"""Setting → its question, and the answer that Enter gives."""


def _ask(name: str, answers: Mapping[str, str]) -> str:
    """Ask until the answer is valid; show the error of each invalid one."""
    question, default = QUESTIONS[name]
    while True:
        answer = str(click.prompt(CONSOLE.say(question), default=default, err=True)).strip()
        if (name, answer) == ("base_url", PRACTISE):
            return answer
        try:
            _check({**answers, name: answer})
        except UsageProblem as problem:
            echo_error(problem)
        else:
            return answer


def _check(answers: Mapping[str, str]) -> None:
    """UsageProblem for an address or a seller that the client does not accept."""
    from feedtool.service.auth import StaticToken
    from feedtool.service.client import Client

    no_token = StaticToken("none")  # nothing is sent
    Client(answers["base_url"], answers.get("seller"), no_token).close()


def configuration_text(language: str, answers: Mapping[str, str]) -> str:
    """The text of feedtool.toml with a profile of these answers; without any, of the sandbox."""
    # A string in TOML is written as in JSON.
    lines = [f"{name} = {json.dumps(text, ensure_ascii=False)}" for name, text in answers.items()]
    account = [f'profile = "{PROFILE}"', "", f"[profile.{PROFILE}]", *lines]
    practice = ["sandbox = true  # nothing leaves this machine; `feedtool init` sets up an account"]
    head = [
        "# `feedtool config show --all` lists every setting.",
        "[defaults]",
        f'language = "{language}"',
    ]
    return "\n".join([*head, *(account if lines else practice), ""])


def _write(path: Path, content: str) -> None:
    old = path.with_name(f"{FILE}.old")
    try:
        if path.exists():
            path.replace(old)
            echo("note", tr("the {file} of before is {old} now", file=FILE, old=str(old)))
        path.write_text(content, "utf-8")
    except OSError as error:
        raise UsageProblem(
            tr("{file} cannot be written here: {reason}", file=FILE, reason=reason_of(error)),
            tr("choose a folder that you may write"),
        ) from error
    echo("made", str(path))
