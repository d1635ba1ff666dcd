"""Results of rows, from the ledger's facts of their requests.

Only answers are believed: a request without a result has a result by its upload and its package,
in the order of `row_result`.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from heapq import merge
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy import Engine, and_, bindparam, func, select

from feedtool.ledger import tables as t
from feedtool.ledger.database import pages, reading
from feedtool.ledger.records import REQUEUE, Phase, Stage
from feedtool.ledger.row_history import message_of, messages_of, withheld_of
from feedtool.model.nouns import Message, RowResult, Status, by_row, worst_status
from feedtool.model.text import MessageText, text_of_kept, tr

AT_ONCE = (Phase.CLEARED, Phase.CHECKED, Phase.SUBMITTING, Phase.SUBMITTED)
"""Phases in which only a package staged and committed by one call is committed."""
REJECTED = "Rejected"
"""The package state whose message is given to all rows."""


class RowFacts(NamedTuple):
    """A row, one of its requests, and the request's upload and package: the columns of FACTS."""

    row: int
    number: int
    channel: str
    reference: str
    fate: str | None
    """The status of a row without a result, decided by a look-up or by a later run."""
    why: str | None  # the reason of `fate`, or of sending the row again if nothing is decided yet
    phase: str
    package_id: str | None
    state: str | None  # the service's last package state
    is_committed: bool  # True if the PATCH was at least intended
    package_code: str | None
    package_text: str | None
    stage: str
    upload_code: str | None
    upload_text: str | None
    status: str | None  # the service's result for the row, if there is one
    messages: str | None  # of that result, in the form of `messages_as_text`

    @property
    def package_message(self) -> Message | None:
        """The reason why the package was closed without results."""
        return message_of(self.package_code, self.package_text)

    @property
    def upload_message(self) -> Message | None:
        """The reason why the upload was refused."""
        return message_of(self.upload_code, self.upload_text)


def row_result(facts: RowFacts) -> RowResult:
    if facts.status is not None:
        said = messages_of(facts.messages or "[]")
        of_row = (message for message in said if message.row in {0, facts.row})
        return _result(facts, _STATUSES[facts.status], *of_row)
    if facts.fate is not None and facts.fate != REQUEUE:
        return _result(
            facts,
            _STATUSES[facts.fate],
            Message("", text_of_kept(facts.why)) if facts.why else None,
        )
    if facts.phase == Phase.CLOSED:
        return _closed(facts)
    if facts.stage == Stage.REFUSED:
        pending = _LOOKED_AT if facts.phase == Phase.SUBMITTING else _REFUSED_SO_FAR
        reason = facts.upload_message or facts.package_message
        return _result(facts, Status.PENDING, pending, reason)
    return _result(facts, Status.PENDING, _why_pending(facts))


def _why_pending(facts: RowFacts) -> Message:
    """The reason why a row in an open package is pending."""
    if facts.is_committed and facts.phase in AT_ONCE:
        return _why_unanswered(facts)
    if facts.phase == Phase.CLEARED and facts.state:
        return Message("", tr("Not sent yet: the service says {state}.", state=facts.state))
    if facts.why and not facts.is_committed:
        return Message("", text_of_kept(facts.why))
    if not facts.is_committed:
        return _NOT_SENT if facts.package_id is None else _NOT_YET
    if facts.stage == Stage.PLANNED:
        return _LEFT_OUT
    is_waited_for = facts.phase != Phase.COMMITTING and facts.stage == Stage.STAGED
    words = "committing" if facts.phase == Phase.COMMITTING else "doubtful"
    return _of_package(facts, "waited for" if is_waited_for else words)


def _why_unanswered(facts: RowFacts) -> Message:
    """The reason why a row is pending that one call staged and committed."""
    if facts.package_id is not None:
        return _of_package(facts, "reported")
    return _TAKEN if facts.phase == Phase.SUBMITTED else _of_package(facts, "unnamed")


