"""`feedtool page`."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli import options
from feedtool.cli.errors import CONSOLE, Stopping, bug_report, stopping
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.page_access import access_options, entrance
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.check import ReadOptions
    from feedtool.page.desk import Account, Desk, PlanningAccount
    from feedtool.runs.page_rights import PageRights
    from feedtool.runs.recipes import RecipeFolders

KEPT_DAYS = 30
LARGEST = 1 << 30
"""Bytes of a file that is brought. What is in it is limited when it is read."""
HINT = tr("what was sent is noted; start the page again to go on")


@click.command(cls=HelpfulCommand)
@access_options
@options.count("--keep", "How long files stay that were brought.", "DAYS", default=KEPT_DAYS)
@options.configuration
@options.common
@options.ledger
@click.pass_context
def page(ctx: click.Context, /, **given: Any) -> None:
    """Check, send and follow files in the browser, on this machine.

    Prints the address of a page and opens it. It needs no profile: without one, files are checked,
    and sent to the embedded sandbox. Ctrl-C ends it; what is being sent is parked, and goes on at
    the press of a button once the page is started again.
    """
    from feedtool.cli.page_browser import has_screen, opened_browser
    from feedtool.page.serve import serve

    with stopping(HINT) as stop:
        door = entrance(given, options.chosen(ctx).config.page_users)
        desk = desk_of(ctx, stop, door.rights)
        click.echo(f"page: {door.address}")
        is_opened = not (given["no_open"] or given["shared"])
        is_opened = is_opened and has_screen(sys.platform, os.environ)
        folder = home_folder(given["home"]) / "page"
        with opened_browser(door.address, folder) if is_opened else nullcontext():
            serve(desk, door.listening, door.access, stopping=stop.reason, sleep=stop.sleep)


def desk_of(
    ctx: click.Context, stop: Stopping, rights: "Mapping[str, PageRights] | None" = None
) -> "Desk":
    """All that the page works with, as the options of `ctx` say."""
    from feedtool.cli.runs import clocks
    from feedtool.ledger.lock import who
    from feedtool.page.desk import Desk, now
    from feedtool.page.jobs import Jobs
    from feedtool.page.shelf import Shelf
    from feedtool.page.users import Users

    given = ctx.params
    home = home_folder(given["home"])
    shelf = Shelf(home / "page")
    shelf.sweep(now() - timedelta(days=given["keep"]))
    return Desk(
        _Accounts(ctx, home, stop),
        Users(who(), rights),
        shelf,
        Jobs(lambda error: str(bug_report(error, ["page"]))),
        partial(open_workspace, home, given["ledger"]),
        partial(clocks, home),
        LARGEST,
        options.language_of(ctx),
    )


class _Accounts:
    """Each profile's account, as `submit --profile NAME` would reach it, and the sandbox."""

    def __init__(self, ctx: click.Context, home: Path, stop: Stopping) -> None:
        from feedtool.runs.page_rights import SANDBOX

        given, config = ctx.params, options.chosen(ctx).config
        self._stop, self._home, self._sandbox = stop, home, SANDBOX
        self._words = ["--home", str(home)]
        self._words += ["--config", str(config.path)] if config.path else []
        self._words += ["--ledger", given["ledger"]] if given["ledger"] else []
        self.names: Sequence[str] = (*config.profiles, SANDBOX)
        self.usual = given["profile"] or self.names[0]

    def is_sandbox(self, name: str) -> bool:
        """True for the embedded sandbox."""
        return name == self._sandbox

    @contextmanager
    def reading(self, name: str) -> "Iterator[ReadOptions]":
        """How its files are read."""
        from feedtool.cli.files import read_options

        with self._context(name) as ctx:
            yield read_options(ctx, ctx.params)

    def recipes(self, name: str) -> "RecipeFolders":
        """Its recipes: nothing lies beside a file that was brought."""
        from feedtool.cli.files import recipe_folders

        with self._context(name) as ctx:
            return replace(recipe_folders(ctx), is_dropped=True)

    @contextmanager
    def planning(self, name: str) -> "Iterator[PlanningAccount]":
        """An account for a dry run."""
        from feedtool.cli.files import read_options
        from feedtool.cli.planning import account_of
        from feedtool.cli.rows import selection_of
        from feedtool.page.desk import PlanningAccount

        with self._context(name) as ctx:
            given = ctx.params
            yield PlanningAccount(read_options(ctx, given), selection_of(given), account_of(given))

    @contextmanager
    def open(self, name: str) -> "Iterator[Account]":
        """An account with its session and its records."""
        from feedtool.cli.account import account_options, connect
        from feedtool.cli.files import read_options
        from feedtool.cli.rows import selection_of
        from feedtool.page.desk import Account

        with self._context(name) as ctx:
            given = dict(ctx.params)
            account_options(ctx, given)
            reading = read_options(ctx, given)
            given["page"] = reading.dialect.report_page_size
            with (
                connect(self._home, given, self._stop) as session,
                open_workspace(self._home, given["ledger"]) as workspace,
            ):
                yield Account(session, workspace, reading, selection_of(given))

    def _context(self, name: str) -> click.Context:
        from feedtool.cli.submit import submit

        words = ["--sandbox"] if self.is_sandbox(name) else ["--profile", name]
        said = CONSOLE.say, CONSOLE.language
        ctx = submit.make_context("submit", [*self._words, *words, "-"])
        CONSOLE.say, CONSOLE.language = said
        return ctx
