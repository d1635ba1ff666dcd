"""An explained row: each field's steps, then its requests or its problems."""

from collections.abc import Iterable, Iterator
from typing import Any, TextIO

import orjson

from feedtool.model.nouns import Item
from feedtool.model.sheet import VALID, CheckedSheet
from feedtool.model.text import Translator, joined, tr
from feedtool.report.overview import place_name
from feedtool.report.plain import clean, printable, value
from feedtool.report.sheet_result import SheetResult
from feedtool.report.tally import severity_label

WIDEST = 60
"""Most characters of a step, before its value."""


def explained_fields(checked: CheckedSheet) -> dict[str, Any] | None:
    """The explained row as members of JSON; None without one."""
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


def write_rows(results: Iterable[SheetResult], out: TextIO, say: Translator) -> None:
    """Write the explained row of each sheet that has one."""
    for result in results:
        out.writelines(f"{line}\n" for line in _lines(result.checked, say))


def _lines(checked: CheckedSheet, say: Translator) -> Iterator[str]:
    if checked.explained is None:
        return
    names = {key: value(name) for key, name in checked.names(say.language).items()}
    say = checked.translator(say, names)
    number, fields = checked.explained
    row = say(
        tr("row {row}", row=number) if fields else tr("row {row}: nothing stands there", row=number)
    )
    yield f"{say.label(clean(checked.file))} {row}"
    for field in fields:
        if not field.is_filled:
            continue
        name = names.get(field.field, field.field)
        key = "" if name == field.field else f" ({field.field})"
        yield f"  {name}{key} = {printable(say(field.value))}"
        steps = [(printable(say(step)), printable(say(value))) for step, value in field.steps]
        width = min(WIDEST, max((len(step) for step, _ in steps), default=0))
        for step, text in steps:
            yield f"    {step:{width}}  {text}"
    if (reason := _skipped(checked, number)) is not None:
        yield "  " + say(tr("Skipped: {reason}", reason=printable(reason)))
    for item in _requests(checked, number):
        body = clean(item.body.decode())
        yield "  " + say(
            tr("Would be sent to {channel}: {body}", channel=clean(item.channel), body=body)
            if item.channel
            else tr("Would be sent: {body}", body=body)
        )
    for problem in checked.problems():
        if problem.row == number:
            label = say(severity_label(problem.severity, problem.code))
            place = f"{problem.column}{number} {place_name(problem, say)}" if problem.column else ""
            text = joined(filter(None, (place.strip(), problem.message)), ": ")
            yield f"  {label} {printable(say(text))}"
            if problem.hint:
                yield f"    {say(tr('help:'))} {printable(say(problem.hint))}"
    yield ""


def _skipped(checked: CheckedSheet, number: int) -> str | None:
    rows = (row for row in checked.rows.skipped if row.row == number)
    return next((message.text for row in rows for message in row.messages), None)


def _requests(checked: CheckedSheet, number: int) -> list[Item]:
    """The valid requests of a row."""
    if number not in checked.rows.marks or checked.rows.marks[number] != VALID:
        return []
    return [item for item in checked.rows.items if number in {item.row, *item.further_rows}]


def write_columns(results: Iterable[SheetResult], out: TextIO, say: Translator) -> None:
    """Write a table for each sheet with an explained header."""
    for result in results:
        if result.explained is None:
            continue
        row, columns = result.explained
        width = max((len(value(facts.header)) for facts in columns), default=0)
        field = max((len(facts.field or "-") for facts in columns), default=0)
        file = say.label(clean(result.checked.file))
        out.write(f"{file} {say(tr('header in row {row}', row=row))}\n")
        for facts in columns:
            where = f"  {facts.column:3} {value(facts.header):{width}}"
            out.write(f"{where}  {facts.field or '-':{field}}  {printable(say(facts.reason))}\n")
        out.write("\n")
