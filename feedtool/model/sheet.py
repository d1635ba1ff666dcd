"""A checked sheet."""

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush, merge
from itertools import groupby
from typing import Any, NamedTuple

from msgspec import Struct, field

from feedtool.model.cells import STAMP_LANGUAGE, Header
from feedtool.model.disk_list import Spool
from feedtool.model.errors import FileProblem
from feedtool.model.file_version import Version
from feedtool.model.nouns import Counts, Issue, Item, Problem, RowResult, Severity
from feedtool.model.text import LANGUAGES, Language, Translator, tr

VALID, INVALID, SKIPPED = 1, 2, 3


class RefusedRow(NamedTuple):
    """A row that cannot be sent, with its reference if any."""

    row: int
    reference: str | None
    product: str = ""
    """Its further identity, as in `Item.product`, as far as it could be read."""
    channel: str = ""
    """Its salesChannelId; empty for a product."""


class Filled(NamedTuple):
    """The values of a row, valid or not."""

    row: int
    line: int | None
    """The line of a CSV or an Offers.xml where it starts."""
    kind: str
    """The kind of feed: the sheet's, or the one of the row's `action`."""
    packed: bytes

    def values(self) -> dict[str, Any]:
        """Values by the column's key, without blanks: a parsed value, or the text as shown."""
        values: dict[str, Any] = pickle.loads(self.packed)  # noqa: S301  # our own spool, which no one else sees
        return values


class Withdrawal(NamedTuple):
    """A skipped row that is not for sale, and the request that takes its offer off sale."""

    row: int
    item: Item
    """Sets the stock of its offer to 0."""
    problem: Problem
    """The row's warning if that request is sent."""


BLANK_SHOWN = tr("blank")
"""Shown for a field without a value."""


class FieldSteps(NamedTuple):
    """A field of a row, and the steps to its value."""

    field: str
    value: str
    steps: Sequence[tuple[str, str]]
    """Sources and changes from the cell on, each with its value."""

    @property
    def is_filled(self) -> bool:
        return any(text != BLANK_SHOWN for text in (self.value, *(text for _, text in self.steps)))


class ExplainedRow(NamedTuple):
    """The fields of a row; a blank row has none."""

    row: int
    fields: Sequence[FieldSteps]


class ProblemSpool(Spool[Problem]):
    """Problems, and the number of warnings among them."""

    def __init__(self) -> None:
        super().__init__(Problem)
        self.warnings = 0

    def append(self, entry: Problem) -> None:
        self.append_all((entry,))

    def append_all(self, problems: Sequence[Problem]) -> None:
        """Append problems; a sheet may have hundreds of thousands."""
        self.warnings += [problem.severity for problem in problems].count(Severity.WARNING)
        # Other texts of a problem are short, or the same in a whole column.
        weight = sum([len(problem.message) + len(problem.value or "") for problem in problems])
        self.extend(problems, weight)


class RowStates:
    """The marks of rows as valid, invalid or skipped, a byte for each row number."""

    def __init__(self, marks: bytes = b"") -> None:
        self._marks = bytearray(marks)

    def __bytes__(self) -> bytes:
        return bytes(self._marks)

    def __setitem__(self, row: int, mark: int) -> None:
        if row >= len(self._marks):
            self._marks.extend(bytes(row + 1 - len(self._marks)))
        self._marks[row] = mark

    def put(self, first: int, marks: bytes) -> None:
        """Set the marks of rows from `first` on; they must not have any yet."""
        end = len(self._marks)
        self._marks.extend(bytes(max(first + len(marks) - end, 0)))
        self._marks[first : first + len(marks)] = marks

    def __getitem__(self, row: int) -> int:
        return self._marks[row]

    def __iter__(self) -> Iterator[int]:
        """The numbers of all marked rows, ascending."""
        return (row for row, mark in enumerate(self._marks) if mark)

    def count(self, mark: int) -> int:
        return self._marks.count(mark)


class CheckedRows(Struct):
    """The rows of a sheet, judged; the valid ones ready to travel."""

    marks: RowStates = field(default_factory=RowStates)
    items: Spool[Item] = field(default_factory=lambda: Spool(Item))
    """The rows that were valid by themselves; a row may still be refused for its neighbours."""
    has_items: bool = True
    """True if `items` were asked for; a check alone needs none."""
    refused: Spool[RefusedRow] = field(default_factory=lambda: Spool(RefusedRow))
    skipped: Spool[RowResult] = field(default_factory=lambda: Spool(RowResult))
    """Totals, and the header once more."""
    withdrawals: Spool[Withdrawal] = field(default_factory=lambda: Spool(Withdrawal))
    """The Updates of skipped rows that are not for sale."""
    filled: Spool[Filled] | None = None
    """The values of all rows, if these were requested."""
    problems_by_source: list[ProblemSpool] = field(default_factory=list)
    """Each in the order of rows: what reading found, then what each survey found."""
    guarded: list[tuple[int, Issue]] = field(default_factory=list)
    """The rows that guards hold until they are released, and why; an area's rules find them."""

    def withdraw(self, withdrawals: Sequence[Withdrawal]) -> None:
        """Lets skipped rows take their offers off sale; in the order of rows."""
        rows = {withdrawal.row for withdrawal in withdrawals}
        items, skipped, problems = Spool(Item), Spool(RowResult), ProblemSpool()
        updates = (withdrawal.item for withdrawal in withdrawals)
        for item in merge(self.items, updates, key=lambda item: item.row):
            items.append(item)
        for result in self.skipped:
            if result.row not in rows:
                skipped.append(result)
        problems.append_all([*dict.fromkeys(withdrawal.problem for withdrawal in withdrawals)])
        for row in rows:
            self.marks[row] = VALID
        self.items, self.skipped = items, skipped
        self.problems_by_source.append(problems)

    def forget(self) -> None:
        """Takes back all that was found in the rows, since they are read once more."""
        self.items, self.refused = Spool(Item), Spool(RefusedRow)
        self.problems_by_source, self.marks = [], RowStates()
        self.skipped, self.withdrawals = Spool(RowResult), Spool(Withdrawal)
        self.filled = self.filled and Spool(Filled)


