"""The kind of feed of a sheet, by its header."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from feedtool.check.recipes.channels import base_keys
from feedtool.feeds.area import Areas
from feedtool.feeds.feed import Feed, Fit, SheetColumns, SheetDesign
from feedtool.model.errors import FileProblem
from feedtool.model.header import Header
from feedtool.model.settings import Context
from feedtool.model.text import FieldName, MessageText, joined, plural, tr

Describe = Callable[[MessageText], MessageText]


class HeaderMissing(FileProblem):
    """Columns are missing that this kind of feed cannot do without."""

    code = "header-missing"
    header: Header | None = None
    lacks: Sequence[str] = ()
    """The keys of the columns."""
    is_told: bool = False
    """True if one of its columns tells it from a sheet of offers."""
    describe: Describe
    """The message, from the columns that lack."""

    def begin_with(self, words: MessageText) -> None:
        """Put words before the message, also before what it is later."""
        describe = self.describe
        self.describe = lambda columns: joined((words, describe(columns)), ": ")
        self.message = joined((words, self.message), ": ")


class NeverSent(FileProblem):
    """The file is the list of an export that is only to look at."""

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
    """The sheet may hold new offers, or an update of existing ones."""

    code = "kind-unclear"
    kinds: tuple[str, str] = ("", "")
    """The kinds that it may be of: new offers that lack columns, or an update."""
    more: str = ""

    def add_way(self, way: str) -> None:
        """Name a further way out, in the hint and in those that are made later."""
        self.more = joined(filter(None, (self.more, way)), "; ")
        self.hint = joined((self.hint, way), "; ")

    def hint_with(self, way: str) -> str:
        """The hint, where `way` says that it is an update."""
        hint = tr(
            "for new offers add what is missing; for an update of existing ones {way}", way=way
        )
        return joined((hint, self.more), "; ") if self.more else hint


class Recognised(NamedTuple):
    """The kind of a sheet."""

    feed: Feed
    reason: str
    is_certain: bool = True
    """True if rows without an `action` are of this kind."""


def sheet_columns(header: Header, sheet: SheetDesign, context: Context) -> SheetColumns:
    """The header's columns, as its rows need them."""
    fields = frozenset(column.key for column in header.columns.values()) | base_keys(header)
    modes = tuple(
        mode
        for mode in sheet.modes(context.settings)
        if fields.intersection((mode.cost, mode.additional))
    )
    unknown = tuple(header.texts[index] for index, _ in header.unknown)
    made = frozenset(header.columns[at].key for at in header.origins if at in header.columns)
    return SheetColumns(context, fields, modes, header.stamp, unknown, made)


def recognise(
    header: Header,
    family: Sequence[Feed],
    context: Context,
    sheet: str,
    *,
    wanted: str | None,
    stamp: str | None,
) -> Recognised | None:
    """The kind of feed that a header belongs to; None where it is not even an incomplete one.

    Args:
        header: The sheet's.
        family: The feeds that share its columns, most demanding first.
        context: What sheets are judged by.
        sheet: The sheet's name.
        wanted: The kind that `--as` or the like names.
        stamp: The kind that the template's stamp names.

    Raises:
        HeaderMissing: columns are missing that the kind needs.
        KindUnclear: it may be of the most demanding kind, and columns are missing for that.
        NeverSent: it is the list of an export.
    """
    shared = family[0].sheet
    columns = sheet_columns(header, shared, context)
    has_action = "action" in columns.fields
    otherwise = "" if wanted else tr(", or say with --as what it is")
    if kind := wanted or stamp:
        feed = next(feed for feed in family if feed.kind == kind)
        if has_action or not feed.recognition.missing(columns):
            return Recognised(feed, tr("as asked") if wanted else tr("as its template says"))
        raise _missing(feed, columns, header, otherwise)
    if shared.key_column and shared.key_column not in columns.fields:
        return None
    refuse_list(family[0].recognition.lists, columns)
    unsure = {feed.kind for feed in family if feed.recognition.needs_asking_about(columns)}
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
    """NeverSent for the header of such a list, unless the user's own column says what is done."""
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
    error.is_told = recognition.only_if_asked and not recognition.needs_asking_about(columns)
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
    """The keys of a sheet's columns, with their labels."""
    labels = {column.key: column.labels for column in sheet.understood(context.settings)}
    return [FieldName(key, labels.get(key, ())) for key in keys]


def columns_listed(names: Sequence[str]) -> MessageText:
    """Some columns in words."""
    return plural("column {fields}", "columns {fields}", len(names), fields=joined(names))


def families(areas: Areas) -> list[list[Feed]]:
    """The feeds that share a header, most demanding first."""
    by_sheet: dict[str, list[Feed]] = {}
    for feed in areas.feeds.values():
        by_sheet.setdefault(feed.sheet.name, []).append(feed)
    bare = SheetColumns(Context(), frozenset(), ())
    return [
        sorted(family, key=lambda feed: -len(feed.recognition.missing(bare)))
        for family in by_sheet.values()
    ]
