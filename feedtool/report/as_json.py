"""`--format json` and `--format jsonl`: the same fields, as one list or as an event a line.

JSON is one list with an object for each sheet, written as it is read from disk: each problem and
each row's result is a line of its own, so that a million of them are neither held in memory nor
unreadable. The events of JSON lines have a `type`:

    file      a sheet, or a file that could not be read: what it was taken for, and the error
    problem   one problem, with the file and sheet that it is of
    progress  how far a step is; only while a command is at work
    row       what became of one row, after `submit`
    summary   the counts of one sheet; after its problems and rows
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TextIO

from feedtool.report.columns import column_facts
from feedtool.report.fields import (
    Fields,
    annotated_field,
    count_fields,
    dumped,
    error_fields,
    failed_field,
    package_fields,
    problem_fields,
    sheet_fields,
    stopped_fields,
    verdict_fields,
)
from feedtool.report.outcome import Outcome

_ENCODED = 100
"""Entries of a list that are encoded at once: one by one takes three times as long."""

Progress = Callable[[str, int, int | None, str], None]
"""Told of a step's name, how much of it is done, of how much (None: not known), and the file."""


def write_json(outcomes: Iterable[Outcome], out: TextIO) -> None:
    """Writes the list that `--format json` promises.

    Args:
        outcomes: One for each sheet, and one for each file that could not be read.
        out: Where it goes; UTF-8.
    """
    out.write("[")
    for number, outcome in enumerate(outcomes):
        out.write(",\n  {" if number else "\n  {")
        for position, member in enumerate(_members(outcome)):
            out.write(",\n    " if position else "\n    ")
            out.writelines(member)
        out.write("\n  }")
    out.write("\n]\n")


def write_jsonl(outcomes: Iterable[Outcome], out: TextIO) -> None:
    """Writes the events of sheets that are checked or sent.

    Args:
        outcomes: One for each sheet, and one for each file that could not be read.
        out: Where they go; UTF-8.
    """
    for outcome in outcomes:
        out.writelines(f"{dumped(event)}\n" for event in _events(outcome))


def progress_events(out: TextIO) -> Progress:
    """A callback that writes a `progress` event whenever it is told how far a step is."""

    def tell(step: str, done: int, total: int | None, file: str) -> None:
        event = {"type": "progress", "file": file, "step": step, "done": done, "total": total}
        out.write(f"{dumped(event)}\n")
        out.flush()

    return tell


def _members(outcome: Outcome) -> Iterator[Iterator[str]]:
    """The members of one sheet's object, each in pieces."""
    checked, counts = outcome.checked, outcome.counts()
    yield from _each(sheet_fields(checked))
    yield from _each(count_fields(counts))
    yield from _each({"error": error_fields(checked.error)})
    yield _list("problems", map(problem_fields, checked.problems()))
    yield from _each({"warnings": counts.warnings})
    if outcome.is_submitted:
        yield from _each({"run": outcome.run, "stopped": stopped_fields(outcome.stopped)})
        yield _list("packages", map(package_fields, outcome.packages))
        yield _list("results", map(verdict_fields, outcome.every_verdict()))
    yield from _each({"annotated": annotated_field(outcome)})
    if outcome.is_submitted:
        yield from _each({"failed": failed_field(outcome)})
    if outcome.explains_columns and checked.header:
        columns = (facts._asdict() for facts in column_facts(checked.header))
        yield _list("columns", columns)


def _each(fields: Fields) -> Iterator[Iterator[str]]:
    for name, value in fields.items():
        yield iter((f'"{name}": {dumped(value)}',))


def _list(name: str, entries: Iterable[Fields]) -> Iterator[str]:
    """A list with an entry a line; all entries begin with the same field."""
    yield f'"{name}": ['
    separator, end = "\n      ", "]"
    entries = iter(entries)
    while several := list(islice(entries, _ENCODED)):
        # Inside a text a quotation mark is escaped, so only an entry can begin like this.
        start = f'{{"{next(iter(several[0]))}": '
        yield separator
        yield dumped(several)[1:-1].replace(f"}}, {start}", f"}},\n      {start}")
        separator, end = ",\n      ", "\n    ]"
    yield end


def _events(outcome: Outcome) -> Iterator[Fields]:
    checked = outcome.checked
    place = {"file": checked.file, "sheet": checked.sheet or None}
    yield {"type": "file", **sheet_fields(checked), "error": error_fields(checked.error)}
    for problem in checked.problems():
        yield {"type": "problem", **place, **problem_fields(problem)}
    for verdict in outcome.every_verdict():
        yield {"type": "row", **place, **verdict_fields(verdict)}
    yield {"type": "summary", **summary_fields(outcome)}


def summary_fields(outcome: Outcome) -> Fields:
    """What came of one sheet, in numbers."""
    counts = outcome.counts()
    fields = {
        **sheet_fields(outcome.checked),
        **count_fields(counts),
        "warnings": counts.warnings,
        "annotated": annotated_field(outcome),
    }
    if outcome.is_submitted:
        fields |= {
            "run": outcome.run,
            "stopped": stopped_fields(outcome.stopped),
            "statuses": counts.by_status,
            "packages": [package_fields(package) for package in outcome.packages],
            "failed": failed_field(outcome),
        }
    return fields
