"""What is wrong with the cells of a row, while its sheet is read."""

from collections.abc import Callable, Collection, Iterable
from operator import itemgetter
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.check.locate import InCell
from feedtool.check.recipes.channels import SKIP
from feedtool.check.rules import RECIPE_FAILED, RECIPE_WARNING
from feedtool.feeds.columns import InvalidValue
from feedtool.model.header import Header
from feedtool.model.nouns import Issue, Severity
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.check.recipes.sheet import RecipeSheet, Ruled


class RowFaults(Struct):
    """The issues of the cells of one row."""

    faults: list[InCell] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)


NO_FAULTS = RowFaults()
CHECK_HINT = tr("the row is sent all the same: look whether that is meant")


def take_out_flaws(
    values: list[object | None],
    index: int,
    key: str,
    flawed: dict[int, RowFaults],
    made: "RecipeSheet | None",
) -> None:
    """Leaves the values alone in a column, and notes what was said of them by position."""
    if InvalidValue not in map(type, values):  # at a tenth of the loop's time
        return
    for position, value in enumerate(values):
        if isinstance(value, InvalidValue):
            values[position] = value.value
            flaw = made.with_origin(index, key, position, value) if made else value
            row = flawed.setdefault(position, RowFaults())
            row.faults += [(index, fault, flaw.shown) for fault in flaw.faults]
            if value.is_refused:
                row.refused.add(key)


def with_rules(
    flaws: RowFaults, ruled: Iterable["Ruled"], source: Callable[[int], str]
) -> RowFaults:
    """The faults of a row with the warnings of a recipe, and of rules of which nobody knows.

    `source` shows the cell that a rule is about.
    """
    result = RowFaults([*flaws.faults], {*flaws.refused})
    for _, index, said in ruled:
        if isinstance(said, InvalidValue):
            result.faults += [(index, fault, "") for fault in said.faults]
            result.refused.add(SKIP)
        else:
            result.faults.append((index, Issue(RECIPE_WARNING, said, CHECK_HINT), source(index)))
    return result


def told_once(
    in_cells: Iterable[InCell], unsent: Collection[int], header: Header, tolerated: Collection[str]
) -> list[InCell]:
    """The faults of a row that are told: none of what does not travel, each failure once.

    A failure is there several times where several fields are computed from it. A condition to skip
    the row that fails by a cell whose failure is told already says nothing new.
    """
    told: list[InCell] = []
    failed: set[tuple[int, ...]] = set()
    for index, fault, text in in_cells:
        if index in unsent:
            continue
        if fault.code is RECIPE_FAILED:
            origin = header.origins.get(index, (index,))[:1]
            is_rule = index not in header.columns
            is_told = any(_is_same(other, fault) for _, other, _ in told)
            if is_told or (is_rule and origin in failed):
                continue
            failed.add(origin)
        is_tolerated = fault.code.name in tolerated
        code = replace(fault.code, severity=Severity.WARNING) if is_tolerated else fault.code
        told.append((index, fault._replace(code=code), text))
    return sorted(told, key=itemgetter(0))


def _is_same(fault: Issue, other: Issue) -> bool:
    """True of one failure, though only one of them says where in a joined file it comes from."""
    messages = sorted((fault.message, other.message), key=len)
    return fault.code is other.code and messages[1].startswith(messages[0])
