"""The workbook of the rows to correct: it has a template's shape and can be sent unchanged.

Its cells come from the snapshot of the file that was sent; beside them stand the messages about
the rows, from the ledger, and the column `feedtool row`, which names the original row of each.
"""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, open_input
from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import CannotWrite, FeedtoolError, UsageProblem
from feedtool.model.text import LanguageChoice, Translator, tr
from feedtool.report.sheet_result import SheetResult
from feedtool.runs import row_notes
from feedtool.runs.annotated_copy import digest_of, summary_sheet
from feedtool.runs.corrections_sheet import SheetToCorrect
from feedtool.runs.outputs import Outputs
from feedtool.runs.row_results import note_sent_again, results_of_run, rows_to_correct
from feedtool.runs.workspace import Workspace, check_again, options_of, read_options_again
from feedtool.sheets.annotate import annotate
from feedtool.sheets.atomic_write import atomic_write, cannot_write
from feedtool.templates.rows import SheetRows, write


def place_of(target: Path) -> Path:
    """Return the place beside an annotated copy: `NAME.failed.xlsx` for `NAME.result.csv`.

    For such a workbook itself it is the next number, as `NAME.failed-2.xlsx`. It is a workbook for
    every kind of input: it keeps texts as texts, has dropdowns for corrections, and carries the
    kind of feed. A CSV does none of these.
    """
    name = target.stem.removesuffix(".result")
    stem, dot, number = name.rpartition(".failed")
    if dot and (not number or number.removeprefix("-").isdecimal()):
        return target.with_name(f"{stem}.failed-{int(number.removeprefix('-') or 1) + 1}.xlsx")
    return target.with_name(f"{name}.failed.xlsx")


def places(targets: Mapping[str, Path]) -> dict[str, Path]:
    """Return different places for the files' workbooks, from those of the annotated copies."""
    result: dict[str, Path] = {}
    for name, target in targets.items():
        place = place_of(target)
        if place in result.values():  # `a.csv` beside `a.xlsx`
            place = place.with_name(f"{target.name.replace('.result', '')}.failed.xlsx")
        result[name] = place
    return result


def write_corrections(
    run: int,
    workspace: Workspace,
    now: datetime,
    *,
    out: Path | None = None,
    replaces: bool = False,
) -> list[SheetResult]:
    """Return the results of a run, after writing a workbook of the rows to correct for each file.

    `out` is the place of the only file's workbook; by default each is beside the annotated copy. A
    workbook that may hold corrections is replaced only with `replaces`. Otherwise it is kept: the
    new one gets a number, or, if `out` names its place, UsageProblem is raised.
    """
    options, results = options_of(run, workspace), results_to_correct(run, workspace)
    by_file = {name: _sheets_to_correct(name, results) for name, _ in options.snapshots.inputs}
    files = [name for name, to_correct in by_file.items() if to_correct]
    if out and len(files) > 1:
        raise UsageProblem(
            tr(
                "--out names one workbook, and rows of {count} files are to be corrected",
                count=len(files),
            ),
            tr("leave it out: each has its own beside its annotated copy"),
        )
    targets = dict.fromkeys(files, out) if out else places(options.outputs.targets)
    for name in files:
        target = targets[name]
        if not replaces:
            target = _free_place(target, workspace, is_numbered=out is None)
        _write_for_run(run, by_file[name], target, workspace, now)
    return results


def results_to_correct(run: int, workspace: Workspace) -> list[SheetResult]:
    """Return the results of a run with all that its rows to correct need.

    Its files are read again: the sheets that were kept hold too little. FileProblem as
    `check_again`.
    """
    sheets = check_again(options_of(run, workspace), workspace)
    results = results_of_run(sheets, workspace.ledger, run, None)
    note_sent_again(results, run, workspace)
    return results


def write_beside(
    run: int,
    results: Sequence[SheetResult],
    targets: Mapping[str, Path],
    workspace: Workspace,
    now: datetime,
) -> None:
    """Write the workbook of each file of a run beside its annotated copy, or in a fallback place.

    A workbook that may hold corrections is kept: the new one gets a number.
    """
    for file, target in places(targets).items():
        to_correct = _sheets_to_correct(file, results)
        failures: list[FeedtoolError] = []
        for place in (target, *workspace.fallbacks(run, target)) if to_correct else ():
            free = _free_place(place, workspace, is_numbered=True)
            try:
                _write_for_run(run, to_correct, free, workspace, now)
            except FeedtoolError as error:
                failures.append(error)
                if isinstance(error, CannotWrite):
                    continue  # another place may work
            else:
                failures.clear()
            break
        for sheet, _ in to_correct if failures else ():
            sheet.copy_failed = sheet.copy_failed or failures[0]


