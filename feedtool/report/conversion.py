"""What `feedtool convert` has written, and all that it could not carry over, told."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TextIO

from feedtool.model.spool import Spool
from feedtool.report.fields import Fields, dumped
from feedtool.report.plain import clean, counted, listed, printable, value

NAMED = 8
"""Rows that are named of each loss."""
MOST = 40
"""Losses of different fields and reasons that are told to people one by one."""


class Loss(NamedTuple):
    """Something of the input that is not in the output."""

    row: int | None
    """The input's own row number; of offers in an Offers.xml, and of JSON requests, the first is
    row 2. None is the whole file."""
    line: int | None
    """Where that is a text: the line where the row starts."""
    field: str | None
    """The key of the column, or the header that no column is known for; None is the whole row."""
    value: str | None
    """As it stood there."""
    message: str
    """Why."""


@dataclass(slots=True)
class Written:
    """A sheet of the input, and what became of it."""

    kind: str
    """What the rows were."""
    sheet: str | None
    became: str
    """The kind of feed that they are now."""
    rows: int = 0
    """Rows that were written."""
    skipped: int = 0
    """Rows that were left out; the losses say why."""
    losses: Spool[Loss] = field(default_factory=lambda: Spool(Loss))


@dataclass(slots=True)
class Conversion:
    """What came of a conversion."""

    source: str
    """The input as the user gave it."""
    target: Path
    written: Sequence[Written]
    notes: list[tuple[str, str]] = field(default_factory=list)
    """What whoever uses the output should know, and what to do, each on one line."""

    @property
    def rows(self) -> int:
        """Rows that were written."""
        return sum(one.rows for one in self.written)

    @property
    def has_losses(self) -> bool:
        """Whether something is not in the output."""
        return any(len(one.losses) for one in self.written)


def write_conversion(found: Conversion, out: TextIO, form: str) -> None:
    """What was written: for people, as a list of an object for each sheet, or as events."""
    if form == "text":
        out.writelines(_line(found, one) + "\n" for one in found.written)
    elif form == "json":
        out.write("[\n" + ",\n".join(_object(found, one) for one in found.written) + "\n]\n")
    else:
        for one in found.written:
            out.writelines(dumped({"type": "loss", **loss._asdict()}) + "\n" for loss in one.losses)
            out.write(dumped({"type": "summary", **_fields(found, one)}) + "\n")


def _line(found: Conversion, one: Written) -> str:
    became = one.kind if one.kind == one.became else f"{one.kind} as {one.became}"
    place = str(found.target) if one.rows else "nothing written"
    skipped = f", {one.skipped:,} left out" if one.skipped else ""
    lost = f", {counted(len(one.losses), 'loss', 'losses')}" if len(one.losses) else ""
    return clean(f"{place}  {became}, {counted(one.rows, 'row')}{skipped}{lost}")


def _fields(found: Conversion, one: Written) -> Fields:
    return {
        "file": found.source,
        "kind": one.kind,
        "sheet": one.sheet or None,
        "target": str(found.target) if one.rows else None,
        "targetKind": one.became,
        "rows": one.rows,
        "skipped": one.skipped,
        "notes": [{"message": text, "hint": hint} for text, hint in found.notes],
    }


def _object(found: Conversion, one: Written) -> str:
    """With every loss; written piece by piece, since there may be more than fit into memory."""
    members = [f'    "{name}": {dumped(it)}' for name, it in _fields(found, one).items()]
    losses = ",\n".join(f"      {dumped(loss._asdict())}" for loss in one.losses)
    members.append(f'    "losses": [\n{losses}\n    ]' if losses else '    "losses": []')
    return "  {\n" + ",\n".join(members) + "\n  }"


def loss_lines(losses: Iterable[Loss]) -> list[str]:
    """Losses for people: one line for each field and reason, with the first rows."""
    groups: dict[tuple[str | None, str], tuple[Loss, list[int], int]] = {}
    further = 0
    for loss in losses:
        key = loss.field, loss.message
        if key not in groups and len(groups) >= MOST:
            further += 1
            continue
        first, rows, count = groups.get(key, (loss, [], 0))
        if loss.row is not None and len(rows) < NAMED and loss.row not in rows:
            rows.append(loss.row)
        groups[key] = first, rows, count + 1
    lines = [_group(*group) for group in groups.values()]
    if further:
        lines.append(f"{further:,} more, of other fields or for other reasons: see --format json")
    return lines


def _group(first: Loss, rows: list[int], count: int) -> str:
    told = f" “{value(first.value)}”" if first.value is not None and count == 1 else ""
    where = ""
    if rows:
        where = f" ({'row' if count == 1 else 'rows'} {listed(rows, max(count, len(rows)))})"
    name = clean(first.field) if first.field is not None else "the row" if rows else "the file"
    return f"{name}{told}: {printable(first.message)}{where}"
