"""The areas by name, and what they declare."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from feedtool.sandbox.route import Part

NAMES = ("offers", "legacy", "products", "competition")


def sandbox_parts(names: Sequence[str] = NAMES) -> tuple[Part, ...]:
    """The parts of the service that the areas' `sandbox` packages declare as `PARTS`.

    They are sorted by area, so that no order of names changes what the service does.

    Args:
        names: Of areas here, or the dotted names of packages elsewhere.
    """
    packages = sorted(name if "." in name else f"{__package__}.{name}" for name in names)
    modules = [importlib.import_module(f"{package}.sandbox") for package in packages]
    return tuple(part for module in modules for part in module.PARTS)
