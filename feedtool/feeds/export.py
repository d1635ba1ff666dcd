"""Exports of an area: lists of the service that are read to their end, as rows of a sheet.

An `Export` is a record of pure functions. Its filters become options of `feedtool export KIND`;
whoever runs it asks for the pages, keeps the rows on disk, and writes the sheet.
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
from feedtool.model.entry import Book, no_journal
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.nouns import EARLIEST
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.text import Language, MessageText, plural, tr

KeyedRow = Mapping[str, Value]

ExportTally = Counter[tuple[str, str]]
"""Counts of things that were met: a sort, and a name, which may be empty."""


def moment_of(option: str) -> Callable[[str], datetime]:
    """The reader of an option's date, or date-time; UTC where it does not say."""

    def read(text: str) -> datetime:
        try:
            moment = datetime.fromisoformat(text.strip())
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise UsageProblem(
                tr("{option} {text} is no date and no time", option=option, text=text),
                tr("write it like 2026-11-20, 2026-11-20T08:00Z or 2026-11-20T09:00+01:00"),
            ) from error

    return read


class KeyedRows(Protocol):
    """Rows that are kept until all are there."""

    @property
    def columns(self) -> Collection[str]:
        """The keys that any row fills, as they were met."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[KeyedRow]: ...


class Filter(NamedTuple):
    """An option by which rows are chosen, or shaped."""

    name: str
    """Without its dashes: `offer-id`."""
    metavar: str
    help: str
    is_list: bool = False
    """True if it takes several, separated by commas."""
    default: str | None = None
    narrows: bool = True
    """True if fewer rows come by it."""
    read: Callable[[str], Any] = str
    """Gives what is meant by a text, or by each of a list; raises UsageProblem."""
    is_flag: bool = False
    """True if it takes no value: it is there, or not."""
    choices: Sequence[str] = ()
    """All that can be asked for; empty where that is open. Another text is refused."""


OF_FILTERS = tr("look at the filters; nothing was written")
OF_SELLER = tr("look at --seller; nothing was written")
"""Hints where nothing came."""

CHANNEL = "channel"
OF_CHANNEL = tr("The sales channel, where a row names none.  [default: the primary one]")
BY_CHANNEL = Filter(CHANNEL, "ID", OF_CHANNEL, narrows=False)
"""The filter whose default is the profile's channel."""


class Query(Struct, frozen=True):
    """An export's query: its filters, its seller and its settings."""

    seller: str
    channel: str
    language: Language
    """Of labels."""
    context: Context
    is_csv: bool = False
    """True if the file has neither labels nor a stamp."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The filters' values by their names: () and None ask for nothing."""
    since: datetime | None = None
    """Of an export that can use a cursor: only what changed then or later is asked for."""
    has_cursor: bool = False
    """True where a cursor is used. The service is then not asked to leave out what can change, as
    a state can, for lists shift while they are read: the rows of such things are left out here."""
    last_status: Callable[[str, str], str] = lambda *_: ""
    """The last status of what was sent from here, by its package's type and its reference."""
    now: datetime = EARLIEST
    """The time by the service's clock, about; it is set when the export begins."""
    book: Book = no_journal
    """Books entries of a journal, and gives all of a period."""

    @property
    def dialect(self) -> AccountSettings:
        """The profile's settings."""
        return self.context.settings

    def __getitem__(self, name: str) -> Any:
        """A filter's value."""
        return self.values[name]


class Thing(NamedTuple):
    """Something of the service's that a cursor brings once: an order, with a row for each line."""

    key: str
    version: str
    """Another one whenever the thing has changed: its last change, or a digest."""
    at: datetime
    """Its last change, by the service."""
    rows: Sequence[KeyedRow]
    """Empty where a filter leaves it out; else they take the place of those it had before."""


class ListPage(NamedTuple):
    """One answer of a list."""

    rows: Sequence[tuple[str | None, KeyedRow]] = ()
    """Each with its key: a later row of the same key takes the place of an earlier one."""
    next: Call | None = None
    is_guess: bool = False
    """True if nobody has said that there is a next page."""
    progress: int = 0
    """The number of things that came by it, as progress counts them."""
    tally: Mapping[tuple[str, str], int] = {}
    observed: Sequence[Any] = ()
    """The things that the ledger is to remember."""
    things: Sequence[Thing] = ()
    """In the place of `rows`, for an export that can use a cursor."""
    is_again: bool = False
    """True if the next page may be one that was read already, since the list changes."""


