"""Delivery: three protocols, of which each feed declares one.

- `Staged`: requests are uploaded into a package, which one call commits; results are pages.
- `Submitted`: one POST stages and commits; a report, or a log, says what came of each request.
- `Direct`: one call for each request, and then its effect is confirmed or followed.

Each is a record of pure functions and limits of the area. What is done when, and what is repeated,
is not the area's: the state machines are in `feedtool.delivery`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from feedtool.feeds.direct import Direct
from feedtool.feeds.package_ref import PackageRef, Size
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import Code, Message, PendingRow, Status
from feedtool.model.settings import AccountSettings, PackageLimits

T = TypeVar("T")


class Meaning(StrEnum):
    """The meanings of a package's state."""

    OPEN = "open"
    """Uploads and the commit are taken."""
    SETTLING = "settling"
    """Uploads are taken, and the commit is not until it is open again."""
    WORKING = "working"
    """Committed; the service goes on by itself."""
    INTEGRATED = "integrated"
    """Final: the results are readable."""
    REJECTED = "rejected"
    """Final: refused as a whole, a message gives the reason."""
    UNHEARD = "unheard of"
    """A state that the specification does not have: not yet, as far as we know."""


class PackageView(NamedTuple):
    """A package as the service shows it."""

    state: str
    meaning: Meaning
    messages: tuple[Message, ...] = ()


class RequestResult(NamedTuple):
    """The result of one request, by its reference."""

    reference: str
    status: Status
    messages: tuple[Message, ...]


class ListedPackage(NamedTuple):
    """A package as the list of the seller's packages shows it."""

    package_id: str
    state: str
    """In the service's word, "" where it says none."""
    meaning: Meaning
    created_at: datetime | None


class ReportItem(NamedTuple):
    """A report's entry about one product."""

    package_id: str | None
    gtin: str
    reference: str | None
    """The seller's, character for character."""
    word: str
    """The status as the service writes it."""
    status: Status | None
    """None while it is not the last word."""
    submitted_at: datetime | None
    messages: tuple[Message, ...] = ()


class AnswerPage(NamedTuple, Generic[T]):
    """One page of a list: of results, of the seller's packages, of reports."""

    items: list[T]
    next: str | None
    """The address of the page after this one, of the same origin."""
    strange: int = 0
    """Items that could not be read: of results those without a reference or a status."""


class LogEntry(NamedTuple):
    """A log's entry about one offer."""

    reference: str
    """The seller's, character for character; empty where it is not told."""
    gtin: str
    """Empty where it is not told."""
    status: Status
    messages: tuple[Message, ...]


class LogPage(NamedTuple):
    """The state of a package, and a page of its log."""

    state: str
    meaning: Meaning
    entries: list[LogEntry]
    about_all: tuple[Message, ...]
    """The messages about the whole package, naming no offer."""
    pages: int | None
    """The number of the log's pages; None where the service does not say."""
    number: int | None = None
    """The page's number as the service has it; None where it does not say."""
    errors: int | None = None
    """The number of rows of the package that are not as asked; None where it does not say."""

    def is_other(self, asked: int) -> bool:
        """True if it is another page than was asked for: the service knows of no page numbers.

        The first page proves nothing, for numbers may begin with 0.
        """
        return asked > 1 and self.number not in {None, asked}


class Endpoint(NamedTuple, Generic[T]):
    """A call about a package, and the reader of its success."""

    call: Callable[[PackageRef], Call]
    read: Callable[[Reply], T]


class Trace(StrEnum):
    """The trace that a row has left which no result names."""

    IN_FORCE = "in force"
    """It is as the row asked, and was touched since."""
    REMOVED = "removed"
    """It is gone, as the row asked."""
    UNTOUCHED = "untouched"
    """It is plainly as it was before."""
    CHANGED = "changed"
    """It is neither: nothing can be said."""


class LookupTexts(NamedTuple):
    """The texts of rows after a look-up."""

    in_force: str
    removed: str
    changed: str
    results_gone: str
    too_often: str
    not_repeated: str
    unaskable: str


