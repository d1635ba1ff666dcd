"""`feedtool sellers`: all sellers at a glance."""

import sys
from datetime import timedelta
from pathlib import Path

import click

from feedtool.cli import options
from feedtool.cli.durations import duration
from feedtool.cli.errors import CONSOLE, echo
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import home_folder, open_workspace
from feedtool.model.text import tr


@click.command(cls=HelpfulCommand)
@options.flag("--trouble", "Only those whose last pass did not get to its end.")
@options.flag("--held", "Only those of whom guards hold rows.")
@options.text(
    "--waiting-longer-than",
    "TIME",
    "Only those of whom a file has waited longer: 90s, 10m, 2h, 1d.",
    callback=duration,
)
@options.flag("--never", "Only those of whom nothing was ever sent.")
@options.count("--page", "Only the N-th hundred of them.  [default: all]")
@options.config_file
@options.profiles_folder
@options.format_
@options.showing_alone
@options.home
@options.ledger
@click.pass_context
def sellers(
    ctx: click.Context,
    waiting_longer_than: timedelta | None,
    page: int | None,
    profiles: Path | None,
    form: str,
    home: Path | None,
    ledger: str | None,
    store: str | None,
    *,
    trouble: bool,
    held: bool,
    never: bool,
) -> None:
    """Show all sellers at a glance: who waits, who is in work, what came of the last run.

    Those in trouble come first, then who has waited longest. Sellers of profiles that have sent
    nothing yet are listed too.
    """
    from feedtool.ledger.sellers_overview import SellerFilter
    from feedtool.runs.sellers import known_sellers, seller_states, write_sellers

    now = CONSOLE.clock.now()
    since = now - waiting_longer_than if waiting_longer_than else None
    wanted = SellerFilter(trouble, held, since, never)
    known = known_sellers(options.chosen(ctx).config.with_folder(profiles).profiles)
    with open_workspace(home_folder(home), ledger, store) as workspace:
        states = seller_states(workspace.ledger, now, wanted, known=known, page=page)
        count = write_sellers(states, sys.stdout, form, CONSOLE.say, now)
    if not count:
        is_any = page is None and wanted == SellerFilter()
        echo("note", tr("there are no sellers yet") if is_any else tr("no seller is like that"))
