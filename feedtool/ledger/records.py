"""The nouns of the ledger: a run, a file, a package, an upload, an attempt."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from feedtool.model.nouns import Message, Status

Result = tuple[str, Status, tuple[Message, ...]]
"""The service's answer on one reference of a package."""

Names = Callable[[str, str], frozenset[str]]
"""Returns the names that a row's reference and product give to a thing."""

SellerKey = tuple[str, str]
"""A service's address in lower case, and a seller there: the owner of a lock. Files of one
seller are sent one after the other."""


def seller_key(address: str, seller: str) -> SellerKey:
    return address.rstrip("/").casefold(), seller


class Phase(StrEnum):
    """State of a package. The table of its protocol has the steps that follow."""

    PLANNED = "planned"  # the service knows nothing of it
    CLEARED = "cleared"
    """Its rows are in flight here and in no other open package; none is superseded."""
    CHECKED = "checked"  # of a single request: its state was read, and it is to be sent
    CREATING = "creating"
    """Intended; without an answer another package is created, and the orphan expires empty."""
    FILLING = "filling"  # it has an id, and uploads that have had no answer yet
    PROBING = "probing"  # an upload failed: the package's state is read before another one is sent
    FILLED = "filled"  # every upload is answered, or in doubt
    SETTLED = "settled"  # filled, and the service's state shows that it waits for completion
    COMMITTING = "committing"  # the PATCH is intended: from here on there is no way back
    COMMITTED = (
        "committed"  # the service has taken the PATCH, or shows that it works on the package
    )
    INTEGRATED = "integrated"  # final: its results are being read
    READ = "read"  # the last page of its results has been read
    LOOKING = "looking"  # final; rows that no result names are looked up among the seller's offers
    SUBMITTING = "submitting"
    """A batch or a zip whose POST is intended; its outcome is in the reports, or in the offers."""
    SUBMITTED = "submitted"
    """A batch or a zip that the service has: its report, or log, is being read."""
    CLOSED = "closed"  # nothing is left to do, and no more results will come


NOT_IN_FLIGHT = frozenset({Phase.PLANNED, Phase.CLOSED})
"""No row of such a package is in flight."""


class Stage(StrEnum):
    """State of an upload."""

    PLANNED = "planned"
    SENDING = "sending"  # intended; after a crash it counts as DOUBTFUL
    STAGED = "staged"  # the service has taken it
    DOUBTFUL = "doubtful"
    """The service may have taken it; it is never sent again in its package."""
    REFUSED = "refused"  # the service has refused it as a whole; the reason is kept
    SKIPPED = "skipped"  # all of its rows are superseded: it is not sent


class Run(Struct, frozen=True):
    """One command that delivers."""

    run_id: int
    started_at: datetime
    seller: str
    service: str  # the base address
    language: str  # of the service's messages: `en`, `fr`, `es`
    options: Mapping[str, Any]  # of the command, as JSON: needed to resume the run


class File(Struct, frozen=True):
    """One sheet of a run's input."""

    file: int
    run_id: int
    path: str
    sha256: str  # of the whole file's content; names its snapshot
    kind: str
    sheet: str | None
    size: int | None = None  # number of all rows, if later files are compared with it


