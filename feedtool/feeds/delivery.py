"""Delivery: three protocols, of which each feed declares one.

- `Staged`: requests are uploaded into a package, which one call commits; results are pages.
- `Submitted`: one POST stages and commits; a report, or a log, has the result of each request.
- `Direct`: one call for each request; look-ups then confirm or follow its effect.

Each is a record of pure functions and limits of the area. The order of calls, and their repetition,
is in the state machines of `feedtool.delivery`.
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

Content = TypeVar("Content")


class Meaning(StrEnum):
    """The meanings of a package's state."""

    OPEN = "open"
    """The service accepts uploads and the commit."""
    SETTLING = "settling"
    """The service accepts uploads, but no commit until the package is open again."""
    WORKING = "working"
    """Committed; the service processes it."""
    INTEGRATED = "integrated"
    """Final: the results are readable."""
    REJECTED = "rejected"
    """Final: refused as a whole, a message gives the reason."""
    UNKNOWN_STATE = "unheard of"
    """A state that the specification does not have."""


class PackageView(NamedTuple):
    """A package in the answer of a look-up."""

    state: str
    meaning: Meaning
    messages: tuple[Message, ...] = ()


class RequestResult(NamedTuple):
    reference: str
    status: Status
    messages: tuple[Message, ...]


class ListedPackage(NamedTuple):
    """A package in the list of the seller's packages."""

    package_id: str
    state: str
    """The service's word, "" where it gives none."""
    meaning: Meaning
    created_at: datetime | None


class ReportItem(NamedTuple):
    """A report's entry about one product."""

    package_id: str | None
    gtin: str
    reference: str | None
    """The seller's reference, unchanged."""
    word: str
    """The service's word for the status."""
    status: Status | None
    """None while it is not final."""
    submitted_at: datetime | None
    messages: tuple[Message, ...] = ()


class AnswerPage(NamedTuple, Generic[Content]):
    """One page of a list: of results, of the seller's packages, of reports."""

    items: list[Content]
    next: str | None
    """The address of the next page, of the same origin."""
    strange: int = 0
    """The number of unreadable items, such as results without a reference or a status."""


class LogEntry(NamedTuple):
    """A log's entry about one offer."""

    reference: str
    """The seller's reference, unchanged; empty where the log has none."""
    gtin: str
    """Empty where the log has none."""
    status: Status
    messages: tuple[Message, ...]


class LogPage(NamedTuple):
    """The state of a package, and a page of its log."""

    state: str
    meaning: Meaning
    entries: list[LogEntry]
    about_all: tuple[Message, ...]
    """The messages about the whole package."""
    pages: int | None
    """The number of the log's pages; None where the service does not give it."""
    number: int | None = None
    """The page's number by the service; None where the service does not give it."""
    errors: int | None = None
    """The number of rows of the package with errors; None where the service does not give it."""

    def is_other(self, requested: int) -> bool:
        """Return True if it is not the page that was requested: the service ignores page numbers.

        The first page proves nothing, for numbers may begin with 0.
        """
        return requested > 1 and self.number not in {None, requested}


class Endpoint(NamedTuple, Generic[Content]):
    """A call about a package, and the reader of its successful answer."""

    call: Callable[[PackageRef], Call]
    read: Callable[[Reply], Content]


class Trace(StrEnum):
    """The trace at the service of a row without a result."""

    IN_FORCE = "in force"
    """The offer is as the row requests, and was changed since."""
    REMOVED = "removed"
    """The offer is gone, as the row requests."""
    UNTOUCHED = "untouched"
    """The offer has not changed."""
    CHANGED = "changed"
    """The offer has changed otherwise: the row's result stays unknown."""


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
    """The facts for the judgement of a row's trace."""

    package_type: str
    sent_at: datetime | None
    """The time by the service's clock; an earlier last change means that the row had no effect."""
    settings: AccountSettings