class ServiceList(NamedTuple):
    """A list of the service, or several of one kind, each asked for page after page."""

    name: str
    """In messages: `offers`."""
    first: Callable[[Query, KeyedRows], Iterable[Call]]
    """The first page of each, which may follow from the rows of the listing before."""
    page: Callable[[Query], Callable[[Reply, Call], ListPage]]
    """The reader of its pages; raises Unreadable for an answer that is none."""
    nothing: Callable[[Query, ExportTally], NothingToDo]
    hint: str
    """The hint where the service refuses the call."""
    unit: str = ""
    position: Callable[[KeyedRow], str] = lambda _: ""
    """What its rows are sorted by; those of the same are as they came."""
    may_be_empty: bool = False
    """True if the export goes on where there is nothing in it."""
    may_lack: bool = False
    """True if the export goes on where the service does not give it: its one column is LACK."""


LACK = "lack"
"""The one column of a list that the service does not give."""


class FilledTemplate(NamedTuple):
    """A sheet of the shape of a feed's template."""

    feed: Feed
    context: Context
    language: Language
    categories: Sequence[str] = ()
    further: Sequence[Field] = ()
    """Columns behind those of the template."""
    facts: Sequence[str] = ()
    choices: Mapping[str, Sequence[str]] = {}
    """By key, what the service offers for a column; other values can be typed all the same."""
    stamps: Mapping[str, tuple[str, ...]] = {}
    """Further stamps of the workbook, each a list."""


class PlainTable(NamedTuple):
    """A plain sheet, to look at and to filter."""

    sheet: str
    fields: Sequence[Field]
    has_labels: bool = False
    """True where the header of a text file has the labels, as a workbook has; else the keys."""
    is_personal: bool = False
    """True if its rows may name people: the file is its owner's alone."""
    export: str = ""
    """The name of the export, by which its workbook is known again."""


class ExportNote(NamedTuple):
    """Something that whoever uses the file should know."""

    text: str
    hint: str = ""
    """The hint; empty where nothing needs to be done."""
    is_loss: bool = False
    """True if something that was asked for is not in the file."""


def fewer_came(count: int) -> ExportNote:
    """The note that so many entries are missing of those that the service counts."""
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
    """The number of things that are not in the file; the notes say why."""


class MadeRow(NamedTuple):
    """A row of the file, and what was counted for it."""

    row: KeyedRow | None
    """None for what has no row in the file."""
    tally: Mapping[tuple[str, str], int] = {}


class FurtherSheets(NamedTuple):
    """Sheets behind the first of a workbook, and what was counted for them."""

    tables: Sequence[tuple[PlainTable, Sequence[KeyedRow]]]
    tally: Mapping[tuple[str, str], int] = {}


class ExportMemory(NamedTuple):
    """The ledger's memory of what an export was shown."""

    entry: type[Any]
    """Of `ListPage.observed`."""
    begin: Callable[[Any, str, str], int]
    """The knowledge before the first call, by the ledger's engine, the address, the seller."""
    write: Callable[..., bool]
    """Note it; False where something was sent meanwhile."""


class Increments(NamedTuple):
    """What makes an export able to bring only what is new to a cursor, and to miss nothing.

    The pages of its last list give `things`, with those that a filter leaves out, and its `rows`
    leave none out. A filter looks only at what a new version is made for.
    """

    missed: Callable[[int], MessageText]
    """That so many were missing from earlier exports, as a note: `2 orders were missing …`."""
    refused: tuple[str, ...] = ()
    """Filters that no cursor can have, since what they leave out would never come: `until`."""


# Files beside a list: invoices, labels.

FILE, DIGEST, PROBLEM = "file", "sha256", "problem"
"""What a row of the list is told of its file; a row of several files comes once for each."""

LABELS = {FILE: tr("File"), DIGEST: tr("SHA-256"), PROBLEM: tr("Problem")}


class DocumentCall(NamedTuple):
    """A call that brings files."""

    call: Call
    keys: tuple[str, ...]
    """The rows whose files it brings: one, or those of an archive."""
    tries: int = 1


