"""Exports of an area: complete lists of the service, as rows of a sheet.

An `Export` is a record of pure functions. Its filters become options of `feedtool export KIND`.
`runs.export` requests the pages, keeps the rows on disk, and writes the sheet.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from msgspec import Struct, field

from feedtool.feeds.feed import Feed
from feedtool.feeds.template import Field
from feedtool.model.call import Call, Reply
from feedtool.model.cells import Value
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.nouns import EARLIEST, Book, no_journal
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.text import Language, MessageText, plural, tr

KeyedRow = Mapping[str, Value]

ExportTally = Counter[tuple[str, str]]
"""Counts by sort and name; the name may be empty."""


def moment_of(option: str) -> Callable[[str], datetime]:
    """Return a reader of an option's date or date-time; without an offset it is in UTC."""

    def read(text: str) -> datetime:
        try:
            moment = datetime.fromisoformat(text.strip())
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise UsageProblem(
                tr("{option} {text} is not a date or a time", option=option, text=text),
                tr("write it like 2026-11-20, 2026-11-20T08:00Z or 2026-11-20T09:00+01:00"),
            ) from error

    return read


class KeyedRows(Protocol):
    """Rows that are stored until the list is complete."""

    @property
    def columns(self) -> Collection[str]:
        """The keys that any row fills, in the order of their first rows."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[KeyedRow]: ...


class Filter(NamedTuple):
    """An option that selects rows, or changes their form."""

    name: str
    """The option without its dashes: `offer-id`."""
    metavar: str
    help: str
    is_list: bool = False
    """True if it takes several, separated by commas."""
    default: str | None = None
    narrows: bool = True
    """True if it reduces the number of rows."""
    read: Callable[[str], Any] = str
    """Reads a text, or each text of a list; raises UsageProblem."""
    is_flag: bool = False
    """True if it takes no value."""
    choices: Sequence[str] = ()
    """All allowed values; empty if any value is allowed."""


OF_FILTERS = tr("look at the filters; nothing was written")
OF_SELLER = tr("look at --seller; nothing was written")
"""Hints for an empty list."""

CHANNEL = "channel"
OF_CHANNEL = tr("The sales channel, where a row names none.  [default: the primary one]")
BY_CHANNEL = Filter(CHANNEL, "ID", OF_CHANNEL, narrows=False)
"""The filter whose default is the profile's channel."""


class Query(Struct, frozen=True):
    seller: str
    channel: str
    language: Language
    """The language of labels."""
    context: Context
    is_csv: bool = False
    """True if the file has neither labels nor a stamp."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The filters' values by their names; () and None do not filter."""
    since: datetime | None = None
    """In an export with a cursor: only items that changed then or later are requested."""
    has_cursor: bool = False
    """True if a cursor is used. Filters by anything that can change, such as a state, are then
    applied here and not by the service, since its lists would shift while they are read."""
    last_status: Callable[[str, str], str] = lambda *_: ""
    """Returns the last status of a request sent by feedtool, by its package's type and
    reference."""
    now: datetime = EARLIEST
    """The approximate time of the service's clock; it is set when the export begins."""
    book: Book = no_journal
    """Stores entries of a journal, and returns all entries of a period."""

    @property
    def settings(self) -> AccountSettings:
        return self.context.settings

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


class ListedItem(NamedTuple):
    """An item of a list that a cursor exports once: an order, with a row for each line."""

    key: str
    version: str
    """A text that changes whenever the item changes: the time of its last change, or a digest."""
    changed_at: datetime
    """The time of its last change, by the service."""
    rows: Sequence[KeyedRow]
    """The rows, which replace its former rows; empty if a filter leaves the item out."""


class ListPage(NamedTuple):
    rows: Sequence[tuple[str | None, KeyedRow]] = ()
    """Rows, each with its key: a later row replaces an earlier row of the same key."""
    next: Call | None = None
    is_guess: bool = False
    """True if the service did not say that there is a next page."""
    progress: int = 0
    """The number of items on the page, for the display of progress."""
    tally: Mapping[tuple[str, str], int] = {}
    observed: Sequence[Any] = ()
    """The entries for the ledger to remember."""
    things: Sequence[ListedItem] = ()
    """Items instead of `rows`, for an export that can use a cursor."""
    is_again: bool = False
    """True if the next page may have been read already, since the list changes."""


