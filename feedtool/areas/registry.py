"""Every area, by its folder's name: the only list of areas."""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from feedtool.feeds.area import Areas

if TYPE_CHECKING:
    from feedtool.sandbox import Part

NAMES = ("offers", "legacy", "products", "competition")


def load(names: Iterable[str] = NAMES) -> Areas:
    """The areas of these names; a dotted name is that of a package from outside."""
    return _load(tuple(names))


@cache
def _load(names: tuple[str, ...]) -> Areas:
    packages = (name if "." in name else f"feedtool.areas.{name}" for name in names)
    return Areas(tuple(import_module(f"{package}.area").AREA for package in packages))


def sandbox_parts(names: Sequence[str] = NAMES) -> "tuple[Part, ...]":
    """The parts of the service that the areas' `sandbox` packages declare as `PARTS`.

    They are sorted by area, so that no order of names changes what the service does.

    Args:
        names: Of areas here, or the dotted names of packages elsewhere.
    """
    packages = sorted(name if "." in name else f"{__package__}.{name}" for name in names)
    modules = [import_module(f"{package}.sandbox") for package in packages]
    return tuple(part for module in modules for part in module.PARTS)
