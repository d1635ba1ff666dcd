"""What is wrong with the cells of a row, while its sheet is read."""

from dataclasses import dataclass, field

from feedtool.check.locate import NO_COLUMN, InCell
from feedtool.check.recipes.channels import SKIP
from feedtool.feeds.columns import InvalidValue


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
            row.faults += [(index, fault, value.shown) for fault in value.faults]
            if value.is_refused:
                row.refused.add(key)


def with_unknown_skip(flaws: RowFaults, flaw: InvalidValue) -> RowFaults:
    """The faults of a row of which nobody knows whether it is to be skipped."""
    faults: list[InCell] = [(NO_COLUMN, fault, "") for fault in flaw.faults]
    return RowFaults([*flaws.faults, *faults], {*flaws.refused, SKIP})
