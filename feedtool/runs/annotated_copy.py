"""Write the annotated copies of files to their places."""

import hashlib
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from feedtool.areas.registry import load
from feedtool.check import SUMMARY, Input, ReadOptions
from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.file_version import unchanged
from feedtool.model.nouns import Severity, Status
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import Translator, tr
from feedtool.report.as_json import ENGLISH
from feedtool.report.overview import (
    Outcome,
    columns_of,
    facts_of,
    headline_of,
    meaning_of,
    outcome_of,
    statuses_of,
)
from feedtool.report.plain import clean, listed, printable, sentence
from feedtool.report.sheet_result import SheetResult
from feedtool.report.tally import SEVERITIES, CodeGroup, RefusedRows, Tally, tally
from feedtool.runs import row_notes
from feedtool.runs.codes import all_codes
from feedtool.runs.outputs import Outputs, has_workbook_copy
from feedtool.runs.row_notes import sheet_translator
from feedtool.sheets.annotate import (
    DataBar,
    Finish,
    Link,
    SheetNotes,
    Styled,
    Summary,
    SummaryCell,
    Table,
    annotate,
    is_package,
    refuse_place,
)
from feedtool.sheets.fill import write_as_workbook

Line = Sequence[SummaryCell]

WIDTHS = (27, 9, 11, 32, 9, 46, 50)
STATUS_HEADINGS = (tr("Status"), tr("Rows"), tr("Share"), "", tr("First"), tr("What it means"))
PROBLEM_HEADINGS = (
    tr("Problem"), tr("Count"), tr("Severity"), tr("Column"), tr("First"), tr("What it means"),
    tr("What to do"),
)  # fmt: skip
ANSWER_HEADINGS = (
    tr("Status"), tr("Rows"), tr("Code"), tr("In rows"), tr("First"),
    tr("What the service says"), tr("What to do"),
)  # fmt: skip
OF_SEVERITY: Mapping[Severity, Outcome] = {Severity.ERROR: "bad", Severity.WARNING: "open"}


def summary_sheet(results: Iterable[SheetResult], say: Translator = ENGLISH) -> Summary:
    """Return the sheet in a language, with one part for each annotated sheet."""
    tables = [summary_table(result, say) for result in results]
    lines = chain.from_iterable([(), (), *table] for table in tables)
    return Summary(SUMMARY, list(lines)[2:], WIDTHS)


def summary_table(result: SheetResult, say: Translator = ENGLISH) -> Table:
    """Return the facts, the statuses, then a line for each code and each refusal."""
    sheet_say = sheet_translator(result.checked, say)
    counted = tally(result, 1)
    statuses = statuses_of(counted.counts)
    lines = [
        (Styled(headline_of(result, statuses), "title"),),
        (),
        *_facts(result, counted),
        *_table(STATUS_HEADINGS, _status_lines(result, counted, statuses, sheet_say)),
        *_table(PROBLEM_HEADINGS, _problem_lines(result, counted.groups, sheet_say)),
        *_table(ANSWER_HEADINGS, _answer_lines(result, counted.refusals, sheet_say)),
    ]
    return [[_translate(cell, sheet_say) for cell in line] for line in lines]


def _translate(cell: SummaryCell, say: Translator) -> SummaryCell:
    match cell:
        case Styled(value=str(text)):
            return cell._replace(value=say(text))
        case Link(text=text):
            return cell._replace(text=say(text))
        case str():
            return say(cell)
    return cell


