"""A kind of feed: a sheet whose rows become requests.

A feed is declared in records, and an engine takes the one that it needs: the design of the sheet,
the headers by which it is recognised, the requests that rows become, and how these travel.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, count, takewhile
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct, field

from feedtool.feeds.delivery import Lookup, Names, Needs, Protocol, Report, Submitted
from feedtool.feeds.direct import Direct
from feedtool.feeds.template import Basis, Contents
from feedtool.model.cells import Cell, Kind
from feedtool.model.header import Column
from feedtool.model.nouns import Issue
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.text import FieldName, tr

ACTION, CHANNEL = "action", "salesChannelId"
"""The keys by which a row says what is done with it, and where."""

EXPORTED = "feedtool.exported"
"""The stamp of a workbook that `feedtool export` has filled: what a row lists is all there is."""


def stamped_list(stamp: Mapping[str, str], name: str) -> tuple[str, ...]:
    """A list of the stamp's, which goes on in `name.2` and so on where one is too short for it."""
    names = chain((name,), (f"{name}.{number}" for number in count(2)))
    parts = takewhile(bool, (stamp.get(part, "") for part in names))
    return tuple(filter(None, (item.strip() for part in parts for item in part.split(","))))


class Mode(Struct, frozen=True):
    """A delivery mode that a sheet has columns for."""

    code: str
    cost: str
    additional: str
    is_large: bool = False
    """True if it is of large parcels, which go without the mandatory mode."""


class SheetColumns(Struct, frozen=True):
    """The columns of one sheet, as its rows need them."""

    context: Context
    fields: frozenset[str]
    modes: tuple[Mode, ...]
    stamp: Mapping[str, str] = field(default_factory=dict)
    """The workbook's properties about the whole sheet, by name: `feedtool.category`."""
    unknown: tuple[str, ...] = ()
    made: frozenset[str] = frozenset()
    """The fields whose values are not those of a column alone: a recipe or a default makes them."""


EVERY_COLUMN = tr("every required column is there")


class Fit(NamedTuple):
    """The likeness of a header that lacks no column of a kind to that kind."""

    is_sure: bool = True
    reason: str = EVERY_COLUMN
    hint: str = ""
    """A way to make it surer, beside what the kind lacks that it might be otherwise."""


class Layout(NamedTuple):
    """The layout of a sheet, by the rows around its header."""

    stamp: Mapping[str, str] = {}
    """In the place of the workbook's own stamp where it has none."""
    after: int | None = None
    """Data stand in the rows after this one; None is the header's own."""


class HeaderContext(NamedTuple):
    """A sheet before its rows are read."""

    context: Context
    stamp: Mapping[str, str]
    headers: Sequence[str]
    """Those that no column is known for yet."""
    cells: Callable[[str], Iterator[Cell]]
    """The different cells of a key's column, as they come; none where it is absent."""


class ExtraColumns(NamedTuple):
    """The reading of a sheet that says more than its kind."""

    context: Context
    columns: tuple[Column, ...]
    """Beside those that are always understood."""


# JSON requests.


class Read(NamedTuple):
    """A JSON request as the cells of a row."""

    cells: dict[str, Cell]
    """By the column's key."""
    left: list[tuple[str, object]]
    """The values that no cell can hold, each with its place."""

    def put(self, key: str, path: str, value: object) -> None:
        """A cell; a second one of the same key, and what fits into none, is left."""
        if value is None or value == "":
            return
        cell = _cell(value)
        if cell is None or key in self.cells:
            self.leave(path, value)
        else:
            self.cells[key] = cell

    def leave(self, path: str, value: object) -> None:
        """Note what no cell can hold."""
        if value not in (None, [], {}):
            self.left.append((path, value))


def _cell(value: object) -> Cell | None:
    if isinstance(value, bool):
        return Cell(Kind.BOOLEAN, str(value).upper())
    if isinstance(value, int | Decimal):
        return Cell(Kind.NUMBER, str(value))
    return Cell(Kind.TEXT, value) if isinstance(value, str) else None


def is_number(value: object) -> bool:
    """True if a value of JSON is a number."""
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


class JsonRequests(NamedTuple):
    """The JSON form of the requests of feeds that share a sheet."""

    member: str
    """Under which name a document lists them."""
    is_bare: bool
    """True if a list without a name is of them, too."""
    cells: Callable[[Mapping[str, Any], AccountSettings], Read]
    """The way back, from a request to a row."""
    kind_of: Callable[[Collection[str]], str | None]
    """The kind of requests that fill these columns; None where nothing tells."""
    bundle: Callable[[Sequence[bytes], AccountSettings], bytes]
    """Requests as they travel together."""
    limit: Callable[[AccountSettings], int]


# Rows and feeds.

NOTHING_REFUSED: frozenset[str] = frozenset()


