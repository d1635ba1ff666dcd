"""Every area, by its folder's name: the only list of areas."""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from feedtool.feeds.area import Areas
from feedtool.model.nouns import AREA_STATUSES

if TYPE_CHECKING:
    from feedtool.sandbox import Part

NAMES = (
    *("offers", "legacy", "products", "competition", "orders", "invoices"),
    *("inbound", "outbound", "finance", "reports", "discussions"),
)


def load(names: Iterable[str] | None = None) -> Areas:
    """The areas of these names, else of `NAMES`; a dotted name is a package's from outside."""
    areas = _load(tuple(NAMES if names is None else names))
    for known in areas.statuses:  # reports know the words of the areas that a process has
        AREA_STATUSES.setdefault(known.status, known)
    return areas


@cache
def _load(names: tuple[str, ...]) -> Areas:
    packages = (name if "." in name else f"feedtool.areas.{name}" for name in names)
    return Areas(tuple(import_module(f"{package}.area").AREA for package in packages))


def sandbox_parts(names: Sequence[str] | None = None) -> "tuple[Part, ...]":
    """The parts of the service that the areas' `sandbox` packages declare as `PARTS`.

    They are sorted by area, so that no order of names changes what the service does.

    Args:
        names: As those of `load`.
    """
    names = NAMES if names is None else names
    packages = sorted(name if "." in name else f"{__package__}.{name}" for name in names)
    modules = [import_module(f"{package}.sandbox") for package in packages]
    return tuple(part for module in modules for part in module.PARTS)
