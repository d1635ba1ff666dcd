"""`feedtool validate`."""

from pathlib import Path

import click

from feedtool.cli import options
from feedtool.cli.files import files, inputs, targets
from feedtool.cli.telling import tell_outcomes


@click.command()
@files
@options.configuration
@options.reading
@options.option("--annotate", is_flag=True, help="Also write the annotated copy.")
@options.option(
    "--explain-columns", is_flag=True, help="Say how each header was understood, and why."
)
@options.writing
@options.telling
@click.pass_context
def validate(
    ctx: click.Context,
    files: tuple[str, ...],
    profile: str | None,
    kind: str | None,
    sheet: str | None,
    channel: str | None,
    out: Path | None,
    form: str,
    report: Path | None,
    *,
    annotate: bool,
    explain_columns: bool,
    in_place: bool,
    verbose: bool,
) -> int:
    """Read and check FILEs and say everything that is wrong.

    Sends nothing, needs no account and no network. A FILE is a workbook (.xlsx, .xlsm) or a text
    table (.csv, .tsv, .txt); `-` is standard input. --annotate, --out or --in-place also write
    the workbook back with what is wrong beside every row.
    """
    from feedtool import run

    del profile
    with inputs(files) as found:
        wanted = annotate or in_place or out is not None
        asked = options.how_to_read(ctx, kind=kind, sheet=sheet, channel=channel, with_items=wanted)
        copies = targets(found, out, in_place=in_place) if wanted else {}
        outcomes = run.validate(found, asked, run.Outputs(copies, is_in_place=in_place))
        for outcome in outcomes:
            outcome.explains_columns = explain_columns
        return tell_outcomes(outcomes, form, report, is_verbose=verbose)
