"""`feedtool account`."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli import options
from feedtool.cli.errors import CONSOLE, echo, echo_error, stopping
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import home_folder
from feedtool.model.errors import Exit, FeedtoolError, first_of
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.runs.account import AccountCheck

PARTS = {"token": tr("token"), "seller": tr("seller"), "channel": tr("channel")}


@click.group(no_args_is_help=False)
def account() -> None:
    """Say whether an account can be reached, and what is wrong with it."""


@account.command(cls=HelpfulCommand)
@options.sandbox
@options.configuration
@options.connection
@options.text("--channel", "ID", "The sales channel to try.  [default: the primary one]")
@options.language
@options.home
@options.choice("--format form", ("text", "json"), "The form of the result on stdout.")
@click.pass_context
def check(ctx: click.Context, /, form: str, **given: Any) -> int:
    """Try the token, the seller and each channel; change nothing.

    Each is tried by one read. The channels are yours (--channel, or the profile's) and those that
    the service names. Exit code 4: not authorised, 5: not reached, 2: the settings are wrong.
    """
    from feedtool.cli.account import account_options, connect
    from feedtool.runs.account import check_account

    account_options(ctx, given)
    channel = given["channel"] or options.chosen(ctx).profile.dialect.primary_channel
    checks = []
    with (
        stopping("") as stop,
        connect(home_folder(given["home"]), given, stop, "try") as session,
    ):
        for checked in check_account(session, channel):
            checks.append(checked)
            if form == "text":
                click.echo(_line(checked))
        is_sandbox = session.is_sandbox
    if form == "json":
        _write(checks)
    if errors := [checked.error for checked in checks if checked.error]:
        for error in errors:
            echo_error(error)
        return first_of(error.exit for error in errors)
    if is_sandbox:
        echo("next", tr("feedtool demo: sends a sample workbook to the sandbox"))
    else:
        echo("next", tr("feedtool template offers-upsert: makes a workbook to fill"))
    return Exit.OK


def _line(checked: "AccountCheck") -> str:
    from feedtool.report.plain import clean

    say = CONSOLE.say
    width = max(len(say(part)) for part in PARTS.values())
    result = say(tr("fails") if checked.error else tr("works"))
    return clean(f"{say(PARTS[checked.part]):{width}}  {checked.value}  {result}")


def _write(checks: Sequence["AccountCheck"]) -> None:
    from feedtool.report.as_json import write_entries

    write_entries(map(_entry, checks), sys.stdout)


def _entry(checked: "AccountCheck") -> dict[str, Any]:
    error = checked.error or FeedtoolError("")
    return {
        "check": checked.part,
        "value": checked.value,
        "works": checked.error is None,
        "message": str(error.message),
        "hint": str(error.hint),
    }