class Lookup(NamedTuple, Generic[Content]):
    """A look-up of rows without a result."""

    ask: Callable[[PackageRef, Sequence[PendingRow]], tuple[Sequence[PendingRow], Call] | None]
    """Returns the next call and its rows; None if none of the rows can be looked up."""
    read: Callable[[Reply], Content]
    traces: Callable[[Since, Sequence[PendingRow], Content], Iterable[tuple[PendingRow, Trace]]]
    """Returns the traces of rows on a page, without the rows that a later page may show."""
    texts: LookupTexts


class Staged(NamedTuple):
    """Packages that are created, filled by uploads, and committed by one call."""

    size: Callable[[PackageLimits], Size]
    create: Endpoint[str]
    """A successful answer has the package's id."""
    upload: Callable[[PackageRef, Sequence[bytes]], Call]
    look: Endpoint[PackageView]
    commit: Callable[[PackageRef], Call]
    results: Endpoint[AnswerPage[RequestResult]]
    lookup: Lookup[Any]
    listing: Endpoint[AnswerPage[ListedPackage]]
    """All packages of the seller, or the packages in the state of the reference."""
    states: Iterable[str]
    """The service's words for a package's state."""
    meaning: Callable[[str], Meaning]
    """Returns the meaning of such a word."""
    ready: str
    """The service's word for a package that was just committed."""


class Report(NamedTuple):
    """Reports of single products, on any page of reports."""

    page: Endpoint[AnswerPage[ReportItem]]
    find: Callable[[PackageRef, Sequence[PendingRow]], tuple[Call, int]]
    """Returns the call for reports of the first of some products, and the number of these."""
    match: Callable[
        [Iterable[PendingRow], Iterable[ReportItem]],
        Iterator[tuple[PendingRow, ReportItem]],
    ]
    """Yields the products with their items."""
    is_quota: Callable[[ReportItem], bool]
    """True if only a quota refuses a product, so that it may be sent again later."""


class PackageLog(NamedTuple):
    page: Endpoint[LogPage]
    match: Callable[[Sequence[LogEntry], Iterable[PendingRow]], Iterable[LogEntry]]
    """Returns the entries, unknown references replaced by the reference of the entry's row."""


class Submitted(NamedTuple):
    """Packages that one POST stages and commits."""

    size: Callable[[PackageLimits], Size]
    submit: Callable[[PackageRef, Sequence[bytes]], Call]
    submitted: Callable[[Reply], str]
    outcome: Report | PackageLog
    """The place of the results; a Report also finds rows whose answer was lost."""
    document: Callable[[PackageRef, Sequence[bytes]], bytes]
    """Returns the document of some requests, as a file would have it."""
    file_name: str
    """The name of that file, with places for number, package_type and channel of the package."""
    lookup: Lookup[Any] | None = None
    """With a log: the look-up of rows whose answer was lost."""
    names: Callable[[str, str], frozenset[str]] | None = None
    """Returns the names of a request, from its reference and product; unique in a package."""
    blames_package: Callable[[int | None, frozenset[str]], bool] = lambda _status, _causes: False
    """True if both halves of the package would be refused as well, by status and causes."""
    replaces: Code | None = None
    """The guard that holds a request that replaces another one of its reference; None if nothing
    is lost by that."""
    is_repeatable: Callable[[str], bool] = lambda _: True
    """True if packages of this type may be sent again, whole or in halves."""
    is_exclusive: Callable[[str], bool] = lambda _: False
    """True if packages of this type need that the seller has no other open package."""


Protocol: TypeAlias = Staged | Submitted | Direct[Any]

Names: TypeAlias = Callable[[str, str], frozenset[str]]
"""Returns names from a request's reference and product."""


class Needs(NamedTuple):
    """The things that a request waits for, if the same command makes them."""

    names: Names
    missing: frozenset[str]
    """The service's codes for a request that lacks one of them."""
