"""A kind of feed: a sheet whose rows become requests.

A feed is declared in records, and each engine takes the one that it needs: the design of the
sheet, the headers that identify it, the requests that rows become, and their delivery.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, count, takewhile
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct, field

from feedtool.feeds.delivery import (
    AnswerPage,
    Endpoint,
    Lookup,
    Names,
    Needs,
    Protocol,
    Report,
    Submitted,
)
from feedtool.feeds.direct import Direct
from feedtool.feeds.template import Basis, Contents
from feedtool.model.cells import Cell, Column, Kind
from feedtool.model.nouns import Issue
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.text import FieldName, tr

ACTION, CHANNEL = "action", "salesChannelId"
"""The keys of a row's action and sales channel."""

EXPORTED = "feedtool.exported"
"""The stamp of a workbook by `feedtool export`: a list in one of its rows is complete."""


def stamped_list(stamp: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Return a list in the stamp; a long one continues in `name.2`, `name.3` and so on."""
    names = chain((name,), (f"{name}.{number}" for number in count(2)))
    parts = takewhile(bool, (stamp.get(part, "") for part in names))
    return tuple(filter(None, (item.strip() for part in parts for item in part.split(","))))


class Mode(Struct, frozen=True):
    """A delivery mode that has columns in a sheet."""

    code: str
    cost: str
    additional: str
    same: str
    """The mode of the JSON packages that means the same; empty for a mode that they lack."""
    is_large: bool
    """True if it is for large parcels, which do not need the mandatory mode."""


class SheetColumns(Struct, frozen=True):
    """The facts of a sheet's columns that its rows need."""

    context: Context
    fields: frozenset[str]
    modes: tuple[Mode, ...]
    stamp: Mapping[str, str] = field(default_factory=dict)
    """The workbook's properties about the whole sheet, by name: `feedtool.category`."""
    unknown: tuple[str, ...] = ()
    made: frozenset[str] = frozenset()
    """The fields whose values a recipe or a default makes, and not one column."""


EVERY_COLUMN = tr("every required column is there")


class Fit(NamedTuple):
    """The likeness of a header with all required columns of a kind to that kind."""

    is_sure: bool = True
    reason: str = EVERY_COLUMN
    hint: str = ""
    """Advice to make the kind certain, beside the columns that the other kind lacks."""


class Layout(NamedTuple):
    """The layout of a sheet, found in the rows around its header."""

    stamp: Mapping[str, str] = {}
    """The stamp of a workbook without one."""
    after: int | None = None
    """The number of the row before the data; None for the row of the header."""


class HeaderContext(NamedTuple):
    """The facts of a sheet before its rows are read."""

    context: Context
    stamp: Mapping[str, str]
    headers: Sequence[str]
    """The headers that are not yet known as columns."""
    cells: Callable[[str], Iterator[Cell]]
    """Yields the distinct cells of a key's column, in their order; nothing without the column."""


class ExtraColumns(NamedTuple):
    """The columns of a sheet that its kind alone does not determine."""

    context: Context
    columns: tuple[Column, ...]
    """Columns beside those of the kind."""


# JSON requests.


class Read(NamedTuple):
    """A JSON request as the cells of a row."""

    cells: dict[str, Cell]
    """Cells by the column's key."""
    left: list[tuple[str, object]]
    """The values without a cell, each with its path."""

    def put(self, key: str, path: str, value: object) -> None:
        """Set a cell; a second value of the same key, or a value that fits no cell, is left."""
        if value is None or value == "":
            return
        cell = _cell(value)
        if cell is None or key in self.cells:
            self.leave(path, value)
        else:
            self.cells[key] = cell

    def leave(self, path: str, value: object) -> None:
        if value not in (None, [], {}):
            self.left.append((path, value))


def _cell(value: object) -> Cell | None:
    if isinstance(value, bool):
        return Cell(Kind.BOOLEAN, str(value).upper())
    if isinstance(value, int | Decimal):
        return Cell(Kind.NUMBER, str(value))
    return Cell(Kind.TEXT, value) if isinstance(value, str) else None


def is_number(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


class JsonRequests(NamedTuple):
    """The requests as JSON of feeds that share a sheet."""

    member: str
    """The member of a document that lists them."""
    is_bare: bool
    """True if a document that is a list has such requests, too."""
    cells: Callable[[Mapping[str, Any], AccountSettings], Read]
    """Converts a request back to a row."""
    kind_of: Callable[[Collection[str]], str | None]
    """Returns the kind of requests that fill these columns; None if the columns do not show it."""
    bundle: Callable[[Sequence[bytes], AccountSettings], bytes]
    """Returns the body of several requests."""
    limit: Callable[[AccountSettings], int]


# Rows and feeds.

NOTHING_REFUSED: frozenset[str] = frozenset()


class Row(NamedTuple):
    """A row of values, before it becomes a request."""

    number: int
    feed: "Feed"
    """The feed of the sheet, or of the row's `action`."""
    channel: str
    """The row's salesChannelId."""
    values: Mapping[str, Any]
    """Values by the column's key; None is a blank or a refused cell."""
    refused: frozenset[str]
    """The keys of cells whose value cannot be sent."""
    sheet: SheetColumns
    details: object = None
    """Data of the feed about the row: see `Requests.enrich`."""

    def is_blank(self, field: str) -> bool:
        """Return True for a blank cell; a refused cell is not blank."""
        return self.values.get(field) is None and field not in self.refused

    def blanks(self, fields: Iterable[str]) -> list[str]:
        values, refused = self.values, self.refused
        return [field for field in fields if values.get(field) is None and field not in refused]


Enrich = Callable[[Row], tuple[Row, Sequence[Issue]]]
"""Returns a row whose cells are interpreted together with other cells, and issues."""

Columns: TypeAlias = Callable[[AccountSettings], tuple[Column, ...]]


def always(*columns: Column) -> Columns:
    return lambda _: columns


class ColumnsOfCategory(NamedTuple):
    """Columns that depend on the category of rows."""

    key: str
    """The key of the category's column."""
    may_have: Callable[[str], bool]
    """True if some category may have a column with this key."""
    stamped: Callable[[Mapping[str, str]], Mapping[str, str]]
    """Returns the stamp's values for rows without a value, by key."""
    layout: Callable[
        [Sequence[tuple[int, Sequence[Cell]]], int, Mapping[int, str], AccountSettings], Layout
    ]
    """Returns the layout, from the first rows, the header's number and its keys by index."""


class SheetDesign(Struct, frozen=True, kw_only=True):
    """The columns of a sheet; kinds that share a sheet have the same name in it."""

    name: str
    columns: Columns
    """The columns of its template, in order."""
    every_column: Columns | None = None
    """The columns that a header may have, retired ones included; None for the template's
    columns."""
    key_column: str | None = None
    """The key that even an incomplete header of a sheet of unknown kind must have."""
    folded: frozenset[str] = frozenset((ACTION, CHANNEL))
    """The keys of columns that few sheets need; by default the columns that split a sheet into
    several packages."""
    modes: Callable[[AccountSettings], tuple[Mode, ...]] = lambda _: ()
    """Returns the delivery modes that a header may have."""
    with_retired: Callable[[AccountSettings, Collection[str]], AccountSettings] = (
        lambda settings, _: settings
    )
    """Returns the settings with the retired values that these keys still need."""
    extra_columns: Callable[[HeaderContext], ExtraColumns] | None = None
    """Finds the columns of a header that the kind alone does not determine."""
    by_category: ColumnsOfCategory | None = None
    has_channel: bool = True
    takes_several: bool = False
    """True if all such sheets of a workbook are read."""
    name_of: Callable[[Row, str], str] = lambda _, key: FieldName(key)
    """Returns the name of a key for messages."""

    def understood(self, settings: AccountSettings) -> tuple[Column, ...]:
        return (self.every_column or self.columns)(settings)


class OperatorTemplate(NamedTuple):
    """The channel operator's template of a kind."""

    sheet: str
    """The name of its sheet."""
    columns: frozenset[str] = frozenset()
    """The keys of all its columns, if they identify the kind."""


class Recognition(Struct, frozen=True, kw_only=True):
    """The headers that identify the kind of a sheet, or of a row."""

    needs: tuple[str, ...] | Callable[[SheetColumns], list[str]]
    """The keys that a header must have, or a function that returns the keys that a header lacks."""
    action: str = ""
    """The value of the column `action` for rows of this kind."""
    only_if_asked: bool = False
    """True if it is not recognised by headers: it needs its stamp, an `action` column or `--as`; or
    a header that is `unmistakable`."""
    unmistakable: Callable[[SheetColumns], bool] | None = None
    """True if a header has a column that no other kind has."""
    fit: Callable[[SheetColumns], Fit] = lambda _: Fit()
    """Returns the likeness of a header that lacks nothing: it may also be an incomplete header of
    another kind of the same sheet that requires more columns."""
    operator: OperatorTemplate | None = None
    lists: Mapping[str, str] = {}
    """Exports with its columns that cannot be sent, each by a key that it alone has."""
    is_usual: bool = False
    """True for the kind to which a merchant's own sheet is mapped by default."""
    is_named_elsewhere: bool = False
    """True if other kinds report an unknown header as the key of a column of this kind."""

    def missing(self, sheet: SheetColumns) -> list[str]:
        if callable(self.needs):
            return self.needs(sheet)
        return [key for key in self.needs if key not in sheet.fields]

    def may_be_other_kind(self, sheet: SheetColumns) -> bool:
        """Return True if a header that lacks nothing may still be of another kind."""
        is_clear = self.unmistakable is not None and self.unmistakable(sheet)
        return self.only_if_asked and not is_clear


class Requests(Struct, frozen=True, kw_only=True):
    make: Callable[..., Any]
    """Makes the request of a valid row; with `group_by` it takes all rows of the request."""
    reference: str
    """The key of the seller's own reference of a row."""
    required: tuple[str, ...] | Callable[[Row], list[str]] = ()
    """The keys that a row must fill, or a function that returns the keys that a row lacks."""
    is_required_by_blanks: bool = False
    """True if the function `required` depends only on which cells are blank, as plain keys do."""
    identity: tuple[str, ...] = ()
    """The other keys that identify a row to the service."""
    group_by: tuple[str, ...] = ()
    """Rows of a channel with equal values of these keys become one request, also if they are not
    adjacent; without keys, each row is a request."""
    common: tuple[str, ...] = ()
    """The keys whose values must be equal in all rows of a request, which has them once."""
    split: Callable[[Row], Sequence[Row]] | None = None
    """Splits a row into the rows of its requests, of any kind of its sheet, such as one for each
    channel. A row that becomes no row makes no request, and is skipped."""
    enrich: Callable[[SheetColumns], Enrich] | None = None
    """Returns a function that changes rows of a sheet before rules check them; it may remember
    rows."""
    changeable: Callable[[SheetColumns], tuple[str, ...]] = lambda _: ()
    """Returns the keys of which a row must fill at least one; () if that is not required."""
    floor: str = ""
    """The key of the minimum price that holds rows back; empty without one."""
    is_sent: Callable[[str], bool] = lambda _: True
    """True if a key's cells are sent; an error in a cell that is not sent keeps no row back."""
    personal: frozenset[str] | None = None
    """None if neither files nor requests name people. Otherwise only the owner may read the files
    that are written, and little is stored. Personal are all columns that are never sent, and the
    columns of these keys, which are sent: the text of a message, an address."""

    def unfilled(self, row: Row) -> list[str]:
        return self.required(row) if callable(self.required) else row.blanks(self.required)

    @property
    def lacks_by_blanks(self) -> bool:
        """True if `unfilled` depends only on which cells are blank."""
        return self.is_required_by_blanks or not callable(self.required)

    @property
    def is_personal(self) -> bool:
        return self.personal is not None

    def makes_request(self, row: Row) -> bool:
        return self.split is None or bool(self.split(row))

    def is_hidden(self, key: str) -> bool:
        """Return True if the cells of a column may name people, and are not stored."""
        return self.personal is not None and (key in self.personal or not self.is_sent(key))


class Travel(Struct, frozen=True, kw_only=True):
    package_type: str
    protocol: Protocol
    purge_type: str | None = None
    """The type of packages that replace all data at the service; None without such a type."""
    present: Endpoint[AnswerPage[str | None]] | None = None
    """The list of a channel's references at the service, of which a purge removes some."""
    provides: Names | None = None
    """Returns the names of things that a request makes."""
    needs: Needs | None = None
    """The things that its requests wait for, if the same command makes them."""

    @property
    def has_reports(self) -> bool:
        """True if its results are in reports, which also show packages whose answer was lost."""
        return isinstance(self.protocol, Submitted) and isinstance(self.protocol.outcome, Report)

    @property
    def has_log(self) -> bool:
        return isinstance(self.protocol, Submitted) and not self.has_reports

    @property
    def lookup(self) -> Lookup[Any] | None:
        return None if isinstance(self.protocol, Direct) else self.protocol.lookup

    def is_exclusive(self, package_type: str) -> bool:
        return isinstance(self.protocol, Submitted) and self.protocol.is_exclusive(package_type)


class TemplatePage(NamedTuple):
    """The texts of a template in English; the area's catalogue has the translations."""

    title: str = ""
    """Empty for an action of a sheet with the template of another kind."""
    about: str = ""
    contents: Callable[[Basis], Contents] | None = None
    """Makes the contents, if the columns alone are not enough."""


class Feed(Struct, frozen=True, eq=False, kw_only=True):
    """One kind of feed. Each kind has a single object, so that identity compares them."""

    kind: str
    """The name for users: `offers-upsert`."""
    area: str
    """The package of its area; its folder `schemas` has the schema of requests."""
    summary: str
    sheet: SheetDesign
    recognition: Recognition
    requests: Requests
    travel: Travel
    template: TemplatePage = TemplatePage()
    json: JsonRequests | None = None
    """The requests as JSON; None if they are not sent as JSON."""
    is_for_sale: bool = False
    """True if its rows are for sale, so that a column of the user may exclude some rows."""
    tolerated: frozenset[str] = frozenset()
    """The codes of cell errors that are only warnings in its rows."""
    losing: frozenset[str] = frozenset()
    """The codes of problems with cells whose value is partly lost, since no column takes it."""
    gone: frozenset[str] = frozenset()
    """Headers, in lower case, of columns that were dropped without a successor."""


Routes: TypeAlias = Mapping[str, Feed]


def routes_of(feeds: Iterable[Feed]) -> Routes:
    return {
        package_type: feed
        for feed in feeds
        for package_type in (feed.travel.package_type, feed.travel.purge_type)
        if package_type
    }