class Since(NamedTuple):
    """The facts that a row's trace is judged by."""

    package_type: str
    sent_at: datetime | None
    """By the service's clock; what was touched last before this is untouched."""
    settings: AccountSettings


class Lookup(NamedTuple, Generic[T]):
    """A look-up of rows that no result names."""

    ask: Callable[[PackageRef, Sequence[PendingRow]], tuple[Sequence[PendingRow], Call] | None]
    """The next call and the rows it asks for; None where none of the rows can be asked for."""
    read: Callable[[Reply], T]
    traces: Callable[[Since, Sequence[PendingRow], T], Iterable[tuple[PendingRow, Trace]]]
    """The rows' traces on a page, but for those that a further page may show."""
    texts: LookupTexts


class Staged(NamedTuple):
    """Packages that are created, filled by uploads, and committed by one call."""

    size: Callable[[PackageLimits], Size]
    create: Endpoint[str]
    """Its success carries the package's id."""
    upload: Callable[[PackageRef, Sequence[bytes]], Call]
    look: Endpoint[PackageView]
    commit: Callable[[PackageRef], Call]
    results: Endpoint[AnswerPage[RequestResult]]
    lookup: Lookup[Any]
    listing: Endpoint[AnswerPage[ListedPackage]]
    """All packages of the seller, or those in the state that the reference names."""
    states: Iterable[str]
    """The service's words for a package's state."""
    meaning: Callable[[str], Meaning]
    """The meaning of such a word."""
    ready: str
    """Its word for a package that was just committed."""


class Report(NamedTuple):
    """Reports of single products, which any list of reports may hold."""

    page: Endpoint[AnswerPage[ReportItem]]
    find: Callable[[PackageRef, Sequence[PendingRow]], tuple[Call, int]]
    """A page of the reports of the first of some products, and how many of them it asks for."""
    match: Callable[
        [Iterable[PendingRow], Iterable[ReportItem]],
        Iterator[tuple[PendingRow, ReportItem]],
    ]
    """The products and what the items say of them."""
    is_quota: Callable[[ReportItem], bool]
    """True if a product is refused for a quota alone, which will have room again."""


class PackageLog(NamedTuple):
    """The state of a package and its log, page by page."""

    page: Endpoint[LogPage]
    match: Callable[[Sequence[LogEntry], Iterable[PendingRow]], Iterable[LogEntry]]
    """The entries whose reference is unknown, with the reference of the row that they are of."""


class Submitted(NamedTuple):
    """Packages that one POST stages and commits."""

    size: Callable[[PackageLimits], Size]
    submit: Callable[[PackageRef, Sequence[bytes]], Call]
    submitted: Callable[[Reply], str]
    outcome: Report | PackageLog
    """The place of the results; a Report also finds what was lost."""
    document: Callable[[PackageRef, Sequence[bytes]], bytes]
    """The document that travels, as it would be written to a file."""
    file_name: str
    """Of that file, with the number, package_type and channel of the package."""
    lookup: Lookup[Any] | None = None
    """Beside a Log: what tells of the rows where an answer was lost."""
    names: Callable[[str, str], frozenset[str]] | None = None
    """The names of a request, of its reference and product; no two in a package share one."""
    blames_package: Callable[[int | None, frozenset[str]], bool] = lambda _status, _causes: False
    """True if a refusal, by its status and causes, is for what all halves would share."""
    replaces: Code | None = None
    """The guard that holds a request which replaces another one of its reference; None where
    nothing is lost by that."""
    is_repeatable: Callable[[str], bool] = lambda _: True
    """True if packages of a type may be sent again, whole or in halves."""
    is_exclusive: Callable[[str], bool] = lambda _: False
    """True if packages of a type need that no other package of the seller is open."""


Protocol: TypeAlias = Staged | Submitted | Direct[Any]

Names: TypeAlias = Callable[[str, str], frozenset[str]]
"""Names of something, of a request's reference and product."""


class Needs(NamedTuple):
    """The things that a request waits for, where the same command makes them."""

    names: Names
    missing: frozenset[str]
    """The service's codes for a request that lacks it."""
