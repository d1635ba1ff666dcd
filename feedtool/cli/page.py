"""`feedtool page`."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli import options
from feedtool.cli.errors import CONSOLE, Stopping, bug_report, stopping
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import home_folder, open_workspace
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.areas.offers.changes.selection import SelectionOptions
    from feedtool.check import ReadOptions
    from feedtool.runs.workspace import Session, Workspace

SANDBOX = "sandbox"
"""The name of the embedded sandbox among the accounts."""
KEPT_DAYS = 30
HINT = tr("what was sent is noted; start the page again to go on")


@click.command(cls=HelpfulCommand)
@options.count("--port", "The port; 0 picks a free one.", default=0, min=0, max=65535)
@options.flag("--no-open", "Only print the address; do not open the browser.")
@options.count("--keep", "How long files stay that were brought.", "DAYS", default=KEPT_DAYS)
@options.configuration
@options.common
@options.ledger
@click.pass_context
def page(ctx: click.Context, /, **given: Any) -> None:
    """Check, send and follow files in the browser, on this machine.

    Prints the address of a page and opens it. It needs no profile: without one, files are checked,
    and sent to the embedded sandbox. Ctrl-C ends it; what is being sent is parked, and the page
    goes on with it when it is started again.
    """
    from feedtool.cli.runs import clocks
    from feedtool.ledger.lock import who
    from feedtool.page import serve
    from feedtool.page.users import Users

    home = home_folder(given["home"])
    token = secrets.token_urlsafe(24)
    with stopping(HINT) as stop:
        accounts = _Accounts(ctx, home, given, stop)
        try:
            listening = serve.listen(given["port"])
        except OSError as error:
            raise UsageProblem(
                tr("port {port} cannot be had: {why}", port=given["port"], why=reason_of(error)),
                tr("choose another --port (0 picks a free one)"),
            ) from error
        serve.run(
            listening,
            token,
            Users(who()),
            accounts,
            partial(open_workspace, home, given["ledger"]),
            partial(clocks, home),
            home / "page",
            options.language_of(ctx),
            keep_days=given["keep"],
            report_bug=lambda error: str(bug_report(error, ["page"])),
            stopping=stop.reason,
            sleep=stop.sleep,
            announce=click.echo,
        )


@dataclass(frozen=True, slots=True)
class _Account:
    session: "Session"
    workspace: "Workspace"
    reading: "ReadOptions"
    selection: "SelectionOptions"


class _Accounts:
    """Each profile's account, as `submit --profile NAME` would reach it, and the sandbox."""

    def __init__(
        self, ctx: click.Context, home: Path, given: dict[str, Any], stop: Stopping
    ) -> None:
        self._stop, self._given, self._home = stop, given, home
        self._config = options.chosen(ctx).config.path
        self.names: Sequence[str] = (*options.chosen(ctx).config.profiles, SANDBOX)
        self.usual = given["profile"] or self.names[0]

    def is_sandbox(self, name: str) -> bool:
        """True for the embedded sandbox."""
        return name == SANDBOX

    @contextmanager
    def reading(self, name: str) -> "Iterator[ReadOptions]":
        """How its files are read."""
        from feedtool.cli.files import read_options

        with self._context(name) as ctx:
            yield read_options(ctx, ctx.params)

    @contextmanager
    def open(self, name: str) -> Iterator[_Account]:
        """An account with its session and its records."""
        from feedtool.cli.account import account_options, connect
        from feedtool.cli.files import read_options, selection_of

        with self._context(name) as ctx:
            given = dict(ctx.params)
            account_options(ctx, given)
            reading = read_options(ctx, given)
            given["page"] = reading.dialect.report_page_size
            with (
                connect(self._home, given, self._stop) as session,
                open_workspace(self._home, given["ledger"]) as workspace,
            ):
                yield _Account(session, workspace, reading, selection_of(given))

    def _context(self, name: str) -> click.Context:
        from feedtool.cli.submit import submit

        words = ["--sandbox"] if name == SANDBOX else ["--profile", name]
        words += ["--home", str(self._home)]
        words += ["--config", str(self._config)] if self._config else []
        words += ["--ledger", self._given["ledger"]] if self._given["ledger"] else []
        said = CONSOLE.say, CONSOLE.language
        ctx = submit.make_context("submit", [*words, "-"])
        CONSOLE.say, CONSOLE.language = said
        return ctx
