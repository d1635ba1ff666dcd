"""`feedtool validate`."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import click
from msgspec import Struct

from feedtool.areas.registry import load
from feedtool.check.fixes import SAFE, all_fixes, chosen_fixes
from feedtool.check.kinds import HeaderMissing
from feedtool.cli import completers
from feedtool.cli.console import CONSOLE
from feedtool.cli.files import (
    AS_ROW,
    FILES,
    FIXED,
    RESULT,
    kind_question,
    listed_inputs,
    read_options,
    targets,
)
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.next_command import FIX, after_check
from feedtool.cli.options import (
    Common,
    Configuration,
    ReadingOptions,
    Reporting,
    Writing,
    count,
    flag,
    text,
)
from feedtool.cli.output import echo_results, warn_of_copies
from feedtool.cli.typed import command_of
from feedtool.model.cells import Header, letters
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import tr
from feedtool.report.sheet_result import ColumnFacts, ExplainedHeader
from feedtool.runs.outputs import Outputs
from feedtool.runs.validate import note_fixable
from feedtool.runs.validate import validate as check

_NAMES = re.compile("[A-Za-z]+(?:-[A-Za-z]+)*(?:,[A-Za-z-]*)*")
"""A text that may be a list of names of fixes."""


class FixingCommand(HelpfulCommand):
    """A command whose `--fix` may stand alone before a file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the word after `--fix` as a file unless it may be names of fixes."""
        words = []
        for word, following in pairwise([*args, ""]):
            is_alone = word == FIX and (Path(following).exists() or not _NAMES.fullmatch(following))
            words.append(f"{FIX}={SAFE}" if is_alone else word)
        return super().parse_args(ctx, words)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, then the fixes."""
        super().format_options(ctx, formatter)
        for title, is_safe in ((tr("Made by --fix"), True), (tr("Made by --fix=NAME"), False)):
            with formatter.section(CONSOLE.say(title)):
                fixes = (fix for fix in all_fixes(load()) if fix.is_safe is is_safe)
                formatter.write_dl([(fix.name, CONSOLE.say(fix.summary)) for fix in fixes])


def _fix_names(
    ctx: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> frozenset[str] | None:
    """The fixes of all `--fix` options together; None without `--fix`."""
    del ctx, parameter
    names = [name.strip() for text in texts for name in text.casefold().split(",")]
    return chosen_fixes(filter(None, names), load()) if texts else None


class ValidateOptions(Struct, frozen=True, kw_only=True):
    files: Annotated[tuple[str, ...], FILES]
    configuration: Configuration
    reading: ReadingOptions
    as_row: Annotated[str | None, AS_ROW]
    annotate: Annotated[bool, flag("--annotate", "Also write the annotated copy.")]
    fix: Annotated[
        frozenset[str] | None,
        text(
            FIX,
            "[NAME,…]",
            "Fix in a copy what is safe to fix, and what you name.",
            multiple=True,
            callback=_fix_names,
            shell_complete=completers.fixes,
        ),
    ]
    explain_columns: Annotated[
        bool, flag("--explain-columns", "Say how each header was understood, and why.")
    ]
    explain_row: Annotated[
        int | None,
        count("--explain-row", "Show how each field of this row came about, step by step."),
    ]
    writing: Writing
    reporting: Reporting
    common: Common


@command_of(ValidateOptions, FixingCommand)
def validate(ctx: click.Context, options: ValidateOptions) -> int:
    """Read and check FILEs and say everything that is wrong.

    Sends nothing, needs no account and no network. A FILE is a workbook (.xlsx, .xlsm, .xlsb, .xls,
    .ods) or a table (.csv, .tsv, .txt, .html); `-` is standard input. --annotate, --out or
    --in-place also write the workbook back with what is wrong beside every row; the copy of other
    formats than .xlsx, .xlsm and text is an .xlsx.

    --fix fixes what it can in a copy, NAME.fixed.EXT, and notes each old value; the file itself
    changes with --in-place alone. What is a matter of choice is fixed if you name it, as in
    --fix=round,stock. The result is that of the copy.
    """
    writing, form, fixes = options.writing, options.reporting.form, options.fix
    with listed_inputs(ctx, options.files, options.reading.kind) as read:
        is_copy_wanted = options.annotate or writing.out is not None
        is_copy_written = is_copy_wanted or writing.in_place or fixes is not None
        row = options.explain_row
        reading = read_options(
            ctx,
            options.reading,
            options.as_row,
            with_items=is_copy_written or row is not None,
            explain_row=row,
            settle=kind_question(form),
        )
        word = RESULT if fixes is None else FIXED
        copies = targets(read, writing, word) if is_copy_written else {}
        outputs = Outputs(
            copies, is_in_place=writing.in_place, is_plain=writing.plain, language=CONSOLE.language
        )
        if fixes is None:
            results = check(read, reading, outputs)
            if form == "text":
                note_fixable(results, read, reading)
        else:
            from feedtool.runs.fixes import validate_and_fix

            results = validate_and_fix(read, reading, outputs, fixes, always=is_copy_wanted)
            warn_of_copies(results, () if writing.in_place else copies.values())
        if options.explain_columns:
            for result in results:
                result.explained = explained(result.checked)
        code = echo_results(results, options.reporting)
        after_check(options.files, results, form)
        return code


def explained(checked: CheckedSheet) -> ExplainedHeader | None:
    """The meaning of each header, also if columns are missing."""
    error = checked.error
    header = error.header if isinstance(error, HeaderMissing) else checked.header
    return ExplainedHeader(header.row, list(_columns(header))) if header else None


def _columns(header: Header) -> Iterator[ColumnFacts]:
    nearest = dict(header.unknown)
    for index, name in sorted(header.texts.items()):
        if column := header.columns.get(index):
            yield ColumnFacts(letters(index), name, column.key, header.reasons.get(index, ""))
        elif index in header.own:
            yield ColumnFacts(letters(index), name, None, tr("written by feedtool; replaced"))
        else:
            near = nearest.get(index)
            reason = (
                tr("unknown; did you mean {choice}?", choice=near)
                if near
                else tr("unknown; kept, not sent")
            )
            yield ColumnFacts(letters(index), name, None, reason)
