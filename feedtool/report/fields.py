"""The names that scripts rely on: every noun as a JSON object, and lists of them as text."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TextIO

from feedtool.model.errors import FeedtoolError, FileProblem
from feedtool.model.nouns import Counts, Message, PackageSummary, RowResult
from feedtool.report.plain import STEERING
from feedtool.report.sheet_result import SheetResult

Fields = dict[str, Any]

SUMMARY = (
    *("file", "kind", "kindReason", "sheet", "headerRow"),
    *("rows", "valid", "invalid", "skipped", "warnings"),
    *("annotated", "run", "stopped", "statuses", "packages", "failed"),
)
"""The members of a sheet's object that no list of rows makes long."""

ENCODED = 100
"""Entries of a list that are encoded at once: one by one takes three times as long."""

_encode = json.JSONEncoder(ensure_ascii=False).encode
_STEERING = re.compile(f"[{STEERING}]")


def dumped(value: object) -> str:
    """The value as JSON on one line, readable as it is in any language.

    Only characters that would steer a terminal are escaped, and halves of characters, which
    UTF-8 cannot write: a JSON reader gets all of them back.
    """
    text = _encode(value)
    if text.isprintable():  # nothing that steers is, and millions of lines pass here
        return text
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def write_objects(objects: Iterable[Fields], out: TextIO) -> None:
    """Writes a list of objects, a member a line; a member that is an iterator an entry a line.

    So a million entries are neither held in memory nor unreadable.
    """
    out.write("[")
    for number, fields in enumerate(objects):
        out.write(",\n  {" if number else "\n  {")
        for position, (name, value) in enumerate(fields.items()):
            out.write(f'{"," if position else ""}\n    "{name}": ')
            out.writelines(_list(value) if isinstance(value, Iterator) else [dumped(value)])
        out.write("\n  }")
    out.write("\n]\n")


def write_lines(objects: Iterable[Fields], out: TextIO) -> None:
    """Writes an object a line."""
    out.writelines(f"{dumped(fields)}\n" for fields in objects)


def _list(entries: Iterator[Fields]) -> Iterator[str]:
    """A list with an entry a line; all entries begin with the same field."""
    yield "["
    separator, end = "\n      ", "]"
    while batch := list(islice(entries, ENCODED)):
        # Inside a text a quotation mark is escaped, so only an entry can begin like this.
        start = f'{{"{next(iter(batch[0]))}": '
        yield separator
        yield dumped(batch)[1:-1].replace(f"}}, {start}", f"}},\n      {start}")
        separator, end = ",\n      ", "\n    ]"
    yield end


def result_fields(result: SheetResult, counts: Counts) -> Fields:
    """All that is said of a sheet; what may be of any length is an iterator."""
    checked = result.checked
    fields = {
        **sheet_fields(result),
        "rows": counts.rows,
        "valid": counts.valid,
        "invalid": counts.invalid,
        "skipped": counts.skipped,
        "error": error_fields(checked.error),
        "problems": (problem._asdict() for problem in checked.problems()),
        "warnings": counts.warnings,
    }
    if result.is_submitted:
        fields |= {
            "run": result.run,
            "stopped": stopped_fields(result.stopped),
            "packages": map(package_fields, result.packages),
            "results": map(verdict_fields, result.every_verdict()),
        }
    fields["annotated"] = None if result.annotated is None else str(result.annotated)
    if result.is_submitted:
        fields["failed"] = None if result.failed is None else str(result.failed)
    return fields


def summary_fields(result: SheetResult) -> Fields:
    """What came of one sheet, in numbers."""
    counts = result.counts()
    fields = result_fields(result, counts)
    if result.is_submitted:
        fields |= {"packages": list(fields["packages"]), "statuses": counts.by_status}
    return {name: fields[name] for name in SUMMARY if name in fields}


def sheet_fields(result: SheetResult) -> Fields:
    """Which file and sheet this is, and what it was taken for; a CSV has no sheet."""
    checked = result.checked
    return {
        "file": checked.file,
        "kind": checked.kind,
        "kindReason": checked.kind_reason or None,
        "sheet": checked.sheet or None,
        "headerRow": checked.header.row if checked.header else None,
    }


def error_fields(error: FileProblem | None) -> Fields | None:
    """Why a file could not be read; None where it could."""
    if error is None:
        return None
    return {"code": error.code, "message": error.message, "hint": error.hint}


def stopped_fields(stopped: FeedtoolError | None) -> Fields | None:
    """What stopped a delivery before its end; None where nothing did."""
    return None if stopped is None else {"message": stopped.message, "hint": stopped.hint}


def package_fields(package: PackageSummary) -> Fields:
    """A package; identifier and state are None where it was only planned."""
    return {
        "packageId": package.package_id,
        "packageType": package.package_type,
        "salesChannelId": package.channel,
        "state": package.state,
        "rows": package.rows,
        "uploads": package.uploads,
    }


def verdict_fields(verdict: RowResult) -> Fields:
    """The result of a row."""
    return {
        "row": verdict.row,
        "sellerExternalReference": verdict.reference,
        "salesChannelId": verdict.channel or None,
        "status": verdict.status,
        "messages": [_message_fields(message) for message in verdict.messages],
    }


def _message_fields(message: Message) -> Fields:
    named = {"field": message.field} if message.field else {}
    return {"resultCode": message.code, "message": message.text, **named}
