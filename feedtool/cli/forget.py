"""`feedtool forget`: remove old runs from the ledger, with their rows, answers and snapshots."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct

from feedtool.cli.durations import duration
from feedtool.cli.errors import CONSOLE, echo, stopping
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.options import CONFIG_FILE, FORMAT, HOME, Records, Showing, flag, text
from feedtool.cli.typed import command_of
from feedtool.model.errors import Interrupted
from feedtool.model.text import joined, plural, tr

if TYPE_CHECKING:
    from feedtool.runs.forget import Forgotten
    from feedtool.runs.workspace import Workspace

GO_ON = tr("run it again: it goes on with what is left")
MEGABYTE = 1_000_000


class ForgetOptions(Struct, frozen=True, kw_only=True):
    """Options of `forget`."""

    older_than: Annotated[
        timedelta,
        text(
            "--older-than",
            "TIME",
            "The runs that began longer ago: 90d. At least 7d.",
            callback=duration,
            required=True,
        ),
    ]
    keep_counts: Annotated[
        bool, flag("--keep-counts", "Keep how many rows of each run had which result.")
    ]
    dry_run: Annotated[bool, flag("--dry-run", "Only say what would be forgotten.")]
    config: Annotated[None, CONFIG_FILE] = None
    form: Annotated[str, FORMAT]
    showing: Showing
    home: Annotated[Path | None, HOME]
    records: Records


@command_of(ForgetOptions)
def forget(_: click.Context, options: ForgetOptions) -> None:
    """Forget old runs: their rows, requests and answers, and the snapshots of their files.

    What later runs are compared with stays: what the service has last accepted of each offer, what
    was refunded, shipped or invoiced, how many rows files had. So do the last run of each seller
    and whatever is not at its end, with the runs after it. It may be stopped at any moment, and run
    again; others go on meanwhile.
    """
    from feedtool.runs.forget import ForgettingPace, refuse_young, to_forget, write_forgotten
    from feedtool.runs.forget import forget as forget_runs

    refuse_young(options.older_than)
    now, is_dry_run = CONSOLE.clock.now(), options.dry_run
    before, keeps = now - options.older_than, options.keep_counts
    home = home_folder(options.home)
    with stopping(GO_ON) as stop, open_workspace(home, options.records) as workspace:
        if is_dry_run:
            forgotten = to_forget(workspace, before)
        else:
            pace = ForgettingPace(stop.sleep, stop.reason)
            forgotten = forget_runs(workspace, before, now, pace, keep_counts=keeps)
        write_forgotten(forgotten, sys.stdout, options.form, CONSOLE.say)
        _report(forgotten, is_dry_run=is_dry_run)
        if not is_dry_run:
            _shrink(workspace)


def _report(forgotten: "Forgotten", *, is_dry_run: bool) -> None:
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
    """Return the free space of the ledger's file to the disk; if that fails, warn only."""
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
