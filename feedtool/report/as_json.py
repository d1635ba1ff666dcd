"""`--format json`: one list, an object for each sheet, written as it is read from disk.

Each problem and each row's result is a line of its own, so that a million of them are neither
held in memory nor unreadable.
"""

from collections.abc import Iterable, Iterator
from typing import TextIO

from feedtool.report.fields import (
    Fields,
    annotated_field,
    count_fields,
    dumped,
    error_fields,
    package_fields,
    problem_fields,
    sheet_fields,
    verdict_fields,
)
from feedtool.report.outcome import Outcome


def write_json(outcomes: Iterable[Outcome], out: TextIO) -> None:
    """Writes the list of the design's section 2.

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


def _members(outcome: Outcome) -> Iterator[Iterator[str]]:
    """The members of one sheet's object, each in pieces."""
    checked, counts = outcome.checked, outcome.counts()
    yield from _each(sheet_fields(checked))
    yield from _each(count_fields(counts))
    yield from _each({"error": error_fields(checked.error)})
    yield _list("problems", map(problem_fields, checked.problems()))
    yield from _each({"warnings": counts.warnings})
    if outcome.is_submitted:
        yield from _each({"run": outcome.run})
        yield _list("packages", map(package_fields, outcome.packages))
        yield _list("results", map(verdict_fields, outcome.every_verdict()))
    yield from _each({"annotated": annotated_field(outcome)})


def _each(fields: Fields) -> Iterator[Iterator[str]]:
    for name, value in fields.items():
        yield iter((f'"{name}": {dumped(value)}',))


def _list(name: str, entries: Iterable[Fields]) -> Iterator[str]:
    """A list with an entry a line."""
    yield f'"{name}": ['
    separator, end = "\n      ", "]"
    for entry in entries:
        yield separator
        yield dumped(entry)
        separator, end = ",\n      ", "\n    ]"
    yield end
