"""What checking found, kept with the run: its answers are written again without a second check.

A gzip of JSON lines. Each sheet has one line of facts, then one for each problem, refused row and
skipped row. Valid rows are in the ledger, so they are here only where offers wait for the products
of the same command, whose rows are named beside theirs.
"""

import gzip
import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from feedtool.feeds.columns.text import Text
from feedtool.model.errors import Exit, FileProblem
from feedtool.model.header import Column, Header
from feedtool.model.nouns import Item, Message, Problem, RowResult, Severity, Status
from feedtool.model.sheet import CheckedSheet, ProblemSpool, Refused, RowStates
from feedtool.runs.row_notes import refused_rows

BATCH = 1000
"""Problems that are restored at once."""


def write_sheets(sheets: Sequence[CheckedSheet], path: Path) -> None:
    """Writes what results need of checked sheets into a file."""
    with_items = len({sheet.kind for sheet in sheets}) > 1
    # Neither a time nor a name, so that the same sheets are kept once.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        for sheet in sheets:
            for line in _lines(sheet, with_items=with_items):
                file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def read_sheets(path: Path) -> list[CheckedSheet]:
    """The sheets that `write_sheets` has written, their columns known by their keys alone."""
    sheets: list[CheckedSheet] = []
    batch: list[Problem] = []

    def add_problems() -> None:
        if batch:
            sheets[-1].problems_by_source[0].append_all(batch)
            batch.clear()

    with gzip.open(path, "rt", encoding="utf-8") as file:
        for text in file:
            kind, *fields = json.loads(text)
            if kind == "problem":
                fields[6] = Severity(fields[6])
                batch.append(Problem(*fields))
            elif kind == "refused":
                sheets[-1].refused.append(Refused(*fields))
            elif kind == "skipped":
                sheets[-1].skipped.append(_result(fields))
            elif kind == "item":
                sheets[-1].items.append(_item(*fields))
            else:
                add_problems()
                sheets.append(_sheet(*fields))
            if len(batch) == BATCH:
                add_problems()
    add_problems()
    return sheets


def _lines(sheet: CheckedSheet, *, with_items: bool) -> Iterator[list[Any]]:
    yield ["sheet", _facts(sheet)]
    yield from (["problem", *problem] for problem in sheet.problems())
    yield from (["refused", *refused] for refused in refused_rows(sheet))
    yield from (["skipped", *skipped] for skipped in sheet.skipped)
    if with_items:
        yield from (
            ["item", *item[:5], item.number, item.further_rows] for item in sheet.valid_items()
        )


def _facts(sheet: CheckedSheet) -> dict[str, Any]:
    header, error = sheet.header, sheet.error
    return {
        "file": sheet.file,
        "sheet": sheet.sheet,
        "kind": sheet.kind,
        "kind_reason": sheet.kind_reason,
        "is_kind_certain": sheet.is_kind_certain,
        "purges": sheet.purges,
        "marks": b64encode(bytes(sheet.marks)).decode(),
        "error": error and [error.code, error.message, error.hint, int(error.exit)],
        "header": header
        and {
            "row": header.row,
            "after": header.after,
            "columns": {index: column.key for index, column in header.columns.items()},
            "texts": dict(header.texts),
            "unknown": header.unknown,
            "own": sorted(header.own),
            "headings": header.headings,
            "stamp": dict(header.stamp),
        },
    }


def _sheet(facts: dict[str, Any]) -> CheckedSheet:
    header, error, marks = (facts.pop(name) for name in ("header", "error", "marks"))
    sheet = CheckedSheet(**facts, marks=RowStates(b64decode(marks)))
    sheet.problems_by_source.append(ProblemSpool())
    sheet.header = header and _header(header)
    sheet.error = error and _error(*error)
    return sheet


def _header(kept: dict[str, Any]) -> Header:
    return Header(
        row=kept["row"],
        after=kept["after"],
        columns={int(index): _column(key) for index, key in kept["columns"].items()},
        texts={int(index): text for index, text in kept["texts"].items()},
        unknown=tuple((index, nearest) for index, nearest in kept["unknown"]),
        own=frozenset(kept["own"]),
        headings=kept["headings"],
        stamp=kept["stamp"],
    )


def _column(key: str) -> Column:
    return Column(key, Text(), ("", "", ""), ("", "", ""))


def _error(code: str, message: str, hint: str, exit_code: int) -> FileProblem:
    error = FileProblem(message, hint)
    error.code, error.exit = code, Exit(exit_code)
    return error


def _item(*kept: Any) -> Item:
    row, package_type, channel, reference, product, *rest = kept
    number, further_rows = rest or (0, ())  # a run may be older than these
    plain = Item(row, package_type, channel, reference, product, b"")
    return plain._replace(number=number, further_rows=tuple(further_rows))


def _result(kept: list[Any]) -> RowResult:
    row, reference, status, messages, *channel = kept
    said = tuple(
        Message(code, text, field, Severity(severity)) for code, text, field, severity in messages
    )
    return RowResult(row, reference, Status(status), said, *channel)