def _closed(facts: RowFacts) -> RowResult:
    """The result of a row without an answer in a closed package."""
    if facts.stage == Stage.REFUSED:
        return _result(facts, Status.REJECTED, facts.upload_message)
    if facts.package_id is None and facts.package_message:
        return _result(facts, Status.REJECTED, facts.package_message)
    if facts.stage == Stage.PLANNED:
        return _result(facts, Status.PENDING, _LEFT_OUT)
    if facts.stage != Stage.STAGED:
        # The row may never have been in the package, so not even a Rejected one decides on it.
        return _result(facts, Status.UNKNOWN, _IN_DOUBT, facts.package_message)
    if facts.state == REJECTED:
        return _result(facts, Status.REJECTED, facts.package_message)
    return _result(facts, Status.UNKNOWN, _LOST, facts.package_message)


def _result(facts: RowFacts, status: Status, *messages: Message | None) -> RowResult:
    said = tuple(filter(None, messages))
    return RowResult(facts.row, facts.reference, status, said, facts.channel)


def _of_package(facts: RowFacts, words: str) -> Message:
    return Message("", _OF_PACKAGE[words](facts.package_id))


class _Statuses(dict[str, Status]):
    """The statuses by their words: faster than `Status(word)`, which is made for each row."""

    def __missing__(self, word: str) -> Status:
        return self.setdefault(word, Status(word))


_STATUSES = _Statuses()
_REFUSED_SO_FAR = Message(
    "",
    tr("Its upload was refused as a whole; which row is to blame is found out in a later package."),
)
_LOOKED_AT = Message("", tr("The service refused it; a look at its state is to come."))
_TAKEN = Message("", tr("The service took it, and has not said the last word on it yet."))
_NOT_SENT = Message("", tr("Not sent: the run stopped before its package was begun."))
_NOT_YET = Message("", tr("Not in force: the run stopped before its package was committed."))
_LEFT_OUT = Message("", tr("Not sent: its package was completed without it."))
_LOST = Message("", tr("The service took it, and has given no result for it."))
_IN_DOUBT = Message(
    "",
    tr(
        "The answer to its upload was lost, and nothing that the service says of the "
        "package names it: most likely it was never taken. It was not sent again."
    ),
)
_OF_PACKAGE: Mapping[str, Callable[[str | None], MessageText]] = {
    "committing": lambda number: tr(
        "Sent in package {id}; that it is completed is not confirmed yet.", id=number
    ),
    "waited for": lambda number: tr(
        "Committed in package {id}; its result is not there yet.", id=number
    ),
    "doubtful": lambda number: tr(
        "The answer to its upload was lost; the results of package {id} will tell.", id=number
    ),
    "unnamed": lambda _: tr(
        "Sent; the answer was lost, and nothing that the service shows names it yet."
    ),
    "reported": lambda number: tr(
        "Sent in package {id}; the service has not said the last word on it yet.", id=number
    ),
}
"""Messages of pending rows, by the package's identifier."""


# Queries.

_request, _package, _upload = t.requests.c, t.packages.c, t.uploads.c
_is_its_upload = and_(_request.package == _upload.package, _request.upload == _upload.upload)
is_its_result = and_(
    _request.package == t.results.c.package, _request.reference == t.results.c.reference
)

FACTS = (
    select(
        *(_request.row, _request.number, _package.channel, _request.reference),
        *(_request.fate, _request.fate_text, _package.phase, _package.package_id, _package.state),
        _package.committed_at.is_not(None).label("is_committed"),
        *(_package.message_code, _package.message_text, _upload.stage),
        _upload.message_code.label("upload_code"),
        _upload.message_text.label("upload_text"),
        *(t.results.c.status, t.results.c.messages),
    )
    .select_from(
        t.requests.join(t.packages)
        .join(t.uploads, _is_its_upload)
        .outerjoin(t.results, is_its_result)
    )
    .order_by(_request.row, _request.number)
)
"""All facts for the results of rows, by the first row of each request."""

