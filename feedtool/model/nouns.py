"""The nouns that travel through the house. No I/O, no behaviour beyond naming things.

The row number is in every one of them, so that nothing is ever looked up again.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct, field

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
LATEST = datetime(2100, 1, 1, tzinfo=UTC)
"""A date outside of these years is a mistake of a service or a gateway, such as year 9999."""


def plausible_time(moment: datetime) -> datetime | None:
    """A time that somebody else wrote, in UTC; None when it is outside of EARLIEST to LATEST.

    A time without a zone is in UTC.
    """
    try:
        utc = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:  # its offset leads out of the calendar
        return None
    return utc if EARLIEST <= utc < LATEST else None


class Severity(StrEnum):
    """An error keeps the row (or the file) from being sent, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Code(Struct, frozen=True):
    """One word of the vocabulary of problems, with its page."""

    name: str
    """As scripts see it: `gtin-checksum`."""
    severity: Severity
    page: str
    """Its meaning, an example, the way to fix it; the first line is its summary."""


class Issue(NamedTuple):
    """A flaw of a value, before it is known in which row it stands."""

    code: Code
    message: str
    hint: str = ""
    field: str | None = None
    """The column's key; None is the column that was being read."""
    value: str | None = None
    """The text as shown; None lets the row's cell speak."""


class Problem(NamedTuple):
    """An Issue in its place. `row` None is a problem of the whole sheet or file."""

    row: int | None
    """The sheet's own row number, 1-based."""
    line: int | None
    """In a CSV the physical line where the record starts."""
    column: str | None
    """The column's letter; None where the column is absent."""
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
    """Its letters."""
    header: str | None
    field: str | None
    code: str
    """The problem that it fixed."""
    fix: str
    """The name of the fix."""
    old: str
    """The text as shown; empty if the cell was blank."""
    new: str | Decimal
    """What it holds now; an empty text is a blank."""


class Item(NamedTuple):
    """A valid request, ready to travel. It may come of several rows; a row may give several."""

    row: int
    """The first of its rows."""
    package_type: str
    """In the words of its area: Upsert."""
    channel: str
    """The salesChannelId; empty for a product."""
    reference: str
    """The sellerExternalReference; of a product its sellerProductReference, else its GTIN."""
    product: str
    """Its further identity: of an Upsert, of an Update that was made of one, and of a Full
    legacy zip's offer, `GTIN|product reference|condition`, of a product its GTIN, else nothing. Of
    a request of several rows it has a line for each."""
    body: bytes
    """The request as JSON, exactly as it will be sent."""
    floor: float | None = None
    """The price below which it is not to be sent unasked."""
    number: int = 0
    """Among the requests of its first row, 0-based: `row` and it name a request in its sheet."""
    further_rows: tuple[int, ...] = ()


class PendingRow(NamedTuple):
    """A sent row of which the service has not said the last word."""

    row: int
    reference: str
    product: str
    """As `Item.product`."""
    sends: int = 0
    """The number of packages before this one that have carried it."""
    number: int = 0
    """As `Item.number`."""
    body: bytes = b""
    """The request, where the row is to be looked up among what the service has."""
    further_rows: tuple[int, ...] = ()
    """As `Item.further_rows`, of a request that is a package of its own."""


class Status(StrEnum):
    """The final or present state of a row, in the service's words where it has one."""

    VALID = "Valid"
    INVALID = "Invalid"
    INTEGRATED = "Integrated"
    REJECTED = "Rejected"
    DUPLICATED = "Duplicated"
    REFUSED = "Refused"
    """Of a product, in the word of its report."""
    ACCEPTED = "Accepted"
    """Of an order, or of a commercial gesture."""
    ORDER_REFUSED = "OrderRefused"
    """Of an order that the seller has refused, as asked; the order's own word is Refused."""
    SHIPPED = "Shipped"
    CANCELLED = "Cancelled"
    SUCCESS = "Success"
    """Of an invoice."""
    FAILURE = "Failure"
    """Of an invoice."""
    CREATED = "Created"
    """Of a product that the warehouses did not know."""
    EXISTING = "Existing"
    """Of one that they knew: what it had already stays."""
    SENT = "Sent"
    """Of a message in a discussion."""
    OPENED = "Opened"
    """Of a discussion, as the next two."""
    CLOSED = "Closed"
    READ = "Read"
    PENDING = "Pending"
    UNCHANGED = "Unchanged"
    HELD = "Held"
    NOT_CHOSEN = "NotChosen"
    """A row that others were chosen before. The page alone has it: elsewhere the row is Held."""
    SKIPPED = "Skipped"
    """Of a row that is none: a total, or the header once more."""
    SUPERSEDED = "Superseded"
    UNKNOWN = "Unknown"


