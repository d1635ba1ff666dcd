"""Makes the workbook: the rows into an empty template, and what was said of them beside them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, cast

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, open_input
from feedtool.feeds.template import Language
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import RowResult, Status
from feedtool.model.sheet import CheckedSheet
from feedtool.model.spool import temporary_folder
from feedtool.report import SheetResult
from feedtool.runs import row_notes
from feedtool.runs.annotated_copy import digest_of
from feedtool.runs.corrections.sheet import SheetToCorrect
from feedtool.runs.summary_sheet import summary_sheet
from feedtool.runs.workspace import Workspace, options_of, read_options_again
from feedtool.sheets.annotate import annotate
from feedtool.templates import limits
from feedtool.templates.rows import SheetRows, write

TO_CORRECT = frozenset((Status.INVALID, *row_notes.REFUSED))
"""What says of a row that something is wrong with it: refused here, or by the service."""


def is_to_correct(verdict: RowResult) -> bool:
    """Whether a row is to be corrected and sent again.

    Of the held those that a guard names: with the others nothing is wrong. What is Pending or
    Unknown may be in force, and a later run has the Superseded.
    """
    is_guarded = any(message.code for message in verdict.messages)
    return verdict.status in TO_CORRECT or (verdict.status is Status.HELD and is_guarded)


class Failed(NamedTuple):
    """The workbook of one file of a run."""

    file: str
    """The file's name, as it was given."""
    place: Path
    rows: int


def has_any(file: str, outcomes: Sequence[SheetResult]) -> bool:
    """Whether a row of a file is to be corrected."""
    own = (one for one in outcomes if one.checked.file == file and one.checked.error is None)
    return any(True for outcome in own for _ in rows_to_correct(outcome))


def rows_to_correct(outcome: SheetResult) -> Iterator[int]:
    """The rows to correct; one that was sent again is a later run's."""
    last = 0
    for verdict in outcome.every_verdict():
        is_sent_again = (verdict.row, verdict.channel) in outcome.sent_again
        if is_to_correct(verdict) and not is_sent_again and verdict.row != last:
            last = verdict.row
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
    found: dict[str, Path] = {}
    for name, target in targets.items():
        place = place_of(target)
        if place in found.values():  # `a.csv` beside `a.xlsx`
            place = place.with_name(f"{target.name.replace('.result', '')}.failed.xlsx")
        found[name] = place
    return found


def write_failed(
    run: int,
    file: str,
    outcomes: Sequence[SheetResult],
    target: Path,
    workspace: Workspace,
    now: datetime,
    *,
    may_replace: Callable[[Path], bool] | None = None,
) -> Failed | None:
    """Write the workbook of the rows to correct of one file of a run.

    It is made from the snapshot of the file as it was sent and from what is told of its rows, and
    so comes out the same whenever it is written, whatever became of the user's file.

    Args:
        run: The run.
        file: The file's name, as it was given.
        outcomes: What is told of the run's sheets; those of other files do not count.
        target: The .xlsx to write.
        workspace: Where the run is recorded.
        now: When it is written.
        may_replace: Whether what stands there may be replaced; by default only what was written
            there and has not been changed since, as whoever corrects it has.

    Returns:
        What was written; None where no row is to be corrected.

    Raises:
        UsageProblem: It cannot be written, or somebody's corrections are there.
        FileProblem: The snapshot is gone, or was changed.
    """
    own = (one for one in outcomes if one.checked.file == file and one.checked.error is None)
    to_correct = [(one, rows) for one in own if (rows := dict.fromkeys(rows_to_correct(one)))]
    if not to_correct:
        return None
    _check_free(target, workspace, may_replace)
    options = options_of(run, workspace)
    asked = read_options_again(options, workspace)
    sent = workspace.ledger.run(run)
    language = cast("Language", sent.language if sent else "en")
    kept = Input(file, workspace.snapshots.path_of(dict(options.inputs)[file]))
    feeds, sheets = load().feeds, list[SheetToCorrect]()
    with open_input(kept, asked, load()) as source:
        for outcome, rows in sorted(to_correct, key=lambda found: _rank(found[0].checked)):
            feed, is_first = feeds[str(outcome.checked.kind)], not sheets
            sheet = SheetToCorrect(
                feed, outcome, rows, source, asked, language, run, is_first=is_first
            )
            sheets.append(sheet)
    _name(target.name, sheets)
    _write(target, sheets, asked)
    workspace.ledger.add_output(run, str(target.absolute()), digest_of(target) or "", now)
    return Failed(file, target, sum(map(len, sheets)))


def _rank(checked: CheckedSheet) -> int:
    """Which sheet comes first: the workbook's stamp is about that one alone.

    So a sheet that is not recognised without a stamp, then one whose stamp says more than its kind.
    """
    feed = load().feeds[str(checked.kind)]
    if feed.needs_asking and checked.is_kind_certain:
        return 0
    return 1 if feed.template else 2


def _check_free(
    target: Path, workspace: Workspace, may_replace: Callable[[Path], bool] | None
) -> None:
    if not target.exists() or (may_replace and may_replace(target)):
        return
    if not target.is_file() or digest_of(target) != workspace.ledger.output(str(target.absolute())):
        raise UsageProblem(
            f"{target} is not as feedtool wrote it: it may hold corrections, and is left alone",
            "send it first, or choose another name with --out, or replace it with --yes",
        )


def _name(name: str, sheets: Sequence[SheetToCorrect]) -> None:
    """Names the sheets apart, and the workbook."""
    titles: list[str] = []
    for sheet in sheets:
        titles.append(limits.sheet_name(sheet.contents.sheet, titles))
        sheet.contents = replace(sheet.contents, sheet=titles[-1])
    sheets[0].contents = replace(sheets[0].contents, file=name)


def _write(target: Path, sheets: Sequence[SheetToCorrect], asked: ReadOptions) -> None:
    """The rows, and what was said of them beside them."""
    reading = asked.dialect.reading
    with temporary_folder() as folder:
        book = folder / "rows.xlsx"
        write(book, [SheetRows(one.contents, one) for one in sheets], reading, copies_cells=True)
        told = [sheet.outcome(target.name) for sheet in sheets]
        annotate(
            book,
            target,
            [row_notes.notes(one.checked, one.verdicts or tuple) for one in told],
            summary_sheet(told),
            overwrite=True,
            limits=reading,
        )
