"""Every area, by its folder's name: the only list of areas."""

from collections.abc import Iterable
from functools import cache
from importlib import import_module

from feedtool.feeds.area import Areas

NAMES = ("offers", "legacy", "products", "competition")


def load(names: Iterable[str] = NAMES) -> Areas:
    """The areas of these names; a dotted name is that of a package from outside."""
    return _load(tuple(names))


@cache
def _load(names: tuple[str, ...]) -> Areas:
    packages = (name if "." in name else f"feedtool.areas.{name}" for name in names)
    return Areas(tuple(import_module(f"{package}.area").AREA for package in packages))
