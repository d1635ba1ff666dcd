"""The rules of all sheets; their pages for users are in `problems.md`."""

from collections.abc import Iterator
from operator import attrgetter

from feedtool.check.rewritten_references import REFERENCE_REWRITTEN, RewrittenReferences
from feedtool.feeds.area import Areas
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.text import plain, refused
from feedtool.feeds.feed import Row
from feedtool.feeds.occurrences import Occurrences, RowPlace
from feedtool.feeds.rule import Problems, Rule, SheetFacts, notices
from feedtool.model.cells import Cell, shown
from feedtool.model.nouns import Issue
from feedtool.model.text import FieldName, MessageText, joined, plural, tr
from feedtool.sheets import Doubts

PROBLEMS = Problems("feedtool.check")

CSV_QUOTES = PROBLEMS.warning("csv-quotes")
DIMENSION_WRONG = PROBLEMS.warning("dimension-wrong")
ENCODING_DOUBTFUL = PROBLEMS.error("encoding-doubtful")
ENCODING_GUESSED = PROBLEMS.warning("encoding-guessed")
EXAMPLE_LEFT = PROBLEMS.error("example-left")
HEADER_DIFFERS = PROBLEMS.error("header-differs")
HIDDEN_ROWS = PROBLEMS.warning("hidden-rows")
MERGED_CELLS = PROBLEMS.warning("merged-cells")
MERGED_NAMED = 5
"""The most ranges of merged cells in a message."""
NOT_A_ROW = PROBLEMS.warning("not-a-row")
NOT_FOR_SALE = PROBLEMS.warning("not-for-sale")
RECIPE_FAILED = PROBLEMS.error("recipe-failed")
RECIPE_WARNING = PROBLEMS.warning("recipe-warning")
REQUEST_INCOMPLETE = PROBLEMS.error("request-incomplete")
REQUIRED_MISSING = PROBLEMS.error("required-missing")
SALE_MARK = PROBLEMS.error("sale-mark")
SALE_MARK_UNCLEAR = PROBLEMS.warning("sale-mark-unclear")
SCHEMA_MISMATCH = PROBLEMS.error("schema-mismatch")
TOO_MANY_COLUMNS = PROBLEMS.error("too-many-columns")
UNKNOWN_COLUMN = PROBLEMS.warning("unknown-column")


FILL = tr("fill the cell")


def required_missing(name: str, key: str, hint: str = FILL) -> Issue:
    """Return the issue of a required field with this name that is blank."""
    return Issue(REQUIRED_MISSING, tr("{field} is missing", field=name), hint, key)


def check_required(row: Row) -> Iterator[Issue]:
    """Yield an issue for each required key that is blank."""
    for key in row.feed.requests.unfilled(row):
        name = row.feed.sheet.name_of(row, key)
        hint = FILL if key in row.sheet.fields else tr("add its column, and fill it")
        if key in row.sheet.made:
            hint = tr("see with --explain-row {row} where the recipe takes it from", row=row.number)
        yield required_missing(name, key, hint)


def check_hidden(sheet: SheetFacts) -> Iterator[Issue]:
    """Yield one warning with the number of hidden rows."""
    if sheet.hidden_rows:
        yield Issue(
            HIDDEN_ROWS,
            plural(
                "{count} hidden row is read like all others",
                "{count} hidden rows are read like all others",
                sheet.hidden_rows,
            ),
            tr("delete the rows that shall not be sent"),
        )


def check_merged(sheet: SheetFacts) -> Iterator[Issue]:
    """Yield one warning with the ranges of merged cells."""
    if sheet.merged:
        ranges: MessageText = joined(sheet.merged[:MERGED_NAMED])
        if (left := len(sheet.merged) - MERGED_NAMED) > 0:
            ranges = tr("{ranges} and {left} more", ranges=ranges, left=left)
        yield Issue(
            MERGED_CELLS,
            tr("merged cells, of which the first one alone has a value: {ranges}", ranges=ranges),
            tr("unmerge the cells, and fill each"),
        )


def check_unknown(sheet: SheetFacts) -> Iterator[Issue]:
    """Yield one warning about all unknown columns."""
    if not sheet.unknown:
        return
    names = [
        _unknown(column, header, nearest, sheet.elsewhere.get(header))
        for column, header, nearest in sheet.unknown
    ]
    yield Issue(
        UNKNOWN_COLUMN,
        tr("not sent: {columns}", columns=joined(names)),
        tr("nothing needs to be done if it is not meant to be sent here")
        if all(header in sheet.elsewhere for _, header, _ in sheet.unknown)
        else tr(
            "give it a field in [columns] of {recipe}, or false where it is of no use",
            recipe=sheet.recipe,
        )
        if sheet.recipe
        else tr("rename the header, or map it in the profile's [columns] table"),
        value=sheet.unknown[0][1],
    )


def _unknown(column: str, header: str, nearest: str | None, kind: str | None) -> MessageText:
    if kind:  # an Offers.xml that is sent as JSON packages has such columns
        return tr(
            "“{header}” in {column} (a column of {kind})", header=header, column=column, kind=kind
        )
    if not nearest:
        return tr("“{header}” in {column}", header=header, column=column)
    return tr(
        "“{header}” in {column} (did you mean {choice}?)",
        header=header,
        column=column,
        choice=nearest,
    )


