"""A call of the service and its reply, without I/O.

An area's `wire` builds a Call for each endpoint; `service.client.Client.send` turns it into a
Reply, or raises

    Failure
    ├── NotSent         connecting failed: the service has seen nothing of the call
    │   └── NotYet      it was not even tried, since it would have been too soon
    └── OutcomeUnknown  the call left, and may have taken effect
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar
from urllib.parse import quote

from msgspec import Struct, field

from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr

LANGUAGES = {"en": "en-US", "fr": "fr-FR", "es": "es-ES"}
"""The values of Accept-Language, by those that users give (part "Offers (JSON packages)")."""

JSON = (("Content-Type", "application/json"),)
LONGEST_LIST = 3000
"""The most characters of a comma list in a query, as it travels: many servers refuse an address of
8,000, and some one of half that length."""

READ = frozenset({200})
CREATED = frozenset({200, 201, 202})
STAGED = frozenset({200, 201, 202, 204})
COMMITTED = frozenset({200, 202, 204})


class Call(Struct, frozen=True):
    """One request, before the seller and the credential are added to it."""

    method: str
    target: str
    """A path relative to the base address, or an address from the service's own Link header."""
    success: frozenset[int]
    """The statuses of success; another 2xx is an unknown answer."""
    query: tuple[tuple[str, str], ...] = ()
    """A name may occur more than once."""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    into: Path | None = None
    """A file that the body of a success is written to; the Reply then has none."""
    largest: int | None = None
    """The most bytes of an answer; None takes the client's limit."""
    leaving: "Callable[[], None] | None" = None
    """Called just before the call leaves; its errors keep the call from leaving."""
    following: "Callable[[Reply], str | Call | None] | None" = None
    """Returns the next call from the answer; for a list that is read as a whole the address of its
    next page. Raises Unreadable."""
    unsure: frozenset[str] = frozenset()
    """Names in the query that the specification does not show: if the service refuses them with
    400, the call is repeated without them."""


class Reply(Struct, frozen=True):
    """One answer, with its body decompressed."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case; repeated ones joined by commas."""
    body: bytes = b""
    url: str = ""
    """The address of the answer; relative links start from it."""


class Failure(Exception):
    """A call without an answer. The message has the cause, and no header that we sent."""


class NotSent(Failure):
    """Connecting failed: every call may be repeated."""


class NotYet(NotSent):
    """The call may be made in `wait` seconds: a shared budget is used up."""

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.wait = wait


class OutcomeUnknown(Failure):
    """A timeout or a reset after the call had left, or an unreadable answer."""


class Sender(Protocol):
    """A sender of Calls, such as `client.Client`."""

    def send(self, call: Call) -> Reply:
        """Send a call; raises NotSent or OutcomeUnknown. Called from several threads."""


Value = TypeVar("Value")


class AskService(Protocol):
    """Calls the service while files are read."""

    def __call__(self, name: str, call: Call, read: Callable[[Reply], Value], /) -> Value:
        """Send a call, and return what `read` makes of the answer; messages show `name`.

        `read` raises Unreadable. Raises NotAuthorised, UsageProblem or Interrupted if there is
        no usable answer.
        """


def fits_comma_list(key: str) -> bool:
    """True if offers can be queried by this reference; otherwise only by GTIN."""
    return bool(key) and "," not in key and key == key.strip()


def comma_lists(keys: Iterable[str], longest: int = LONGEST_LIST) -> Iterator[tuple[str, ...]]:
    """Split keys into lists that each fit into one address; the order is kept."""
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
    """The Accept-Language of `fr` or `fr-FR`; UsageProblem for an unknown language."""
    for short, tag in LANGUAGES.items():
        if language.casefold() in {short, tag.casefold()}:
            return tag
    known = ", ".join(LANGUAGES)
    raise UsageProblem(
        tr("The service has no messages in the language “{language}”.", language=language),
        tr("Choose one of: {known}.", known=known),
    )


def header_value(what: str, value: str) -> str:
    """Return a value that a header can carry; UsageProblem, naming `what`, for any other."""
    if not value or not value.isascii() or not value.isprintable() or value != value.strip():
        raise UsageProblem(
            tr(
                "{what} cannot be sent: it is empty, or has characters that a header cannot carry.",
                what=what,
            ),
            tr("Only ASCII letters, digits and punctuation can be sent there."),
        )
    return value


class FilePart(NamedTuple):
    name: str
    """The name of the form's field."""
    file_name: str
    media_type: str
    content: bytes


class Multipart(NamedTuple):
    headers: tuple[tuple[str, str], ...]
    body: bytes


def multipart(parts: Sequence[FilePart]) -> Multipart:
    digest = hashlib.sha256()
    for part in parts:
        for text in (part.name, part.file_name, part.media_type):
            digest.update(_framed(text.encode()))
        digest.update(_framed(part.content))
    boundary = f"feedtool-{digest.hexdigest()[:32]}"
    lines = [
        line
        for part in parts
        for line in (
            f"--{boundary}".encode(),
            f'Content-Disposition: form-data; name="{_quoted(part.name)}";'
            f' filename="{_quoted(part.file_name)}"'.encode(),
            f"Content-Type: {part.media_type}".encode(),
            b"",
            part.content,
        )
    ]
    body = b"\r\n".join((*lines, f"--{boundary}--".encode(), b""))
    return Multipart((("Content-Type", f"multipart/form-data; boundary={boundary}"),), body)


def _framed(content: bytes) -> bytes:
    """Prefix content with its length, so that different lists of parts have different digests."""
    return len(content).to_bytes(8, "big") + content


def _quoted(name: str) -> str:
    """Quote a name as browsers do (RFC 7578, section 4.2)."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


# The calls that several accounts of a service share.


class Budget(Struct, frozen=True):
    """The calls of all accounts with this budget; in no second more than both numbers together."""

    name: str
    per_second: float
    """Calls a second, in the long run; to be given."""
    burst: int = 1
    """Calls that may leave at once, after a pause; 1 by default."""

    @property
    def interval(self) -> float:
        return 1 / self.per_second

    @property
    def tolerance(self) -> float:
        """Seconds that calls may be ahead of their time."""
        return (self.burst - 1) * self.interval
