"""The nouns of the whole program. No I/O, no behaviour beyond naming things.

Each has its row number, so that nothing has to be looked up again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct, field

from feedtool.model.text import MessageText

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
LATEST = datetime(2100, 1, 1, tzinfo=UTC)
"""A date outside these years is a mistake of a service or a gateway, such as year 9999."""


def plausible_time(moment: datetime) -> datetime | None:
    """Convert a foreign time to UTC; None if it is not between EARLIEST and LATEST.

    A time without a zone is in UTC.
    """
    try:
        utc = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:  # its offset leaves the calendar
        return None
    return utc if EARLIEST <= utc < LATEST else None


class Severity(StrEnum):
    """An error keeps the row (or the file) from being sent, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Code(Struct, frozen=True):
    name: str
    """Its name in output for scripts: `gtin-checksum`."""
    severity: Severity
    page: str
    """Its meaning, an example, the way to fix it; the first line is its summary."""


class Issue(NamedTuple):
    """A flaw of a value, before its row is known."""

    code: Code
    message: str
    hint: str = ""
    field: str | None = None
    """The column's key; None means the column that is being read."""
    value: str | None = None
    """The text as shown; None takes the text of the row's cell."""


class Problem(NamedTuple):
    """An Issue in its place. `row` None is a problem of the whole sheet or file."""

    row: int | None
    """The sheet's own row number, 1-based."""
    line: int | None
    """The physical line of a CSV where the record starts."""
    column: str | None
    """The column's letter; None if the column is absent."""
    header: str | None
    field: str | None
    code: str
    severity: Severity
    value: str | None
    message: str
    hint: str


class CellFix(NamedTuple):
    """A correction that was made in a cell."""

    row: int
    column: str
    """The column's letters."""
    header: str | None
    field: str | None
    code: str
    """The problem that it fixed."""
    fix: str
    """The name of the fix."""
    old: str
    """The text as shown; empty if the cell was blank."""
    new: str | Decimal
    """The new value; an empty text is a blank."""


class Item(NamedTuple):
    """A valid request, ready to be sent. It may come from several rows; a row may give several."""

    row: int
    """The first of its rows."""
    package_type: str
    """The area's name of the package type: Upsert."""
    channel: str
    """The salesChannelId; empty for a product."""
    reference: str
    """The sellerExternalReference; for a product its sellerProductReference, or else its GTIN."""
    product: str
    """Its further identity: `GTIN|product reference|condition` for an Upsert, for an Update that
    was made from one, and for an offer of a Full legacy zip; the GTIN for a product; else empty. A
    request of several rows has a line for each."""
    body: bytes
    """The request as JSON, exactly as it will be sent."""
    floor: float | None = None
    """The price below which it is sent only if the user insists."""
    number: int = 0
    """Its number among the requests of its first row, from 0; with `row` it names a request in its
    sheet."""
    further_rows: tuple[int, ...] = ()


class PendingRow(NamedTuple):
    """A sent row without a final answer of the service."""

    row: int
    reference: str
    product: str
    """The same as `Item.product`."""
    sends: int = 0
    """Earlier packages with this row."""
    number: int = 0
    """The same as `Item.number`."""
    body: bytes = b""
    """The request, if the row is to be looked up at the service."""
    further_rows: tuple[int, ...] = ()
    """`Item.further_rows` of a request that is a package of its own."""


class Status(StrEnum):
    """The final or present state of a row, in the service's words where it has one.

    Areas have more words, for requests that were done: each is a `RowStatus` of its area. A word
    is `Status(word)`, the same object each time.
    """

    VALID = "Valid"
    INVALID = "Invalid"
    INTEGRATED = "Integrated"
    REJECTED = "Rejected"
    DUPLICATED = "Duplicated"
    REFUSED = "Refused"
    """A refused product, in the word of its report."""
    ACCEPTED = "Accepted"
    """An accepted order or commercial gesture."""
    SUCCESS = "Success"
    """An invoice that was taken."""
    FAILURE = "Failure"
    """An invoice that was not taken."""
    CREATED = "Created"
    """A product that was new to the warehouses."""
    EXISTING = "Existing"
    """A product that the warehouses knew: its present values stay."""
    PENDING = "Pending"
    UNCHANGED = "Unchanged"
    HELD = "Held"
    NOT_CHOSEN = "NotChosen"
    """A row that was not chosen. Only the page has this status: elsewhere the row is Held."""
    SKIPPED = "Skipped"
    """A row without data: a total, or a repeated header."""
    SUPERSEDED = "Superseded"
    UNKNOWN = "Unknown"

    @classmethod
    def _missing_(cls, value: object) -> "Status":
        word = str(value)
        if word not in _WORDS_OF_AREAS:
            status = str.__new__(cls, word)
            status._name_, status._value_ = word, word
            _WORDS_OF_AREAS[word] = status
        return _WORDS_OF_AREAS[word]


_WORDS_OF_AREAS: dict[str, Status] = {}

REFUSED = (Status.REJECTED, Status.DUPLICATED, Status.REFUSED, Status.FAILURE)
"""Statuses of rows that the service has refused."""

NOT_DONE = frozenset(
    {
        *(Status.VALID, Status.INVALID, *REFUSED, Status.PENDING, Status.UNCHANGED, Status.HELD),
        *(Status.NOT_CHOSEN, Status.SKIPPED, Status.SUPERSEDED, Status.UNKNOWN),
    }
)
"""Statuses of rows whose request was not done, or not yet; all others say that it was."""


