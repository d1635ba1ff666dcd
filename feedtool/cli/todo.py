"""`feedtool todo`: what waits for the user."""

import sys
from typing import Any

import click

from feedtool.cli import options, options_account
from feedtool.cli.errors import CONSOLE, echo, stopping
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import ACCOUNT, PLACES, TOKENS, command, typed
from feedtool.model.errors import Exit
from feedtool.model.text import tr


@click.command(cls=HelpfulCommand)
@options.flag("--check", "Exit with 1 if anything waits, or is not known: for scripts.")
@options_account.sandbox
@options.configuration
@options_account.connection
@options.format_
@options.showing
@options.home
@options.ledger
@click.pass_context
def todo(ctx: click.Context, /, form: str, *, check: bool, **given: Any) -> int:
    """Say what waits for you, and the command to go on with each; change nothing.

    Orders to accept and to ship, what customers want to cancel, runs without an answer, invoices
    that failed. What the service does not tell is said, too.
    """
    from feedtool.cli.account import account_options, connect
    from feedtool.runs.todo import todo as waiting
    from feedtool.runs.todo import write_todo

    account_options(ctx, given)
    home, settings = home_folder(given["home"]), options.chosen(ctx).profile.dialect
    with (
        stopping("") as stop,
        connect(home, given, stop, tr("there is no account to ask")) as session,
        open_workspace(home, given["ledger"], given["store"]) as workspace,
    ):
        lines = waiting(session, workspace, settings)
    account, tokens = typed(PLACES | ACCOUNT), typed(PLACES | TOKENS)
    commands = [
        command(*line.words, options=account if line.words[0] == "export" else tokens)
        for line in lines
    ]
    write_todo(lines, commands, sys.stdout, form, CONSOLE.say)
    if not lines:
        echo("note", tr("nothing waits for you"))
    return Exit.ROWS if check and lines else Exit.OK
