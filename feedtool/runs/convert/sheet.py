"""One sheet on its way: its rows are carried over, and what that costs is told."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from feedtool.check import ReadOptions
from feedtool.check.rules import NOT_A_ROW, TOO_MANY_COLUMNS
from feedtool.feeds.area import Areas
from feedtool.feeds.columns.choice import Condition
from feedtool.feeds.conversion import Carry, CarryLoss, Said, Values, shown
from feedtool.feeds.feed import ACTION, LANGUAGES, Feed
from feedtool.feeds.template import Basis, Language
from feedtool.model.nouns import Item, Problem, Severity
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import SKIPPED, VALID, CheckedSheet, Filled
from feedtool.model.spool import Spool
from feedtool.report.conversion import Conversion, ConvertedSheet, Loss
from feedtool.runs.convert.forms import CSV, Form, kind_for
from feedtool.runs.convert.write import maker
from feedtool.runs.row_buffer import RowBuffer
from feedtool.templates.contents import contents_of
from feedtool.templates.rows import SheetRows, unfolded, write


@dataclass(frozen=True, slots=True)
class ConversionOptions:
    """What is to become of a file."""

    target: Path
    form: Form
    to: str | None
    """The kind of feed that its rows are to be; None is what fits the form."""
    language: Language
    """Of a workbook's labels."""
    is_channel_given: bool
    """Whether the channel of rows that name none was asked for."""


@dataclass(slots=True)
class OpenedFile:
    """A file that was read."""

    sheets: list[CheckedSheet]
    losses: Mapping[str | None, Sequence[Loss]]
    """What is in no cell, by the sheet's name."""
    said: Said = field(default_factory=Said)
    """Of itself."""