class Package(Struct, frozen=True):
    """All that the next step depends on. Times are UTC."""

    key: int  # the ledger's own; the service's is `package_id`
    file: int
    number: int  # 1-based within its file
    channel: str
    package_type: str
    rows: int  # number of its requests
    uploads: tuple[Stage, ...]  # Upload n is at n - 1
    phase: Phase = Phase.PLANNED
    package_id: str | None = None
    state: str | None = None  # the service's last state, in its words
    message: Message | None = None
    """The reason why it was closed without results: the service's, or ours."""
    created_at: datetime | None = None
    """By the service's clock, as its 6 hours and 3 days are. Of a batch it is the time of the last
    sending, of a zip that of the answer."""
    committed_at: datetime | None = None
    """The time when the PATCH, or POST, was first intended, or found to be sent by somebody else:
    it cannot be undone from then on. By our clock."""
    finished_at: datetime | None = None  # by the service's clock
    creations: int = 0  # packages created for these rows; sendings of a batch
    readings: int = 0  # complete readings of the results, from the first page to the last
    link: str | None = None  # the next page of results
    pages: int = 0  # pages of the present reading
    attempts: int = 0  # steps tried, and the number of the last of them
    tries: int = 0  # answers since the last progress; pauses grow with them
    failures: int = 0  # calls in a row that had no answer
    since: datetime | None = None  # the last progress
    due: datetime | None = None  # the earliest time of its next step
    baseline: str | None = None  # of a single request: the state before it was sent
    blocked_by: frozenset[int] = frozenset()
    """The open packages that hold some of its rows' keys. Not stored: a new process asks again."""

    def staged(self, stage: Stage) -> int:
        return self.uploads.count(stage)

    def with_stage(self, upload: int, stage: Stage) -> "Package":
        stages = (*self.uploads[: upload - 1], stage, *self.uploads[upload:])
        return replace(self, uploads=stages)

    def advance(self, now: datetime, **changes: Any) -> "Package":
        """The package after progress: all counters begin anew."""
        return replace(self, tries=0, failures=0, since=now, due=None, **changes)

    def retry_at(self, due: datetime, **changes: Any) -> "Package":
        """The package after an answer that was no progress."""
        return replace(self, tries=self.tries + 1, failures=0, due=due, **changes)

    def close(
        self, now: datetime, message: Message | None, finished_at: datetime | None = None
    ) -> "Package":
        """The package at its end; `finished_at` counts if no earlier time is known."""
        finished = self.finished_at or finished_at
        return self.advance(now, phase=Phase.CLOSED, message=message, finished_at=finished)


class Attempt(Struct, frozen=True):
    """One step tried: written before its request, and completed after its answer."""

    number: int  # 1-based within its package
    step: str
    intended_at: datetime
    upload: int | None = None
    answered_at: datetime | None = None
    outcome: str | None = None  # `answers.Kind`; None while there is no answer
    status: int | None = None
    trace_id: str | None = None
    detail: str | None = None  # the service's or the failure's text
    package_id: str | None = None  # the service's id of the created package


REQUEUE = "again"
"""Instead of a status: the row is to be sent again, in a later package."""
ABANDONED = "abandoned"
"""The option with the time when a run was given up: no table has to change for it."""
FORGOTTEN, LEAVING = "forgotten", "is_leaving"
"""The option with the time when a run was forgotten, and the one that stays until all its rows are
removed."""
PROFILE, SHEETS, INVALID = "profile", "sheets", "invalid"
"""Other options of a run that the ledger reads: its account's name, its sheets as (file's name,
sheet's name), and the number of rows that the checks refused."""


class Resolution(NamedTuple):
    """The outcome of a request without a result of its package."""

    row: int
    status: Status | None  # None: it goes into a later package
    text: str  # why; one line for the user
    number: int = 0  # the request's number among those of the row


class ResultCounts(NamedTuple):
    """The rows of a package of which all results have been read."""

    answered: int  # with a result, and so certainly staged, whatever the answer to the upload was
    missing: int  # certainly staged, and without a result
    doubtful: int  # perhaps staged, and without a result


class Clearance(NamedTuple):
    """The conditions of a package's beginning, besides the keys of its rows."""

    is_exclusive: bool = False  # True if it needs that no other package of the seller is open
    exclusive: frozenset[str] = frozenset()  # the package types that need that
    needs: Names | None = None  # the names of things that a row needs, if any
    provides: Mapping[str, Names] = {}
    """By package type, the names of things that a row makes and others need."""


class Requeue(StrEnum):
    """The way in which rows of a closed package are sent again in later ones."""

    TOGETHER = "together"  # into one package, as uploads of it
    APART = "apart"  # each upload, and each half of a refused one, into a package of its own
    NEVER = "never"


class Change(NamedTuple):
    """A package's change by a step or its answer: saved whole or not at all."""

    before: Package
    after: Package
    attempt: Attempt | None = None
    results: Sequence[Result] = ()
    refused: tuple[int, Message] | None = None  # an upload that was refused, and why
    resolutions: Sequence[Resolution] = ()  # outcomes of rows that were looked up
    requeue: Requeue = Requeue.TOGETHER  # the way its rows are sent again if the change closes it
    is_personal: bool = False  # True if only digests of its requests are kept once it is closed

    @property
    def closes(self) -> bool:
        return self.after.phase is Phase.CLOSED and self.before.phase is not Phase.CLOSED

    @property
    def releases(self) -> bool:
        """True if the change takes the package's rows out of flight."""
        return self.after.phase in NOT_IN_FLIGHT and self.before.phase not in NOT_IN_FLIGHT
