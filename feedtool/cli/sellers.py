"""`feedtool sellers`: all sellers at a glance."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import click
from msgspec import Struct

from feedtool.cli.console import CONSOLE, echo
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.options import (
    CONFIG_FILE,
    FORMAT,
    HOME,
    PROFILES,
    Records,
    Showing,
    chosen,
    count,
    duration,
    flag,
    text,
)
from feedtool.cli.typed import command_of
from feedtool.model.text import tr


class SellersOptions(Struct, frozen=True, kw_only=True):
    trouble: Annotated[
        bool, flag("--trouble", "Only sellers whose last pass did not get to its end.")
    ]
    held: Annotated[bool, flag("--held", "Only sellers with rows that guards hold.")]
    waiting_longer_than: Annotated[
        timedelta | None,
        text(
            "--waiting-longer-than",
            "TIME",
            "Only sellers with a file that has waited longer: 90s, 10m, 2h, 1d.",
            callback=duration,
        ),
    ]
    never: Annotated[bool, flag("--never", "Only sellers for whom nothing was ever sent.")]
    page: Annotated[int | None, count("--page", "Only the N-th hundred of them.  [default: all]")]
    config: Annotated[None, CONFIG_FILE] = None
    profiles: Annotated[Path | None, PROFILES]
    form: Annotated[str, FORMAT]
    showing: Showing
    home: Annotated[Path | None, HOME]
    records: Records


@command_of(SellersOptions)
def sellers(ctx: click.Context, options: SellersOptions) -> None:
    """Show all sellers at a glance: who waits, who is in work, and the results of the last run.

    Sellers in trouble come first, then the sellers who have waited longest. Sellers of
    profiles that have sent nothing yet are listed too.
    """
    from feedtool.ledger.sellers import SellerFilter
    from feedtool.runs.sellers import known_sellers, seller_states, write_sellers

    now = CONSOLE.clock.now()
    longest, page = options.waiting_longer_than, options.page
    since = now - longest if longest else None
    seller_filter = SellerFilter(options.trouble, options.held, since, options.never)
    known = known_sellers(chosen(ctx).config.with_folder(options.profiles).profiles)
    with open_workspace(home_folder(options.home), options.records) as workspace:
        states = seller_states(workspace.ledger, now, seller_filter, known=known, page=page)
        number = write_sellers(states, sys.stdout, options.form, CONSOLE.say, now)
    if not number:
        is_any = page is None and seller_filter == SellerFilter()
        echo("note", tr("there are no sellers yet") if is_any else tr("no seller is like that"))
