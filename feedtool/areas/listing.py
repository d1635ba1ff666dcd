"""Lists of the service as data: an export, and lines of `feedtool todo`, follow from a `Listing`.

A list is read page after page where a Link leads. Its filters go to the service by their
parameters, and entries are compared with them here too: a service may ignore a parameter.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from msgspec.structs import replace

from feedtool.areas.plain_list import Table, Template, flat_row, no_loss
from feedtool.feeds.export import (
    OF_FILTERS,
    OF_SELLER,
    Documents,
    Export,
    ExportSummary,
    ExportTally,
    Filter,
    Increments,
    KeyedRow,
    ListedItem,
    ListPage,
    Query,
    ServiceList,
    Wait,
    missing_entries_note,
    waiting_since,
)
from feedtool.model.call import READ, Call, Reply, language_tag
from feedtool.model.errors import NothingToDo
from feedtool.model.nouns import EARLIEST
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.text import MessageText, tr
from feedtool.service.answers import Unreadable, as_whole, counted, items_of, moment, next_call

Pairs = tuple[tuple[str, str], ...]
"""Parameters of a call."""

READ_OR_NONE = READ | {400, 404}
COUNTED, LISTED = "counted", "listed"
"""In the tally: the entries that the service counts, and those that it lists."""


class ListFilter(NamedTuple):
    """A filter of a list: an option, its parameter, and the member that it compares."""

    option: Filter
    parameter: str = ""
    """Empty if the service has no such filter."""
    value: Callable[[Any], Any] | None = None
    """Reads the value of an entry, if entries are compared with the option here, too."""
    can_change: bool = False
    """True if an entry's value can change: calls of a cursor then lack the parameter."""
    is_single: bool = False
    """True if the service takes one value: a call is made for each."""

    def parameters(self, query: Query) -> list[Pairs]:
        """The parameters of each call; () for a call without this filter."""
        chosen = query.values.get(self.option.name)
        if not chosen or not self.parameter or (self.can_change and query.has_cursor):
            return [()]
        values = chosen if self.is_single else (as_parameter(chosen),)
        return [((self.parameter, value),) for value in values]

    def keeps(self, entry: Any, query: Query) -> bool:
        """True unless the option leaves an entry out."""
        chosen = query.values.get(self.option.name)
        if not chosen or self.value is None:
            return True
        value = self.value(entry)
        if self.option.is_flag:
            return bool(value)
        return value in chosen if self.option.is_list else bool(value == chosen)