class ServiceList(NamedTuple):
    """A list of the service, or several of one kind, read page by page."""

    name: str
    """The name in messages: `offers`."""
    first: Callable[[Query, KeyedRows], Iterable[Call]]
    """Returns the call for the first page of each list, given the rows of the listing before."""
    page: Callable[[Query], Callable[[Reply, Call], ListPage]]
    """Returns the reader of its pages; it raises Unreadable for an answer that is not a page."""
    nothing: Callable[[Query, ExportTally], NothingToDo]
    hint: str
    """The hint if the service refuses the call."""
    unit: str = ""
    position: Callable[[KeyedRow], str] = lambda _: ""
    """The key for a stable sort of its rows."""
    may_be_empty: bool = False
    """True if the export continues when the list is empty."""
    may_lack: bool = False
    """True if the export continues when the service refuses the list: its only column is LACK."""


LACK = "lack"
"""The only column of a list that the service refuses."""


class FilledTemplate(NamedTuple):
    """A sheet in the form of a feed's template."""

    feed: Feed
    context: Context
    language: Language
    categories: Sequence[str] = ()
    extra_columns: Sequence[Field] = ()
    """Columns after the columns of the template."""
    facts: Sequence[str] = ()
    choices: Mapping[str, Sequence[str]] = {}
    """The service's values for columns, by key; other values can be typed as well."""
    stamps: Mapping[str, tuple[str, ...]] = {}
    """Further stamps of the workbook, each a list."""


class PlainTable(NamedTuple):
    """A plain sheet, to look at and to filter."""

    sheet: str
    fields: Sequence[Field]
    has_labels: bool = False
    """True if the header of a text file has labels, as in a workbook; else it has keys."""
    is_personal: bool = False
    """True if its rows may name people: only the owner may read the file."""
    export: str = ""
    """The name of the export, by which feedtool recognises its workbook."""


class ExportNote(NamedTuple):
    """A note for the user of the file."""

    text: str
    hint: str = ""
    """The hint; empty if the user need not do anything."""
    is_loss: bool = False
    """True if the file lacks something that was requested."""


def missing_entries_note(count: int) -> ExportNote:
    """Return the note that `count` of the entries that the service counts are missing."""
    text = plural(
        "the service counts {count:,} more than it has listed",
        "the service counts {count:,} more than it has listed",
        count,
    )
    return ExportNote(text, tr("run it again in a while"), is_loss=True)


class ExportSummary(NamedTuple):
    """The notes about a file that was written."""

    notes: Sequence[ExportNote]
    skipped: int = 0
    """The number of items that are not in the file; the notes give the reasons."""


class OutputRow(NamedTuple):
    """A row of the file, with counts."""

    row: KeyedRow | None
    """None if the file has no row for the entry."""
    tally: Mapping[tuple[str, str], int] = {}


class ExtraSheets(NamedTuple):
    """Sheets after the first sheet of a workbook, with counts."""

    tables: Sequence[tuple[PlainTable, Sequence[KeyedRow]]]
    tally: Mapping[tuple[str, str], int] = {}


class ExportMemory(NamedTuple):
    """The functions by which the ledger remembers entries of an export."""

    entry: type[Any]
    """The type of entries in `ListPage.observed`."""
    begin: Callable[[Any, str, str], int]
    """Returns the state before the first call; takes the ledger's engine, the address, the
    seller."""
    write: Callable[..., bool]
    """Writes the entries; returns False if something was sent meanwhile."""


class Increments(NamedTuple):
    """The declaration of an export that can bring only items that are new to a cursor.

    The pages of its last list give `things`, also the items that a filter leaves out, and
    `Export.rows` keeps all of them. A filter may read only data whose change makes a new version.
    """

    missed: Callable[[int], MessageText]
    """Returns the note about items missing from earlier exports: `2 orders were missing …`."""
    refused: tuple[str, ...] = ()
    """Filters that cannot be used with a cursor, since items left out would never come: `until`."""


# Files beside a list: invoices, labels.

FILE, DIGEST, PROBLEM = "file", "sha256", "problem"
"""Columns about a row's file; a row with several files is repeated for each file."""

LABELS = {FILE: tr("File"), DIGEST: tr("SHA-256"), PROBLEM: tr("Problem")}


