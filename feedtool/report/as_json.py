"""`--format json` and `--format jsonl`: the same fields, as one list or as an event a line.

Scripts rely on the names of fields. The events of JSON lines have a `type`:

    file      a sheet, or a file that could not be read: its kind, and the error
    problem   one problem, with its file and sheet
    fix       one cell that was fixed, after `validate --fix`
    progress  the state of a step; only while a command is at work
    row       the result of one row, after `submit`
    summary   the counts of one sheet; after its problems and rows

Hooks and webhooks get the summaries by the same names, without long lists: `feedtool results RUN
--format json` has those.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TextIO

from feedtool.model.errors import FeedtoolError, FileProblem
from feedtool.model.nouns import ActSummary, CellFix, Counts, PackageSummary, Problem, RowResult
from feedtool.model.text import Translator
from feedtool.report.explained_row import explained_fields
from feedtool.report.plain import STEERING
from feedtool.report.sheet_result import SheetResult

Fields = dict[str, Any]

Progress = Callable[[str, int, int | None, str], None]
"""Called with a step's name, its done part, the whole (None: unknown), and the file."""

SUMMARY = (
    *("file", "kind", "kindReason", "recipe", "sheet", "headerRow"),
    *("rows", "valid", "invalid", "skipped", "skippedBecause", "warnings"),
    *("annotated", "fixed", "run", "stopped", "statuses", "packages", "failed"),
)
"""The members of a sheet's object without long lists of rows."""

ENCODED = 100
"""Entries of a list that are encoded together: one by one takes three times as long."""

_encode = json.JSONEncoder(ensure_ascii=False).encode
_STEERING = re.compile(f"[{STEERING}]")


def dumped(value: object) -> str:
    """Encode a value as JSON on one line; only characters that control a terminal are escaped."""
    text = _encode(value)
    if text.isprintable():  # no control character is; fast for millions of lines
        return text
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def write_objects(objects: Iterable[Fields], out: TextIO, form: str = "json") -> None:
    """Write a list of objects, a member a line; a member that is an iterator, an entry a line.

    As `jsonl`, write an object a line.
    """
    if form == "jsonl":
        for fields in objects:
            lists = {
                name: [*value] for name, value in fields.items() if isinstance(value, Iterator)
            }
            write_lines([fields | lists], out)
        return
    out.write("[")
    for number, fields in enumerate(objects):
        out.write(",\n  {" if number else "\n  {")
        for position, (name, value) in enumerate(fields.items()):
            out.write(f'{"," if position else ""}\n    "{name}": ')
            out.writelines(_list(value) if isinstance(value, Iterator) else [dumped(value)])
        out.write("\n  }")
    out.write("\n]\n")


def write_entries(objects: Iterable[Fields], out: TextIO, form: str) -> None:
    """Write a list of objects, an object a line; as `jsonl` without the list around it."""
    if form == "jsonl":
        write_lines(objects, out)
        return
    lines = ",\n  ".join(map(dumped, objects))
    out.write(f"[\n  {lines}\n]\n" if lines else "[]\n")


def write_lines(objects: Iterable[Fields], out: TextIO) -> None:
    out.writelines(f"{dumped(fields)}\n" for fields in objects)


def _list(entries: Iterator[Fields]) -> Iterator[str]:
    """Encode a list, an entry a line; all entries begin with the same field."""
    yield "["
    separator, end = "\n      ", "]"
    while batch := list(islice(entries, ENCODED)):
        # Inside a text a quotation mark is escaped, so only an entry can begin like this.
        start = f'{{"{next(iter(batch[0]))}": '
        yield separator
        yield dumped(batch)[1:-1].replace(f"}}, {start}", f"}},\n      {start}")
        separator, end = ",\n      ", "\n    ]"
    yield end


ENGLISH = Translator("en")


def write_json(results: Iterable[SheetResult], out: TextIO, say: Translator = ENGLISH) -> None:
    """Write the list of `--format json` while results are read from disk.

    In another language than English, each message and hint is written in both.
    """
    write_objects((_result_fields(result, result.counts(), say) for result in results), out)


def write_jsonl(results: Iterable[SheetResult], out: TextIO, say: Translator = ENGLISH) -> None:
    """Write the events of sheets that are checked or sent."""
    for result in results:
        write_lines(_events(result, say), out)


def progress_events(out: TextIO) -> Progress:
    """Return a callback that writes a `progress` event."""

    def write(step: str, done: int, total: int | None, file: str) -> None:
        event = {"type": "progress", "file": file, "step": step, "done": done, "total": total}
        write_lines([event], out)
        out.flush()

    return write


def _events(result: SheetResult, say: Translator) -> Iterator[Fields]:
    checked, say = result.checked, result.checked.translator(say)
    place = {"file": checked.file, "sheet": checked.sheet or None}
    yield {"type": "file", **_sheet_fields(result), "error": error_fields(checked.error, say)}
    for problem in checked.problems():
        yield {"type": "problem", **place, **_problem_fields(problem, say)}
    for fix in result.fixed.cells if result.fixed else ():
        yield {"type": "fix", **place, **_fix_fields(fix)}
    for row_result in result.every_verdict():
        is_single = result.acts is not None
        yield {"type": "row", **place, **row_fields(row_result, say, is_single=is_single)}
    yield {"type": "summary", **summary_fields(result)}