class SheetConversion:
    """One sheet on its way."""

    def __init__(
        self, checked: CheckedSheet, asked: ReadOptions, options: ConversionOptions, areas: Areas
    ) -> None:
        self.checked, self._asked, self._options = checked, asked, options
        self._areas, self._carriers = areas, dict[tuple[str, str], Carry]()
        self.kind = str(checked.kind)
        became = kind_for(options.form, self.kind, options.to, areas)
        self.written = ConvertedSheet(self.kind, checked.sheet, became)
        self._feed, self._family = areas.feeds[became], areas.family(areas.feeds[self.kind])
        self._losing = {TOO_MANY_COLUMNS.name, *areas.feeds[self.kind].losing}

    @property
    def became(self) -> str:
        """The kind of feed that its rows become."""
        return self.written.became

    def _carry(self, kind: str, became: str) -> Carry:
        """How rows of a kind become rows of another."""
        if (kind, became) not in self._carriers:
            conversion = self._areas.conversions[kind, became]
            self._carriers[kind, became] = conversion.carrier(self._asked.dialect)
        return self._carriers[kind, became]

    def tell_of_file(self, opened: OpenedFile) -> None:
        """What is lost before any row is looked at."""
        losses = self.written.losses
        for loss in opened.losses.get(self.checked.sheet, ()):
            losses.append(loss)
        if not (self._options.form.output or self._options.is_channel_given):
            for fact in opened.said.elsewhere:
                losses.append(Loss(None, *fact))
        header, gone = self.checked.header, self._areas.feeds[self.kind].gone
        for index, _ in header.unknown if header else ():
            text = header.texts[index] if header else ""
            is_gone = text.strip().casefold() in gone
            why = "nothing stands for it any more" if is_gone else "no column is known for it"
            losses.append(Loss(None, None, text, None, why))

    def write_rows(self, found: Conversion) -> None:
        """Writes the rows as a workbook or a CSV."""
        options, feed = self._options, self._feed
        carry = self._carry(self.kind, self.became)
        is_csv = options.form.ending == CSV
        labels = {} if is_csv else _labels(feed, self._asked.dialect, options.language, self._areas)
        action = feed.action if is_csv and feed.needs_asking else ""
        codes: dict[str, None] = {}
        refused = 0
        with RowBuffer() as rows:
            for filled, problems in _with_problems(self.checked):
                if self.checked.marks[filled.row] == SKIPPED:
                    self._leave_out(filled.row, filled.line, problems)
                    continue
                if not self._fits(filled.kind, filled.row, filled.line):
                    continue
                values, lacks = carry(filled.values())
                self._lose(filled.row, filled.line, lacks)
                self._lose_warned(problems)
                refused += any(one.severity is Severity.ERROR for one in problems)
                self._finish(values, labels, action)
                if feed.category_key:
                    codes[str(values.get(feed.category_key, ""))] = None
                rows.put(str(filled.row), values)
            self.written.rows = len(rows)
            if not len(rows):
                return
            keys, known = frozenset(rows.columns), [code for code in codes if code]
            basis = Basis(options.language, self._asked.context, known, keys)
            contents = contents_of(feed, basis)
            self._lose_columns({field.key for field in contents.fields}, rows, carry)
            sheet = SheetRows(unfolded(contents, rows.columns), rows)
            write(options.target, [sheet], self._asked.dialect.reading)
        if refused:
            found.notes.append(
                (
                    f"{refused:,} of the rows cannot be sent: their cells stand as they were",
                    f"see `feedtool validate {options.target}`",
                )
            )
        if is_csv and feed.needs_asking and not action:
            found.notes.append(
                ("a CSV does not say of itself what it is", f"read it with --as {self.became}")
            )

    @staticmethod
    def _finish(values: Values, labels: Mapping[str, Mapping[str, str]], action: str) -> None:
        """Say in a row what its sheet does not, and conditions by their labels."""
        if action:
            values[ACTION] = action
        for key, names in labels.items():
            if (value := values.get(key)) in names:
                values[key] = names[str(value)]

    def items(self) -> Spool[Item]:
        """The requests of the rows that can be sent."""
        dialect, became = self._asked.dialect, self.became
        is_same = became == self.kind
        make = None if is_same else maker(self._feed, self._asked.channel, dialect, self._areas)
        ready = iter(self.checked.valid_items())
        found: Spool[Item] = Spool(Item)
        for filled, problems in _with_problems(self.checked):
            if self.checked.marks[filled.row] != VALID:
                self._leave_out(filled.row, filled.line, problems)
                continue
            item: Item | None = next(ready)
            if not (is_same or self._fits(filled.kind, filled.row, filled.line)):
                continue
            into = filled.kind if is_same else became
            values, lacks = self._carry(filled.kind, into)(filled.values())
            if make:
                is_barred = any(lack.is_needed for lack in lacks)
                item, barring = (None, []) if is_barred else make(filled.row, values)
                lacks = [_barring(lack) if lack.is_needed else lack for lack in (*lacks, *barring)]
            if item:
                conversion = self._areas.conversions[filled.kind, into]
                lacks += conversion.in_requests(values, dialect)
            self._lose(filled.row, filled.line, lacks)
            self._lose_warned(problems)
            if item:
                found.append(item)
            else:
                self.written.skipped += 1
        self.written.rows = len(found)
        return found

    def _fits(self, kind: str, row: int, line: int | None) -> bool:
        """Whether a row of this kind can go where its sheet goes; tells it, if not."""
        is_possible = (kind, self.became) in self._areas.conversions
        if is_possible or (kind in self._family and self.became == self.kind):
            return True
        why = f"a row of {kind} cannot become {self.became} without another meaning"
        self.written.losses.append(Loss(row, line, ACTION, kind, why))
        self.written.skipped += 1
        return False

    def _lose(self, row: int, line: int | None, lacks: Iterable[CarryLoss]) -> None:
        for lack in lacks:
            field, value = lack.field or None, lack.value or None
            self.written.losses.append(Loss(row, line, field, value, lack.message))

    def _lose_warned(self, problems: Iterable[Problem]) -> None:
        for one in problems:
            if one.code in self._losing:
                loss = Loss(one.row, one.line, one.field, one.value, one.message)
                self.written.losses.append(loss)

    def _leave_out(self, row: int, line: int | None, problems: Iterable[Problem]) -> None:
        """A row that cannot be sent, or is none, with every reason."""
        for one in problems:
            if one.severity is Severity.ERROR or one.code == NOT_A_ROW.name:
                loss = Loss(row, line, one.field, one.value, f"left out: {one.message}")
                self.written.losses.append(loss)
        self.written.skipped += 1

    def _lose_columns(self, known: set[str], rows: RowBuffer, carry: Carry) -> None:
        """What the columns of the file have no place for."""
        if not rows.columns.keys() - known:
            return
        for filled in self.checked.filled or ():
            if (filled.kind, self.became) in self._areas.conversions:
                values = carry(filled.values()).values
                strange = [(key, value) for key, value in values.items() if key not in known]
                why = "none of the rows' categories has such a property"
                self._lose(
                    filled.row,
                    filled.line,
                    [CarryLoss(key, shown(one), why) for key, one in strange],
                )


def _barring(lack: CarryLoss) -> CarryLoss:
    return lack._replace(message=f"left out: {lack.message}")


def _labels(
    feed: Feed, dialect: AccountSettings, language: Language, areas: Areas
) -> Mapping[str, Mapping[str, str]]:
    """Conditions as a workbook's own dropdown offers them, by the keys of the feed's columns."""
    at = LANGUAGES.index(language)
    labels: dict[str, str] = {}
    for other in areas.feeds.values():
        for column in other.columns(dialect):
            if isinstance(column.type, Condition):
                labels |= {name: texts[at] for name, texts in column.type.values.items()}
    columns = feed.columns(dialect)
    return {column.key: labels for column in columns if isinstance(column.type, Condition)}


def _with_problems(checked: CheckedSheet) -> Iterator[tuple[Filled, Sequence[Problem]]]:
    """Each row with what was said of it."""
    told = checked.problems_by_row()
    row, problems = next(told, (None, ()))
    for filled in checked.filled or ():
        while (row is not None and row < filled.row) or (row is None and problems):
            row, problems = next(told, (None, ()))
        yield filled, problems if row == filled.row else ()
