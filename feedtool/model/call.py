"""A call of the service and its reply, without I/O: the nouns that every room speaks of.

An area's `wire` builds a Call for each endpoint; `service.client.Client.send` turns it into a
Reply, or raises

    Failure
    ├── NotSent         connecting failed: the service has seen nothing of the call
    │   └── NotYet      it was not even tried, since it would have come too soon
    └── OutcomeUnknown  the call left, and whether it took effect is not known
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import quote

from msgspec import Struct, field

from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr

LANGUAGES = {"en": "en-US", "fr": "fr-FR", "es": "es-ES"}
"""The values of Accept-Language, by those that users give (part "Offers (JSON packages)")."""


JSON = (("Content-Type", "application/json"),)


LONGEST_LIST = 3000
"""A comma list in a query is kept so short, in characters as it travels: an address of 8,000 is
refused by many servers, and half of that by some."""


READ = frozenset({200})


CREATED = frozenset({200, 201, 202})


STAGED = frozenset({200, 201, 202, 204})


COMMITTED = frozenset({200, 202, 204})


class Call(Struct, frozen=True):
    """One request, before the seller and the credential are added to it."""

    method: str
    target: str
    """A path relative to the base address, or an address that the service's own Link gave."""
    success: frozenset[int]
    """The statuses that say it was done; another 2xx is an answer that we do not know."""
    query: tuple[tuple[str, str], ...] = ()
    """A name may come more than once."""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    into: Path | None = None
    """A file that takes the body of a success as it comes: the Reply then has none."""
    largest: int | None = None
    """The most bytes of an answer, where that is not the client's own bound."""
    leaving: "Callable[[], None] | None" = None
    """Called just before it leaves; an error that this raises keeps it here."""
    following: "Callable[[Reply], str | Call | None] | None" = None
    """The call that its answer leads to; of a list that is read as a whole the address of the next
    page. Raises Unreadable."""
    unsure: frozenset[str] = frozenset()
    """Names of the query that the specification does not show: where the service refuses them with
    400, it is asked without them."""


class Reply(Struct, frozen=True):
    """One answer, its body decoded from whatever coding it came in."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case; repeated ones joined by commas."""
    body: bytes = b""
    url: str = ""
    """The address that it answers: what relative links are relative to."""


class Failure(Exception):
    """A call that has no answer. The message tells the cause and holds no header of ours."""


class NotSent(Failure):
    """Connecting failed: the call may be repeated whatever it is."""


class NotYet(NotSent):
    """The call may be made in so many seconds: what several share for it is used up."""

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.wait = wait


class OutcomeUnknown(Failure):
    """A timeout or a reset once the call had left, or an answer that could not be read."""


class Sender(Protocol):
    """A sender of Calls: `client.Client`, or whatever stands in its place."""

    def send(self, call: Call) -> Reply:
        """The service's answer; raises NotSent or OutcomeUnknown. Called from several threads."""
        ...


T = TypeVar("T")


class AskService(Protocol):
    """Asks the service while files are read."""

    def __call__(self, name: str, call: Call, read: Callable[[Reply], T], /) -> T:
        """What is read of the answer to a call for what is called so in messages.

        `read` raises Unreadable; raises NotAuthorised, UsageProblem or Interrupted where there is
        no usable answer.
        """
        ...


def fits_comma_list(key: str) -> bool:
    """True if offers can be asked for by this reference; otherwise their GTIN has to do."""
    return bool(key) and "," not in key and key == key.strip()


def comma_lists(keys: Iterable[str], longest: int = LONGEST_LIST) -> Iterator[tuple[str, ...]]:
    """Keys in lists of which each travels in one address; the order is kept, none is left out."""
    taken: list[str] = []
    size = 0
    for key in keys:
        width = len(quote(key, safe="")) + len("%2C")
        if taken and size + width > longest:
            yield tuple(taken)
            taken, size = [], 0
        taken.append(key)
        size += width
    if taken:
        yield tuple(taken)


def language_tag(language: str) -> str:
    """`fr` or `fr-FR` as Accept-Language has it; UsageProblem for a language that it has not."""
    for short, tag in LANGUAGES.items():
        if language.casefold() in {short, tag.casefold()}:
            return tag
    known = ", ".join(LANGUAGES)
    raise UsageProblem(
        tr("The service has no messages in the language “{language}”.", language=language),
        tr("Choose one of: {known}.", known=known),
    )


def header_value(what: str, value: str) -> str:
    """A value that can travel in a header; UsageProblem, naming `what`, for any other."""
    if not value or not value.isascii() or not value.isprintable() or value != value.strip():
        raise UsageProblem(
            tr(
                "{what} cannot be sent: it is empty, or has characters that a header cannot carry.",
                what=what,
            ),
            tr("Only ASCII letters, digits and punctuation can be sent there."),
        )
    return value
