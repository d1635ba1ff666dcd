"""The faults of a row's cells, while its sheet is read."""

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
    """Replace flawed values in a column by plain ones, and note their faults by position."""
    if InvalidValue not in map(type, values):  # takes a tenth of the loop's time
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
    """Return the faults of a row with the warnings of a recipe, and with failed rules.

    `source` returns the text of the cell that a rule reads.
    """
    result = RowFaults([*flaws.faults], {*flaws.refused})
    for _, index, reason in ruled:
        if isinstance(reason, InvalidValue):
            result.faults += [(index, fault, "") for fault in reason.faults]
            result.refused.add(SKIP)
        else:
            result.faults.append((index, Issue(RECIPE_WARNING, reason, CHECK_HINT), source(index)))
    return result


def reported_once(
    in_cells: Iterable[InCell], unsent: Collection[int], header: Header, tolerated: Collection[str]
) -> list[InCell]:
    """Return the faults of a row to report: none in a column that is not sent, each failure once.

    A failure occurs several times if several fields are computed from its cell. A condition for
    skipping the row that fails by such a cell adds nothing.
    """
    reported: list[InCell] = []
    failed: set[tuple[int, ...]] = set()
    for index, fault, text in in_cells:
        if index in unsent:
            continue
        if fault.code is RECIPE_FAILED:
            origin = header.origins.get(index, (index,))[:1]
            is_rule = index not in header.columns
            is_reported = any(_is_same(other, fault) for _, other, _ in reported)
            if is_reported or (is_rule and origin in failed):
                continue
            failed.add(origin)
        is_tolerated = fault.code.name in tolerated
        code = replace(fault.code, severity=Severity.WARNING) if is_tolerated else fault.code
        reported.append((index, fault._replace(code=code), text))
    return sorted(reported, key=itemgetter(0))


def _is_same(fault: Issue, other: Issue) -> bool:
    """Return True for the same failure, even if only one message names its place in a join."""
    messages = sorted((fault.message, other.message), key=len)
    return fault.code is other.code and messages[1].startswith(messages[0])
