"""The parts of the service, each a module that `feedtool.sandbox.route` describes.

A new part is a new file here; no other file changes.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from feedtool.sandbox.route import Part

PARTS: tuple[Part, ...] = tuple(
    cast("Part", importlib.import_module(f"{__name__}.{module.name}"))
    for module in pkgutil.iter_modules(__path__)
)
