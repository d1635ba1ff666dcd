"""The ways of reading files and choosing rows, from the options and the profile of a command."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from feedtool.areas.registry import load
from feedtool.check import ReadOptions
from feedtool.cli.catalog_cache import catalogue
from feedtool.cli.options import chosen
from feedtool.feeds.feed import Feed
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import AccountSettings

if TYPE_CHECKING:
    from feedtool.areas.offers.changes.selection import SelectionOptions


def feed_of(kind: str) -> Feed:
    """The feed of a kind. UsageProblem where there is none."""
    feeds = load().feeds
    if kind not in feeds:
        raise UsageProblem(f"there is no kind of feed “{kind}”", f"kinds: {', '.join(feeds)}")
    return feeds[kind]


def selection_of(given: Mapping[str, Any]) -> "SelectionOptions":
    """The rows that are sent, by the options.

    Raises:
        UsageProblem: there is no such guard, or the options are of no use together.
    """
    from feedtool.areas.offers.changes.guards import GUARDS
    from feedtool.areas.offers.changes.selection import SelectionOptions

    if given["prefer_update"] and not given["changed_only"]:
        raise UsageProblem(
            "--prefer-update is about what has changed", "add --changed-only, or leave it out"
        )
    words = given.get("release", "").split(",")
    named = (word.strip().casefold().replace("_", "-") for word in words)
    released = tuple(dict.fromkeys(filter(None, named)))
    for code in released:
        if code not in GUARDS:
            near = get_close_matches(code, GUARDS, n=1)
            raise UsageProblem(
                f"there is no guard “{code}” to release",
                f"did you mean {near[0]}?" if near else f"guards: {', '.join(GUARDS)}",
            )
    return SelectionOptions(
        changed_only=given["changed_only"],
        prefer_update=given["prefer_update"],
        released=released,
    )


def read_options(ctx: click.Context, given: Mapping[str, Any], **more: Any) -> ReadOptions:
    """The way to read files, from the options and the profile.

    Raises:
        UsageProblem: there is no such kind of feed, or the profile maps a header to no column.
    """
    kind, as_row = given["kind"], given.get("as_row")
    if kind is not None:
        feed_of(kind)
    settings, catalog = chosen(ctx).profile.dialect, catalogue(ctx)
    _check_columns(settings)
    as_rows = tuple(map(int, as_row.split(","))) if as_row else ()
    channel = given["channel"] or settings.primary_channel
    return ReadOptions(settings, channel, kind, given["sheet"], as_rows, catalog=catalog, **more)


def _check_columns(settings: AccountSettings) -> None:
    if not settings.columns:
        return
    feeds = load().feeds.values()
    keys = {column.key for feed in feeds for column in feed.understood(settings)}
    for header, key in settings.columns.items():
        if key not in keys and not any(feed.may_have(key) for feed in feeds):
            near = get_close_matches(key, sorted(keys), n=1)
            raise UsageProblem(
                f"the profile's [columns] maps “{header}” to “{key}”, which is no column",
                f"did you mean {near[0]}?" if near else "the template names the columns",
            )
