"""The workbook of the rows to correct: of a template's shape, ready to be sent as it is.

Its cells are those of the file that was sent, from its snapshot; beside them stand the messages
about the rows, from the ledger, and the column `feedtool row`, which names the row that each is of.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import cast

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, open_input
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import RowResult, Status
from feedtool.model.spool import temporary_folder
from feedtool.model.text import Language, Translator, tr
from feedtool.report.overview import REFUSED
from feedtool.report.sheet_result import SheetResult
from feedtool.runs import row_notes
from feedtool.runs.annotated_copy import digest_of
from feedtool.runs.corrections_sheet import SheetToCorrect
from feedtool.runs.row_results import note_sent_again, results_of_run
from feedtool.runs.summary_sheet import summary_sheet
from feedtool.runs.workspace import Workspace, check_again, options_of, read_options_again
from feedtool.sheets.annotate import annotate
from feedtool.templates import limits
from feedtool.templates.rows import SheetRows, write

TO_CORRECT = frozenset((Status.INVALID, *REFUSED))
"""The statuses of rows with which something is wrong: refused here, or by the service."""

MayReplace = Callable[[Path], bool] | None
"""True if what stands at a path may be replaced; by default only what was written there and has
not been changed since, as whoever corrects it has."""


def is_to_correct(result: RowResult) -> bool:
    """True if a row is to be corrected and sent again.

    Of the held those that a guard names: with the others nothing is wrong. What is Pending or
    Unknown may be in force, and a later run has the Superseded.
    """
    is_guarded = any(message.code for message in result.messages)
    return result.status in TO_CORRECT or (result.status is Status.HELD and is_guarded)


def rows_to_correct(sheet: SheetResult) -> Iterator[int]:
    """The rows to correct; one that was sent again is a later run's."""
    last = 0
    for result in sheet.every_verdict():
        is_sent_again = (result.row, result.channel) in sheet.sent_again
        if is_to_correct(result) and not is_sent_again and result.row != last:
            last = result.row
            yield last


def place_of(target: Path) -> Path:
    """`NAME.failed.xlsx` beside the annotated copy; of a corrected one's `NAME.failed-2.xlsx`.

    A workbook for whatever was sent: it keeps texts as texts, offers its dropdowns to whoever
    corrects it, and says of itself what kind of feed it is, none of which a CSV does.
    """
    name = target.stem.removesuffix(".result")
    stem, dot, number = name.rpartition(".failed")
    if dot and (not number or number.removeprefix("-").isdecimal()):
        return target.with_name(f"{stem}.failed-{int(number.removeprefix('-') or 1) + 1}.xlsx")
    return target.with_name(f"{name}.failed.xlsx")


def places(targets: Mapping[str, Path]) -> dict[str, Path]:
    """Where each file's workbook goes, by where its annotated copy does; no two to one place."""
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
    may_replace: MayReplace = None,
) -> list[SheetResult]:
    """The results of a run, after a workbook of the rows to correct was written for each file.

    `out` is the place for the only file's; by default each is beside the annotated copy.
    """
    options = options_of(run, workspace)
    results = results_of_run(check_again(options, workspace), workspace.ledger, run, None)
    note_sent_again(results, run, workspace)
    files = [name for name, _ in options.inputs if _to_correct(name, results)]
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
        write_failed(run, name, results, targets[name], workspace, now, may_replace=may_replace)
    return results


def _to_correct(file: str, results: Sequence[SheetResult]) -> list[tuple[SheetResult, list[int]]]:
    """The sheets of a file of which rows are to be corrected, with the numbers of these.

    The workbook's stamp is about the first sheet alone: one that is not recognised without a stamp,
    else one whose stamp says more than its kind.
    """
    own = [sheet for sheet in results if sheet.checked.file == file and not sheet.checked.error]
    rows = [(sheet, list(rows_to_correct(sheet))) for sheet in own]

    def rank(pair: tuple[SheetResult, list[int]]) -> int:
        feed = load().feeds[str(pair[0].checked.kind)]
        if feed.needs_asking and pair[0].checked.is_kind_certain:
            return 0
        return 1 if feed.template else 2

    return sorted((pair for pair in rows if pair[1]), key=rank)


def write_failed(
    run: int,
    file: str,
    results: Sequence[SheetResult],
    target: Path,
    workspace: Workspace,
    now: datetime,
    *,
    may_replace: MayReplace = None,
) -> None:
    """Writes the workbook of the rows to correct of one file of a run, where there are any.

    It is made from the snapshot of the file and the results of its rows, and so comes out the same
    whenever it is written. UsageProblem where somebody's corrections are there.
    """
    to_correct = _to_correct(file, results)
    if not to_correct:
        return
    _check_free(target, workspace, may_replace)
    options = options_of(run, workspace)
    reading = read_options_again(options, workspace)
    sent = workspace.ledger.run(run)
    language = cast("Language", sent.language if sent else "en")
    kept = Input(file, workspace.snapshots.path_of(dict(options.inputs)[file]))
    with open_input(kept, reading, load()) as source:
        sheets = [
            SheetToCorrect(sheet, rows, source, reading, language, run, is_first=not place)
            for place, (sheet, rows) in enumerate(to_correct)
        ]
    _write(target, sheets, reading)
    workspace.ledger.add_output(run, str(target.absolute()), digest_of(target) or "", now)
    for sheet in results:
        if sheet.checked.file == file and sheet.checked.error is None:
            sheet.failed = target


def _check_free(target: Path, workspace: Workspace, may_replace: MayReplace) -> None:
    if not target.exists() or (may_replace and may_replace(target)):
        return
    if not target.is_file() or digest_of(target) != workspace.ledger.output(str(target.absolute())):
        raise UsageProblem(
            tr(
                "{target} is not as feedtool wrote it: it may hold corrections, and is left alone",
                target=target,
            ),
            tr("send it first, or choose another name with --out, or replace it with --yes"),
        )


def _write(target: Path, sheets: Sequence[SheetToCorrect], reading: ReadOptions) -> None:
    """Write the rows under different names of sheets, and the messages beside them."""
    titles: list[str] = []
    for sheet in sheets:
        titles.append(limits.sheet_name(sheet.contents.sheet, titles))
        sheet.contents = replace(sheet.contents, sheet=titles[-1])
    sheets[0].contents = replace(sheets[0].contents, file=target.name)
    bounds = reading.dialect.reading
    with temporary_folder() as folder:
        book = folder / "rows.xlsx"
        rows = [SheetRows(sheet.contents, sheet) for sheet in sheets]
        write(book, rows, bounds, copies_cells=True)
        results = [sheet.result(target.name) for sheet in sheets]
        say = Translator(sheets[0].contents.language)
        annotate(
            book,
            target,
            [row_notes.notes(sheet.checked, sheet.verdicts or tuple, say) for sheet in results],
            summary_sheet(results, say),
            overwrite=True,
            limits=bounds,
        )
