"""`feedtool account`."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from msgspec import Struct

from feedtool.cli.accounts import ServingCommand, options_with
from feedtool.cli.console import CONSOLE, StopSignal, echo, echo_error, stopping
from feedtool.cli.help import HelpfulGroup
from feedtool.cli.home import home_folder
from feedtool.cli.next_command import after_account_check
from feedtool.cli.options import (
    CHANNEL,
    FORMAT,
    HOME,
    Configuration,
    Records,
    Showing,
    chosen,
    flag,
    on_command_line,
)
from feedtool.cli.options_account import SANDBOX_OPTION, ConnectionOptions
from feedtool.cli.typed import command_of
from feedtool.model.errors import Exit, FeedtoolError, UsageProblem, first_of
from feedtool.model.text import MessageText, tr
from feedtool.report.plain import clean

if TYPE_CHECKING:
    from feedtool.cli.session import ChosenAccount
    from feedtool.model.call import Budget
    from feedtool.runs.account import AccountCheck, ProfileCheck

PARTS = {"token": tr("token"), "seller": tr("seller"), "channel": tr("channel")}
NO_ACCOUNT = tr("there is no account to try")


@click.group(cls=HelpfulGroup, no_args_is_help=False)
def account() -> None:
    """Say whether an account can be reached, and what is wrong with it."""


class CheckOptions(Struct, frozen=True, kw_only=True):
    every: Annotated[
        bool,
        flag(
            "--all every",
            "Try the accounts of all profiles, several side by side; a line for each.",
        ),
    ]
    sandbox: Annotated[bool, SANDBOX_OPTION]
    configuration: Configuration
    connection: ConnectionOptions
    channel: Annotated[str | None, CHANNEL]
    showing: Showing
    home: Annotated[Path | None, HOME]
    records: Records
    form: Annotated[str, FORMAT]


@command_of(CheckOptions, ServingCommand, group=account)
def check(ctx: click.Context, options: CheckOptions) -> int:
    """Try the token, the seller and each channel; change nothing.

    Each is tried with one request that only reads. The channels are yours (--channel, or the
    profile's) and those that the service names. Exit code 4: not authorised, 5: not reached, 2: the
    settings are wrong.
    """
    from feedtool.cli.session import chosen_account, connect
    from feedtool.report.as_json import write_entries
    from feedtool.runs.account import check_account

    form = options.form
    if options.every:
        return _check_all(ctx, form)
    account = chosen_account(ctx)
    width = max(len(CONSOLE.say(part)) for part in PARTS.values())
    checks = []
    with (
        stopping("") as stop,
        connect(home_folder(options.home), account, stop, NO_ACCOUNT) as session,
    ):
        for checked in check_account(session, _channel(ctx, account)):
            checks.append(checked)
            if form == "text":
                part = f"{CONSOLE.say(PARTS[checked.part]):{width}}"
                click.echo(clean(f"{part}  {checked.value}  {_result(checked.error)}"))
        is_sandbox = session.is_sandbox
    if form != "text":
        write_entries(map(_entry, checks), sys.stdout, form)
    elif account.budget:
        echo("note", _budget_text(account.budget))
    if errors := [checked.error for checked in checks if checked.error]:
        for error in errors:
            echo_error(error)
        return first_of(error.exit for error in errors)
    if form == "text":
        after_account_check(is_sandbox=is_sandbox)
    return Exit.OK


def _budget_text(budget: "Budget") -> MessageText:
    return tr(
        "the budget “{name}” allows {rate:g} calls a second to all that share it, {burst} at once",
        name=budget.name,
        rate=budget.per_second,
        burst=budget.burst,
    )


def _channel(ctx: click.Context, account: "ChosenAccount") -> str:
    return account.channel or chosen(ctx).profile.dialect.primary_channel


def _result(error: FeedtoolError | None) -> str:
    return CONSOLE.say(tr("fails") if error else tr("works"))


def _entry(checked: "AccountCheck") -> dict[str, Any]:
    return {"check": checked.part, "value": checked.value, **_outcome(checked.error)}


def _outcome(error: FeedtoolError | None) -> dict[str, Any]:
    error, works = error or FeedtoolError(""), error is None
    return {"works": works, "message": str(error.message), "hint": str(error.hint)}


# `--all`: the accounts of all profiles.

SINGLE_ACCOUNT = ("sandbox", "profile", "base_url", "seller", "channel")


def _check_all(ctx: click.Context, form: str) -> int:
    from feedtool.cli.output import counting
    from feedtool.report.as_json import write_entries
    from feedtool.runs.account import check_profiles

    for name, value in on_command_line(ctx, *SINGLE_ACCOUNT).items():
        if value:
            option = f"--{name.replace('_', '-')}"
            text = tr("--all and {option} contradict each other", option=option)
            raise UsageProblem(text, tr("leave one of them out"))
    names = [*chosen(ctx).config.profiles]
    if not names:
        raise UsageProblem(
            NO_ACCOUNT, tr("`feedtool init` writes a profile; --profiles names a folder of them")
        )
    with stopping("") as stop, counting("text") as count:
        results = check_profiles(
            names,
            lambda name: _checks_of(ctx, stop, name),
            stop.reason,
            lambda done: count(CONSOLE.say(tr("accounts")), done, len(names)),
        )
    errors = [error for result in results for error in result.errors]
    if form == "text":
        _show_all(results)
    else:
        write_entries(map(_entry_of_profile, results), sys.stdout, form)
    if stopped := stop.reason():
        raise stopped
    return first_of(error.exit for error in errors) if errors else Exit.OK


def _checks_of(line: click.Context, stop: StopSignal, name: str) -> "list[AccountCheck]":
    from feedtool.cli.session import chosen_account, connect
    from feedtool.runs.account import check_account

    with options_with(line, "--profile", name) as ctx:
        account = chosen_account(ctx)
        with connect(home_folder(ctx.params["home"]), account, stop, NO_ACCOUNT) as session:
            return [*check_account(session, _channel(ctx, account))]


def _show_all(results: "Sequence[ProfileCheck]") -> None:
    """Write a line for each account, then the hints and how many accounts work."""
    width = max((len(result.profile) for result in results), default=0)
    for result in results:
        error = next(iter(result.errors), None)
        reasons = "; ".join(_reasons(result))
        click.echo(clean(f"{result.profile:{width}}  {_result(error)}  {reasons}".rstrip()))
    hints = (error.hint for result in results for error in result.errors)
    for hint in dict.fromkeys(filter(None, hints)):
        echo("help", hint)
    works = sum(not result.errors for result in results)
    echo("note", tr("{works:,} of {count:,} accounts work", works=works, count=len(results)))


def _reasons(result: "ProfileCheck") -> Iterator[str]:
    """The faults of an account; that of a channel with the channel's name."""
    say = CONSOLE.say
    if result.error:
        yield say(result.error.message)
    for checked in result.checks:
        if checked.error:
            value = f" {checked.value}" if checked.part == "channel" else ""
            yield f"{say(PARTS[checked.part])}{value}: {say(checked.error.message)}"


def _entry_of_profile(result: "ProfileCheck") -> dict[str, Any]:
    first = next(iter(result.errors), None)
    return {
        "profile": result.profile,
        **_outcome(first),
        "exitCode": int(first_of(error.exit for error in result.errors)) if first else 0,
        "checks": [*map(_entry, result.checks)],
    }