class DocumentCall(NamedTuple):
    """A call that downloads files."""

    call: Call
    keys: tuple[str, ...]
    """The keys of the rows whose files it downloads: one row, or the rows of an archive."""
    tries: int = 1


class DocumentFile(NamedTuple):
    """A file in an answer."""

    key: str
    """The key of its row."""
    name: str
    """The preferred name in the folder; the writer makes it safe and unique."""
    content: bytes | Path


class DocumentAnswer(NamedTuple):
    """The files in an answer, and the keys without a file."""

    files: Sequence[DocumentFile] = ()
    missing: Mapping[str, str] = {}
    """The reasons for missing files, by key."""
    again: Sequence[DocumentCall] = ()
    """Calls to make after all other calls are answered."""
    wait: timedelta = timedelta()
    """The least time before these calls."""


def missing_document(call: DocumentCall, _: int | None, reason: str) -> DocumentAnswer:
    return DocumentAnswer(missing=dict.fromkeys(call.keys, reason))


class Documents(NamedTuple):
    """The files of an export's rows."""

    key: Callable[[KeyedRow], str]
    """Returns the key of a row; no call has the key of a row without files."""
    calls: Callable[[Query, KeyedRows], Iterable[DocumentCall]]
    read: Callable[[DocumentCall, Reply, Path], DocumentAnswer]
    """Reads a success, whose body is in the file at the path; raises Unreadable."""
    lack: Callable[[DocumentCall, int | None, str], DocumentAnswer] = missing_document
    """Returns the result of a failed call; takes the status, None without any usable answer, and
    the reason."""


class Wait(NamedTuple):
    """Items of the service that may wait for the user: a line of `feedtool todo`."""

    name: str
    """The name in JSON: `to-accept`."""
    label: str
    call: Call | Callable[[datetime], Call]
    """The call, or a function that makes it for a time."""
    read: Callable[[Any], int]
    """Returns the number of waiting items, from the answer, or from all answers of a whole list;
    raises Unreadable."""
    things: Callable[[int], MessageText]
    """Returns the text of a number of items: `4 orders`."""
    words: tuple[str, ...]
    """The words of the command that handles them."""
    look: Call | None = None
    """A second call, made only if items wait."""
    detail: Callable[[Reply], str] = lambda _: ""
    """Returns a detail from the answer to `look`: `the first by …`; raises Unreadable."""


LONGEST_WAIT = timedelta(days=30)
"""Older items do not wait for the user."""


def waiting_since(now: datetime) -> str:
    return (now - LONGEST_WAIT).astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


class Export(NamedTuple):
    kind: str
    """The name for users: `offers`."""
    help: str
    """The help of its command; the first line is a summary."""
    listings: Callable[[Query], Sequence[ServiceList]]
    """Returns the lists, which are read in this order; the rows of the last list go into the
    file."""
    sheet: Callable[[Query, KeyedRows, ExportTally], FilledTemplate | PlainTable]
    """Returns the sheet for the rows, once all are there."""
    summary: Callable[[Query, ExportTally], ExportSummary]
    filters: tuple[Filter, ...] = ()
    check: Callable[[Query], None] = lambda _: None
    """Raises UsageProblem for an impossible query, before the first call."""
    rows: Callable[[Query, Sequence[KeyedRows], ExportTally], Iterable[OutputRow]] | None = None
    """Makes the rows of the file from the rows of all lists; None if the last list has them."""
    extra_sheets: Callable[[Query, Sequence[KeyedRows], KeyedRows], ExtraSheets] | None = None
    """Makes further sheets from the rows of all lists and the rows of the file."""
    endings: tuple[str, ...] = (".xlsx", ".csv")
    """The endings of possible files; the first is the default."""
    forbidden_texts: tuple[str, str] | None = None
    """The message and the hint of a 403, if the service grants the right only on request."""
    memory: ExportMemory | None = None
    """The functions by which the ledger remembers entries; None if it remembers nothing."""
    asks_ledger: bool = False
    """True if it uses `Query.last_status` or `Query.book`."""
    is_sent_back: bool = False
    """True if the user may edit its file and send it."""
    increments: Increments | None = None
    """None if it always brings all items."""
    documents: Documents | None = None
    """The files that it downloads into a folder, beside its list."""
    waits: Callable[[AccountSettings], Iterable[Wait]] = lambda _: ()
    """Returns the lines of `feedtool todo` about it, in the order of urgency."""
