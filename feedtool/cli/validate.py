"""`feedtool validate`."""

from pathlib import Path
from typing import Any

import click

from feedtool.cli import options
from feedtool.cli.confirming import kind_asked
from feedtool.cli.files import as_row, files, inputs, targets
from feedtool.cli.output import tell_outcomes


@click.command()
@files
@options.configuration
@options.reading
@as_row
@options.option("--annotate", is_flag=True, help="Also write the annotated copy.")
@options.option(
    "--explain-columns", is_flag=True, help="Say how each header was understood, and why."
)
@options.writing
@options.telling
@options.common
@click.pass_context
def validate(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    form: str,
    report: Path | None,
    *,
    verbose: bool,
    **given: Any,
) -> int:
    """Read and check FILEs and say everything that is wrong.

    Sends nothing, needs no account and no network. A FILE is a workbook (.xlsx, .xlsm) or a text
    table (.csv, .tsv, .txt); `-` is standard input. --annotate, --out or --in-place also write
    the workbook back with what is wrong beside every row.
    """
    from feedtool.runs.annotated_copy import Outputs
    from feedtool.runs.validate import validate

    out, in_place = given["out"], given["in_place"]
    with inputs(files) as found:
        wanted = given["annotate"] or in_place or out is not None
        asked = options.how_to_read(
            ctx,
            kind=given["kind"],
            sheet=given["sheet"],
            channel=given["channel"],
            as_row=given["as_row"],
            with_items=wanted,
            settle=kind_asked(form),
        )
        copies = targets(found, out, in_place=in_place) if wanted else {}
        outcomes = validate(found, asked, Outputs(copies, is_in_place=in_place))
        for outcome in outcomes:
            outcome.explains_columns = given["explain_columns"]
        return tell_outcomes(outcomes, form, report, is_verbose=verbose)
