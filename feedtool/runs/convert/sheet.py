"""The rows of a sheet, converted into another sheet or into requests, and what that loses."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from feedtool.check import ReadOptions
from feedtool.check.rules import NOT_A_ROW, TOO_MANY_COLUMNS
from feedtool.feeds.area import Areas, RowConverter, loss_of
from feedtool.feeds.columns.choice import Condition
from feedtool.feeds.feed import ACTION
from feedtool.feeds.template import LANGUAGES, Basis
from feedtool.model.nouns import Loss, Problem, Severity
from feedtool.model.sheet import INVALID, VALID, CheckedSheet, Filled
from feedtool.report.output_files import Conversion, ConvertedSheet
from feedtool.runs.convert.forms import CSV, ConversionOptions, kind_for
from feedtool.runs.convert.request_maker import request_maker
from feedtool.runs.row_buffer import RowBuffer
from feedtool.templates.contents import contents_of
from feedtool.templates.rows import SheetRows, unfolded, write


class SheetConversion:
    """The conversion of one sheet."""

    def __init__(
        self, checked: CheckedSheet, reading: ReadOptions, options: ConversionOptions, areas: Areas
    ) -> None:
        self.checked, self._reading, self._options, self._areas = checked, reading, options, areas
        self.kind = str(checked.kind)
        self.became = kind_for(options.form, self.kind, options.to, areas)
        """The kind of feed that its rows become."""
        self.converted = ConvertedSheet(self.kind, checked.sheet, self.became)
        self.feed, self._family = areas.feeds[self.became], areas.family(areas.feeds[self.kind])
        self._losing = {TOO_MANY_COLUMNS.name, *areas.feeds[self.kind].losing}
        self._converter = cache(
            lambda kind, became: areas.conversions[kind, became].converter(reading.dialect)
        )

    def lose_of_file(self, losses: Iterable[Loss]) -> None:
        """Note what is lost before any row is looked at, and the columns that are not known."""
        header, gone = self.checked.header, self._areas.feeds[self.kind].gone
        unknown = [header.texts[index] for index, _ in header.unknown] if header else []
        for loss in losses:
            self.converted.losses.append(loss)
        for text in unknown:
            is_gone = text.strip().casefold() in gone
            why = "nothing stands for it any more" if is_gone else "no column is known for it"
            self.converted.losses.append(Loss(None, None, text, None, why))

    def write_rows(self, conversion: Conversion) -> None:
        """Write the rows as a workbook or a CSV."""
        options, feed = self._options, self.feed
        convert = self._converter(self.kind, self.became)
        is_csv = options.form.ending == CSV
        labels = {} if is_csv else self._labels()
        action = feed.action if is_csv and feed.needs_asking else ""
        categories: dict[str, None] = {}
        refused = 0
        with RowBuffer() as rows:
            for filled, problems in self._rows(VALID, INVALID):
                values, losses, _ = convert(filled.values())
                self._lose(filled, losses, problems)
                refused += any(problem.severity is Severity.ERROR for problem in problems)
                if action:
                    values[ACTION] = action
                for key in labels.keys() & values.keys():
                    values[key] = labels[key].get(str(values[key]), values[key])
                if feed.category_key:
                    categories[str(values.get(feed.category_key, ""))] = None
                rows.put(str(filled.row), values)
            self.converted.rows = len(rows)
            if not len(rows):
                return
            keys, known = frozenset(rows.columns), [code for code in categories if code]
            contents = contents_of(
                feed, Basis(options.language, self._reading.context, known, keys)
            )
            self._lose_columns(keys.difference(field.key for field in contents.fields), convert)
            sheet = SheetRows(unfolded(contents, rows.columns), rows)
            write(options.target, [sheet], self._reading.dialect.reading)
        if refused:
            text = f"{refused:,} of the rows cannot be sent: their cells stand as they were"
            conversion.notes.append((text, f"see `feedtool validate {options.target}`"))
        if is_csv and feed.needs_asking and not action:
            text = "a CSV does not say of itself what it is"
            conversion.notes.append((text, f"read it with --as {self.became}"))

    def valid_sheet(self) -> CheckedSheet:
        """A sheet of the requests of the rows that can be sent, and of nothing else."""
        checked, reading = self.checked, self._reading
        sheet = CheckedSheet(checked.file, checked.sheet, self.became, checked.header)
        is_same = self.became == self.kind
        make = request_maker(self.feed, reading.channel, reading.dialect, self._areas)
        for filled, problems in self._rows(VALID):
            into = filled.kind if is_same else self.became
            values, losses, obstacles = self._converter(filled.kind, into)(filled.values())
            item = None
            if not (is_same or obstacles):
                item, obstacles = make(filled.row, values)
                losses = [*losses, *obstacles]
            if is_same or item:
                conversion = self._areas.conversions[filled.kind, into]
                losses = [*losses, *conversion.lost_in_requests(values, reading.dialect)]
            losses = [_left_out(loss) if loss in obstacles else loss for loss in losses]
            self._lose(filled, losses, problems)
            if item:
                sheet.items.append(item)
            self.converted.skipped += not (is_same or item)
        for item in checked.valid_items() if is_same else ():
            sheet.items.append(item)
        for item in sheet.items:
            for row in (item.row, *item.further_rows):
                sheet.marks[row] = VALID
        self.converted.rows = sheet.marks.count(VALID)
        return sheet

    def _rows(self, *marks: int) -> Iterator[tuple[Filled, Sequence[Problem]]]:
        """The rows with one of these marks, and their problems; the others are left out."""
        for filled, problems in _with_problems(self.checked):
            if self.checked.marks[filled.row] not in marks:
                reasons = [
                    _left_out(_loss(problem))
                    for problem in problems
                    if problem.severity is Severity.ERROR or problem.code == NOT_A_ROW.name
                ]
                self._lose(filled, reasons)
                self.converted.skipped += 1
            elif (filled.kind, self.became) in self._areas.conversions or (
                filled.kind in self._family and self.became == self.kind
            ):
                yield filled, problems
            else:
                why = f"a row of {filled.kind} cannot become {self.became} without another meaning"
                self._lose(filled, [loss_of(ACTION, filled.kind, why)])
                self.converted.skipped += 1

    def _lose(
        self, filled: Filled, losses: Iterable[Loss], problems: Iterable[Problem] = ()
    ) -> None:
        """Note what is lost of a row, and the warnings that something is."""
        warned = [_loss(problem) for problem in problems if problem.code in self._losing]
        for loss in (*losses, *warned):
            self.converted.losses.append(loss._replace(row=filled.row, line=filled.line))

    def _lose_columns(self, keys: frozenset[str], convert: RowConverter) -> None:
        """Note the values for which the columns of the file have no place."""
        why = "none of the rows' categories has such a property"
        for filled in (self.checked.filled or ()) if keys else ():
            if (filled.kind, self.became) in self._areas.conversions:
                values = convert(filled.values()).values
                self._lose(
                    filled, [loss_of(key, values[key], why) for key in values if key in keys]
                )

    def _labels(self) -> Mapping[str, Mapping[str, str]]:
        """Conditions as a workbook's dropdown offers them, by the keys of the feed's columns."""
        settings, language = self._reading.dialect, LANGUAGES.index(self._options.language)
        labels: dict[str, str] = {}
        for feed in self._areas.feeds.values():
            for column in feed.columns(settings):
                if isinstance(column.type, Condition):
                    labels |= {name: texts[language] for name, texts in column.type.values.items()}
        columns = self.feed.columns(settings)
        return {column.key: labels for column in columns if isinstance(column.type, Condition)}


def _loss(problem: Problem) -> Loss:
    return Loss(problem.row, problem.line, problem.field, problem.value, problem.message)


def _left_out(loss: Loss) -> Loss:
    return loss._replace(message=f"left out: {loss.message}")


def _with_problems(checked: CheckedSheet) -> Iterator[tuple[Filled, Sequence[Problem]]]:
    """Each row with its problems."""
    problems_by_row = checked.problems_by_row()
    row = 0
    problems: Sequence[Problem] = ()
    for filled in checked.filled or ():
        while row < filled.row:
            number, problems = next(problems_by_row, (sys.maxsize, []))
            row = number or 0  # of the sheet itself
        yield filled, problems if row == filled.row else ()
