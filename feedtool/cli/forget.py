"""`feedtool forget`: old runs go from the ledger, with all that hangs on them."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from feedtool.cli import options
from feedtool.cli.durations import duration
from feedtool.cli.errors import CONSOLE, echo, stopping
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import home_folder, open_workspace
from feedtool.model.errors import Interrupted
from feedtool.model.text import joined, plural, tr

if TYPE_CHECKING:
    from feedtool.runs.forget import Forgotten
    from feedtool.runs.workspace import Workspace

GO_ON = tr("run it again: it goes on with what is left")
MEGABYTE = 1_000_000


@click.command(cls=HelpfulCommand)
@options.text(
    "--older-than",
    "TIME",
    "The runs that began longer ago: 90d. At least 7d.",
    callback=duration,
    required=True,
)
@options.flag("--keep-counts", "Keep how many rows of each run had which result.")
@options.flag("--dry-run", "Only say what would be forgotten.")
@options.config_file
@options.format_
@options.showing_alone
@options.home
@options.ledger
def forget(
    older_than: timedelta,
    form: str,
    home: Path | None,
    ledger: str | None,
    store: str | None,
    *,
    keep_counts: bool,
    dry_run: bool,
) -> None:
    """Forget old runs: their rows, requests and answers, and the snapshots of their files.

    What later runs are compared with stays: what the service has last accepted of each offer, what
    was refunded, shipped or invoiced, how many rows files had. So do the last run of each seller
    and whatever is not at its end, with the runs after it. It may be stopped at any moment, and run
    again; others go on meanwhile.
    """
    from feedtool.runs.forget import ForgettingPace, refuse_young, to_forget, write_forgotten
    from feedtool.runs.forget import forget as forget_runs

    refuse_young(older_than)
    now = CONSOLE.clock.now()
    with stopping(GO_ON) as stop, open_workspace(home_folder(home), ledger, store) as workspace:
        if dry_run:
            forgotten = to_forget(workspace, now - older_than)
        else:
            pace = ForgettingPace(stop.sleep, stop.reason)
            forgotten = forget_runs(workspace, now - older_than, now, pace, keep_counts=keep_counts)
        write_forgotten(forgotten, sys.stdout, form, CONSOLE.say)
        _tell(forgotten, is_dry_run=dry_run)
        if not dry_run:
            _shrink(workspace)


def _tell(forgotten: "Forgotten", *, is_dry_run: bool) -> None:
    if not forgotten.runs:
        echo("note", tr("no run is to be forgotten"))
        return
    counted = joined(
        (
            plural("{count:,} run", "{count:,} runs", forgotten.runs),
            plural("{count:,} row", "{count:,} rows", forgotten.rows),
            plural("{count:,} snapshot", "{count:,} snapshots", forgotten.snapshots),
        )
    )
    if is_dry_run:
        echo("note", tr("would be forgotten: {what}", what=counted))
    else:
        echo("note", tr("forgotten: {what}", what=counted))


def _shrink(workspace: "Workspace") -> None:
    """Give back the room that is free in the ledger's file; that it cannot be is no failure."""
    from feedtool.ledger.disk_space import shrink

    try:
        shrunk = shrink(workspace.ledger.engine)
    except Interrupted as error:
        echo("warning", error.message)
        echo("help", error.hint)
        return
    if shrunk:
        sizes = {"before": shrunk.before / MEGABYTE, "after": shrunk.after / MEGABYTE}
        echo("note", tr("the ledger's file had {before:,.1f} MB, and has {after:,.1f} MB", **sizes))
