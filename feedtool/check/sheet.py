"""Read one sheet: its cells become values, its rows become requests or problems."""

import pickle
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from operator import itemgetter

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.check import rules, two_processes
from feedtool.check.feed_checks import FeedChecks, Shape, shapes
from feedtool.check.kinds import sheet_columns
from feedtool.check.problems import InCell, Locator, MergedCells, line_of
from feedtool.check.read_options import ReadOptions
from feedtool.check.recipe_selection import Chosen
from feedtool.check.recipes.recipe import (
    NOT_FOR_SALE,
    SKIP,
    WARN,
    channel_split,
    key_on,
    of_channel,
)
from feedtool.check.recipes.sheet import RecipeSheet, Ruled
from feedtool.check.requests import RowGroups, faults, item_of, product_of
from feedtool.check.rules import (
    RECIPE_FAILED,
    RECIPE_WARNING,
    BeyondHeader,
    encoding_doubtful,
    required_missing,
    rules_for,
)
from feedtool.check.sale_marks import About, SaleMark, about_of
from feedtool.check.summary_rows import SummaryRows
from feedtool.feeds.area import Areas
from feedtool.feeds.columns import ColumnReader, InvalidValue, is_error
from feedtool.feeds.columns.choice import Ignored
from feedtool.feeds.columns.text import plain
from feedtool.feeds.feed import ACTION, CHANNEL, NOTHING_REFUSED, Row, SheetColumns
from feedtool.feeds.rule import Rule, SheetFacts, Survey
from feedtool.model.cells import Block, Cells, Header, Kind, brief, letters, rounded, shown
from feedtool.model.files import STAMP
from feedtool.model.nouns import Issue, Message, RowResult, Severity, Status
from feedtool.model.settings import Context
from feedtool.model.sheet import (
    INVALID,
    SKIPPED,
    VALID,
    CheckedSheet,
    Filled,
    ProblemSpool,
    RefusedRow,
    Withdrawal,
)
from feedtool.model.text import FieldName, tr

# The faults of a row's cells, while its sheet is read.


class RowFaults(Struct):
    """The issues of the cells of one row."""

    faults: list[InCell] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)


NO_FAULTS = RowFaults()
CHECK_HINT = tr("the row is sent all the same: look whether that is meant")


def take_out_flaws(
    values: list[object | None],
    index: int,
    key: str,
    flawed: dict[int, RowFaults],
    made: RecipeSheet | None,
) -> None:
    """Replace flawed values in a column by plain ones, and note their faults by position."""
    if InvalidValue not in map(type, values):  # takes a tenth of the loop's time
        return
    for position, value in enumerate(values):
        if isinstance(value, InvalidValue):
            values[position] = value.value
            flaw = made.with_origin(index, key, position, value) if made else value
            row = flawed.setdefault(position, RowFaults())
            row.faults += [(index, fault, flaw.shown) for fault in flaw.faults]
            if value.is_refused:
                row.refused.add(key)


def with_rules(flaws: RowFaults, ruled: Iterable[Ruled], source: Callable[[int], str]) -> RowFaults:
    """Return the faults of a row with the warnings of a recipe, and with failed rules.

    `source` returns the text of the cell that a rule reads.
    """
    result = RowFaults([*flaws.faults], {*flaws.refused})
    for _, index, reason in ruled:
        if isinstance(reason, InvalidValue):
            result.faults += [(index, fault, "") for fault in reason.faults]
            result.refused.add(SKIP)
        else:
            result.faults.append((index, Issue(RECIPE_WARNING, reason, CHECK_HINT), source(index)))
    return result


