"""Results of rows, and the notes written beside them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import Literal, TypeVar

from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import HEADINGS
from feedtool.feeds.columns.text import visible
from feedtool.model.cells import index_of, letters
from feedtool.model.nouns import (
    REFUSED,
    CellFix,
    Message,
    Problem,
    RowResult,
    Severity,
    Status,
    worst_status,
)
from feedtool.model.sheet import INVALID, CheckedSheet, Filled, RefusedRow, rows_of
from feedtool.model.text import FieldName, MessageText, Translator, in_quotes, joined, tr
from feedtool.report.as_json import ENGLISH
from feedtool.report.overview import outcome_of, place_name
from feedtool.report.plain import value
from feedtool.report.sheet_result import shown_messages
from feedtool.report.statuses import status_word
from feedtool.sheets.annotate import Note, SheetNotes

Columns = Mapping[str, Sequence[int]]
Verdicts = Callable[[], Iterator[RowResult]]
OfRow = TypeVar("OfRow", RowResult, Filled)

FIXED: Literal["fixed"] = "fixed"


def check_results(checked: CheckedSheet) -> Iterator[RowResult]:
    """Yield every row's verdict when nothing is sent: `Valid`, `Invalid`, or why it is withheld."""
    return all_results(checked, _not_refused(checked))


def _not_refused(checked: CheckedSheet) -> Iterator[RowResult]:
    valid = (
        RowResult(row, item.reference, Status.VALID, (), item.channel)
        for row, item in rows_of(checked.valid_items())
    )
    return merge(valid, checked.not_sent(), key=lambda result: result.row)


def all_results(checked: CheckedSheet, sent: Iterable[RowResult]) -> Iterator[RowResult]:
    """Yield the results of sent rows, and the own results of the others, by row."""
    return (verdict for verdict, _ in _with_problems(checked, sent))


def _with_problems(
    checked: CheckedSheet, sent: Iterable[RowResult]
) -> Iterator[tuple[RowResult, Sequence[Problem]]]:
    """Yield the same, each with the problems of its row."""
    refused = refused_rows(checked)
    others = iter(sent)
    other = next(others, None)
    for row, problems in checked.problems_by_row():
        if row is None:
            continue
        while other and other.row <= row:
            yield other, problems if other.row == row else ()
            other = next(others, None)
        if checked.rows.marks[row] == INVALID:
            messages = tuple(
                Message(problem.code, as_sentence(problem))
                for problem in problems
                if problem.severity is Severity.ERROR
            )
            refused_row = next(refused)
            result = RowResult(
                row, refused_row.reference or "", Status.INVALID, messages, refused_row.channel
            )
            yield result, problems
    while other:
        yield other, ()
        other = next(others, None)


def refused_rows(checked: CheckedSheet) -> Iterator[RefusedRow]:
    """Yield the invalid rows, once each, also those that only their neighbours make invalid."""
    late = (
        RefusedRow(row, item.reference, item.product, item.channel)
        for row, item in rows_of(checked.rows.items)
        if checked.rows.marks[row] == INVALID
    )
    last = 0
    for refused in merge(checked.rows.refused, late, key=lambda refused: refused.row):
        if refused.row != last:
            yield refused
        last = refused.row


def as_sentence(problem: Problem) -> MessageText:
    """Return a problem as one sentence: place, reason, hint; a name occurs only once."""
    name = place_name(problem, ENGLISH)
    known = FieldName(name) if name == problem.field else name
    place = joined(filter(None, (problem.column, known)), " ")
    return joined(filter(None, (place, _with_hint(problem))), ": ")


def _with_hint(problem: Problem) -> str:
    message, hint = problem.message, problem.hint
    return tr("{message} ({hint})", message=message, hint=hint) if hint else message


def _line(problem: Problem, say: Translator) -> str:
    """Return the same sentence, in the words of the problem's sheet."""
    place = " ".join(filter(None, (problem.column, place_name(problem, say))))
    return say(joined(filter(None, (place, _with_hint(problem))), ": "))


def sheet_translator(checked: CheckedSheet, say: Translator) -> Translator:
    """Return a translator that uses the field names of a sheet, made printable."""
    names = checked.names(say.language).items()
    return checked.translator(say, {key: value(name) for key, name in names})


