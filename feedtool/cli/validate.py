"""`feedtool validate`."""

from collections.abc import Iterator
from typing import Any

import click

from feedtool.check.kinds import HeaderMissing
from feedtool.cli import options
from feedtool.cli.files import as_row, files, inputs, kind_asked, read_options, targets
from feedtool.cli.output import echo_results
from feedtool.model.cells import letters
from feedtool.model.header import Header
from feedtool.model.sheet import CheckedSheet
from feedtool.report.sheet_result import ColumnFacts, ExplainedHeader


@click.command()
@files
@options.configuration
@options.reading
@as_row
@options.flag("--annotate", "Also write the annotated copy.")
@options.flag("--explain-columns", "Say how each header was understood, and why.")
@options.writing
@options.reporting
@options.common
@click.pass_context
def validate(ctx: click.Context, /, files: tuple[str, ...], **given: Any) -> int:
    """Read and check FILEs and say everything that is wrong.

    Sends nothing, needs no account and no network. A FILE is a workbook (.xlsx, .xlsm) or a text
    table (.csv, .tsv, .txt); `-` is standard input. --annotate, --out or --in-place also write
    the workbook back with what is wrong beside every row.
    """
    from feedtool.runs.annotated_copy import Outputs
    from feedtool.runs.validate import validate

    out, in_place = given["out"], given["in_place"]
    with inputs(files) as read:
        is_annotated = given["annotate"] or in_place or out is not None
        reading = read_options(
            ctx, given, with_items=is_annotated, settle=kind_asked(given["form"])
        )
        copies = targets(read, out, in_place=in_place) if is_annotated else {}
        results = validate(read, reading, Outputs(copies, is_in_place=in_place))
        if given["explain_columns"]:
            for result in results:
                result.explained = explained(result.checked)
        return echo_results(results, given)


def explained(checked: CheckedSheet) -> ExplainedHeader | None:
    """The meaning of each header, also of a sheet in which columns are missing."""
    error = checked.error
    header = error.header if isinstance(error, HeaderMissing) else checked.header
    return ExplainedHeader(header.row, list(_columns(header))) if header else None


def _columns(header: Header) -> Iterator[ColumnFacts]:
    nearest = dict(header.unknown)
    for index, text in sorted(header.texts.items()):
        if column := header.columns.get(index):
            yield ColumnFacts(letters(index), text, column.key, header.reasons.get(index, ""))
        elif index in header.own:
            yield ColumnFacts(letters(index), text, None, "written by feedtool; replaced")
        else:
            near = nearest.get(index)
            reason = f"unknown; did you mean {near}?" if near else "unknown; kept, not sent"
            yield ColumnFacts(letters(index), text, None, reason)
