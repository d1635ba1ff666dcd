"""The service's answers, as areas read them, in the words of the state machines."""

from datetime import datetime
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

from feedtool.model.nouns import Message, Status

T = TypeVar("T")


class Meaning(StrEnum):
    """The meanings of a package's state."""

    OPEN = "open"
    """Uploads and the commit are taken."""
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
    """The reasons of a rejection."""


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
    """In the service's word."""
    meaning: Meaning
    entries: list[LogEntry]
    about_all: tuple[Message, ...]
    """The messages about the whole package, naming no offer."""
    pages: int | None
    """The number of the log's pages; None where the service does not say."""