def notes(
    checked: CheckedSheet,
    verdicts: Callable[[], Iterable[RowResult]] | None = None,
    say: Translator = ENGLISH,
) -> SheetNotes:
    """Return the notes beside the rows of a sheet; without verdicts, those of its check."""
    if checked.header is None:
        raise ValueError("only a sheet with a header has rows to write beside")
    row = checked.header.headings_row
    results = (
        join_problems(checked, verdicts())
        if verdicts
        else _with_problems(checked, _not_refused(checked))
    )
    return SheetNotes(
        checked.sheet or "",
        row,
        HEADINGS,
        _notes(results, checked.header.places(), sheet_translator(checked, say)),
        last_header_row=checked.header.after,
    )


def with_fixes(notes: SheetNotes, fixes: Iterable[CellFix], say: Translator) -> SheetNotes:
    """Return the notes with the fixes: new values, and the old ones beside and in the cells."""
    by_row: dict[int, list[CellFix]] = {}
    for fix in fixes:
        by_row.setdefault(fix.row, []).append(fix)
    return replace(notes, notes=_with_fixes(notes.notes, by_row, say)) if by_row else notes


def _with_fixes(
    notes: Iterable[Note], by_row: Mapping[int, Sequence[CellFix]], say: Translator
) -> Iterator[Note]:
    for note in notes:
        fixes = by_row.get(note.row, ())
        if not fixes:
            yield note
            continue
        cells = {index_of(fix.column): fix for fix in fixes}
        texts = "\n".join(filter(None, (note.message, *(_fixed(fix, say) for fix in fixes))))
        guilty = {**dict.fromkeys(cells, FIXED), **dict(note.guilty)}
        yield replace(
            note,
            message=texts,
            guilty=tuple(sorted(guilty.items())),
            values=tuple((index, fix.new) for index, fix in cells.items()),
            comments=(
                *(
                    (index, say(tr("was {old} ({fix})", old=_old(fix), fix=fix.fix)))
                    for index, fix in cells.items()
                ),
                *((index, text) for index, text in note.comments if index not in cells),
            ),
        )


def _fixed(fix: CellFix, say: Translator) -> str:
    """Describe a fix in one sentence: place, old value, new value, and the fix."""
    field = fix.field or ""
    name = say(FieldName(field))
    name = fix.header or field if name == field else name
    place = " ".join(filter(None, (fix.column, name)))
    new = in_quotes(str(fix.new)) if fix.new != "" else tr("blank")
    sentence = tr(
        "fixed: {place}: was {old}, is {new} ({fix})",
        place=place, old=_old(fix), new=new, fix=fix.fix,
    )  # fmt: skip
    return say(sentence)


def _old(fix: CellFix) -> str:
    return in_quotes(visible(fix.old)) if fix.old else tr("blank")


def _notes(
    results: Iterable[tuple[RowResult, Sequence[Problem]]], columns: Columns, say: Translator
) -> Iterator[Note]:
    of_row: list[RowResult] = []
    row_problems: Sequence[Problem] = ()
    # `groupby` would take a tenth longer, for each row of the sheet.
    for result, problems in results:
        if of_row and of_row[0].row != result.row:
            yield note(of_row, row_problems, columns, say)
            of_row = []
        of_row.append(result)
        row_problems = problems
    if of_row:
        yield note(of_row, row_problems, columns, say)


def join_problems(
    checked: CheckedSheet, rows: Iterable[OfRow]
) -> Iterator[tuple[OfRow, Sequence[Problem]]]:
    """Yield results of rows, or their values, each with the problems of the row."""
    problems = (
        (row, row_problems) for row, row_problems in checked.problems_by_row() if row is not None
    )
    row, row_problems = next(problems, (0, []))
    for of_row in rows:
        while row and row < of_row.row:
            row, row_problems = next(problems, (0, []))
        yield of_row, row_problems if row == of_row.row else ()