def reported_once(
    in_cells: Iterable[InCell], unsent: Collection[int], header: Header, tolerated: Collection[str]
) -> list[InCell]:
    """Return the faults of a row to report: none in a column that is not sent, each failure once.

    A failure occurs several times if several fields are computed from its cell. A condition for
    skipping the row that fails by such a cell adds nothing.
    """
    reported: list[InCell] = []
    failed: set[tuple[int, ...]] = set()
    for index, fault, text in in_cells:
        if index in unsent:
            continue
        if fault.code is RECIPE_FAILED:
            origin = header.origins.get(index, (index,))[:1]
            is_rule = index not in header.columns
            is_reported = any(_is_same(other, fault) for _, other, _ in reported)
            if is_reported or (is_rule and origin in failed):
                continue
            failed.add(origin)
        is_tolerated = fault.code.name in tolerated
        code = replace(fault.code, severity=Severity.WARNING) if is_tolerated else fault.code
        reported.append((index, fault._replace(code=code), text))
    return sorted(reported, key=itemgetter(0))


def _is_same(fault: Issue, other: Issue) -> bool:
    """Return True for the same failure, even if only one message names its place in a join."""
    messages = sorted((fault.message, other.message), key=len)
    return fault.code is other.code and messages[1].startswith(messages[0])


# The values of a row, stored for writing them in another form.


def filled(
    cells: Cells, position: int, row: Row, header: Header, locator: Locator, *, is_by_channel: bool
) -> Filled:
    """Return the values of a row; for a cell without a valid value, its text.

    With `is_by_channel` only the values for the row's channel, which may have its own columns.
    """
    contents: dict[str, object] = {}
    if is_by_channel and (code := row.values.get(CHANNEL)):
        contents[CHANNEL] = code
    for index, column in header.columns.items():
        key = key_on(column.key, row.channel) if is_by_channel else column.key
        if key is None or (key == column.key and locator.has_own(key, row.channel)):
            continue
        value = row.values.get(key)
        if value is None or not isinstance(value, str | int | Decimal):
            is_read = value is None and key not in row.refused
            if is_read and not isinstance(column.type, Ignored):
                continue
            cell = cells.at(position, index)
            is_number = cell.kind is Kind.NUMBER and not (cell.percent or cell.zeros)
            value = rounded(cell.text) if is_number else plain(shown(cell))
        if value != "":
            contents[key] = value
    return Filled(row.number, line_of(cells, position), row.feed.kind, pickle.dumps(contents))


BEYOND = "beyond"
"""The field of a cell beyond the last header."""
NOTHING_ASKED = Message("", tr("nothing is asked of the row"))


