"""What is wrong with the cells of a row, while its sheet is read."""

from dataclasses import dataclass, field

from feedtool.check.locate import NO_COLUMN, InCell
from feedtool.check.recipes.channels import SKIP
from feedtool.check.rules import RECIPE_FAILED
from feedtool.feeds.columns import InvalidValue
from feedtool.model.nouns import Issue


@dataclass(slots=True)
class RowFaults:
    """The issues of the cells of one row."""

    faults: list[InCell] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)


NO_FAULTS = RowFaults()


def take_out_flaws(
    values: list[object | None], index: int, key: str, flawed: dict[int, RowFaults]
) -> None:
    """Leaves the values alone in a column, and notes what was said of them by position."""
    for position, value in enumerate(values):
        if isinstance(value, InvalidValue):
            values[position] = value.value
            row = flawed.setdefault(position, RowFaults())
            row.faults += [
                (index, fault, value.shown) for fault in value.faults if not _is_told(fault, row)
            ]
            if value.is_refused:
                row.refused.add(key)


def _is_told(fault: Issue, row: RowFaults) -> bool:
    """True if what a field is computed from has failed, and that is said already."""
    return fault.code is RECIPE_FAILED and any(other == fault for _, other, _ in row.faults)


def with_unknown_skip(flaws: RowFaults, flaw: InvalidValue) -> RowFaults:
    """The faults of a row of which nobody knows whether it is to be skipped."""
    faults: list[InCell] = [
        (NO_COLUMN, fault, "") for fault in flaw.faults if not _is_told(fault, flaws)
    ]
    return RowFaults([*flaws.faults, *faults], {*flaws.refused, SKIP})
