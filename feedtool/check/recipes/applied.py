"""A sheet to which a recipe, or defaults, were applied."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from feedtool.model.header import Header
from feedtool.sheets import Sheet

if TYPE_CHECKING:
    from feedtool.check.recipes.join import JoinedSheet


class Applied(NamedTuple):
    """A sheet as a recipe, or defaults, make it."""

    header: Header
    sheet: Sheet
    fields: Sequence[str] = ()
    """The keys whose values come from it, and from no column alone."""
    defaults: Sequence[str] = ()
    """Of these the keys that have a default of the command or the account, and nothing else."""
    joined: "Sequence[JoinedSheet]" = ()
