"""The nouns of the ledger: what is known of a run, a package, an upload, an attempt."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from feedtool.model.nouns import Message, Status

Result = tuple[str, Status, tuple[Message, ...]]
"""What the service said of one reference of a package."""

Names = Callable[[str, str], frozenset[str]]
"""Names of something, of a row's reference and product."""

SellerKey = tuple[str, str]
"""A service's address, whatever its case, and a seller there: whose files go one after the other,
and who has a lock."""


def seller_key(address: str, seller: str) -> SellerKey:
    """The key of a seller's files."""
    return address.rstrip("/").casefold(), seller


class Phase(StrEnum):
    """How far we are with a package. What follows on each is its protocol's table."""

    PLANNED = "planned"  # the service knows nothing of it
    CLEARED = "cleared"
    """Its rows are in flight here and in no other open package; none is superseded."""
    CHECKED = "checked"  # of a single request: it was looked at, and is to be sent
    CREATING = "creating"
    """Intended; without an answer another one is created, and the orphan expires empty."""
    FILLING = "filling"  # it has an id, and uploads that have had no answer yet
    PROBING = "probing"  # an upload went wrong: the package is looked at before another one is sent
    FILLED = "filled"  # every upload has had its answer, or is in doubt
    SETTLED = "settled"  # filled, and the service has been seen waiting for its completion
    COMMITTING = "committing"  # the PATCH is intended: from here on there is no way back
    COMMITTED = "committed"  # the service has taken the PATCH, or was seen working on the package
    INTEGRATED = "integrated"  # final: its results are being read
    READ = "read"  # the last page of its results has been read
    LOOKING = "looking"  # final; rows that no result names are looked up among the seller's offers
    SUBMITTING = "submitting"
    """A batch or a zip whose POST is intended: more is in the reports, or in the offers."""
    SUBMITTED = "submitted"
    """A batch or a zip that the service has: its report, or log, is being read."""
    CLOSED = "closed"  # nothing more is to be done for it or had of it


NOT_IN_FLIGHT = frozenset({Phase.PLANNED, Phase.CLOSED})
"""No row of such a package is in flight."""


class Stage(StrEnum):
    """How far we are with an upload."""

    PLANNED = "planned"
    SENDING = "sending"  # intended. After a crash that is as much as DOUBTFUL
    STAGED = "staged"  # the service has taken it
    DOUBTFUL = "doubtful"
    """It is not known if the service has taken it; it is never sent again in its package."""
    REFUSED = "refused"  # the service has refused it as a whole; the reason is kept
    SKIPPED = "skipped"  # all of its rows are superseded: it is not sent


class Run(Struct, frozen=True):
    """One command that delivers."""

    run_id: int
    started_at: datetime
    seller: str
    service: str  # the base address
    language: str  # of the service's messages: `en`, `fr`, `es`
    options: Mapping[str, Any]  # of the command, as JSON: kept so that it can be gone on with


class File(Struct, frozen=True):
    """One sheet of a run's input."""

    file: int
    run_id: int
    path: str
    sha256: str  # of the whole file's content, by which its snapshot is found
    kind: str
    sheet: str | None
    size: int | None = None  # all rows that it has, where later files are compared with it