class RowStatus(NamedTuple):
    status: Status
    label: MessageText
    counted: Callable[[int], MessageText]
    """Returns the words for a number of rows."""
    page: MessageText
    """Its meaning; the first line is its summary."""


AREA_STATUSES: dict[Status, RowStatus] = {}
"""The statuses of all areas that are loaded, in their order."""


def every_status() -> tuple[Status, ...]:
    """Return all statuses in the order of reports."""
    general = tuple(Status)
    place = general.index(Status.ACCEPTED) + 1
    return (*general[:place], *AREA_STATUSES, *general[place:])


class Message(NamedTuple):
    """A message of the service, or of our checks, about a row."""

    code: str
    """The service's resultCode, or our problem code; may be empty."""
    text: str
    field: str = ""
    """The key of its column, if the service names it."""
    severity: Severity = Severity.ERROR
    row: int = 0
    """Its row, if the request has several; 0 is all of them."""


class RowResult(NamedTuple):
    """The result of a row: one for each of its requests, one for a row without any."""

    row: int
    reference: str
    status: Status
    messages: tuple[Message, ...] = ()
    channel: str = ""
    """The salesChannelId of its request; empty if it has none."""


WORST_FIRST = (
    Status.INVALID,
    Status.PENDING,
    Status.REJECTED,
    Status.REFUSED,
    Status.DUPLICATED,
    Status.FAILURE,
    Status.UNKNOWN,
    Status.HELD,
    Status.NOT_CHOSEN,
    Status.SUPERSEDED,
    Status.INTEGRATED,
    Status.ACCEPTED,
    Status.SUCCESS,
    Status.EXISTING,
    Status.CREATED,
    Status.VALID,
    Status.UNCHANGED,
    Status.SKIPPED,
)
"""The order by which a row takes the status of one of its requests: first those that can be
fixed. Statuses of areas rank behind Accepted, in their order."""
_RANKS = {status: rank for rank, status in enumerate(WORST_FIRST)}


def by_row(results: Iterable[RowResult]) -> Iterator[list[RowResult]]:
    """Group results by row; those of a row must be adjacent."""
    return (list(of_row) for _, of_row in groupby(results, attrgetter("row")))


def worst_status(of_row: Sequence[RowResult]) -> Status:
    if len(of_row) == 1:
        return of_row[0].status
    of_areas = [Status.ACCEPTED, *AREA_STATUSES]

    def rank(status: Status) -> tuple[int, int]:
        place = of_areas.index(status) if status in of_areas else len(of_areas)
        return _RANKS.get(status, _RANKS[Status.ACCEPTED]), place

    return min((result.status for result in of_row), key=rank)


class Upload(Struct, frozen=True):
    """At most 100 Items that are sent in one request."""

    number: int
    """1-based within its package."""
    items: Sequence[Item]


class PackageSummary(Struct, frozen=True):
    """A package as `--format json` shows it."""

    package_id: str | None
    package_type: str
    channel: str
    state: str | None
    rows: int
    uploads: int
    is_unconfirmed: bool = False
    """True if it was sent, and the service has not confirmed its state."""


class ActSummary(NamedTuple):
    """A single request, which is one call, as `--format json` shows it."""

    act: int
    """1-based within its sheet."""
    verb: str
    """The area's name of the action: Ship."""
    key: str
    """The thing that it changes: an order."""
    rows: tuple[int, ...]
    status: str | None
    """The service's last state of it; None if nothing was asked yet."""
    calls: int
    """The number of times that it was sent."""
    resource_id: str | None
    """The identifier that the service gave it, if any."""
    outcome: str | None = None
    """The final status of its rows; None before."""


class Counts(Struct):
    """Rows by result; `rows` = `valid` + `invalid` + `skipped`. Blank rows are not counted."""

    rows: int = 0
    valid: int = 0
    invalid: int = 0
    skipped: int = 0
    warnings: int = 0
    by_status: dict[Status, int] = field(default_factory=dict)
    skipped_because: dict[str, int] = field(default_factory=dict)
    """The rows of `skipped`, by a recipe's reason, a problem's code, or the status of a valid row,
    the most frequent first."""


class Loss(NamedTuple):
    """A part of an input that is lost in its conversion."""

    row: int | None
    """The input's own row number; the first offer of an Offers.xml, and the first JSON request, is
    row 2. None is the whole file."""
    line: int | None
    """The line where the row starts, if the input is a text."""
    field: str | None
    """The column's key, or an unknown header; None is the whole row."""
    value: str | None
    message: str


# Entries of a journal for accountants.


class BookedEntry(NamedTuple):
    number: int
    """Counted from 1, without gaps in its journal."""
    text: str
    reverses: int | None
    """The number of the entry that this one takes back."""


Reverse = Callable[[str], str]
"""Returns the text of the entry that takes back an entry with this text."""

Book = Callable[[str, str, Iterable[str], Reverse], Iterator[BookedEntry]]
"""Books texts of a journal and a period, and returns all its entries by their numbers. Afterwards
each text has as many entries as it was given times; all others are taken back."""


def no_journal(*_: object) -> Iterator[BookedEntry]:
    """Book nothing and return no entry, since there is no ledger."""
    return iter(())
