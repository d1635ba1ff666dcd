"""`feedtool convert`."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from feedtool.cli import options
from feedtool.cli.errors import echo
from feedtool.cli.files import STDIN, as_row, feed_of, inputs, kind_asked, read_options
from feedtool.model.errors import Exit, UsageProblem


@click.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@options.configuration
@options.reading
@as_row
@options.text(
    "--to",
    "KIND",
    "What kind of feed the rows become.  [default: what IN is, as far as OUT can hold it]",
)
@options.format_
@options.common
@click.pass_context
def convert(
    ctx: click.Context, /, source: str, target: Path, to: str | None, form: str, **given: Any
) -> int:
    """Turn a file into another: a workbook, a CSV, an Offers.xml, its zip, JSON requests.

    What OUT is, its ending says: .xlsx, .csv, .zip (the legacy zip), .xml (the Offers.xml alone)
    or .json; without one it is a folder of packages, as `submit --requests` writes it. IN may be
    any of these. What cannot be carried over is listed, and makes the exit code 1. Rows that
    cannot be sent stand unchanged in a workbook or a CSV, and go into nothing else. Sends nothing.
    """
    from feedtool.areas.registry import load
    from feedtool.report.output_files import loss_lines, write_conversion
    from feedtool.runs.convert import convert
    from feedtool.runs.convert_rows import ConversionOptions, form_of

    if to is not None:
        feed_of(to)
    try:
        target.exists()
    except OSError as error:  # a name that no system takes
        raise UsageProblem(
            f"{target.name[:40]}… cannot be written: {error.strerror}", "give OUT another name"
        ) from error
    wanted = form_of(target, load())
    _check_target(source, target, is_folder=not wanted.ending, may_replace=given["yes"])
    reading = read_options(ctx, given, settle=kind_asked(form))
    how = ConversionOptions(target, wanted, to, given["language"], bool(given["channel"]))
    with inputs([source]) as [file]:
        conversion = convert(file, reading, how, load())
        for sheet in conversion.written:
            for line in loss_lines(sheet.losses):
                echo("lost", line)
        for text, hint in conversion.notes:
            echo("note", text)
            echo("help", hint)
        write_conversion(conversion, sys.stdout, form)
    if conversion.has_losses:
        return Exit.ROWS
    return Exit.OK if conversion.rows else Exit.NOTHING


def _check_target(source: str, target: Path, *, is_folder: bool, may_replace: bool) -> None:
    """Raises UsageProblem where the output cannot go there, before anything is read."""
    if source != STDIN and _is_same(Path(source), target):
        raise UsageProblem(f"{target} is IN and OUT", "give OUT another name")
    if target.exists():
        if not (target.is_dir() if is_folder else target.is_file()):
            what = "a file" if is_folder else "no file"
            raise UsageProblem(f"{target} is {what}", "give OUT another name")
        is_taken = not is_folder or any(target.iterdir())
        if is_taken and not may_replace:
            raise UsageProblem(
                f"{target} is there already" + (" and not empty" if is_folder else ""),
                "give OUT another name, or replace it with --yes",
            )
    folder = target if target.is_dir() else target.parent
    why, way_out = "", ""
    if not folder.is_dir():
        why, way_out = f"there is no folder {folder}", "make the folder"
    elif not os.access(folder, os.W_OK):
        why, way_out = f"the folder {folder} is read-only", "allow writing there"
    if why:
        raise UsageProblem(
            f"{target} cannot be written: {why}", f"{way_out}, or give OUT another place"
        )


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()