class SheetReader:
    """Read the rows of one sheet into a CheckedSheet, the `number`-th of the command."""

    def __init__(
        self,
        chosen: Chosen,
        checked: CheckedSheet,
        options: ReadOptions,
        context: Context,
        areas: Areas,
        surveys: Sequence[tuple[Rule, Survey]],
        number: int,
    ) -> None:
        if checked.header is None:
            raise ValueError("a sheet is read once its header is known")
        self.sheet, self.checked, self.feed = chosen.sheet, checked, chosen.feed
        self.rows = checked.rows
        self._made = chosen.made
        self._recipe = str(chosen.recipe.path or "") if chosen.recipe else ""
        self.header, feed = checked.header, chosen.feed
        self.options, self.context, self.number = options, context, number
        self.areas, self.surveys = areas, surveys
        is_template = feed.template.contents is None and STAMP in self.header.stamp
        self._example_row = self.header.after + 1 if is_template else None
        self._summaries = SummaryRows(chosen.sheet, self.header, feed.requests.reference, context)
        self.columns: SheetColumns = sheet_columns(self.header, feed.sheet, context)
        understood = feed.sheet.understood(context.settings)
        checked.labels = {column.key: column.labels for column in understood}
        self.once: dict[str, Issue] = {}
        """The issues that the sheet has once, by their codes."""
        self._channel = options.channel if feed.sheet.has_channel else ""
        self._family = areas.family(feed)
        shared = (column.key for column in understood if column.is_shared)
        self._stock_key = next(shared, "")
        by_action = ((other.recognition.action, other) for other in self._family.values())
        self._by_action = {action: other for action, other in by_action if action}
        stock_feeds = (
            other
            for other in self._by_action.values()
            if self._stock_key in other.requests.changeable(self.columns)
        )
        self._stock_feed = next(stock_feeds, None)
        """The kind whose rows may change only a stock."""
        self._by_channel = channel_split(self.header)
        self._split = self._by_channel or feed.requests.split
        self._enrich = feed.requests.enrich(self.columns) if feed.requests.enrich else None
        self._checks: dict[str, FeedChecks] = {}
        texts = self.header.texts
        self._sale_marks = [
            (index, texts[index], about)
            for index in (*(index for index, _ in self.header.unknown), *self.header.in_expressions)
            if feed.is_for_sale and (about := about_of(texts[index]))
        ]
        """The user's columns that mark rows as not for sale."""
        self._choose_surveys()

    @property
    def is_row_by_row(self) -> bool:
        """True if each row is checked alone, except by surveys."""
        return self.groups is None and self._enrich is None and self.options.see is None

    def replace_surveys(self) -> None:
        """Replace the surveys, which also know other files, by new ones for the rows to come."""
        self.surveys = [(rule, rule.survey()) for rule, _ in self.surveys if rule.survey]
        self._choose_surveys()

    def _choose_surveys(self) -> None:
        self.own_surveys = [
            survey for rule, survey in self.surveys if any(map(rule.is_about, self._family))
        ]
        for checks in self._checks.values():
            checks.choose(self.surveys)

    def read(self) -> None:
        """Read all rows; again if the decimal separators of columns became known meanwhile.

        Only an ambiguous cell makes a second reading necessary, and only other cells of its column
        that all agree determine its meaning; if they disagree, the message names two of them.
        """
        seen = [len(survey) for survey in self.own_surveys]
        self._read_rows({})
        evidence = {
            self.header.columns[index].key: reader.evidence
            for index, reader in self.columns_read.items()
            if reader.is_ambiguous and reader.evidence
        }
        is_settled = self._made is not None and self._made.settle()
        if evidence or is_settled:
            self._rewind(seen)
            self._read_rows(evidence)
        self._check_sheet()

    def _read_rows(self, evidence: Mapping[str, Mapping[str, str]]) -> None:
        """Read once; `evidence` is from a first reading, for columns with ambiguous cells."""
        self._begin(evidence)
        if two_processes.is_worthwhile(self):
            seen = [len(survey) for survey in self.own_surveys]
            try:
                two_processes.read_by_two(self)
            except two_processes.ProcessEnded:  # one process takes longer, but less memory
                self._rewind(seen)
                self._begin(evidence)
            else:
                return
        blocks = self.sheet.blocks(self.header.after)
        for block in self.options.shown(blocks, self.checked, self.number):
            self.locator.note_lines(block)
            self.read_block(block)

    def _begin(self, evidence: Mapping[str, Mapping[str, str]]) -> None:
        self.rows.forget()
        self.problems = ProblemSpool()
        self.once.clear()
        self.hidden = 0
        self._checks = {
            kind: FeedChecks(feed, self.header, self.areas, self.surveys, self.once)
            for kind, feed in self._family.items()
        }
        is_grouped = any(feed.requests.group_by for feed in self._family.values())
        is_plain = not self._split and not is_grouped
        self.groups = None if is_plain else RowGroups(self._family, self.columns)
        self.locator = Locator(self.header)
        self.columns_read: dict[int, ColumnReader] = {}
        for index, column in sorted(self.header.columns.items()):
            of_column = evidence.get(column.key, {})
            # The decimal separator is known if all evidence agrees.
            decimal = next(iter(of_column)) if len(of_column) == 1 else None
            reader = ColumnReader(column.type, self.context, decimal, of_column)
            self.columns_read[index] = reader
        self._keys = [self.header.columns[index].key for index in self.columns_read]
        self._beyond = ColumnReader(BeyondHeader(), self.context)
        has_action = ACTION in self.checked.labels
        self._marks = {}
        for index, text, about in self._sale_marks:
            # A recipe that reads the column may know words that nobody else understands.
            unclear = {} if index in self.header.in_expressions else self.once
            name, recipe = letters(index), self._recipe
            mark = SaleMark(about, text, name, recipe, unclear, has_action=has_action)
            self._marks[index] = ColumnReader(mark, self.context)

    def _rewind(self, seen: Sequence[int]) -> None:
        for survey, length in zip(self.own_surveys, seen, strict=True):
            survey.rewind(length)

    def read_block(self, block: Block) -> None:
        """Read and check the rows of a block; blocks come in the order of the sheet."""
        table, flawed = self._columns(block)
        cells = Cells(block)
        blank = (None,) * len(self._keys)
        by_row = zip(shapes(table, len(block.rows)), zip(*table, strict=True), strict=True)
        for position, (shape, row_values) in enumerate(by_row):
            flaws = flawed.get(position, NO_FAULTS)
            if row_values == blank and not flaws.refused - {BEYOND}:
                continue
            row = dict(zip(self._keys, row_values, strict=True))
            if block.ruled and (ruled := block.ruled.get(block.rows[position])):
                table, index, reason = ruled[0]
                if table != WARN and isinstance(reason, str):
                    self._skip(cells, position, row, Message("", reason))
                    if table == NOT_FOR_SALE:
                        left_out = self._row(block.rows[position], row, flaws)
                        self._note_withdrawal(cells, position, left_out, index, reason)
                    continue
                flaws = with_rules(flaws, ruled, partial(self._source, cells, position))
            if not (self._summaries.may_be(row) and self._skips(cells, position, row)):
                self._read_row(cells, position, row, flaws, shape)

    def _source(self, cells: Cells, position: int, index: int) -> str:
        """Return the text of the cell that a recipe's rule reads."""
        origins = self.header.origins.get(index)
        return shown(cells.at(position, origins[0])) if origins else ""

    def _note_withdrawal(
        self, cells: Cells, position: int, row: Row, index: int, reason: str
    ) -> None:
        """Note the Updates that set the stock of a row to 0 if its offer is on sale."""
        feed, stock = self._stock_feed, self._stock_key
        if feed is None or not self.rows.has_items:
            return
        requests = feed.requests
        if not row.values.get(requests.reference):
            return
        text = tr(
            "{reason}: its offer was accepted before, so its quantity is set to 0", reason=reason
        )
        issue = Issue(rules.NOT_FOR_SALE, text, tr("nothing needs to be done"))
        place = (index, issue, self._source(cells, position, index))
        (problem,) = self.locator.in_row(cells, position, (place,), ())
        for part in self._by_channel(row) if self._by_channel else (row,):
            values = {requests.reference: row.values[requests.reference], stock: 0}
            update = part._replace(feed=feed, values=values, refused=NOTHING_REFUSED)
            item = item_of(update, requests.make(update), purges=False)
            self.rows.withdrawals.append(Withdrawal(item.row, item, problem))

    def _columns(self, block: Block) -> tuple[list[list[object | None]], dict[int, RowFaults]]:
        """Return the values of each column of a block, and the faults of rows by position."""
        nothing: list[object | None] = [None] * len(block.rows)
        table: list[list[object | None]] = []
        flawed: dict[int, RowFaults] = {}
        for key, (index, reader) in zip(self._keys, self.columns_read.items(), strict=True):
            values = nothing
            if index < block.width:
                values = reader.read(block.column(index), block.decode)
                if reader.is_flawed:
                    take_out_flaws(values, index, key, flawed, self._made)
            table.append(values)
        for index, marks in self._marks.items():
            if index < block.width:
                values = marks.read(block.column(index), block.decode)
                if marks.is_flawed:
                    take_out_flaws(values, index, letters(index), flawed, self._made)
        # In an annotated copy, cells beyond the last header are before the columns of feedtool.
        last = max(self.header.texts.keys() - self.header.own)
        for index in sorted(set(block.used(last + 1)) - self.header.own):
            values = self._beyond.read(block.column(index), block.decode)
            if self._beyond.is_flawed:
                take_out_flaws(values, index, BEYOND, flawed, self._made)
        return table, flawed

    def _read_row(
        self, cells: Cells, position: int, values: dict[str, object], flaws: RowFaults, shape: Shape
    ) -> None:
        if self._marks and flaws.refused:
            flaws = self._without_marks(flaws, values)
        row = self._row(cells.block.rows[position], values, flaws)
        number, checks = row.number, self._checks[row.feed.kind]
        if number in cells.block.hidden:
            self.hidden += 1
        if self.rows.filled is not None:
            self.rows.filled.append_all([*self._filled(row, cells, position)])
        row, enriched = self._enrich(row) if self._enrich else (row, ())
        if self.sheet.doubts:
            enriched = (*enriched, *encoding_doubtful(row, self.sheet.doubts))
        if number == self._example_row:
            enriched = (*enriched, *self._summaries.left_of_example(cells, position))
        parts = self._split(row) if self._split else (row,)
        if not parts:
            self._skip(cells, position, values, NOTHING_ASKED)
            self._survey(row, checks)
            return
        in_cells = flaws.faults and reported_once(
            flaws.faults, checks.unsent, self.header, row.feed.tolerated
        )
        is_flawed = bool(in_cells) and is_error(map(itemgetter(1), in_cells))
        if self.groups is None:
            is_whole = not (row.refused or self._enrich)
            issues = [*enriched, *self._faults(row, checks, shape if is_whole else None)]
            is_flawed = is_flawed or (bool(issues) and is_error(issues))
            is_valid = not is_flawed and self._accept(row, checks, issues)
            self._survey(row, checks)
        else:
            issues = self._add_parts(parts, enriched, self.groups)
            is_valid = not is_flawed and not is_error(issues)
        self.rows.marks[number] = VALID if is_valid else INVALID
        if not is_valid:
            reference = self._shown_reference(cells, position, values)
            self.rows.refused.append(RefusedRow(number, reference, product_of(row), row.channel))
        if in_cells or issues:
            self.problems.append_all(self.locator.in_row(cells, position, in_cells, issues))

    def _filled(self, row: Row, cells: Cells, position: int) -> Iterator[Filled]:
        is_by_channel = self._by_channel is not None
        for part in self._by_channel(row) if self._by_channel else (row,):
            place = (self.header, self.locator)
            yield filled(cells, position, part, *place, is_by_channel=is_by_channel)

    def _without_marks(self, flaws: RowFaults, values: Mapping[str, object]) -> RowFaults:
        """Return the faults of a row without marks that do not matter.

        A row with an action does not need a mark; a row without stock is not on sale anyway, unless
        the mark deletes it.
        """
        is_unsold = values.get(self._stock_key) == 0
        needless = {
            index
            for index, _, about in self._sale_marks
            if values.get(ACTION) or (is_unsold and about is not About.ACTION)
        }
        return RowFaults(
            [fault for fault in flaws.faults if fault[0] not in needless],
            flaws.refused.difference(map(letters, needless)),
        )

    def _row(self, number: int, values: dict[str, object], flaws: RowFaults) -> Row:
        feed, action, channel = self.feed, values.get(ACTION), self._channel
        if isinstance(action, str):
            feed = self._by_action[action]
        if self.feed.sheet.has_channel and (code := values.get(CHANNEL)):
            channel = str(code)
        refused = frozenset(flaws.refused) if flaws.refused else NOTHING_REFUSED
        return Row(number, feed, channel, values, refused, self.columns)

    def _accept(self, row: Row, checks: FeedChecks, issues: list[Issue]) -> bool:
        """Make the request of a row; if its schema refuses it, add the issues and return False."""
        request = row.feed.requests.make(row)
        if not checks.is_right(request):
            issues += faults(row.feed, request)
            return False
        if self.rows.has_items:
            self.rows.items.append(item_of(row, request, purges=self.checked.purges))
        return True

    def _add_parts(
        self, parts: Sequence[Row], enriched: Iterable[Issue], groups: RowGroups
    ) -> list[Issue]:
        """Add a row to its requests, which are made at the end; return the row's issues."""
        issues = dict.fromkeys(enriched)
        for index, part in enumerate(parts):
            checks = self._checks[part.feed.kind]
            of_part = self._faults(part, checks, None)
            issues.update(dict.fromkeys(self._in_channel(issue, part) for issue in of_part))
            groups.add(part, index)
            self._survey(part, checks)
        return list(issues)

    def _survey(self, row: Row, checks: FeedChecks) -> None:
        for survey in checks.surveys:
            survey.see(self.number, row)

    def _in_channel(self, issue: Issue, part: Row) -> Issue:
        """Return an issue at the column for the row's channel, if there is one."""
        if issue.field is None or not self.locator.has_own(issue.field, part.channel):
            return issue
        return issue._replace(field=of_channel(issue.field, part.channel))

    def _skips(self, cells: Cells, position: int, values: dict[str, object]) -> bool:
        """Return True if a row is a total or a header, after noting it as skipped."""
        number = cells.block.rows[position]
        fault = None if number in self.options.as_rows else self._summaries.fault(cells, position)
        if fault is None:
            return False
        text = tr("{text} ({hint})", text=fault.message, hint=fault.hint)
        self._skip(cells, position, values, Message(fault.code.name, text))
        self.problems.append_all(self.locator.in_row(cells, position, (), [fault]))
        return True

    def _skip(
        self, cells: Cells, position: int, values: dict[str, object], message: Message
    ) -> None:
        """Note a row as skipped, with the reason."""
        number = cells.block.rows[position]
        self.rows.marks[number] = SKIPPED
        reference = self._shown_reference(cells, position, values) or ""
        self.rows.skipped.append(RowResult(number, reference, Status.SKIPPED, (message,)))
        if self.rows.filled is not None:
            line = line_of(cells, position)
            self.rows.filled.append(Filled(number, line, self.feed.kind, pickle.dumps({})))

    def _shown_reference(
        self, cells: Cells, position: int, values: dict[str, object]
    ) -> str | None:
        """Return the reference of an unsent row; the text of its cell if it was refused."""
        reference = self.feed.requests.reference
        index = self.locator.index_of(reference)
        if index is None:
            return None
        value = values[reference]
        return brief(str(value) if value else shown(cells.at(position, index))) or None

    def _faults(self, row: Row, checks: FeedChecks, shape: Shape | None) -> list[Issue]:
        issues = checks.faults(row, shape)
        if not self.checked.is_kind_certain and row.is_blank(ACTION):
            issues.insert(0, required_missing(FieldName(ACTION), ACTION))
        return issues

    def _check_sheet(self) -> None:
        """Add the issues of the sheet before the issues of rows."""
        merged = MergedCells(self.sheet.merged, self.header)
        if self.sheet.merged:
            problems, self.problems = self.problems, ProblemSpool()
            for problem in problems:
                self.problems.append(merged.named(problem))
        texts = self.header.texts
        unknown = [(letters(index), texts[index], near) for index, near in self.header.unknown]
        elsewhere = self.areas.kinds_of(self.columns.unknown, self.context.settings)
        read = (self.hidden, elsewhere, self.sheet.notices, self._recipe)
        lost = merged.in_valid_rows(bytes(self.rows.marks), self.feed.requests.is_sent)
        facts = SheetFacts(self.columns, unknown, *read, merged=lost)
        issues = [
            fault
            for rule in rules_for(self.areas, self.feed.kind)
            if rule.check_sheet
            for fault in rule.check_sheet(facts)
        ]
        spool = ProblemSpool()
        spool.append_all([self.locator.of_sheet(fault) for fault in (*issues, *self.once.values())])
        self.rows.problems_by_source += [spool, self.problems]
