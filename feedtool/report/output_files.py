"""The files that `feedtool export` and `feedtool convert` have written, and their losses."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from msgspec import Struct, field

from feedtool.model.nouns import Loss
from feedtool.model.spool import Spool
from feedtool.model.text import FieldName, MessageText, Translator, in_quotes, joined, plural, tr
from feedtool.report.as_json import Fields, write_lines, write_objects
from feedtool.report.plain import clean, listed, value

NAMED = 8
"""Most rows that are named for each loss."""
MOST = 40
"""Most losses, by field and reason, that are shown one by one."""


class Increment(NamedTuple):
    """The result of an export with a cursor."""

    cursor: str
    batch: int | None
    """None if the export only looked."""
    things: int
    missed: int | None
    """Things that earlier exports have missed; None if the export did not look for any."""


class Exported(Struct, frozen=True):
    """A file that an export has written."""

    file: Path
    kind: str
    sheet: str | None
    """The sheet with the rows; None in a CSV."""
    header_row: int
    rows: int
    skipped: int
    """Entries that are not in the file; the notes have the reasons."""
    notes: Sequence[tuple[str, str, bool]]
    """Triples: the note, the advice, and True if requested data is missing."""
    increment: Increment | None = None
    """None for an export without a cursor."""


class ConvertedSheet(Struct):
    """The result of converting one sheet of the input."""

    kind: str
    sheet: str | None
    became: str
    rows: int = 0
    skipped: int = 0
    """Rows that were left out; the losses and `unwanted` have the reasons."""
    unwanted: Counter[str] = field(default_factory=Counter)
    """Rows that the recipe leaves out on purpose, by its reason: they are no losses."""
    losses: Spool[Loss] = field(default_factory=lambda: Spool(Loss))


class Conversion(Struct):
    """The result of a conversion."""

    source: str
    target: Path
    written: Sequence[ConvertedSheet]
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Facts for the output's user, each with its advice, on one line each."""

    @property
    def rows(self) -> int:
        """The number of rows that were written."""
        return sum(sheet.rows for sheet in self.written)

    @property
    def has_losses(self) -> bool:
        """True if data of the input is not in the output."""
        return any(len(sheet.losses) for sheet in self.written)


def write_exported(exported: Exported, out: TextIO, form: str, say: Translator) -> None:
    """Describe the written file: as text, as a list of one object, or as an event."""
    fields = {
        "file": str(exported.file),
        "kind": exported.kind,
        "sheet": exported.sheet,
        "headerRow": exported.header_row,
        "rows": exported.rows,
        "skipped": exported.skipped,
        **(exported.increment._asdict() if exported.increment else {}),
        "notes": _notes((text, hint) for text, hint, _ in exported.notes),
    }
    if form == "text":
        facts = [exported.kind]
        if exported.sheet:
            facts.append(tr("sheet {sheet}", sheet=exported.sheet))
        facts.append(tr("header in row {row}", row=exported.header_row))
        out.write(clean(f"{exported.file}  {say(joined(facts))}") + "\n")
        out.write(f"{say(_size(exported))}\n")
    elif form == "json":
        write_objects([fields], out)
    else:
        write_lines([{"type": "summary", **fields}], out)


def write_conversion(conversion: Conversion, out: TextIO, form: str, say: Translator) -> None:
    """Describe the written sheets: as text, as a list of objects, or as events."""
    for sheet in conversion.written if form == "text" else ():
        became: str = sheet.kind
        if sheet.kind != sheet.became:
            became = tr("{kind} as {became}", kind=sheet.kind, became=sheet.became)
        place = str(conversion.target) if sheet.rows else say(tr("nothing written"))
        facts = [became, _size(sheet)]
        if count := len(sheet.losses):
            facts.append(plural("{count:,} loss", "{count:,} losses", count))
        out.write(clean(f"{place}  {say(joined(facts))}") + "\n")
        for reason, rows in sheet.unwanted.most_common():
            unwanted = plural(
                "{count:,} row left out by the recipe: {reason}",
                "{count:,} rows left out by the recipe: {reason}",
                rows,
                reason=value(reason),
            )
            out.write(f"  {say(unwanted)}\n")
    if form == "json":
        objects = (
            {**_fields(conversion, sheet), "losses": (loss._asdict() for loss in sheet.losses)}
            for sheet in conversion.written
        )
        write_objects(objects, out)
    for sheet in conversion.written if form == "jsonl" else ():
        write_lines(({"type": "loss", **loss._asdict()} for loss in sheet.losses), out)
        write_lines([{"type": "summary", **_fields(conversion, sheet)}], out)


def _fields(conversion: Conversion, sheet: ConvertedSheet) -> Fields:
    return {
        "file": conversion.source,
        "kind": sheet.kind,
        "sheet": sheet.sheet or None,
        "target": str(conversion.target) if sheet.rows else None,
        "targetKind": sheet.became,
        "rows": sheet.rows,
        "skipped": sheet.skipped,
        **({"skippedBecause": dict(sheet.unwanted.most_common())} if sheet.unwanted else {}),
        "notes": _notes(conversion.notes),
    }


def _notes(notes: Iterable[tuple[str, str]]) -> list[Fields]:
    return [{"message": text, "hint": hint} for text, hint in notes]


def _size(sheet: Exported | ConvertedSheet) -> MessageText:
    rows = plural("{count:,} row", "{count:,} rows", sheet.rows)
    if not sheet.skipped:
        return rows
    return joined((rows, tr("{count:,} left out", count=sheet.skipped)))


def loss_lines(losses: Iterable[Loss]) -> list[MessageText]:
    """Describe losses: one line for each field and reason, with the first rows."""
    groups: dict[tuple[str | None, str], tuple[Loss, list[int]]] = {}
    counts: Counter[tuple[str | None, str]] = Counter()
    unlisted = 0
    for loss in losses:
        key = loss.field, loss.message
        if key not in groups and len(groups) >= MOST:
            unlisted += 1
            continue
        counts[key] += 1
        _, rows = groups.setdefault(key, (loss, []))
        if loss.row is not None and len(rows) < NAMED and loss.row not in rows:
            rows.append(loss.row)
    lines = [_loss_line(*group, counts[key]) for key, group in groups.items()]
    if unlisted:
        lines.append(
            tr(
                "{count:,} more, of other fields or for other reasons: see --format json",
                count=unlisted,
            )
        )
    return lines


def _loss_line(first: Loss, rows: list[int], count: int) -> MessageText:
    name: str = tr("the row") if rows else tr("the file")
    if first.field is not None:
        name = FieldName(clean(first.field))
    if first.value is not None and count == 1:
        name = joined((name, in_quotes(value(first.value))), " ")
    line = joined((name, first.message), ": ")
    if not rows:
        return line
    where = {"line": line, "rows": listed(rows, max(count, len(rows)))}
    return tr("{line} (row {rows})", **where) if count == 1 else tr("{line} (rows {rows})", **where)
