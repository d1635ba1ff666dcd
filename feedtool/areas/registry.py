"""Every area, by its folder's name: the only list of areas."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from feedtool.feeds.area import Area
from feedtool.feeds.feed import Feed
from feedtool.feeds.rule import Rule, rules_of

if TYPE_CHECKING:
    from feedtool.sandbox import Part

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


def sandbox_parts(names: Sequence[str] = NAMES) -> "tuple[Part, ...]":
    """The parts of the service that the areas' `sandbox` packages declare as `PARTS`.

    They are sorted by area, so that no order of names changes what the service does.

    Args:
        names: Of areas here, or the dotted names of packages elsewhere.
    """
    packages = sorted(name if "." in name else f"{__package__}.{name}" for name in names)
    modules = [import_module(f"{package}.sandbox") for package in packages]
    return tuple(part for module in modules for part in module.PARTS)