def as_parameter(value: str | datetime | Sequence[str]) -> str:
    """Format a value for a query: a time in UTC, a list with commas."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value if isinstance(value, str) else ",".join(value)


class Entries(NamedTuple):
    """The entries of a list: functions that read, show and identify them."""

    read: Callable[[Reply], Sequence[Any]] | None = None
    """Reads a page, and checks it; raises Unreadable. Without it the objects of the page."""
    rows: Callable[[Any, Query], Iterable[KeyedRow]] | None = None
    """The rows of an entry; without it one, of its members."""
    key: Callable[[Any], str | None] = lambda _: None
    """Returns the key of an entry, which a later entry of the same key replaces; None is no key."""
    changed: Callable[[Any], str] = lambda _: ""
    """The time of its last change, as the service writes it."""
    version: Callable[[Any], str] | None = None
    """The version of an entry, which each change changes; without it the time is the version."""
    missed: Callable[[int], MessageText] | None = None
    """`Increments.missed` of an export that can use a cursor."""

    def thing(self, entry: Any, rows: Sequence[KeyedRow]) -> ListedItem | None:
        """An entry with its rows; None without a key."""
        key, changed = self.key(entry), self.changed(entry)
        if key is None:
            return None
        version = self.version(entry) if self.version else changed
        return ListedItem(key, version, moment(changed) or EARLIEST, rows)


class Empty(NamedTuple):
    """The end of an export whose list is empty."""

    reason: str
    hint: str = OF_SELLER
    reason_with_filters: str = ""
    """The reason if filters are in use; empty if it is the same."""


class Waiting(NamedTuple):
    """Entries that wait for the seller: a line of `feedtool todo`, which leads to the export."""

    name: str
    """In JSON: `inbound-refused`."""
    label: str
    values: Mapping[str, Any]
    """The filters that choose them, by the names of their options."""
    entries: Callable[[int], MessageText]
    """A number of them: `4 shipments`."""
    since: str
    """The parameter for the time since when they may wait."""
    is_counted: bool = True
    """False if the service does not count them: the list is read and counted."""
    asks: Pairs = ()
    """Further parameters of the call, so that the service leaves out most entries."""


class Listing(NamedTuple):
    """A list of the service, and its export."""

    kind: str
    help: str
    """The help of the command; its first line is the summary in lists of commands."""
    noun: str
    """The entries in messages: `shipments`."""
    page: Call
    """The call for the first page of everything; filters are added to it."""
    sheet: Template | Table
    empty: Empty
    filters: tuple[ListFilter, ...] = ()
    entries: Entries = Entries()
    in_language: bool = False
    """True if the service answers in the requested language."""
    tries_pages: bool = False
    """True if the next page number is tried when an answer has no Link."""
    counts: Callable[[AccountSettings], Call] | None = None
    """The call that counts everything."""
    is_counted_first: bool = False
    """True if the export asks for the count first, and notes if fewer entries came."""
    documents: Documents | None = None
    waits: tuple[Waiting, ...] = ()

    def filtered(self, call: Call, query: Query, *more: tuple[str, str]) -> Iterator[Call]:
        """The calls with the parameters of the filters, and with further ones."""
        since = (("updatedAtMin", as_parameter(query.since)),) if query.since else ()
        headers = call.headers
        if self.in_language:
            headers = (("Accept-Language", language_tag(query.language)),)
        for choice in product(*(by.parameters(query) for by in self.filters)):
            pairs = (pair for pairs in choice for pair in pairs)
            yield replace(call, query=(*pairs, *since, *more, *call.query), headers=headers)

    def read(self, reply: Reply) -> Sequence[Any]:
        """The entries of a page; none if the page was a guess and is refused. Raises Unreadable."""
        if reply.status not in READ:
            return []
        if self.entries.read:
            return self.entries.read(reply)
        return [item for item in items_of(reply, self.noun) if isinstance(item, dict)]

    def rows(self, entry: Any, query: Query) -> list[KeyedRow]:
        """The rows of an entry; none if a filter excludes it."""
        if not all(by.keeps(entry, query) for by in self.filters):
            return []
        if self.entries.rows:
            return [*self.entries.rows(entry, query)]
        return [flat_row(entry, known=self.sheet.known if isinstance(self.sheet, Table) else {})]

    def nothing(self, query: Query, _: ExportTally) -> NothingToDo:
        """The error of an export without entries."""
        options = (by.option for by in self.filters)
        is_filtered = any(query.values.get(option.name) for option in options if option.narrows)
        if is_filtered and self.empty.reason_with_filters:
            return NothingToDo(self.empty.reason_with_filters, OF_FILTERS)
        return NothingToDo(self.empty.reason, self.empty.hint)


# Exports.


def export_of(listing: Listing) -> Export:
    """The export of a list."""
    lists = [_entry_list(listing)]
    if listing.counts and listing.is_counted_first:
        lists.insert(0, _count_list(listing, listing.counts))
    missed = listing.entries.missed
    return Export(
        listing.kind,
        listing.help,
        lambda _: lists,
        listing.sheet.sheet,
        _fewer if listing.is_counted_first else no_loss,
        tuple(by.option for by in listing.filters),
        is_sent_back=isinstance(listing.sheet, Template),
        increments=Increments(missed) if missed else None,
        documents=listing.documents,
        waits=partial(_waits, listing),
    )


def _entry_list(listing: Listing) -> ServiceList:
    def page(query: Query, reply: Reply, call: Call) -> ListPage:
        rows: list[tuple[None, KeyedRow]] = []
        things: list[ListedItem] = []
        entries = listing.read(reply)
        for entry in entries:
            rows_of_entry = listing.rows(entry, query)
            thing = listing.entries.thing(entry, rows_of_entry)
            if thing:
                things.append(thing)
            else:
                rows += [(None, row) for row in rows_of_entry]
        tally = {(LISTED, ""): len(entries)}
        following, is_guess = next_call(reply), False
        if listing.tries_pages and not following and entries and call.target == listing.page.target:
            following, is_guess = _next_number(call), True
        return ListPage(rows, following, is_guess, len(entries), tally, things=things)

    return ServiceList(
        listing.noun,
        lambda query, _: listing.filtered(listing.page, query),
        lambda query: partial(page, query),
        listing.nothing,
        OF_FILTERS if listing.filters else OF_SELLER,
        unit=listing.noun,
    )


def _next_number(call: Call) -> Call:
    """The call for the next page number, which the service may refuse."""
    query = dict(call.query)
    query["pageIndex"] = str(int(query.get("pageIndex", "1")) + 1)
    return replace(call, success=READ_OR_NONE, query=tuple(query.items()))


def _count_list(listing: Listing, counts: Callable[[AccountSettings], Call]) -> ServiceList:
    def page(reply: Reply, _: Call) -> ListPage:
        """The count; a service that does not count is no error here."""
        try:
            tally = {(COUNTED, ""): counted(reply)} if reply.status in READ else {}
        except Unreadable:
            tally = {}
        return ListPage([(None, {})], tally=tally)

    return ServiceList(
        tr("count"),
        lambda query, _: listing.filtered(counts(query.settings), query),
        lambda _: page,
        listing.nothing,
        OF_FILTERS,
    )


def _fewer(_: Query, tally: ExportTally) -> ExportSummary:
    missing = tally[COUNTED, ""] - tally[LISTED, ""]
    return ExportSummary([missing_entries_note(missing)] if missing > 0 else ())


# Lines of `feedtool todo`.


def _waits(listing: Listing, settings: AccountSettings) -> Iterator[Wait]:
    for waiting in listing.waits:
        query = Query("", "", "en", Context(settings), values=waiting.values)
        call = as_whole(listing.page)
        read: Callable[[Any], int] = partial(_count, listing, query)
        if listing.counts and waiting.is_counted:
            call, read = listing.counts(settings), counted
        command = ["export", listing.kind]
        for name, value in waiting.values.items():
            command += [f"--{name}"] if value is True else [f"--{name}", as_parameter(value)]
        yield Wait(
            waiting.name,
            waiting.label,
            partial(_call_of_wait, listing, waiting, query, call),
            read,
            waiting.entries,
            tuple(command),
        )


def _call_of_wait(
    listing: Listing, waiting: Waiting, query: Query, everything: Call, now: datetime
) -> Call:
    (call,) = listing.filtered(
        everything, query, *waiting.asks, (waiting.since, waiting_since(now))
    )
    return call


def _count(listing: Listing, query: Query, replies: Reply | tuple[Reply, ...]) -> int:
    pages = replies if isinstance(replies, tuple) else (replies,)
    entries = (entry for page in pages for entry in listing.read(page))
    return sum(bool(listing.rows(entry, query)) for entry in entries)