def _table(headings: Sequence[str], lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines below their headings, with a blank line before; nothing without lines."""
    rows = list(lines)
    if rows:
        yield ()
        yield [Styled(heading, "band") for heading in headings]
        yield from rows


def _facts(result: SheetResult, counted: Tally) -> Iterator[Line]:
    for label, fact in facts_of(result, counted):
        yield Styled(label, "label"), Styled(fact, "fact")
    bad = [row for status, row in counted.first.items() if outcome_of(status) == "bad"]
    if bad and result.checked.sheet:
        link = Link(tr("Row {row}", row=min(bad)), result.checked.sheet, str(min(bad)), "jump")
        yield Styled(tr("First to correct"), "label"), link


def _status_lines(
    result: SheetResult, counted: Tally, statuses: Mapping[Status, int], say: Translator
) -> Iterator[Line]:
    rows = sum(statuses.values())
    for status, count in statuses.items():
        outcome = outcome_of(status)
        first = counted.first.get(status)
        yield (
            Styled(str(status), outcome),
            count,
            Styled(f"{100 * count / rows:.0f} %", "share"),
            DataBar(count, rows, outcome),
            _link(result, str(first), f"A{first}") if first else "",
            meaning_of(status, say),
        )


def _problem_lines(
    result: SheetResult, groups: Sequence[CodeGroup], say: Translator
) -> Iterator[Line]:
    codes = all_codes(say.language)
    for group in groups:
        first = group.first[0]
        # For a whole column the cell is its header, for a whole row it is that in column A.
        header = result.checked.header
        row = first.row or (header.row if header and first.column else None)
        place = f"{first.column or 'A'}{row}" if row else ""
        yield (
            Styled(group.code, OF_SEVERITY[group.severity]),
            group.count,
            SEVERITIES[group.severity],
            "\n".join(columns_of(result, group, say)),
            _link(result, place, place),
            codes.summary_of(group.code) or printable(say(first.message)),
            sentence(say(group.hint or codes.fix_of(group.code) or first.hint)),
        )


def _answer_lines(
    result: SheetResult, refusals: Sequence[RefusedRows], say: Translator
) -> Iterator[Line]:
    codes = all_codes(say.language)
    for refusal in refusals:
        row = refusal.rows[0]
        yield (
            Styled(str(refusal.status), outcome_of(refusal.status)),
            refusal.count,
            clean(refusal.code),
            listed(refusal.rows, refusal.count),
            _link(result, f"A{row}", str(row)),
            printable(say(refusal.message)),
            sentence(codes.advice_on(refusal.code, say)),
        )


def _link(result: SheetResult, text: str, ref: str) -> str | Link:
    sheet = result.checked.sheet
    return Link(text, sheet, ref) if sheet and ref else text


def refuse_places(
    inputs: Sequence[Input], sheets: Iterable[CheckedSheet], outputs: Outputs, reading: ReadOptions
) -> None:
    """Raise UsageProblem if an answer could not be written to its place: then nothing is sent."""
    if outputs.is_in_place:
        return
    summary = Summary(SUMMARY, ())
    for file, target, file_results in _files_to_copy(
        inputs, [SheetResult(sheet) for sheet in sheets], outputs
    ):
        headings = [row_notes.notes(result.checked, tuple) for result in file_results]
        limits, fallback = reading.dialect.reading, reading.dialect.csv_fallback
        _refuse_pipe(target)
        refuse_place(file.path, target, headings, summary, fallback, limits)


def write_copies_of(
    inputs: Sequence[Input],
    results: Sequence[SheetResult],
    outputs: Outputs,
    reading: ReadOptions,
    *,
    fallbacks: Callable[[Path], Iterable[Path]] = lambda _: (),
    may_replace: Callable[[Path], bool] = lambda _: True,
    on_written: Callable[[Path], None] = lambda _: None,
) -> None:
    """Write the annotated copy of each file, with all its sheets.

    A copy that cannot be written holds back neither the others nor the results: it goes to the
    first of its `fallbacks` that takes it. `may_replace` is asked before an input is replaced in
    its own place.
    """
    for file, target, file_results in _files_to_copy(inputs, results, outputs):
        failed: FeedtoolError | None = None
        written = None
        for place in (target, *fallbacks(target)):
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
                _write(file, place, file_results, reading, finish, outputs.translator(file_results))
            except FeedtoolError as error:
                failed = failed or error
                if isinstance(error, UsageProblem):
                    continue
                break  # another place would not help
            written = place
            on_written(place)
            break
        for result in file_results:
            result.annotated = written
            result.displaced = failed if written else None
            result.copy_failed = None if written else failed


def _write(
    file: Input,
    place: Path,
    results: Sequence[SheetResult],
    reading: ReadOptions,
    finish: Finish,
    say: Translator,
) -> None:
    _refuse_pipe(place)
    version = results[0].checked.version
    with unchanged(file.path, file.name, version) as confirm, _book(file, results, reading) as path:
        annotate(
            path,
            place,
            [_notes(result, say) for result in results],
            summary_sheet(results, say) if is_package(path) else None,
            overwrite=finish == "bare",
            is_private=load().is_personal(result.checked.kind for result in results),
            finish=finish,
            csv_fallback=reading.dialect.csv_fallback,
            limits=reading.dialect.reading,
            confirm=confirm,
        )


def _notes(result: SheetResult, say: Translator) -> SheetNotes:
    """Return the notes beside the rows of a sheet, and the cells to write."""
    notes = row_notes.notes(result.checked, result.verdicts, say)
    if result.fixed is None:
        return notes
    return row_notes.with_fixes(notes, result.fixed.cells, sheet_translator(result.checked, say))


@contextmanager
def _book(file: Input, results: Sequence[SheetResult], reading: ReadOptions) -> Iterator[Path]:
    """Yield the input itself, or a workbook of its rows if it cannot be annotated."""
    if not has_workbook_copy(file.path):
        yield file.path
        return
    declared = load().format_of(file.path)
    kinds = [result.checked.kind for result in results]
    with temporary_folder() as folder:
        book = folder / "offers.xlsx"
        if declared:
            declared.write_workbook(file.path, book, reading.dialect, kinds)
        else:
            write_as_workbook(
                file.path, book, reading.dialect.reading, reading.dialect.csv_fallback
            )
        yield book


def _refuse_pipe(place: Path) -> None:
    """Raise UsageProblem for a pipe: opening one would wait for its writer."""
    try:
        mode = place.stat().st_mode
    except OSError:  # the writing reports it
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise UsageProblem(
            tr("{place} is not a file, and is not replaced", place=place),
            tr("name another place with --out"),
        )


def _files_to_copy(
    inputs: Sequence[Input], results: Sequence[SheetResult], outputs: Outputs
) -> Iterator[tuple[Input, Path, list[SheetResult]]]:
    """Each readable file that gets a copy, with its place and all its sheets."""
    for file in inputs:
        of_file = [result for result in results if result.checked.file == file.name]
        readable = [result for result in of_file if result.checked.error is None]
        if readable and (target := outputs.targets.get(file.name)) is not None:
            yield file, target, readable


def digest_of(path: Path) -> str | None:
    """Return the SHA-256 of a file's content; None if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
