"""`feedtool convert`."""

import os
import sys
from pathlib import Path
from typing import Annotated

import click
from msgspec import Struct

from feedtool.areas.registry import load
from feedtool.cli import completers
from feedtool.cli.console import CONSOLE, echo
from feedtool.cli.files import AS_ROW, STDIN, inputs, kind_question, read_options
from feedtool.cli.next_command import after_writing
from feedtool.cli.options import FORMAT, Common, Configuration, ReadingOptions, text
from feedtool.cli.typed import command_of
from feedtool.model.errors import Exit, UsageProblem, reason_of
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import tr


class ConvertOptions(Struct, frozen=True, kw_only=True):
    source: Annotated[
        str, click.Argument(["source"], metavar="IN", shell_complete=completers.files)
    ]
    target: Annotated[
        Path, click.Argument(["target"], metavar="OUT", type=click.Path(path_type=Path))
    ]
    configuration: Configuration
    reading: ReadingOptions
    as_row: Annotated[str | None, AS_ROW]
    to: Annotated[
        str | None,
        text(
            "--to",
            "KIND",
            "The kind of feed that the rows become.  [default: the kind of IN, as "
            "far as OUT can hold it]",
            shell_complete=completers.kinds,
        ),
    ]
    form: Annotated[str, FORMAT]
    common: Common


@command_of(ConvertOptions)
def convert(ctx: click.Context, options: ConvertOptions) -> int:
    """Turn a file into another: a workbook, a CSV, an Offers.xml, its zip, JSON requests.

    The ending of OUT says what it is: .xlsx, .csv, .zip (the legacy zip), .xml (the Offers.xml
    alone) or .json; without one it is a folder of packages, as `submit --requests` writes it. IN
    may be any of these. What cannot be carried over is listed, and makes the exit code 1. Rows that
    cannot be sent stand unchanged in a workbook or a CSV, and go into nothing else. Sends nothing.
    """
    from feedtool.report.file import loss_lines, write_conversion
    from feedtool.runs.convert import FOLDER, JSON, ConversionOptions, convert, form_of

    source, target, form = options.source, options.target, options.form
    if options.to is not None:
        load().feed_of(options.to)
    try:
        target.exists()
    except OSError as error:  # a name that no system takes
        raise UsageProblem(
            tr("{name}… cannot be written: {why}", name=target.name[:40], why=reason_of(error)),
            tr("give OUT another name"),
        ) from error
    output_form = form_of(target, load())
    may_replace, language = options.common.yes, options.common.showing.language
    _check_target(source, target, is_folder=not output_form.ending, may_replace=may_replace)
    reading = read_options(ctx, options.reading, options.as_row, settle=kind_question(form))
    has_channel = bool(options.reading.channel)
    conversion_options = ConversionOptions(target, output_form, options.to, language, has_channel)
    with inputs([source]) as [file]:
        conversion = convert(file, reading, conversion_options, load())
        for sheet in conversion.written:
            checked = CheckedSheet(source, kind=sheet.kind)
            columns = load().feeds[sheet.kind].sheet.understood(reading.dialect)
            checked.labels = {column.key: column.labels for column in columns}
            say = checked.translator(CONSOLE.say)
            for line in loss_lines(sheet.losses):
                echo("lost", say(line))
        for text, hint in conversion.notes:
            echo("note", text)
            echo("help", hint)
        write_conversion(conversion, sys.stdout, form, CONSOLE.say)
    if conversion.rows and output_form.ending not in {JSON, FOLDER}:
        after_writing(target, form)
    if conversion.has_losses:
        return Exit.ROWS
    return Exit.OK if conversion.rows else Exit.NOTHING


def _check_target(source: str, target: Path, *, is_folder: bool, may_replace: bool) -> None:
    """Raise UsageProblem if the output cannot be written there, before anything is read."""
    if source != STDIN and _is_same(Path(source), target):
        raise UsageProblem(
            tr("IN and OUT are the same: {target}", target=target), tr("give OUT another name")
        )
    if target.exists():
        if not (target.is_dir() if is_folder else target.is_file()):
            message = tr("{target} is not a file", target=target)
            if is_folder:
                message = tr("{target} is a file", target=target)
            raise UsageProblem(message, tr("give OUT another name"))
        is_taken = not is_folder or any(target.iterdir())
        if is_taken and not may_replace:
            raise UsageProblem(
                tr("{target} exists already and is not empty", target=target)
                if is_folder
                else tr("{target} exists already", target=target),
                tr("give OUT another name, or replace it with --yes"),
            )
    folder = target if target.is_dir() else target.parent
    why, way_out = "", ""
    if not folder.is_dir():
        why, way_out = (
            tr("there is no folder {folder}", folder=folder),
            tr("make the folder, or give OUT another place"),
        )
    elif not os.access(folder, os.W_OK):
        why, way_out = (
            tr("the folder {folder} is read-only", folder=folder),
            tr("allow writing there, or give OUT another place"),
        )
    if why:
        raise UsageProblem(tr("{target} cannot be written: {why}", target=target, why=why), way_out)


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return path.resolve() == other.resolve()
