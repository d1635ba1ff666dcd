"""A row that is explained: each field's steps, then its requests or what is wrong with it."""

from collections.abc import Iterable, Iterator
from typing import Any, TextIO

import orjson

from feedtool.model.nouns import Item
from feedtool.model.sheet import VALID, CheckedSheet
from feedtool.report.plain import clean, printable
from feedtool.report.sheet_result import SheetResult

WIDEST = 60
"""Columns of a step, before its value."""


def explained_fields(checked: CheckedSheet) -> dict[str, Any] | None:
    """The row that is explained, as JSON has it; None where there is none."""
    if (row := checked.explained) is None:
        return None
    return {
        "row": row.row,
        "skipped": _skipped(checked, row.row),
        "fields": [
            {
                "field": field.field,
                "value": field.value,
                "steps": [{"what": what, "value": value} for what, value in field.steps],
            }
            for field in row.fields
        ],
        "requests": [
            {"channel": item.channel, "request": orjson.loads(item.body)}
            for item in _requests(checked, row.row)
        ],
    }


def write_rows(results: Iterable[SheetResult], out: TextIO) -> None:
    """Writes the row of each sheet in which one is explained."""
    for result in results:
        if result.checked.explained is not None:
            out.writelines(f"{line}\n" for line in _lines(result.checked))


def _lines(checked: CheckedSheet) -> Iterator[str]:
    if checked.explained is None:
        return
    number, fields = checked.explained
    yield f"{clean(checked.file)}: row {number}{'' if fields else ': nothing stands there'}"
    for field in fields:
        yield f"  {clean(field.field)} = {printable(field.value)}"
        width = min(WIDEST, max((len(what) for what, _ in field.steps), default=0))
        for what, value in field.steps:
            yield f"    {printable(what):{width}}  {printable(value)}"
    if (reason := _skipped(checked, number)) is not None:
        yield f"  Skipped: {printable(reason)}"
    for item in _requests(checked, number):
        to = f" to {clean(item.channel)}" if item.channel else ""
        yield f"  Would be sent{to}: {clean(item.body.decode())}"
    for problem in checked.problems():
        if problem.row == number:
            yield f"  {problem.severity}[{problem.code}] {printable(problem.message)}"
    yield ""


def _skipped(checked: CheckedSheet, number: int) -> str | None:
    rows = (row for row in checked.skipped if row.row == number)
    return next((message.text for row in rows for message in row.messages), None)


def _requests(checked: CheckedSheet, number: int) -> list[Item]:
    """The valid requests to which a row belongs."""
    if number not in checked.marks or checked.marks[number] != VALID:
        return []
    return [item for item in checked.items if number in {item.row, *item.further_rows}]
