"""The annotated copies of files, written where they are wanted."""

import hashlib
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from feedtool.areas.registry import load
from feedtool.check import SUMMARY, Input, ReadOptions
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.file_version import unchanged
from feedtool.model.sheet import CheckedSheet
from feedtool.model.spool import temporary_folder
from feedtool.model.text import Translator, tr
from feedtool.report.sheet_result import SheetResult
from feedtool.runs import row_notes
from feedtool.runs.outputs import Outputs, has_workbook_copy
from feedtool.runs.personal import is_personal
from feedtool.runs.summary_sheet import summary_sheet
from feedtool.sheets.annotate import (
    Finish,
    SheetNotes,
    Summary,
    annotate,
    is_package,
    refuse_place,
)
from feedtool.sheets.as_workbook import write_as_workbook


def refuse_places(
    inputs: Sequence[Input], sheets: Iterable[CheckedSheet], outputs: Outputs, asked: ReadOptions
) -> None:
    """Nothing is sent whose answer could not be written where it was asked for."""
    if outputs.is_in_place:
        return
    summary = Summary(SUMMARY, ())
    for file, target, own in _wanted(inputs, [SheetResult(sheet) for sheet in sheets], outputs):
        headings = [row_notes.notes(result.checked, tuple) for result in own]
        limits, fallback = asked.dialect.reading, asked.dialect.csv_fallback
        _refuse_pipe(target)
        refuse_place(file.path, target, headings, summary, fallback, limits)


def write_copies_of(
    inputs: Sequence[Input],
    results: Sequence[SheetResult],
    outputs: Outputs,
    asked: ReadOptions,
    *,
    spares: Callable[[Path], Iterable[Path]] = lambda _: (),
    may_replace: Callable[[Path], bool] = lambda _: True,
    on_written: Callable[[Path], None] = lambda _: None,
) -> None:
    """Writes the annotated copy of each file, with all its sheets.

    One that cannot be written keeps back neither the others nor the results: it goes to the first
    of its `spares` that takes it. `may_replace` is asked about a file in an input's own place.
    """
    for file, target, own in _wanted(inputs, results, outputs):
        failed: FeedtoolError | None = None
        written = None
        for place in (target, *spares(target)):
            is_own = place == target and outputs.is_in_place
            try:
                if is_own and not may_replace(place):
                    raise UsageProblem(
                        tr(
                            "{place} was changed after it was read, and is not replaced",
                            place=place,
                        ),
                        tr("take the answers from the copy beside it"),
                    )
                finish: Finish = "bare" if is_own else "plain" if outputs.is_plain else "full"
                _write(file, place, own, asked, finish, outputs.say(own))
            except FeedtoolError as error:
                failed = failed or error
                if isinstance(error, UsageProblem):
                    continue
                break  # what is wrong is not the place
            written = place
            on_written(place)
            break
        for result in own:
            result.annotated = written
            result.displaced = failed if written else None
            result.copy_failed = None if written else failed


def _write(
    file: Input,
    place: Path,
    own: Sequence[SheetResult],
    asked: ReadOptions,
    finish: Finish,
    say: Translator,
) -> None:
    _refuse_pipe(place)
    version = own[0].checked.version
    with unchanged(file.path, file.name, version) as confirm, _book(file, own, asked) as path:
        annotate(
            path,
            place,
            [_notes(result, say) for result in own],
            summary_sheet(own, say) if is_package(path) else None,
            overwrite=finish == "bare",
            is_private=is_personal(result.checked for result in own),
            finish=finish,
            csv_fallback=asked.dialect.csv_fallback,
            limits=asked.dialect.reading,
            confirm=confirm,
        )


def _notes(result: SheetResult, say: Translator) -> SheetNotes:
    """What is written beside the rows of a sheet, and into its cells."""
    notes = row_notes.notes(result.checked, result.verdicts, say)
    own = row_notes.sheet_translator(result.checked, say)
    return row_notes.with_fixes(notes, result.fixed.cells, own) if result.fixed else notes


@contextmanager
def _book(file: Input, own: Sequence[SheetResult], asked: ReadOptions) -> Iterator[Path]:
    """What is annotated of an input: itself, or a workbook of its rows if that cannot be."""
    if not has_workbook_copy(file.path):
        yield file.path
        return
    declared = load().format_of(file.path)
    kinds = [result.checked.kind for result in own]
    with temporary_folder() as folder:
        book = folder / "offers.xlsx"
        if declared:
            declared.write_workbook(file.path, book, asked.dialect, kinds)
        else:
            write_as_workbook(file.path, book, asked.dialect.reading, asked.dialect.csv_fallback)
        yield book


def _refuse_pipe(place: Path) -> None:
    """To look into a pipe would be to wait for whoever writes into it."""
    try:
        mode = place.stat().st_mode
    except OSError:  # what keeps it from being written is told where it is written
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise UsageProblem(
            tr("{place} is no file, and is not replaced", place=place),
            tr("name another place with --out"),
        )


def _wanted(
    inputs: Sequence[Input], results: Sequence[SheetResult], outputs: Outputs
) -> Iterator[tuple[Input, Path, list[SheetResult]]]:
    """Each file of which a copy is wanted and that could be read, with all its sheets."""
    for file in inputs:
        own = [result for result in results if result.checked.file == file.name]
        readable = [result for result in own if result.checked.error is None]
        if readable and (target := outputs.targets.get(file.name)) is not None:
            yield file, target, readable


def digest_of(path: Path) -> str | None:
    """The SHA-256 of a file's content; None where there is no file to read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