class Row(NamedTuple):
    """A row of values, before it is a request."""

    number: int
    feed: "Feed"
    """The sheet's, or the one that the row's `action` makes of it."""
    channel: str
    """The salesChannelId it is for."""
    values: Mapping[str, Any]
    """By the column's key; None is a blank or a cell that was refused."""
    refused: frozenset[str]
    """The keys of the cells that hold something which cannot be sent."""
    sheet: SheetColumns
    details: object = None
    """The feed's findings about the row: see `Requests.enrich`."""

    def is_blank(self, field: str) -> bool:
        """True if nothing stands there; a refused cell is not blank."""
        return self.values.get(field) is None and field not in self.refused

    def blanks(self, fields: Iterable[str]) -> list[str]:
        """The blank ones of some fields."""
        values, refused = self.values, self.refused
        return [field for field in fields if values.get(field) is None and field not in refused]


Enrich = Callable[[Row], tuple[Row, Sequence[Issue]]]
"""Gives cells the meaning that they have beside the others of the row, or says what is wrong."""


Columns: TypeAlias = Callable[[AccountSettings], tuple[Column, ...]]


def always(*columns: Column) -> Columns:
    """The same columns for every account."""
    return lambda _: columns


class ColumnsOfCategory(NamedTuple):
    """The columns of a sheet that depend on the category of its rows."""

    key: str
    """The key of the column that holds the category."""
    may_have: Callable[[str], bool]
    """True if a key may be a column of some category."""
    stamped: Callable[[Mapping[str, str]], Mapping[str, str]]
    """The stamp's values for all rows that have none of their own, by key."""
    layout: Callable[
        [Sequence[tuple[int, Sequence[Cell]]], int, Mapping[int, str], AccountSettings], Layout
    ]
    """The layout, by the first rows, the header's number and its keys by index."""


class SheetDesign(Struct, frozen=True, kw_only=True):
    """The columns of a sheet; kinds that share a sheet have its name."""

    name: str
    columns: Columns
    """The columns of its template, in order."""
    every_column: Columns | None = None
    """The columns that a header may have, retired ones included; None for the template's."""
    key_column: str | None = None
    """The key without which an unnamed header is not even an incomplete one."""
    folded: frozenset[str] = frozenset((ACTION, CHANNEL))
    """The keys of columns that few sheets need; by default those that make several packages of
    one."""
    modes: Callable[[AccountSettings], tuple[Mode, ...]] = lambda _: ()
    """The delivery modes that a header may have."""
    with_retired: Callable[[AccountSettings, Collection[str]], AccountSettings] = (
        lambda settings, _: settings
    )
    """The profile's settings with what is going away, as far as these keys still need it."""
    extra_columns: Callable[[HeaderContext], ExtraColumns] | None = None
    """The reading of a header whose columns are not known from the kind alone."""
    by_category: ColumnsOfCategory | None = None
    has_channel: bool = True
    takes_several: bool = False
    """True if several such sheets in one workbook are all meant."""
    name_of: Callable[[Row, str], str] = lambda _, key: FieldName(key)
    """The name of a key in messages."""

    def understood(self, settings: AccountSettings) -> tuple[Column, ...]:
        """All columns that a header may have, retired ones included."""
        return (self.every_column or self.columns)(settings)


class OperatorTemplate(NamedTuple):
    """The channel operator's own template of a kind."""

    sheet: str
    """The name of its sheet."""
    columns: frozenset[str] = frozenset()
    """The keys of all its columns, where these alone show the kind."""


class Recognition(Struct, frozen=True, kw_only=True):
    """The headers by which a sheet, or a row of it, is known to be of a kind."""

    needs: tuple[str, ...] | Callable[[SheetColumns], list[str]]
    """The keys that a header must have, or the function that gives the keys that one lacks."""
    action: str = ""
    """The value of the column `action` that makes a row of the sheet one of this kind."""
    only_if_asked: bool = False
    """Never recognised from headers: needs its stamp, an `action` column or `--as`; or a header
    that is `unmistakable`."""
    unmistakable: Callable[[SheetColumns], bool] | None = None
    """True of headers that have a column which tells its sheets from all others."""
    fit: Callable[[SheetColumns], Fit] = lambda _: Fit()
    """The likeness of a header that lacks nothing: it may be an incomplete one of a more demanding
    kind of the same sheet."""
    operator: OperatorTemplate | None = None
    lists: Mapping[str, str] = {}
    """Exports that share its columns and are only to look at, each by a key that it alone has."""
    is_usual: bool = False
    """True of the kind that a merchant's own sheet is mapped to without further words."""
    is_named_elsewhere: bool = False
    """True if other kinds say of an unknown header that it is the key of a column of this one."""

    def missing(self, sheet: SheetColumns) -> list[str]:
        """The keys that a header must have and this one has not."""
        if callable(self.needs):
            return self.needs(sheet)
        return [key for key in self.needs if key not in sheet.fields]

    def needs_asking_about(self, sheet: SheetColumns) -> bool:
        """True if a header that lacks nothing may be of another kind all the same."""
        is_told = self.unmistakable is not None and self.unmistakable(sheet)
        return self.only_if_asked and not is_told