def note(
    results: Sequence[RowResult],
    problems: Sequence[Problem],
    columns: Columns,
    say: Translator = ENGLISH,
) -> Note:
    """Return the note of a row, and its guilty cells.

    Of several results each is a line, and the worst status counts. `columns` are the 0-based
    indexes of the sheet's columns by their keys.
    """
    status = worst_status(results)
    codes = [message.code for result in results for message in result.messages if message.code]
    warnings = [
        problem
        for problem in problems
        if problem.severity is Severity.WARNING and problem.code not in codes
    ]
    texts = [say(tr("warning: {text}", text=_line(warning, say))) for warning in warnings]
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    codes += [warning.code for warning in warnings]
    if len(results) == 1:
        is_ours = status is Status.INVALID and errors
        result_lines = (
            [_line(error, say) for error in errors]
            if is_ours
            else _message_lines(results[0], columns, say)
        )
        lines = list(dict.fromkeys([*result_lines, *texts]))
        if say.language != ENGLISH.language:  # the status itself is never translated
            lines[:1] = [say(joined((status_word(status), *lines[:1]), ": "))]
    else:
        lines = []
        for result in results:
            line = f"{result.channel or result.reference} {result.status}"
            messages = joined(_message_lines(result, columns, say), "; ")
            lines.append(say(joined(filter(None, (line, messages)), ": ")))
        lines += dict.fromkeys(texts)
    guilty: dict[int, Severity] = {}
    comments: dict[int, dict[str, None]] = {}
    for index, severity, text in _faults(results, problems, columns):
        guilty[index] = min(severity, guilty.get(index, severity))
        comments.setdefault(index, {})[say(text)] = None
    return Note(
        results[0].row,
        status.value,
        "\n".join(lines),
        ", ".join(dict.fromkeys(codes)),
        tuple((index, severity.value) for index, severity in sorted(guilty.items())),
        outcome=outcome_of(status),
        comments=tuple((index, "\n".join(texts)) for index, texts in sorted(comments.items())),
    )


def _faults(
    results: Sequence[RowResult], problems: Sequence[Problem], columns: Columns
) -> Iterator[tuple[int, Severity, str]]:
    """Yield the cells to colour: 0-based column, severity, and text."""
    is_invalid = results[0].status is Status.INVALID  # else a later run sent the row corrected
    for problem in sorted(problems, key=lambda problem: problem.severity is Severity.ERROR):
        if problem.column:
            severity = problem.severity if is_invalid else Severity.WARNING
            for index in columns.get(problem.field or "") or (index_of(problem.column),):
                yield index, severity, _with_hint(problem)
    for result in results:
        for message in result.messages:
            for index, severity in _guilty(message, result, columns):
                yield index, severity, message.text


def messages_in_cells(
    result: RowResult, columns: Columns
) -> Iterator[tuple[Message, int | None, Severity]]:
    """Yield the readable messages of a result, with column and severity; None: the whole row."""
    for message in shown_messages(result, load().service.is_confirmation):
        usual = (None, _severity(message, result))
        index, severity = next(_guilty(message, result, columns), usual)
        yield message, index, severity


def _guilty(
    message: Message, result: RowResult, columns: Columns
) -> Iterator[tuple[int, Severity]]:
    """Yield the columns that a message is about: that of its code, then those of its field."""
    if result.status in REFUSED:
        field = load().service.field_of(message.code)
        for index in _columns_of(field or "", result, columns):
            yield index, Severity.ERROR
    for index in _columns_of(message.field, result, columns):
        yield index, _severity(message, result)


def _severity(message: Message, result: RowResult) -> Severity:
    """Return the severity of a message; a row that was not refused has warnings at most."""
    return message.severity if result.status in REFUSED else Severity.WARNING


def _message_lines(result: RowResult, columns: Columns, say: Translator) -> Iterator[str]:
    """Yield the readable messages, each once, after the names of all its fields."""
    fields: dict[str, list[str]] = {}
    for message in shown_messages(result, load().service.is_confirmation):
        if not message.text:
            continue
        names = fields.setdefault(message.text, [])
        if message.field:
            places = _columns_of(message.field, result, columns)  # a sheet may lack the column
            keys = (key for key, indexes in columns.items() if places and places[0] in indexes)
            key = message.field if message.field in columns else next(keys, message.field)
            name = say(FieldName(key))
            names.append(f"{letters(places[0])} {name}" if places else name)
    for text, names in fields.items():
        yield say(joined((", ".join(dict.fromkeys(names)), text), ": ") if names else text)


def _columns_of(field: str, result: RowResult, columns: Columns) -> Sequence[int]:
    """Return the columns of a field, or of its result's own channel, or those it is computed from.

    For a field with several columns (`sellerPictureUrls_1`) it is the first.
    """
    several = (f"{field}_", f"{field}.", f"{field}[")
    places = columns.get(f"{field}[{result.channel}]") or columns.get(field)
    if places or not field:
        return places or ()
    matches = (indexes for key, indexes in columns.items() if key.startswith(several))
    return [index for indexes in matches for index in indexes][:1]
