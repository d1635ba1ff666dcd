"""What a sheet can ask of the service: a module for each kind of feed, found by being there.

A feed declares its columns, what a row of them must hold, the request that a row becomes and the
schema of that request. A new kind of feed is one new file here and its schema.
"""

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from feedtool.columns import CellType
from feedtool.dialect import Dialect
from feedtool.model import PackageType

LANGUAGES = ("en", "fr", "es")


@dataclass(frozen=True, slots=True)
class Column:
    """One column that a feed understands."""

    key: str
    """Stable, as in the template's grey row: `price.price`."""
    type: CellType
    labels: tuple[str, str, str]
    """For people, in `LANGUAGES`."""
    help: tuple[str, str, str]
    """What belongs in it, in `LANGUAGES`."""
    example: str = ""
    aliases: tuple[str, ...] = ()
    """Other headers that mean it, beside the key and the labels."""


@dataclass(frozen=True, slots=True)
class Mode:
    """A delivery mode that a sheet has columns for."""

    code: str
    cost: str
    """The key of its cost's column."""
    additional: str


@dataclass(frozen=True, slots=True)
class SheetColumns:
    """What the header of one sheet offers to its rows."""

    dialect: Dialect
    fields: frozenset[str]
    """The keys that the header has."""
    modes: tuple[Mode, ...]


class Row(NamedTuple):
    """A row of values, before it is a request."""

    number: int
    kind: str
    """The kind of feed: the sheet's, or what the row's `action` makes of it."""
    channel: str
    """The salesChannelId it is for."""
    values: Mapping[str, Any]
    """By the column's key; None is a blank or a cell that was refused."""
    refused: frozenset[str]
    """The keys of the cells that hold something which cannot be sent."""
    sheet: SheetColumns

    def is_blank(self, field: str) -> bool:
        """Whether nothing stands there; a refused cell is not blank."""
        return self.values.get(field) is None and field not in self.refused

    def blanks(self, fields: Iterable[str]) -> list[str]:
        """The blank ones of some fields."""
        values, refused = self.values, self.refused
        return [field for field in fields if values.get(field) is None and field not in refused]


@dataclass(frozen=True, slots=True)
class Feed:
    """One kind of feed."""

    kind: str
    """As users name it: `offers-upsert`."""
    sheet: str
    """The name of the template's sheet."""
    package_type: PackageType
    summary: str
    columns: Callable[[Dialect], tuple[Column, ...]]
    """All columns that its template has, in order."""
    understood: Callable[[Dialect], tuple[Column, ...]]
    """All columns that a header of its family may have, retired ones included."""
    modes: Callable[[Dialect], tuple[Mode, ...]]
    """The delivery modes that a header of its family may have."""
    missing: Callable[[SheetColumns], list[str]]
    """The keys that a header must have and this one has not."""
    required: Callable[[Row], list[str]]
    """The keys that this row must fill."""
    request: Callable[[Row], dict[str, object]]
    """The request that a valid row becomes."""
    is_sent: Callable[[str], bool] = lambda _: True
    """Whether a key's cells travel; what is wrong with one that does not keeps no row back."""
    operator_sheet: str | None = None
    """The name of the sheet in the channel operator's own template."""
    needs_asking: bool = False
    """Never recognised from headers: needs its stamp, an `action` column or `--as`."""


@cache
def all_feeds() -> Mapping[str, Feed]:
    """Every kind of feed by its name, in the order of their modules' names."""
    modules = (
        import_module(f"{__name__}.{found.name}")
        for found in pkgutil.iter_modules(__path__)
        if not found.name.startswith("_")
    )
    return {module.FEED.kind: module.FEED for module in modules}