class Requests(Struct, frozen=True, kw_only=True):
    """The requests that rows become."""

    make: Callable[..., Any]
    """The request that a valid row becomes; with `group_by` it is given all of its rows."""
    reference: str
    """The key of the seller's own reference of a row."""
    required: tuple[str, ...] | Callable[[Row], list[str]] = ()
    """The keys that a row must fill, or the function that gives those which one must still fill."""
    is_required_by_blanks: bool = False
    """True if the function `required` depends on which cells are blank alone, as plain keys do."""
    identity: tuple[str, ...] = ()
    """The keys of what else identifies a row to the service."""
    group_by: tuple[str, ...] = ()
    """The keys whose equal values make rows of a channel one request, wherever they stand; without
    any, each row is one of its own."""
    common: tuple[str, ...] = ()
    """The keys whose values all rows of a request must share, since they are said once."""
    split: Callable[[Row], Sequence[Row]] | None = None
    """The rows that one row means, of any kind of its sheet, if it may be several requests: say one
    for each channel. A row for which it gives none asks for nothing, and is skipped."""
    enrich: Callable[[SheetColumns], Enrich] | None = None
    """A change of the rows of a sheet before rules see them; it may remember rows."""
    changeable: Callable[[SheetColumns], tuple[str, ...]] = lambda _: ()
    """The keys of which a row must fill one; none where a row always says enough."""
    floor: str = ""
    """The key of the price below which a row is held back; empty without one."""
    is_sent: Callable[[str], bool] = lambda _: True
    """True if a key's cells travel; what is wrong with one that does not keeps no row back."""
    personal: frozenset[str] | None = None
    """None if neither files nor requests name people. Otherwise what is written of them is the
    owner's alone, and little of it is kept: columns that are never sent are personal, and the
    columns of these keys, which are sent: the text of a message, an address."""

    def unfilled(self, row: Row) -> list[str]:
        """The keys that this row must fill and has not."""
        return self.required(row) if callable(self.required) else row.blanks(self.required)

    @property
    def lacks_by_blanks(self) -> bool:
        """True if `unfilled` depends on which cells are blank alone."""
        return self.is_required_by_blanks or not callable(self.required)

    @property
    def is_personal(self) -> bool:
        """True if its files may name people, or its requests."""
        return self.personal is not None

    def is_asked(self, row: Row) -> bool:
        """True if a row asks for something."""
        return self.split is None or bool(self.split(row))

    def is_hidden(self, key: str) -> bool:
        """True if the cells of a column may name people, and are not kept."""
        return self.personal is not None and (key in self.personal or not self.is_sent(key))


class Travel(Struct, frozen=True, kw_only=True):
    """The delivery of requests in packages."""

    package_type: str
    protocol: Protocol
    purge_type: str | None = None
    """The type of packages that replace all that the service has; None without such a type."""
    provides: Names | None = None
    """The names of what a request makes, of its reference and product."""
    needs: Needs | None = None
    """The things that its requests wait for, where the same command makes them."""

    @property
    def has_reports(self) -> bool:
        """True if reports tell of its packages, which also find those whose answer was lost."""
        return isinstance(self.protocol, Submitted) and isinstance(self.protocol.outcome, Report)

    @property
    def has_log(self) -> bool:
        """True if a log tells of its packages."""
        return isinstance(self.protocol, Submitted) and not self.has_reports

    @property
    def lookup(self) -> Lookup[Any] | None:
        """The look-up of rows that no result names."""
        return None if isinstance(self.protocol, Direct) else self.protocol.lookup

    def is_exclusive(self, package_type: str) -> bool:
        """True if no other package of the seller may be open beside one of this type."""
        return isinstance(self.protocol, Submitted) and self.protocol.is_exclusive(package_type)


class TemplatePage(NamedTuple):
    """The texts of a template, which the area's catalogue translates."""

    title: str = ""
    """Empty for an action of a sheet, whose template is another kind's."""
    about: str = ""
    contents: Callable[[Basis], Contents] | None = None
    """The contents, where the columns alone do not give them."""


class Feed(Struct, frozen=True, eq=False, kw_only=True):
    """One kind of feed. There is one of each, so that they are compared by identity."""

    kind: str
    """As users name it: `offers-upsert`."""
    area: str
    """The package of its area, in whose folder `schemas` its requests' schema is."""
    summary: str
    sheet: SheetDesign
    recognition: Recognition
    requests: Requests
    travel: Travel
    template: TemplatePage = TemplatePage()
    json: JsonRequests | None = None
    """The JSON form of its requests; None where they do not travel so."""
    is_for_sale: bool = False
    """True if its rows are sold, so that a column of the user's own may say which are not."""
    tolerated: frozenset[str] = frozenset()
    """The codes of cells' errors that are only warnings in its rows."""
    losing: frozenset[str] = frozenset()
    """The codes of problems with a cell of which something has no place in any column."""
    gone: frozenset[str] = frozenset()
    """Headers, in lower case, that have no successor."""


Routes: TypeAlias = Mapping[str, Feed]
"""The feeds by the types of their packages."""


def routes_of(feeds: Iterable[Feed]) -> Routes:
    """The feeds by the types of their packages."""
    return {
        package_type: feed
        for feed in feeds
        for package_type in (feed.travel.package_type, feed.travel.purge_type)
        if package_type
    }