def _result_fields(result: SheetResult, counts: Counts, say: Translator = ENGLISH) -> Fields:
    """All members of a sheet's object; long lists are iterators."""
    checked, say = result.checked, result.checked.translator(say)
    fields = {
        **_sheet_fields(result),
        **{name: getattr(counts, name) for name in ("rows", "valid", "invalid", "skipped")},
        **({"skippedBecause": counts.skipped_because} if counts.skipped_because else {}),
        "error": error_fields(checked.error, say),
        "problems": (_problem_fields(problem, say) for problem in checked.problems()),
        "warnings": counts.warnings,
    }
    is_single = result.acts is not None
    if result.is_submitted:
        fields |= {
            "run": result.run,
            "stopped": stopped_fields(result.stopped, say),
            "packages": map(_package_fields, result.packages),
            "results": (
                row_fields(row, say, is_single=is_single) for row in result.every_verdict()
            ),
        }
        if result.acts is not None:
            fields["acts"] = map(_act_fields, result.acts)
    if result.changes is not None:
        fields["changes"] = map(dict, result.changes)
    fields["annotated"] = None if result.annotated is None else str(result.annotated)
    if fixed := result.fixed:
        fields["fixed"] = {
            "cells": len(fixed.cells),
            "validBefore": fixed.valid_before,
            "byFix": fixed.by_name(),
            "offered": fixed.offered,
        }
        fields["fixes"] = map(_fix_fields, fixed.cells)
    if result.is_submitted:
        fields["failed"] = None if result.failed is None else str(result.failed)
    if result.explained and checked.header:
        fields["columns"] = (facts._asdict() for facts in result.explained.columns)
    if checked.explained:
        fields["explained"] = explained_fields(checked)
    return fields


def summary_fields(result: SheetResult) -> Fields:
    """The short members of a sheet's object: numbers, names and packages."""
    counts = result.counts()
    fields = _result_fields(result, counts)
    if result.is_submitted:
        fields |= {"packages": list(fields["packages"]), "statuses": counts.by_status}
    return {name: fields[name] for name in SUMMARY if name in fields}


def notice_fields(result: SheetResult) -> Fields:
    """The members of `summary_fields` and the error, for hooks and webhooks."""
    return summary_fields(result) | {"error": error_fields(result.checked.error)}


def _sheet_fields(result: SheetResult) -> Fields:
    """The file, sheet and kind; a CSV has no sheet."""
    checked = result.checked
    return {
        "file": checked.file,
        "kind": checked.kind,
        "kindReason": checked.kind_reason or None,
        "sheet": checked.sheet or None,
        "headerRow": checked.header.row if checked.header else None,
        **({"recipe": checked.recipe} if checked.recipe else {}),
    }


def error_fields(error: FileProblem | None, say: Translator = ENGLISH) -> Fields | None:
    """The reason why a file could not be read; None if it could."""
    if error is None:
        return None
    return {"code": error.code, **_advice(error.message, error.hint, say)}


def stopped_fields(stopped: FeedtoolError | None, say: Translator = ENGLISH) -> Fields | None:
    """The reason why a delivery stopped before its end; None if it did not."""
    return None if stopped is None else _advice(stopped.message, stopped.hint, say)


def _problem_fields(problem: Problem, say: Translator) -> Fields:
    return problem._asdict() | _advice(problem.message, problem.hint, say)


def _advice(message: str, hint: str, say: Translator) -> Fields:
    """A message and its hint, in English and in the page's language."""
    fields = {"message": message, "hint": hint}
    if say.language != "en":
        fields |= {"localMessage": say(message), "localHint": say(hint)}
    return fields


def _fix_fields(fix: CellFix) -> Fields:
    """A fixed cell; its values are texts, "" if blank."""
    return fix._asdict() | {"new": str(fix.new)}


def _package_fields(package: PackageSummary) -> Fields:
    """A package; without identifier and state if it was only planned."""
    return {
        "packageId": package.package_id,
        "packageType": package.package_type,
        "salesChannelId": package.channel,
        "state": package.state,
        "rows": package.rows,
        "uploads": package.uploads,
    }


def _act_fields(act: ActSummary) -> Fields:
    """A single request; without status if it was only planned."""
    return {
        "act": act.act,
        "verb": act.verb,
        "key": act.key,
        "rows": list(act.rows),
        "status": act.status,
        "calls": act.calls,
        "resourceId": act.resource_id,
    }


def row_fields(result: RowResult, say: Translator = ENGLISH, *, is_single: bool = False) -> Fields:
    """The result of a row; the key of a single request is no reference of an offer."""
    single = {"sellerExternalReference": None, "key": result.reference}
    return {
        "row": result.row,
        **(single if is_single else {"sellerExternalReference": result.reference}),
        "salesChannelId": result.channel or None,
        "status": result.status,
        "messages": [
            {"resultCode": message.code, "message": message.text}
            | ({"localMessage": say(message.text)} if say.language != "en" else {})
            | ({"field": message.field} if message.field else {})
            for message in result.messages
        ],
    }
