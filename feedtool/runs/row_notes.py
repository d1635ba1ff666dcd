"""What became of every row, and what of it is written beside the row."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge

from feedtool.areas.offers.wire.result_codes import field_of, is_confirmation
from feedtool.check import HEADINGS
from feedtool.model.cells import index_of, letters
from feedtool.model.nouns import Message, Problem, RowResult, Severity, Status
from feedtool.model.sheet import INVALID, CheckedSheet
from feedtool.report.sheet_result import to_read
from feedtool.sheets.annotate import Note, SheetNotes

Verdicts = Callable[[], Iterator[RowResult]]

REFUSED = (Status.REJECTED, Status.DUPLICATED, Status.REFUSED)


def of_check(checked: CheckedSheet) -> Iterator[RowResult]:
    """Every row's verdict when nothing is sent: `Valid`, `Invalid`, or why it would be withheld."""
    return every_row(checked, _not_refused(checked))


def _not_refused(checked: CheckedSheet) -> Iterator[RowResult]:
    valid = (RowResult(item.row, item.reference, Status.VALID) for item in checked.valid_items())
    return merge(valid, checked.not_sent(), key=lambda verdict: verdict.row)


def every_row(checked: CheckedSheet, sent: Iterable[RowResult]) -> Iterator[RowResult]:
    """The service's verdicts and our own ones of the rows that were not sent, by row."""
    return (verdict for verdict, _ in _with_problems(checked, sent))


def _with_problems(
    checked: CheckedSheet, sent: Iterable[RowResult]
) -> Iterator[tuple[RowResult, Sequence[Problem]]]:
    """The same, each with what checking found in the row."""
    references = _references(checked)
    others = iter(sent)
    other = next(others, None)
    for row, problems in checked.problems_by_row():
        if row is None:
            continue
        while other and other.row <= row:
            yield other, problems if other.row == row else ()
            other = next(others, None)
        if checked.marks[row] == INVALID:
            messages = tuple(
                Message(problem.code, told(problem))
                for problem in problems
                if problem.severity is Severity.ERROR
            )
            yield RowResult(row, next(references), Status.INVALID, messages), problems
    while other:
        yield other, ()
        other = next(others, None)


def _references(checked: CheckedSheet) -> Iterator[str]:
    """The references of the invalid rows, by row; empty where the row has none."""
    late = (
        (item.row, item.reference) for item in checked.items if checked.marks[item.row] == INVALID
    )
    early = ((refused.row, refused.reference or "") for refused in checked.refused)
    return (reference for _, reference in merge(early, late))


def told(problem: Problem) -> str:
    """A problem as one sentence: place, reason, way out."""
    column, header = problem.column, problem.header
    place = f"{column} {header}" if column and header else column or header
    hint = f" ({problem.hint})" if problem.hint else ""
    return f"{place}: {problem.message}{hint}" if place else f"{problem.message}{hint}"


def notes(
    checked: CheckedSheet, verdicts: Callable[[], Iterable[RowResult]] | None = None
) -> SheetNotes:
    """What is written beside the rows of a sheet; without verdicts, what checking found."""
    if checked.header is None:
        raise ValueError("only a sheet with a header has rows to write beside")
    columns = {column.key: index for index, column in checked.header.columns.items()}
    row = checked.header.headings_row
    found = (
        _joined(checked, verdicts()) if verdicts else _with_problems(checked, _not_refused(checked))
    )
    noted = (note(verdict, problems, columns) for verdict, problems in found)
    return SheetNotes(checked.sheet or "", row, HEADINGS, noted)


def _joined(
    checked: CheckedSheet, verdicts: Iterable[RowResult]
) -> Iterator[tuple[RowResult, Sequence[Problem]]]:
    """RowResults, whoever's they are, each with what checking found in the row."""
    problems = ((row, found) for row, found in checked.problems_by_row() if row is not None)
    row, found = next(problems, (0, []))
    for verdict in verdicts:
        while row and row < verdict.row:
            row, found = next(problems, (0, []))
        yield verdict, found if row == verdict.row else ()


def note(verdict: RowResult, problems: Iterable[Problem], columns: dict[str, int]) -> Note:
    """What is written beside one row, and its guilty cells.

    Args:
        verdict: The row's.
        problems: What checking found in the row, warnings too.
        columns: Key → 0-based index of the sheet's columns.
    """
    problems = list(problems)
    said = {message.code for message in verdict.messages}
    warnings = [
        one for one in problems if one.severity is Severity.WARNING and one.code not in said
    ]
    texts = list(_said(to_read(verdict, is_confirmation), columns))
    texts += [f"warning: {told(warning)}" for warning in warnings]
    codes = [message.code for message in verdict.messages if message.code]
    codes += [warning.code for warning in warnings]
    guilty: dict[int, Severity] = {}
    is_invalid = verdict.status is Status.INVALID  # else a later run has sent it corrected
    for problem in sorted(problems, key=lambda one: one.severity is Severity.ERROR):
        if problem.column:
            severity = problem.severity if is_invalid else Severity.WARNING
            guilty[index_of(problem.column)] = severity
    if verdict.status in REFUSED:
        for code in codes:
            index = columns.get(field_of(code) or "")
            if index is not None:
                guilty[index] = Severity.ERROR
    for message in verdict.messages:
        index = _column_of(message.field, columns) if message.field else None
        if index is not None and guilty.get(index) is not Severity.ERROR:
            guilty[index] = _severity(verdict.status, message)
    return Note(
        verdict.row,
        verdict.status.value,
        "; ".join(dict.fromkeys(texts)),
        ", ".join(dict.fromkeys(codes)),
        tuple((index, severity.value) for index, severity in sorted(guilty.items())),
    )


def _said(messages: Iterable[Message], columns: dict[str, int]) -> Iterator[str]:
    """What is said, each once, behind the names of all fields that it is said of."""
    fields: dict[str, list[str]] = {}
    for message in messages:
        if message.text:
            named = fields.setdefault(message.text, [])
            named += [_place(message.field, columns)] if message.field else []
    for text, named in fields.items():
        yield f"{', '.join(dict.fromkeys(named))}: {text}" if named else text


def _place(field: str, columns: dict[str, int]) -> str:
    """A field behind the letter of its column; a sheet may have none for it."""
    index = _column_of(field, columns)
    return field if index is None else f"{letters(index)} {field}"


def _column_of(field: str, columns: dict[str, int]) -> int | None:
    """The column of a field; of one that has several (`sellerPictureUrls_1`) the first."""
    if field in columns:
        return columns[field]
    several = (f"{field}_", f"{field}.", f"{field}[")
    return min((at for key, at in columns.items() if key.startswith(several)), default=None)


def _severity(status: Status, message: Message) -> Severity:
    """What an answer says against a cell: nothing that did not refuse the row is an error."""
    return message.severity if status in REFUSED else Severity.WARNING
