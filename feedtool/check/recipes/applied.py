"""The record of a sheet after a recipe, or defaults, were applied."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from feedtool.model.header import Header
from feedtool.sheets import Sheet

if TYPE_CHECKING:
    from feedtool.check.recipes.join import JoinedSheet


class Applied(NamedTuple):
    """A sheet after a recipe, or defaults, were applied."""

    header: Header
    sheet: Sheet
    fields: Sequence[str] = ()
    """The keys whose values the recipe or defaults make, and not one column."""
    defaults: Sequence[str] = ()
    """The keys among these that only have a default of the command or the account."""
    joined: "Sequence[JoinedSheet]" = ()
