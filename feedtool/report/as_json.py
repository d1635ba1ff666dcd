"""`--format json` and `--format jsonl`: the same fields, as one list or as an event a line.

The events of JSON lines have a `type`:

    file      a sheet, or a file that could not be read: its kind, and the error
    problem   one problem, with the file and sheet that it is of
    progress  how far a step is; only while a command is at work
    row       the result of one row, after `submit`
    summary   the counts of one sheet; after its problems and rows

Hooks and webhooks get the summaries by the same names, and no list of any length: `feedtool
results RUN --format json` has those.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple, TextIO

from feedtool import __version__
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.report.fields import (
    Fields,
    error_fields,
    result_fields,
    sheet_fields,
    stopped_fields,
    summary_fields,
    verdict_fields,
    write_lines,
    write_objects,
)
from feedtool.report.sheet_result import SheetResult

Progress = Callable[[str, int, int | None, str], None]
"""Called with a step's name, how much of it is done, of how much (None: unknown), and the file."""


def write_json(results: Iterable[SheetResult], out: TextIO) -> None:
    """Writes the list that `--format json` promises, as it is read from disk."""
    write_objects(map(_with_columns, results), out)


def write_jsonl(results: Iterable[SheetResult], out: TextIO) -> None:
    """Writes the events of sheets that are checked or sent."""
    for result in results:
        write_lines(_events(result), out)


def progress_events(out: TextIO) -> Progress:
    """A callback that writes a `progress` event whenever it is called."""

    def write(step: str, done: int, total: int | None, file: str) -> None:
        event = {"type": "progress", "file": file, "step": step, "done": done, "total": total}
        write_lines([event], out)
        out.flush()

    return write


def _with_columns(result: SheetResult) -> Fields:
    fields = result_fields(result, result.counts())
    if result.explained and result.checked.header:
        fields["columns"] = (facts._asdict() for facts in result.explained.columns)
    return fields


def _events(result: SheetResult) -> Iterator[Fields]:
    checked = result.checked
    place = {"file": checked.file, "sheet": checked.sheet or None}
    yield {"type": "file", **sheet_fields(result), "error": error_fields(checked.error)}
    for problem in checked.problems():
        yield {"type": "problem", **place, **problem._asdict()}
    for verdict in result.every_verdict():
        yield {"type": "row", **place, **verdict_fields(verdict)}
    yield {"type": "summary", **summary_fields(result)}


class Occasion(NamedTuple):
    """The command that a hook or a webhook is called for."""

    command: str
    profile: str | None
    seller: str | None
    at: datetime


def run_notice(
    occasion: Occasion,
    results: Sequence[SheetResult],
    code: Exit,
    stopped: FeedtoolError | None = None,
) -> Fields:
    """The summary of a run for hooks and webhooks; nothing in it is a secret."""
    return {
        **_head("run", occasion, code),
        "stopped": stopped_fields(stopped),
        "files": [
            {**summary_fields(result), "error": error_fields(result.checked.error)}
            for result in results
        ],
    }


def refusal_notice(occasion: Occasion, file: str, error: FeedtoolError) -> Fields:
    """The same of a file of a watched folder that was not sent, or not to its end."""
    head = _head("refused", occasion, error.exit)
    return {**head, "file": file, "error": stopped_fields(error)}


def _head(event: str, occasion: Occasion, code: Exit) -> Fields:
    return {
        "event": event,
        "at": occasion.at.isoformat(timespec="seconds"),
        "command": occasion.command,
        "tool": f"feedtool {__version__}",
        "profile": occasion.profile,
        "seller": occasion.seller,
        "exitCode": int(code),
    }