def _sheets_to_correct(file: str, results: Sequence[SheetResult]) -> "ToCorrect":
    """Return the sheets of a file that have rows to correct, with the numbers of these rows.

    The workbook's stamp describes its first sheet alone. So a sheet comes first that is recognised
    only by its stamp, then one whose stamp says more than its kind.
    """
    sheets = [sheet for sheet in results if sheet.checked.file == file and not sheet.checked.error]
    rows = [(sheet, list(rows_to_correct(sheet))) for sheet in sheets]

    def rank(pair: tuple[SheetResult, list[int]]) -> int:
        feed = load().feeds[str(pair[0].checked.kind)]
        if feed.recognition.only_if_asked and pair[0].checked.is_kind_certain:
            return 0
        return 1 if feed.template.contents else 2

    return sorted((pair for pair in rows if pair[1]), key=rank)


ToCorrect = Sequence[tuple[SheetResult, list[int]]]
"""The sheets of a file, with the numbers of their rows to correct."""
NoteOutput = Callable[[str, str], None]
"""Notes the place of a workbook, and its SHA-256, before it is written there."""


def write_rows_to_correct(
    file: Input,
    results: Sequence[SheetResult],
    target: Path,
    reading: ReadOptions,
    language: LanguageChoice,
) -> int:
    """Write a workbook of a file's rows to correct, if any, and return their number.

    The results are those of a check (`results_of_check`) or a dry run, or `results_to_correct`. An
    earlier workbook in the same place is replaced.
    """
    if to_correct := _sheets_to_correct(file.name, results):
        say = Outputs(language=language).translator([sheet for sheet, _ in to_correct])
        _write_workbook(file, to_correct, target, reading, say)
    return sum(len(rows) for _, rows in to_correct)


def _write_for_run(
    run: int, to_correct: ToCorrect, target: Path, workspace: Workspace, now: datetime
) -> None:
    """Write the workbook of the rows to correct of one file of a run.

    It is made from the snapshot of the file and the results of its rows, so it is the same at any
    time.
    """
    options = options_of(run, workspace)
    reading = read_options_again(options, workspace)
    say = options.outputs.translator([sheet for sheet, _ in to_correct])
    file = to_correct[0][0].checked.file
    kept = Input(file, workspace.snapshots.path_of(dict(options.snapshots.inputs)[file]))
    note = partial(workspace.ledger.add_output, run, now=now)
    _write_workbook(kept, to_correct, target, reading, say, note)
    for sheet, rows in to_correct:
        sheet.failed, sheet.to_correct = target, len(rows)


def _write_workbook(
    file: Input,
    to_correct: ToCorrect,
    target: Path,
    reading: ReadOptions,
    say: Translator,
    note: NoteOutput = lambda _place, _digest: None,
) -> None:
    with open_input(file, reading, load()) as source:
        sheets = [
            SheetToCorrect(sheet, rows, source, reading, say, is_first=not place)
            for place, (sheet, rows) in enumerate(to_correct)
        ]
    with temporary_folder() as folder:
        book = folder / target.name
        _write_rows_and_notes(book, sheets, reading, say)
        is_private = load().is_personal(sheet.checked.kind for sheet, _ in to_correct)
        with atomic_write(target, is_private=is_private) as temporary:
            try:
                shutil.copyfile(book, temporary)
            except OSError as error:
                raise cannot_write(target, error) from error
            # Noted first: so a file that a crash leaves there is known as written by feedtool.
            note(str(target.absolute()), digest_of(book) or "")


def _free_place(target: Path, workspace: Workspace, *, is_numbered: bool) -> Path:
    """Return `target` if it is free or unchanged, else the next numbered place that is.

    UsageProblem instead of a numbered place if not `is_numbered`.
    """
    while os.path.lexists(target):
        if target.is_file():
            written = workspace.ledger.output(str(target.absolute()))
            if digest_of(target) == written:
                break
        if not is_numbered:
            raise UsageProblem(
                tr(
                    "{target} is not as feedtool wrote it: it may hold corrections, and is left"
                    " alone",
                    target=target,
                ),
                tr("send it first, or choose another name with --out, or replace it with --yes"),
            )
        target = place_of(target)
    return target


def _write_rows_and_notes(
    target: Path, sheets: Sequence[SheetToCorrect], reading: ReadOptions, say: Translator
) -> None:
    """Write the rows, and the messages beside them."""
    sheets[0].contents = replace(sheets[0].contents, file=target.name)
    bounds = reading.dialect.reading
    with temporary_folder() as folder:
        book = folder / "rows.xlsx"
        rows = [SheetRows(sheet.contents, sheet) for sheet in sheets]
        names = write(book, rows, bounds, copies_cells=True)
        results = [
            sheet.result(target.name, name) for sheet, name in zip(sheets, names, strict=True)
        ]
        annotate(
            book,
            target,
            [row_notes.notes(sheet.checked, sheet.verdicts or tuple, say) for sheet in results],
            summary_sheet(results, say),
            overwrite=True,
            limits=bounds,
        )
