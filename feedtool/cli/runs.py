"""`feedtool runs` and `feedtool status`."""

import sys
from pathlib import Path

import click

from feedtool.cli import options

_form = options.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    show_default=True,
    help="How it is told on stdout.",
)


@click.command()
@_form
@options.home
@options.ledger
def runs(form: str, home: Path | None, ledger: str | None) -> None:
    """List all runs, newest first."""
    from feedtool.cli.books import books
    from feedtool.history import every_run
    from feedtool.report.runs import write_runs

    with books(options.home_folder(home), ledger) as opened:
        write_runs(every_run(opened.ledger), sys.stdout, form)


@click.command()
@click.argument("run", type=int, metavar="RUN")
@_form
@options.home
@options.ledger
def status(run: int, form: str, home: Path | None, ledger: str | None) -> None:
    """Show one RUN: its packages, what became of its rows, and what will be lost when."""
    from feedtool.cli.books import books
    from feedtool.history import run_state
    from feedtool.report.runs import write_run

    with books(options.home_folder(home), ledger) as opened:
        write_run(run_state(opened.ledger, run), sys.stdout, form)
