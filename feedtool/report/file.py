"""Write a report as a file, whole or not at all, in the form of its name's ending; and the CSV."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple, TextIO
from uuid import uuid4

from msgspec import Struct, field

from feedtool.model.disk_list import Spool
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.nouns import Loss, Message, Severity, Status
from feedtool.model.text import FieldName, MessageText, Translator, in_quotes, joined, plural, tr
from feedtool.report.as_json import Fields, error_fields, write_json, write_lines, write_objects
from feedtool.report.codes import Codes
from feedtool.report.plain import clean, listed, value
from feedtool.report.sheet_result import SheetResult

COLUMNS = (
    *("record", "file", "sheet", "kind"),
    *("row", "line", "column", "header", "field"),
    *("code", "severity", "value", "message", "hint"),
    *("sellerExternalReference", "status"),
)
"""`record` is the type of a line: `file` (it could not be read), `problem`, or `row` (a result).

If a row has several results, each has its channel as the value of the field `salesChannelId`.
"""

FORMULA_STARTS = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""Spreadsheet programs calculate a cell that begins with one of these, quoted or not.

The last four are the full-width `= + - @`, which Japanese editions read as the plain ones.
"""

_NUMBER = re.compile(r"[+-][0-9]+(?:[.,][0-9]+)?")
"""A signed number alone, such as `-3`: it has one operand, so nothing to calculate."""

Line = dict[str, object]


def write_csv(results: Iterable[SheetResult], out: TextIO) -> None:
    """Write a line for each problem and each row's result; `out` is opened with `newline=""`.

    A byte order mark comes first, without which Excel does not recognise UTF-8. No cell is ever
    a formula (OWASP, "CSV Injection"): an apostrophe goes before a text that would be one.
    """
    out.write("\ufeff")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for result in results:
        checked = result.checked
        place = {"file": checked.file, "sheet": checked.sheet, "kind": checked.kind}
        for line in _lines(result):
            line.update(place)
            writer.writerow([as_text(line.get(name)) for name in COLUMNS])


def as_text(cell: object) -> str | int:
    """Return a cell that no spreadsheet program calculates; an `int` stays a number."""
    if isinstance(cell, int):
        return cell
    text = "" if cell is None else str(cell)
    is_formula = text[:1] in FORMULA_STARTS and not _NUMBER.fullmatch(text)
    return f"'{clean(text)}" if is_formula else clean(text)


def _lines(result: SheetResult) -> Iterator[Line]:
    if error := result.checked.error:
        yield {"record": "file", "severity": Severity.ERROR, **(error_fields(error) or {})}
    for problem in result.checked.problems():
        yield {"record": "problem", **problem._asdict()}
    for row, channel in result.results_with_channels():
        # A line for each message, or one without any; invalid rows have lines for their problems.
        messages = () if row.status is Status.INVALID else row.messages
        for message in messages or (Message("", ""),):
            yield {
                "record": "row",
                "row": row.row,
                **({"field": "salesChannelId", "value": channel} if channel else {}),
                "code": message.code,
                "message": message.text,
                "sellerExternalReference": row.reference,
                "status": row.status,
            }


Write = Callable[[Iterable[SheetResult], TextIO, Codes, datetime], None]


def write_report(path: Path, results: Iterable[SheetResult], codes: Codes, made: datetime) -> None:
    """Write a report, never half of it. UsageProblem if it cannot be written."""
    write = writer_for(path)
    beside = path.with_name(f".{path.name}.{uuid4().hex[:8]}.part")
    try:
        with beside.open("x", encoding="utf-8", newline="") as out:
            write(results, out, codes, made)
        beside.replace(path)
    except OSError as reason:
        raise UsageProblem(
            tr("the report {path} cannot be written: {why}", path=path, why=reason_of(reason)),
            tr("name another file with --report, in a folder that exists and may be written to"),
        ) from reason
    finally:
        with suppress(OSError):
            beside.unlink()


def writer_for(path: Path) -> Write:
    """Return the writer for the ending of a file's name; UsageProblem for an unknown one."""
    match path.suffix.casefold():
        case ".html":
            from feedtool.report.html import write_html  # only here: importing jinja2 takes time

            return partial(write_html, folder=path.parent)
        case ".json":
            return lambda results, out, codes, _: write_json(results, out, codes.say)
        case ".csv":
            return lambda results, out, _, __: write_csv(results, out)
    raise UsageProblem(
        tr("{name}: a report's name says what it is", name=path.name),
        tr("end it in .json, .csv or .html"),
    )


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