class BeyondHeader:
    """The type of a column without a header: any content is a problem."""

    def read(self, cell: Cell, column: ColumnReader) -> InvalidValue | None:
        """Return None for a blank, else `too-many-columns`."""
        del column
        if not plain(cell.text):
            return None
        return refused(
            TOO_MANY_COLUMNS,
            tr("“{cell}” stands beyond the last header", cell=shown(cell)[:40]),
            tr(
                "put values with separators in quotes, give the column a header, or delete the "
                "value"
            ),
        )


def not_a_row(reason: str, value: str) -> Issue:
    """Return the issue of a row to skip; `value` is the text of the cell that shows it."""
    hint = tr("delete it, or take it all the same with --as-row and its number")
    return Issue(NOT_A_ROW, reason, hint, value=value)


def encoding_doubtful(row: Row, doubts: Doubts) -> Iterator[Issue]:
    """Yield an issue for each reference of a row that differs in another possible encoding."""
    for key, value in row.values.items():
        is_reference = key == row.feed.requests.reference or key.lower().endswith("reference")
        if not is_reference or doubts.letters.isdisjoint(str(value)):
            continue
        other = "".join(
            letter.encode(doubts.page).decode(doubts.other, "replace")
            if letter in doubts.letters
            else letter
            for letter in str(value)
        )
        message = tr(
            "it may be “{value}” ({page}) or “{other}” ({other_page}): the text names no encoding",
            value=value,
            page=doubts.page,
            other=other,
            other_page=doubts.other,
        )
        hint = tr(
            'save as CSV UTF-8, or name the encoding in the profile: csv_fallback = "{page}"',
            page=doubts.page,
        )
        yield Issue(ENCODING_DOUBTFUL, message, hint, key)


class HeadersOfRequests(Occurrences):
    """Remember the values of rows that a request has only once (`Requests.common`)."""

    def see(self, sheet: int, row: Row) -> None:
        """Note a row that may share its request with others."""
        requests, values = row.feed.requests, row.values
        if requests.common and requests.makes_request(row):
            group = (str(values.get(key) or "") for key in requests.group_by)
            self.add("\n".join((str(sheet), row.feed.kind, row.channel, *group)), sheet, row.number)
            self.notes.append((requests.common, tuple(values.get(key) for key in requests.common)))

    def faults(self, _: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """Yield an issue for each cell that differs from the first row of its request."""
        for index, _key, same in self.repeated():
            first = self.place(same.first).row
            keys, values = self.notes[index]
            for key, value, expected in zip(keys, values, self.notes[same.first][1], strict=True):
                if value != expected:
                    yield self.place(index), _differs(key, first)


def _differs(key: str, row: int) -> Issue:
    message = tr(
        "{field} is not that of row {row}, which is of the same request",
        field=FieldName(key),
        row=row,
    )
    hint = tr("write the same in all rows of the request, or give it a reference of its own")
    return Issue(HEADER_DIFFERS, message, hint, key)


def request_incomplete(row: int) -> Issue:
    """Return the issue of a valid row whose request has an invalid row, with this number."""
    message = tr("row {row} is of the same request, and cannot be sent", row=row)
    return Issue(REQUEST_INCOMPLETE, message, tr("see row {row}", row=row))


def schema_mismatch(place: str, reason: str) -> Issue:
    hint = tr("look at the cell and at the profile's settings for it")
    return Issue(SCHEMA_MISMATCH, joined((place or tr("the request"), reason), ": "), hint)


MARKS_HINT = tr('close each mark, or double it if it is text: "24"" screen"')
ENCODING_HINT = tr("look whether accents are right; save as CSV UTF-8 to be sure")

RULES = (
    Rule(CSV_QUOTES, check_sheet=notices(CSV_QUOTES, MARKS_HINT)),
    Rule(DIMENSION_WRONG, check_sheet=notices(DIMENSION_WRONG, "")),
    Rule(ENCODING_GUESSED, check_sheet=notices(ENCODING_GUESSED, ENCODING_HINT)),
    Rule(HIDDEN_ROWS, check_sheet=check_hidden),
    Rule(MERGED_CELLS, check_sheet=check_merged),
    Rule(REQUIRED_MISSING, check_required, is_by_blanks=attrgetter("requests.lacks_by_blanks")),
    Rule(UNKNOWN_COLUMN, check_sheet=check_unknown),
    *map(
        Rule,
        (
            ENCODING_DOUBTFUL,
            EXAMPLE_LEFT,
            NOT_A_ROW,
            NOT_FOR_SALE,
            RECIPE_FAILED,
            RECIPE_WARNING,
            REQUEST_INCOMPLETE,
            SALE_MARK,
            SALE_MARK_UNCLEAR,
            SCHEMA_MISMATCH,
            TOO_MANY_COLUMNS,
        ),
    ),
)
"""The rules of all sheets; issues of rules without a check arise while something is read."""


def all_rules(areas: Areas) -> tuple[Rule, ...]:
    """Return the rules of all sheets and of these areas, sorted by code."""
    several = tuple(kind for kind, feed in areas.feeds.items() if feed.requests.common)
    shared = Rule(HEADER_DIFFERS, survey=HeadersOfRequests, kinds=several)
    rewritten = Rule(REFERENCE_REWRITTEN, survey=RewrittenReferences, is_guard=True)
    rules = (*RULES, shared, rewritten, *areas.rules)
    return tuple(sorted(rules, key=lambda rule: rule.code.name))


def rules_for(areas: Areas, kind: str) -> list[Rule]:
    return [rule for rule in all_rules(areas) if rule.is_about(kind)]
