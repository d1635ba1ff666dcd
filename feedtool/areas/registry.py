"""Every area, by its folder's name: the only list of areas."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from feedtool.feeds.area import Area
from feedtool.feeds.export import Export
from feedtool.feeds.feed import Feed
from feedtool.feeds.rule import Rule, rules_of

NAMES = ("offers", "legacy", "products", "competition")


@cache
def all_areas() -> tuple[Area, ...]:
    """Every area, in the order of `NAMES`."""
    return tuple(import_module(f"feedtool.areas.{name}.area").AREA for name in NAMES)


@cache
def all_feeds() -> Mapping[str, Feed]:
    """Every kind of feed by its name, in the order of the names."""
    feeds = {feed.kind: feed for area in all_areas() for feed in area.feeds}
    return dict(sorted(feeds.items()))


@cache
def all_rules() -> tuple[Rule, ...]:
    """The rules of any sheet and of every area, in the order of their codes."""
    rules = [
        *rules_of("feedtool.check.rules"),
        *(rule for area in all_areas() for rule in area.rules),
    ]
    return tuple(sorted(rules, key=lambda rule: rule.code.name))


@cache
def all_exports() -> Mapping[str, Export]:
    """Every kind of export by its name, in the order of the areas."""
    return {export.kind: export for area in all_areas() for export in area.exports}
