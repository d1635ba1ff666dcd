"""How files are read and which rows are sent, from the options and the profile of a command."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from feedtool.areas.registry import load
from feedtool.check import ReadOptions
from feedtool.cli.catalog_cache import catalogue
from feedtool.cli.options import chosen
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import AccountSettings

if TYPE_CHECKING:
    from feedtool.areas.offers.changes.selection import SelectionOptions


def selection_of(given: Mapping[str, Any]) -> "SelectionOptions":
    """Which rows are sent, by the options.

    Raises:
        UsageProblem: there is no such guard, or the options are of no use together.
    """
    from feedtool.areas.offers.changes.guards import all_guards
    from feedtool.areas.offers.changes.selection import SelectionOptions

    if given["prefer_update"] and not given["changed_only"]:
        raise UsageProblem(
            "--prefer-update is about what has changed", "add --changed-only, or leave it out"
        )
    words = given.get("release", "").split(",")
    named = (word.strip().casefold().replace("_", "-") for word in words)
    released = tuple(dict.fromkeys(filter(None, named)))
    for code in released:
        if code not in all_guards():
            near = get_close_matches(code, all_guards(), n=1)
            raise UsageProblem(
                f"there is no guard “{code}” to release",
                f"did you mean {near[0]}?" if near else f"guards: {', '.join(all_guards())}",
            )
    return SelectionOptions(
        changed_only=given["changed_only"],
        prefer_update=given["prefer_update"],
        released=released,
    )


def how_to_read(ctx: click.Context, given: Mapping[str, Any], **more: Any) -> ReadOptions:
    """How files are to be read, from the options and the profile.

    Raises:
        UsageProblem: there is no such kind of feed, or the profile maps a header to no column.
    """
    kind, as_row = given["kind"], given.get("as_row")
    kinds = load().feeds
    if kind is not None and kind not in kinds:
        raise UsageProblem(f"there is no kind of feed “{kind}”", f"kinds: {', '.join(kinds)}")
    dialect, catalog = chosen(ctx).profile.dialect, catalogue(ctx)
    _check_columns(dialect)
    as_rows = tuple(map(int, as_row.split(","))) if as_row else ()
    channel = given["channel"] or dialect.primary_channel
    return ReadOptions(dialect, channel, kind, given["sheet"], as_rows, catalog=catalog, **more)


def _check_columns(dialect: AccountSettings) -> None:
    if not dialect.columns:
        return
    feeds = load().feeds.values()
    keys = {column.key for feed in feeds for column in feed.understood(dialect)}
    for header, key in dialect.columns.items():
        if key not in keys and not any(feed.may_have(key) for feed in feeds):
            near = get_close_matches(key, sorted(keys), n=1)
            raise UsageProblem(
                f"the profile's [columns] maps “{header}” to “{key}”, which is no column",
                f"did you mean {near[0]}?" if near else "the template names the columns",
            )
