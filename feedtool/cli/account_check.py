"""`feedtool account`."""

import sys
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli import options, options_account
from feedtool.cli.errors import CONSOLE, echo_error, stopping
from feedtool.cli.help import HelpfulCommand, HelpfulGroup
from feedtool.cli.home import home_folder
from feedtool.cli.next_command import after_account_check
from feedtool.model.errors import Exit, FeedtoolError, first_of
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.runs.account import AccountCheck

PARTS = {"token": tr("token"), "seller": tr("seller"), "channel": tr("channel")}


@click.group(cls=HelpfulGroup, no_args_is_help=False)
def account() -> None:
    """Say whether an account can be reached, and what is wrong with it."""


@account.command(cls=HelpfulCommand)
@options_account.sandbox
@options.configuration
@options_account.connection
@options.channel
@options.showing
@options.home
@options.ledger
@options.format_
@click.pass_context
def check(ctx: click.Context, /, form: str, **given: Any) -> int:
    """Try the token, the seller and each channel; change nothing.

    Each is tried with one request that only reads. The channels are yours (--channel, or the
    profile's) and those that the service names. Exit code 4: not authorised, 5: not reached, 2: the
    settings are wrong.
    """
    from feedtool.cli.account import account_options, connect
    from feedtool.report.as_json import write_entries
    from feedtool.runs.account import check_account

    account_options(ctx, given)
    channel = given["channel"] or options.chosen(ctx).profile.dialect.primary_channel
    checks = []
    with (
        stopping("") as stop,
        connect(
            home_folder(given["home"]), given, stop, tr("there is no account to try")
        ) as session,
    ):
        for checked in check_account(session, channel):
            checks.append(checked)
            if form == "text":
                click.echo(_line(checked))
        is_sandbox = session.is_sandbox
    if form != "text":
        write_entries(map(_entry, checks), sys.stdout, form)
    if errors := [checked.error for checked in checks if checked.error]:
        for error in errors:
            echo_error(error)
        return first_of(error.exit for error in errors)
    if form == "text":
        after_account_check(is_sandbox=is_sandbox)
    return Exit.OK


def _line(checked: "AccountCheck") -> str:
    from feedtool.report.plain import clean

    say = CONSOLE.say
    width = max(len(say(part)) for part in PARTS.values())
    result = say(tr("fails") if checked.error else tr("works"))
    return clean(f"{say(PARTS[checked.part]):{width}}  {checked.value}  {result}")


def _entry(checked: "AccountCheck") -> dict[str, Any]:
    error = checked.error or FeedtoolError("")
    return {
        "check": checked.part,
        "value": checked.value,
        "works": checked.error is None,
        "message": str(error.message),
        "hint": str(error.hint),
    }
