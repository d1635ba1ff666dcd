"""`feedtool todo`: list the tasks that wait for the user."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import click
from msgspec import Struct

from feedtool.cli.console import CONSOLE, LEDGER, echo, stopping
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import (
    ACCOUNT,
    PLACES,
    TOKENS,
    Words,
    command,
    release_command,
    typed,
    words_of_run,
)
from feedtool.cli.options import FORMAT, HOME, Configuration, Records, Showing, chosen, flag
from feedtool.cli.options_account import SANDBOX_OPTION, ConnectionOptions
from feedtool.cli.typed import command_of
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.model.text import tr


class TodoOptions(Struct, frozen=True, kw_only=True):
    check: Annotated[
        bool, flag("--check", "Exit with 1 if anything waits, or is not known: for scripts.")
    ]
    sandbox: Annotated[bool, SANDBOX_OPTION]
    configuration: Configuration
    connection: ConnectionOptions
    form: Annotated[str, FORMAT]
    showing: Showing
    home: Annotated[Path | None, HOME]
    records: Records


@command_of(TodoOptions)
def todo(ctx: click.Context, options: TodoOptions) -> int:
    """Say what waits for you, and the command to go on with each; change nothing.

    Orders to accept and to ship, what customers want to cancel, runs without an answer, invoices
    that failed, rows to correct, rows that guards hold. What the service does not tell is said,
    too. Without an account it is what the ledger has, of all sellers.
    """
    from feedtool.cli.session import ACCOUNT_HINT, chosen_account, connect
    from feedtool.runs.todo import TodoLine, todo_at_service, todo_in_ledger, write_todo
    from feedtool.runs.workspace import options_of

    account = chosen_account(ctx)
    home, settings = home_folder(options.home), chosen(ctx).profile.dialect
    connection, ledger = account.connection, options.records.ledger
    has_account = account.is_sandbox or connection.base_url or connection.seller
    is_asked = has_account or not (ledger or (home / LEDGER).is_file())
    words_of_account, tokens = typed(PLACES | ACCOUNT), typed(PLACES | TOKENS)
    lack = tr("there is no account to ask")
    seller: tuple[str, str] | None = None
    lines: list[TodoLine] = []
    stopped: FeedtoolError | None = None
    with ExitStack() as stack:
        if is_asked:
            stop = stack.enter_context(stopping(""))
            session = stack.enter_context(connect(home, account, stop, lack))
            seller = session.address, session.seller
            try:
                lines = todo_at_service(session, settings)
            except FeedtoolError as error:  # reported after the lines of the ledger
                stopped = error
        workspace = stack.enter_context(open_workspace(home, options.records))
        lines += todo_in_ledger(workspace, seller)
        commands = []
        for line in lines:
            words: Words = words_of_account if line.words[0] == "export" else tokens
            if line.run:
                words = {**words_of_run(options_of(line.run, workspace)), **typed(PLACES)}
                commands.append(release_command([Path(line.words[1])], line.words[3:], words))
            else:
                commands.append(command(*line.words, options=words))
    write_todo(lines, commands, sys.stdout, options.form, CONSOLE.say)
    if stopped:
        raise stopped
    if not is_asked:
        echo("note", tr("{lack}: the service was not asked", lack=lack))
        echo("help", ACCOUNT_HINT)
    elif not lines:
        echo("note", tr("nothing waits for you"))
    return Exit.ROWS if options.check and lines else Exit.OK
