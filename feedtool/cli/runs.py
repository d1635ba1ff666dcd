"""`feedtool runs` and `feedtool status`."""

import sys
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from feedtool.cli import options
from feedtool.cli.endings import say
from feedtool.cli.home import home_folder

if TYPE_CHECKING:
    from feedtool.report.runs import RunState

_form = options.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    show_default=True,
    help="How it is told on stdout.",
)


@click.command()
@options.option(
    "--last", type=click.IntRange(min=1), metavar="N", help="Only so many.  [default: all]"
)
@_form
@options.home
@options.ledger
def runs(last: int | None, form: str, home: Path | None, ledger: str | None) -> None:
    """List all runs, newest first: of which files, by whom, and what became of their rows.

    What the service will delete before long is told in time.
    """
    from feedtool.cli.books import books
    from feedtool.history import every_run
    from feedtool.report.runs import write_runs

    folder = home_folder(home)
    with books(folder, ledger) as opened:
        found = every_run(opened.ledger, _clock(folder), last, partial(say, "warning"))
    write_runs(found, sys.stdout, form)
    _warn(found)


@click.command()
@click.argument("run", type=int, metavar="RUN")
@_form
@options.home
@options.ledger
def status(run: int, form: str, home: Path | None, ledger: str | None) -> None:
    """Show one RUN: its files and packages, what became of its rows, what will be lost when.

    An open package is kept for 6 hours, results for 3 days, by the service's clock.
    """
    from feedtool.cli.books import books
    from feedtool.history import run_state
    from feedtool.report.runs import write_run

    folder = home_folder(home)
    with books(folder, ledger) as opened:
        found = run_state(opened.ledger, run, _clock(folder))
    write_run(found, sys.stdout, form)
    _warn([found])


def _warn(found: "list[RunState]") -> None:
    for run in found:
        for warning in run.warnings:
            say("warning", f"run {run.run}: {warning}")
            say("help", f"feedtool resume {run.run}")


def _clock(home: Path) -> Callable[[str], datetime]:
    """The time here, or what the embedded sandbox has, by the address of a service."""

    @cache
    def at(service: str) -> datetime:
        now = datetime.now(UTC)
        state = home / "sandbox.sqlite"
        if service == options.SANDBOX and state.exists():
            from feedtool.sandbox import StateUnreadableError
            from feedtool.sandbox.transport import mount

            with suppress(StateUnreadableError, OSError), closing(mount(state)) as transport:
                now = transport.now()
        return now

    return at