_FURTHER = (
    FACTS.with_only_columns(
        t.request_rows.c.row,
        t.request_rows.c.first_row,
        t.request_rows.c.number,
        *list(FACTS.selected_columns)[2:],
    )
    .join(t.request_rows)
    .order_by(None)
)
"""The same facts, by the further rows of each request."""


def read_results(engine: Engine, file: int) -> Iterator[RowResult]:
    """The results of a file's rows, in their order; nothing is held open meanwhile.

    The results of a row are in the order of its requests, as in `rows_of`, those of rows that are
    not sent last.
    """
    requested, further_row = t.requests.c, t.request_rows.c
    requests = pages(engine, FACTS.where(requested.file == file), requested.row, requested.number)
    others = pages(
        engine,
        _FURTHER.where(requested.file == file),
        further_row.row,
        further_row.first_row,
        further_row.number,
    )
    return merge(
        # These have the first row in a second column.
        (row_result(RowFacts._make((row[0], *row[2:]))) for row in others),
        (row_result(RowFacts._make(row)) for row in requests),
        withheld_of(engine, file),
        key=attrgetter("row"),
    )


OF_RUNS = t.files.c.run_id.in_(bindparam("runs", expanding=True))
"""True of the files of the runs in the parameter `runs`, so that statements are built once."""

_ALIKE = (
    select(
        *(t.files.c.run_id, _request.package, _request.upload, _request.fate, t.results.c.status),
        func.count().label("rows"),
        func.max(_request.number).label("number"),
        # Values that do not decide on a status.
        *(func.min(text).label(text.name) for text in (_request.reference, _request.fate_text)),
        func.min(t.results.c.messages).label("messages"),
    )
    .select_from(t.files.join(t.requests).outerjoin(t.results, is_its_result))
    .where(OF_RUNS)
    .group_by(
        *(t.files.c.run_id, _request.package, _request.upload, _request.fate, t.results.c.status)
    )
    .subquery()
)
_ALIKE_FACTS = select(
    *(_ALIKE.c.run_id, _ALIKE.c.rows, _ALIKE.c.number),
    *(_ALIKE.c.get(column.name, column) for column in list(FACTS.selected_columns)[2:]),
).select_from(
    _ALIKE.join(t.packages, _ALIKE.c.package == _package.package).join(
        t.uploads,
        and_(_ALIKE.c.package == _upload.package, _ALIKE.c.upload == _upload.upload),
    )
)
"""The facts of the rows of each upload with the same fate and status, and the number of these rows.
"""
_SEVERAL = (
    select(t.files.c.run_id)
    .join(t.request_rows, t.files.c.file == t.request_rows.c.file)
    .where(OF_RUNS)
    .distinct()
)
_WITHHELD = (
    select(t.files.c.run_id, t.withheld.c.status, func.count())
    .select_from(t.withheld.join(t.files))
    .where(OF_RUNS)
    .group_by(t.files.c.run_id, t.withheld.c.status)
)
_FILES = select(t.files.c.run_id, t.files.c.file).where(OF_RUNS)


def count_statuses(engine: Engine, run_ids: Collection[int]) -> dict[int, Counter[Status]]:
    """The number of rows of runs by status; equal rows are judged once."""
    counts, runs = {run: Counter[Status]() for run in run_ids}, {"runs": [*run_ids]}
    with reading(engine) as db:
        alike = db.execute(_ALIKE_FACTS, runs).all()
        has_several = {row[0] for row in alike if row[2]} | {*db.scalars(_SEVERAL, runs)}
        for run, count, _, *facts in alike:
            counts[run][row_result(RowFacts._make((0, 0, *facts))).status] += count
        for run, status, count in db.execute(_WITHHELD, runs):
            counts[run][Status(status)] += count
        files = db.execute(_FILES, {"runs": [*has_several]}).all() if has_several else []
    for run in has_several:
        results = (read_results(engine, file) for of, file in files if of == run)
        counts[run] = Counter(map(worst_status, by_row(chain.from_iterable(results))))
    return counts
