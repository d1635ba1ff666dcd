"""Recognise the kind of feed of a sheet by its header."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from feedtool.check.recipes.recipe import base_keys
from feedtool.feeds.area import Areas
from feedtool.feeds.feed import Feed, Fit, SheetColumns, SheetDesign
from feedtool.model.cells import Header
from feedtool.model.errors import FileProblem
from feedtool.model.settings import Context
from feedtool.model.text import FieldName, MessageText, joined, plural, tr

Describe = Callable[[MessageText], MessageText]


class HeaderMissing(FileProblem):
    """The header lacks columns that this kind of feed requires."""

    code = "header-missing"
    header: Header | None = None
    lacks: Sequence[str] = ()
    """The keys of the missing columns."""
    is_distinctive: bool = False
    """True if one of its columns shows that it is not a sheet of offers."""
    describe: Describe
    """Returns the message, from the missing columns."""

    def begin_with(self, words: MessageText) -> None:
        """Put words before the message, and before later messages of `describe`."""
        describe = self.describe
        self.describe = lambda columns: joined((words, describe(columns)), ": ")
        self.message = joined((words, self.message), ": ")


class NeverSent(FileProblem):
    """The file is the list of an export that cannot be sent."""

    code = "never-sent"

    def __init__(self, export: str) -> None:
        super().__init__(
            tr(
                "this is the list of `feedtool export {export}`: it is only to look at",
                export=export,
            ),
            tr("nothing of it is sent; if you made something else of it, say with --as what"),
        )


class KindUnclear(HeaderMissing):
    """The sheet may have new offers, or updates of existing ones."""

    code = "kind-unclear"
    kinds: tuple[str, str] = ("", "")
    """The possible kinds: new offers that lack columns, or an update."""
    more: str = ""

    def add_way(self, way: str) -> None:
        """Add another solution to the hint, and to later hints of `hint_with`."""
        self.more = joined(filter(None, (self.more, way)), "; ")
        self.hint = joined((self.hint, way), "; ")

    def hint_with(self, way: str) -> str:
        """Return the hint; `way` is the solution for an update."""
        hint = tr(
            "for new offers add what is missing; for an update of existing ones {way}", way=way
        )
        return joined((hint, self.more), "; ") if self.more else hint


class Recognised(NamedTuple):
    feed: Feed
    reason: str
    is_certain: bool = True
    """True if rows without an `action` are of this kind."""


def sheet_columns(header: Header, sheet: SheetDesign, context: Context) -> SheetColumns:
    """Return the facts of the header's columns that its rows need."""
    fields = frozenset(column.key for column in header.columns.values()) | base_keys(header)
    modes = tuple(
        mode
        for mode in sheet.modes(context.settings)
        if fields.intersection((mode.cost, mode.additional))
    )
    unknown = tuple(header.texts[index] for index, _ in header.unknown)
    made = frozenset(header.columns[i].key for i in header.origins if i in header.columns)
    return SheetColumns(context, fields, modes, header.stamp, unknown, made)


def recognise(
    header: Header,
    family: Sequence[Feed],
    context: Context,
    sheet: str,
    *,
    requested: str | None,
    stamp: str | None,
) -> Recognised | None:
    """Return the kind of feed of a header; None if it is not even an incomplete one.

    `family` are the feeds that share its columns, those with the most required columns first;
    `sheet` is the sheet's name, `requested` the kind in `--as` or in a recipe, `stamp` that in the
    template's stamp.

    Raises:
        HeaderMissing: the header lacks required columns of the kind.
        KindUnclear: it may be of the first kind of the family, whose columns it lacks.
        NeverSent: it is the list of an export.
    """
    shared = family[0].sheet
    columns = sheet_columns(header, shared, context)
    has_action = "action" in columns.fields
    otherwise = "" if requested else tr(", or say with --as what it is")
    if kind := requested or stamp:
        feed = next(feed for feed in family if feed.kind == kind)
        if has_action or not feed.recognition.missing(columns):
            return Recognised(feed, tr("as asked") if requested else tr("as its template says"))
        raise _missing(feed, columns, header, otherwise)
    if shared.key_column and shared.key_column not in columns.fields:
        return None
    refuse_list(family[0].recognition.lists, columns)
    unsure = {feed.kind for feed in family if feed.recognition.may_be_other_kind(columns)}
    if len(unsure) == len(family):
        return None
    possible = [
        feed
        for feed in family
        if not feed.recognition.missing(columns) and (has_action or feed.kind not in unsure)
    ]
    for feed in possible:
        if feed.recognition.operator == (sheet, columns.fields):
            return Recognised(feed, tr("the channel operator's template"))
        fit = feed.recognition.fit(columns)
        if fit.is_sure and feed.kind not in unsure:
            return Recognised(feed, fit.reason)
        if has_action:
            return Recognised(feed, tr("its action column says so"), is_certain=False)
        raise _unclear(feed, fit, family[0], columns, header)
    raise _missing(family[0], columns, header, otherwise)


def refuse_list(lists: Mapping[str, str], columns: SheetColumns) -> None:
    """Raise NeverSent for the header of such a list without an `action` column of the user."""
    for name in columns.unknown:
        if "action" not in columns.fields and (export := lists.get(name)):
            raise NeverSent(export)


def _missing(feed: Feed, columns: SheetColumns, header: Header, otherwise: str) -> HeaderMissing:
    recognition = feed.recognition
    lacks = _named(recognition.missing(columns), feed.sheet, columns.context)

    def describe(columns: MessageText) -> MessageText:
        return tr("{kind} needs the {columns}", kind=feed.kind, columns=columns)

    error = HeaderMissing(
        describe(columns_listed(lacks)),
        tr(
            "add what is missing, or start from `feedtool template {kind}`{otherwise}",
            kind=feed.kind,
            otherwise=otherwise,
        ),
    )
    error.header, error.lacks, error.describe = header, lacks, describe
    error.is_distinctive = recognition.only_if_asked and not recognition.may_be_other_kind(columns)
    return error


def _unclear(
    feed: Feed, fit: Fit, demanding: Feed, columns: SheetColumns, header: Header
) -> KindUnclear:
    lacks = _named(demanding.recognition.missing(columns), demanding.sheet, columns.context)

    def describe(columns: MessageText) -> MessageText:
        return tr(
            "these may be new offers or an update of existing ones: {reason}; new offers "
            "({kind}) need the {columns}",
            reason=fit.reason,
            kind=demanding.kind,
            columns=columns,
        )

    error = KindUnclear(describe(columns_listed(lacks)))
    error.header, error.lacks, error.describe = header, lacks, describe
    error.kinds = demanding.kind, feed.kind
    error.more = fit.hint
    error.hint = error.hint_with(tr("say --as {kind}", kind=feed.kind))
    return error


def _named(keys: Iterable[str], sheet: SheetDesign, context: Context) -> list[FieldName]:
    labels = {column.key: column.labels for column in sheet.understood(context.settings)}
    return [FieldName(key, labels.get(key, ())) for key in keys]


def columns_listed(names: Sequence[str]) -> MessageText:
    return plural("column {fields}", "columns {fields}", len(names), fields=joined(names))


def families(areas: Areas) -> list[list[Feed]]:
    """Return the feeds that share a header, those with the most required columns first."""
    by_sheet: dict[str, list[Feed]] = {}
    for feed in areas.feeds.values():
        by_sheet.setdefault(feed.sheet.name, []).append(feed)
    bare = SheetColumns(Context(), frozenset(), ())
    return [
        sorted(family, key=lambda feed: -len(feed.recognition.missing(bare)))
        for family in by_sheet.values()
    ]