class Package(Struct, frozen=True):
    """All that the next step depends on, as the ledger has it. Times are UTC."""

    key: int  # the ledger's own; the service's is `package_id`
    file: int
    number: int  # 1-based within its file
    channel: str
    package_type: str
    rows: int  # how many requests it has
    uploads: tuple[Stage, ...]  # Upload n is at n - 1
    phase: Phase = Phase.PLANNED
    package_id: str | None = None
    state: str | None = None  # the last that the service said, in its words
    message: Message | None = None
    """Why it was closed without results: the service's reason, or ours."""
    created_at: datetime | None = None
    """By the service's clock, as its 6 hours and 3 days are. Of a batch when it was last sent, of a
    zip when it was answered."""
    committed_at: datetime | None = None
    """When the PATCH, or POST, was first intended, or seen to have been sent by somebody else: from
    then on there is no way back. By our clock."""
    finished_at: datetime | None = None  # by the service's clock
    creations: int = 0  # how often one was created for these rows; of a batch how often it was sent
    readings: int = 0  # how often the results have been read from the first page to the last
    link: str | None = None  # the next page of results
    pages: int = 0  # of the present reading
    attempts: int = 0  # steps tried, and the number of the last of them
    tries: int = 0  # answers since the last progress; pauses grow with them
    failures: int = 0  # calls in a row that had no answer
    since: datetime | None = None  # the last progress
    due: datetime | None = None  # its next step comes no earlier
    baseline: str | None = None  # of a single request: what was there before it was sent
    blocked_by: frozenset[int] = frozenset()
    """The open packages that hold some of its rows' keys. Not kept: whoever goes on asks again."""

    def staged(self, stage: Stage) -> int:
        """How many uploads are at this stage."""
        return self.uploads.count(stage)

    def with_stage(self, upload: int, stage: Stage) -> "Package":
        """The package with one upload at another stage."""
        stages = (*self.uploads[: upload - 1], stage, *self.uploads[upload:])
        return replace(self, uploads=stages)

    def advance(self, now: datetime, **changes: Any) -> "Package":
        """The package after progress: all counting begins anew."""
        return replace(self, tries=0, failures=0, since=now, due=None, **changes)

    def retry_at(self, due: datetime, **changes: Any) -> "Package":
        """The package after an answer that was no progress."""
        return replace(self, tries=self.tries + 1, failures=0, due=due, **changes)

    def close(
        self, now: datetime, message: Message | None, finished_at: datetime | None = None
    ) -> "Package":
        """The package at its end; `finished_at` counts where nothing earlier is known."""
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
    detail: str | None = None  # what the service, or the failure, said
    package_id: str | None = None  # the service's name for what a creation created


REQUEUE = "again"
"""In the place of a status: the row is to be sent again, in a later package."""
ABANDONED = "abandoned"
"""When a run was given up, among its options: no table has to change for it."""
FORGOTTEN, LEAVING = "forgotten", "is_leaving"
"""When a run was forgotten, among its options; and there while not all that is to go is gone."""
PROFILE, SHEETS, INVALID = "profile", "sheets", "invalid"
"""Other options of a run that the ledger looks at: its account's name, the sheets that it is to
have, as (file's name, sheet's name), and how many rows the checks refused."""


class Resolution(NamedTuple):
    """What became of a request for which its package has no result."""

    row: int
    status: Status | None  # None: it goes into a later package
    text: str  # why; one line for the user
    number: int = 0  # which of the row's requests it is of


class ResultCounts(NamedTuple):
    """The rows of a package of which all results have been read."""

    answered: int  # with a result, and so surely staged, whatever was heard of its upload
    missing: int  # surely staged, and without a result
    doubtful: int  # perhaps staged, and without a result


class Clearance(NamedTuple):
    """What a package waits for before it is begun, beside those that hold its rows' keys."""

    is_exclusive: bool = False  # True if it needs that no other package of the seller is open
    exclusive: frozenset[str] = frozenset()  # the package types that need that
    needs: Names | None = None  # the names of what a row of it needs, if it needs anything
    provides: Mapping[str, Names] = {}
    """By package type, the names of what a row makes that others need."""


class Requeue(StrEnum):
    """How the rows of a closed package that are sent again go into later ones."""

    TOGETHER = "together"  # into one package, as uploads of it
    APART = "apart"  # each upload, and each half of a refused one, into a package of its own
    NEVER = "never"


class Change(NamedTuple):
    """What a step, or its answer, makes of a package: saved whole or not at all."""

    before: Package
    after: Package
    attempt: Attempt | None = None
    results: Sequence[Result] = ()
    refused: tuple[int, Message] | None = None  # an upload that was refused, and why
    resolutions: Sequence[Resolution] = ()  # what became of rows that were looked up
    requeue: Requeue = Requeue.TOGETHER  # how its rows are sent again, where that closes it
    is_personal: bool = False  # True if only digests of its requests are kept once it is closed

    @property
    def closes(self) -> bool:
        """True if nothing more is to be had of the package from here on."""
        return self.after.phase is Phase.CLOSED and self.before.phase is not Phase.CLOSED

    @property
    def releases(self) -> bool:
        """True if its rows are in flight no more."""
        return self.after.phase in NOT_IN_FLIGHT and self.before.phase not in NOT_IN_FLIGHT