AS_ASKED = frozenset(
    {
        *(Status.INTEGRATED, Status.ACCEPTED, Status.ORDER_REFUSED),
        *(Status.SHIPPED, Status.CANCELLED, Status.SUCCESS),
        *(Status.CREATED, Status.EXISTING),
        *(Status.SENT, Status.OPENED, Status.CLOSED, Status.READ),
    }
)
"""The service has done what the row asks for."""

REFUSED = (Status.REJECTED, Status.DUPLICATED, Status.REFUSED, Status.FAILURE)
"""The service has refused the row."""


class Message(NamedTuple):
    """A message of the service (or of a check of ours) about a row."""

    code: str
    """The service's resultCode, or our problem code; may be empty."""
    text: str
    field: str = ""
    """The key of the column that it is about, where the service names it."""
    severity: Severity = Severity.ERROR
    row: int = 0
    """The row that it is about, where its request has several; 0 is all of them."""


class RowResult(NamedTuple):
    """The end of a row's journey: one for each of its requests, one for a row that has none."""

    row: int
    reference: str
    status: Status
    messages: tuple[Message, ...] = ()
    channel: str = ""
    """The salesChannelId of its request; empty where it has none."""


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
    Status.ORDER_REFUSED,
    Status.SHIPPED,
    Status.CANCELLED,
    Status.SUCCESS,
    Status.EXISTING,
    Status.CREATED,
    Status.SENT,
    Status.OPENED,
    Status.CLOSED,
    Status.READ,
    Status.VALID,
    Status.UNCHANGED,
    Status.SKIPPED,
)
"""Which status of its requests is a row's: what is to be fixed, or may yet be, before the rest."""


def by_row(results: Iterable[RowResult]) -> Iterator[list[RowResult]]:
    """The results of each row, which follow on each other."""
    of_row: list[RowResult] = []
    for result in results:
        if of_row and of_row[0].row != result.row:
            yield of_row
            of_row = []
        of_row.append(result)
    if of_row:
        yield of_row


def worst_status(of_row: Sequence[RowResult]) -> Status:
    """The status of a row: the worst of its results."""
    if len(of_row) == 1:
        return of_row[0].status
    return min((result.status for result in of_row), key=WORST_FIRST.index)


class Upload(Struct, frozen=True):
    """At most 100 Items that travel in one request."""

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
    """True if it was sent, and the service has said no word of its state."""


class ActSummary(NamedTuple):
    """A single request, which is one call, as `--format json` shows it."""

    act: int
    """1-based within its sheet."""
    verb: str
    """In the words of its area: Ship."""
    key: str
    """What it is done to: an order."""
    rows: tuple[int, ...]
    status: str | None
    """The last word that the service had for it; None while nothing was asked."""
    calls: int
    """How often it was sent."""
    resource_id: str | None
    """The identifier that the service gave it, where it gives one."""
    outcome: str | None = None
    """The status of its rows, once it is decided."""


class Counts(Struct):
    """Rows by what was found; `rows` = `valid` + `invalid` + `skipped`. Blank rows are in none."""

    rows: int = 0
    valid: int = 0
    invalid: int = 0
    skipped: int = 0
    warnings: int = 0
    by_status: dict[Status, int] = field(default_factory=dict)
    skipped_because: dict[str, int] = field(default_factory=dict)
    """The rows of `skipped` by a recipe's reason, a problem's code, or the status of a valid row;
    the most first."""


class Loss(NamedTuple):
    """Something of an input that is not in what it is converted to."""

    row: int | None
    """The input's own row number; of offers in an Offers.xml, and of JSON requests, the first is
    row 2. None is the whole file."""
    line: int | None
    """Where that is a text: the line where the row starts."""
    field: str | None
    """The key of the column, or the header that no column is known for; None is the whole row."""
    value: str | None
    message: str