class SelectedRows(Struct):
    """The rows of a sheet that are sent, where not all valid ones are."""

    sent: Spool[Item] | None = None
    """The items that are sent; None for all of the valid rows, as they stand there."""
    withheld: Spool[RowResult] | None = None
    held: int = 0
    """The number of withheld rows that a guard holds."""
    unchosen: int = 0
    """The number of rows that were not chosen, if some were chosen."""
    order: Sequence[tuple[str, str]] = ()
    """The channels and types of what is sent, as packages would be made of all valid rows."""

    def withhold(self, sent: Spool[Item], results: Spool[RowResult]) -> None:
        """Send only these items; add the results of the others, in the order of rows.

        A row has one result for each channel, the first one.
        """
        self.sent, before = sent, self.withheld
        if before is None:
            self.withheld = results
            return
        self.withheld = Spool(RowResult)
        row, channels = 0, set[str]()
        for result in merge(before, results, key=lambda result: result.row):
            if result.row != row:
                row, channels = result.row, set()
            if result.channel not in channels:
                channels.add(result.channel)
                self.withheld.append(result)


class CheckedSheet(Struct):
    file: str
    sheet: str | None = None
    kind: str | None = None
    header: Header | None = None
    error: FileProblem | None = None
    version: Version | None = None
    """The file's when it was read."""
    purges: bool = False
    """True if its whole offers are to replace all that the service has."""
    is_kind_certain: bool = True
    """True if rows without an `action` are of its kind."""
    kind_reason: str = ""
    """The reason why it is of its kind."""
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Key → the labels of each column that its kind knows, in LANGUAGES."""
    recipe: Mapping[str, Any] | None = None
    """What it has from a recipe, or from defaults, as JSON has it."""
    explained: ExplainedRow | None = None
    """The row that was to be explained."""
    is_cut_short: bool = False
    """True if it looks as if a part of it were missing."""
    rows: CheckedRows = field(default_factory=CheckedRows)
    selected: SelectedRows = field(default_factory=SelectedRows)

    def problems(self) -> Iterator[Problem]:
        """All of them, the sheet's own first, then by row and column."""
        return merge(*self.rows.problems_by_source, key=_place)

    def problems_by_row(self) -> Iterator[tuple[int | None, Sequence[Problem]]]:
        """The problems of each row that has any; None is the sheet itself."""
        for row, problems in groupby(self.problems(), key=lambda problem: problem.row):
            yield row, list(problems)

    @property
    def warnings(self) -> int:
        return sum(problems.warnings for problems in self.rows.problems_by_source)

    def counts(self) -> Counts:
        valid, invalid = self.rows.marks.count(VALID), self.rows.marks.count(INVALID)
        skipped = self.rows.marks.count(SKIPPED)
        return Counts(valid + invalid + skipped, valid, invalid, skipped, self.warnings)

    @property
    def size(self) -> int:
        """The number of its rows, but for those that are none."""
        return self.rows.marks.count(VALID) + self.rows.marks.count(INVALID)

    @property
    def language(self) -> Language | None:
        """The language of its template; None of another sheet."""
        stamped = self.header.stamp.get(STAMP_LANGUAGE) if self.header else None
        return next((language for language in LANGUAGES if language == stamped), None)

    def translator(self, say: Translator, names: Mapping[str, str] | None = None) -> Translator:
        """A translator that calls fields and choices as the sheet does."""
        own = None if say.language == "en" else say.language
        return say.for_sheet(names or self.names(say.language), self.language or own)

    def names(self, language: Language) -> dict[str, str]:
        """Key → its header in the sheet; of a column that is not there the label in a language."""
        at = LANGUAGES.index(language)
        labels = {key: labels[at] for key, labels in self.labels.items()}
        return labels | (self.header.names() if self.header else {})

    def not_sent(self) -> Iterator[RowResult]:
        """The results of the rows that are skipped, unchanged or held, in the order of rows."""
        withheld = self.selected.withheld or ()
        return merge(self.rows.skipped, withheld, key=lambda verdict: verdict.row)

    def valid_items(self) -> Iterator[Item]:
        """The items of the rows that nothing speaks against, in the order of rows."""
        if self.selected.sent is not None:
            return iter(self.selected.sent)
        marks = self.rows.marks
        return (item for item in self.rows.items if marks[item.row] == VALID)

    def is_clean(self) -> bool:
        return self.error is None and not self.rows.marks.count(INVALID)


def rows_of(items: Iterable[Item]) -> Iterator[tuple[int, Item]]:
    """Each row of each request, in the order of rows."""
    later: list[tuple[int, int, Item]] = []
    for order, item in enumerate(items):
        while later and later[0][0] <= item.row:
            row, _, earlier = heappop(later)
            yield row, earlier
        yield item.row, item
        for row in item.further_rows:
            heappush(later, (row, order, item))
    yield from ((row, item) for row, _, item in sorted(later))


def _place(problem: Problem) -> tuple[int, int, str]:
    column = problem.column or ""
    return (problem.row or 0, len(column), column)
