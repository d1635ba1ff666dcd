"""`feedtool diff`."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from msgspec import Struct

from feedtool.cli import completers
from feedtool.cli.console import CONSOLE, echo
from feedtool.cli.files import inputs, kind_question, read_options, refuse_ending, refuse_target
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import after_diff
from feedtool.cli.options import FORMAT, Common, Configuration, ReadingOptions, Records, path
from feedtool.cli.typed import command_of
from feedtool.model.errors import Exit
from feedtool.model.sheet import INVALID
from feedtool.model.text import FieldName, MessageText, joined, tr
from feedtool.report.as_json import write_objects

if TYPE_CHECKING:
    from feedtool.check import ReadOptions
    from feedtool.model.sheet import CheckedSheet
    from feedtool.runs.diff import Diff


class DiffOptions(Struct, frozen=True, kw_only=True):
    before: Annotated[
        str, click.Argument(["before"], metavar="A", shell_complete=completers.runs_and_files)
    ]
    after: Annotated[
        str, click.Argument(["after"], metavar="B", shell_complete=completers.runs_and_files)
    ]
    out: Annotated[
        Path | None,
        path("--out", "PATH", "Also write the differences into this .xlsx or .csv.", may_be="file"),
    ]
    configuration: Configuration
    reading: ReadingOptions
    form: Annotated[str, FORMAT]
    common: Common
    records: Records


@command_of(DiffOptions)
def diff(ctx: click.Context, options: DiffOptions) -> int:
    """Show what B would send that A would not, row by row.

    A and B are files, or numbers of earlier runs, whose files are read as they were then. Rows are
    compared that are valid and of the same reference and sales channel. Sends nothing.
    """
    from feedtool.runs.diff import compare, write_diff

    before, after, form = options.before, options.after, options.form
    if out := options.out:
        refuse_ending(out, (".xlsx", ".csv"))
        refuse_target(out, may_replace=options.common.yes)
    reading = read_options(ctx, options.reading, settle=kind_question(form))
    with ExitStack() as stack:
        old, new = (_sheets(name, reading, options, stack) for name in (before, after))
        result = compare(old, new, reading.dialect)
    if out:
        write_diff(result, out, reading.dialect.reading, CONSOLE.say)
        echo("note", tr("saved as {file}", file=out))
    if form != "text":
        write_objects([_fields(before, after, result)], sys.stdout, form)
    else:
        say = new[0].translator(CONSOLE.say) if new else CONSOLE.say
        for line in _lines(before, after, result):
            click.echo(say(line))
    after_diff(after, form, is_valid=not any(sheet.rows.marks.count(INVALID) for sheet in new))
    return Exit.ROWS if result.invalid else Exit.OK


def _sheets(
    name: str, reading: "ReadOptions", options: DiffOptions, stack: ExitStack
) -> "Sequence[CheckedSheet]":
    """The sheets of a file, or of a run if the name is a number and no such file exists."""
    from feedtool.runs.diff import sheets_of_file, sheets_of_run

    if name.isdecimal() and not Path(name).exists():
        home = home_folder(options.common.home)
        workspace = stack.enter_context(open_workspace(home, options.records))
        return sheets_of_run(int(name), workspace)
    (file,) = stack.enter_context(inputs([name]))
    return sheets_of_file(file, reading)


def _lines(before: str, after: str, result: "Diff") -> "Iterator[MessageText]":
    """A line for each reference that differs, and the counts."""
    only, nothing = {before: 0, after: 0}, tr("nothing")
    for difference in result.differences:
        place: dict[str, object] = {
            "reference": difference.reference,
            "channel": difference.channel,
        }
        row_a, row_b = difference.row_a, difference.row_b
        if row_a is None or row_b is None:
            side, row = (before, row_a) if row_b is None else (after, row_b)
            only[side] += 1
            yield tr(
                "{reference} {channel}: only in {side}, row {row}", side=side, row=row, **place
            )
        else:
            changes = [
                tr("{field} {a} → {b}", field=FieldName(field), a=old or nothing, b=new or nothing)
                for field, (old, new) in difference.fields.items()
            ]
            yield tr("{reference} {channel}: {changes}", changes=joined(changes, "; "), **place)
    yield tr(
        "{changed:,} differ, {same:,} are the same, {only_a:,} only in {a}, {only_b:,} only in {b}",
        changed=len(result.differences) - sum(only.values()),
        same=result.same,
        only_a=only[before],
        only_b=only[after],
        a=before,
        b=after,
    )
    if result.invalid:
        yield tr("rows that are invalid, and not compared: {count:,}", count=result.invalid)


def _fields(before: str, after: str, result: "Diff") -> dict[str, Any]:
    """The object of `--format json`."""
    return {
        "a": before,
        "b": after,
        "same": result.same,
        "invalid": result.invalid,
        "differences": (
            {
                "reference": difference.reference,
                "channel": difference.channel,
                "rowA": difference.row_a,
                "rowB": difference.row_b,
                "fields": {
                    name: {"a": old, "b": new} for name, (old, new) in difference.fields.items()
                },
            }
            for difference in result.differences
        ),
    }