class DocumentFile(NamedTuple):
    """A file that an answer has brought."""

    key: str
    """Of the row that it belongs to."""
    name: str
    """Where it is to be in the folder; whoever writes it makes the name safe and unique."""
    content: bytes | Path


class DocumentAnswer(NamedTuple):
    """The files of an answer, and of what there is none."""

    files: Sequence[DocumentFile] = ()
    missing: Mapping[str, str] = {}
    """By key, the reason why there is none."""
    again: Sequence[DocumentCall] = ()
    """What is to be asked for once all others are answered."""
    wait: timedelta = timedelta()
    """So long at least before that."""


def refused(asked: DocumentCall, _: int | None, reason: str) -> DocumentAnswer:
    """None of the files is there, for the service's reason."""
    return DocumentAnswer(missing=dict.fromkeys(asked.keys, reason))


class Documents(NamedTuple):
    """The files of an export's rows."""

    key: Callable[[KeyedRow], str]
    """The key of a row; that of rows without files is in no call."""
    calls: Callable[[Query, KeyedRows], Iterable[DocumentCall]]
    read: Callable[[DocumentCall, Reply, Path], DocumentAnswer]
    """Reads a success, whose body is in the file; raises Unreadable."""
    lack: Callable[[DocumentCall, int | None, str], DocumentAnswer] = refused
    """What to do without an answer: the status, None where there was never a usable one, and the
    reason."""


class Wait(NamedTuple):
    """Something of the service's that may wait for the user: a line of `feedtool todo`."""

    name: str
    """In JSON: `to-accept`."""
    label: str
    call: Call | Callable[[datetime], Call]
    """The call, or what makes it at a time."""
    read: Callable[[Any], int]
    """How many wait, by the answer, or the answers where a list is read as a whole; raises
    Unreadable where they do not say."""
    things: Callable[[int], MessageText]
    """So many of them: `4 orders`."""
    words: tuple[str, ...]
    """Of the command that goes on with them."""
    look: Call | None = None
    """Asked only where some wait."""
    detail: Callable[[Reply], str] = lambda _: ""
    """What more its answer tells: `the first by …`; raises Unreadable."""


LATELY = timedelta(days=30)
"""What is older waits for nobody."""


def lately(now: datetime) -> str:
    """The time from which on something may wait for somebody, as filters of lists take it."""
    return (now - LATELY).astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


class Export(NamedTuple):
    """One kind of export."""

    kind: str
    """As users name it: `offers`."""
    help: str
    """Of its command; the first line stands alone."""
    listings: Callable[[Query], Sequence[ServiceList]]
    """Read one after the other; the rows of the last are the file's."""
    sheet: Callable[[Query, KeyedRows, ExportTally], FilledTemplate | PlainTable]
    """The sheet for the rows, once all are there."""
    summary: Callable[[Query, ExportTally], ExportSummary]
    filters: tuple[Filter, ...] = ()
    check: Callable[[Query], None] = lambda _: None
    """Raises UsageProblem for what cannot be asked for, before anything is."""
    rows: Callable[[Query, Sequence[KeyedRows], ExportTally], Iterable[MadeRow]] | None = None
    """The file's rows, of those of all lists, where they are not those of the last."""
    further: Callable[[Query, Sequence[KeyedRows], KeyedRows], FurtherSheets] | None = None
    """The sheets behind that of the rows, of those of all lists and those of the file."""
    endings: tuple[str, ...] = (".xlsx", ".csv")
    """Of the files that it can be written as; the first is the usual one."""
    closed: tuple[str, str] | None = None
    """The message and the hint of a 403, where a right is given by request alone."""
    memory: ExportMemory | None = None
    """The ledger's memory of what was shown; None where it remembers nothing."""
    asks_ledger: bool = False
    """True if it looks at `Query.last_status` or `Query.book`."""
    is_sent_back: bool = False
    """True if its file may be edited and sent."""
    increments: Increments | None = None
    """None where it always brings all."""
    documents: Documents | None = None
    """The files that it brings beside its list, into a folder."""
    waits: Callable[[AccountSettings], Iterable[Wait]] = lambda _: ()
    """What may wait for the user in it, in the order of urgency."""
