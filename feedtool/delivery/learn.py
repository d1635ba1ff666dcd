"""What the answer to a step makes of its package: `RULES`, by step and kind of answer. Pure.

Nothing in the service has an idempotency key, hence:
- what was refused, or never left, is undone, and may be done again;
- an upload whose outcome is unknown is in doubt: never sent again in its package, which goes on;
- from the intent of the PATCH on nothing is undone, only looked at again;
- reading is repeated as often as it takes.

The rules of batches of products alone are in `batches`, those of legacy zips in `zips`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from feedtool.areas.offers.wire.packages import STATES, Meaning
from feedtool.delivery import batches, zips
from feedtool.delivery.decide import Do, staged
from feedtool.delivery.progress import (
    GO_ON,
    Learnt,
    Now,
    closed,
    committed,
    failed,
    forward,
    later,
    poll_pause,
)
from feedtool.delivery.refusals import ABOUT_THE_CONTENT, GONE, message_of, stopped, undone
from feedtool.delivery.seek import decided
from feedtool.ledger import Fate, Phase, Stage
from feedtool.model.errors import Interrupted, NotAuthorised
from feedtool.model.nouns import Message, Status
from feedtool.service.answers import Kind
from feedtool.service.pace import back_off

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from feedtool.areas.offers.wire.packages import PackageView, ResultsPage
    from feedtool.delivery.answer import Answer
    from feedtool.delivery.decide import Step
    from feedtool.ledger import Package, Tail

FORBIDDEN = 403

SURELY_OPEN = timedelta(hours=5)
"""An open package lives for 6 hours; an hour is left to clocks that differ."""
SURELY_KEPT = timedelta(days=2)
"""Results are kept for 3 days (specification, part "Limits") by the service's clock, which not
every answer tells: ours may be hours off."""


def learnt(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    """What the answer makes of the package. An answer about a package given up changes nothing."""
    if step.package_id != package.package_id:
        return Learnt(package)
    return RULES[step.do, answer.kind](package, step, answer, now)


# Rules for every step.


def _asked_to_wait(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    asked = None if answer.wait is None else timedelta(seconds=answer.wait)
    pause = back_off(package.tries + 1, now.luck) if asked is None else asked
    after = later(undone(package, step), now, pause)
    return Learnt(after, hold=after.due)


def _not_authorised(package: Package, step: Step, answer: Answer, _now: Now) -> Learnt:
    forbidden = answer.status == FORBIDDEN
    what = "does not allow this seller to do that" if forbidden else "does not accept the token"
    hint = (
        "The token is known but lacks the right: check the seller and what the account is opened"
        " for."
        if forbidden
        else "Check the token, and that it has not run out; then go on with `feedtool resume`."
    )
    stop = answer.error or NotAuthorised(f"The service {what}: {answer.detail}", hint)
    return Learnt(undone(package, step), stop=stop)


def _not_sent(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    return failed(undone(package, step), answer, now)


def _read_again(package: Package, _step: Step, answer: Answer, now: Now) -> Learnt:
    return failed(package, answer, now)


# CREATE.


def _created(package: Package, _step: Step, answer: Answer, now: Now) -> Learnt:
    return Learnt(
        forward(
            package,
            now,
            phase=Phase.FILLING,
            package_id=answer.value,
            created_at=answer.at or now.service_time,
            creations=package.creations + 1,
        )
    )


def _creation_refused(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    if answer.status not in ABOUT_THE_CONTENT:
        return stopped(package, step, answer, now)
    return Learnt(closed(package, now, message_of(answer)))


# UPLOAD.


def _taken(package: Package, step: Step, _answer: Answer, now: Now) -> Learnt:
    return Learnt(_filled(forward(_at(package, step, Stage.STAGED), now), now))


def _in_doubt(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    return failed(_probing(_at(package, step, Stage.DOUBTFUL)), answer, now)


def _upload_refused(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    if answer.status in GONE:
        return _gone(package, step, answer, now)
    if answer.status not in ABOUT_THE_CONTENT:
        return stopped(package, step, answer, now)
    after = forward(_probing(_at(package, step, Stage.REFUSED)), now)
    return Learnt(after, refused=(step.upload, message_of(answer)))


def _at(package: Package, step: Step, stage: Stage) -> Package:
    return staged(package, step.upload, stage)


def _probing(package: Package) -> Package:
    """Before the next upload the package is looked at: what was wrong may be wrong with it."""
    return replace(package, phase=Phase.PROBING) if package.phase is Phase.FILLING else package


def _filled(package: Package, now: Now) -> Package:
    """On to the next phase when every upload has had its answer."""
    unsent = package.staged(Stage.PLANNED) + package.staged(Stage.SENDING)
    if package.phase is not Phase.FILLING or unsent:
        return package
    if not _holds_anything(package):
        # An empty package is not committed: it expires by itself.
        return closed(package, now, package.message)
    return forward(package, now, phase=Phase.FILLED)


def _holds_anything(package: Package) -> bool:
    """Whether an upload of it was taken, or may have been."""
    return bool(package.staged(Stage.STAGED) or package.staged(Stage.DOUBTFUL))


# LOOK.


def _seen(package: Package, _step: Step, answer: Answer, now: Now) -> Learnt:
    view: PackageView = answer.value
    changed = view.state != package.state
    seen = replace(package, state=view.state)
    if view.meaning is Meaning.REJECTED:
        return Learnt(closed(seen, now, _reason(view), at=answer.at))
    if view.meaning is Meaning.INTEGRATED:
        seen = replace(committed(seen, now), finished_at=answer.at or now.service_time)
        return Learnt(forward(seen, now, phase=Phase.INTEGRATED))
    if view.meaning is Meaning.OPEN:
        return Learnt(SEEN_OPEN[package.phase](seen, now))
    if view.meaning is Meaning.WORKING and (changed or package.phase is not Phase.COMMITTED):
        after = forward(committed(seen, now), now, phase=Phase.COMMITTED)
        return Learnt(replace(after, due=now.time + poll_pause(0)))
    return Learnt(later(seen, now, poll_pause(package.tries)))


def _go_on_filling(package: Package, now: Now) -> Package:
    # The failures stay counted until an upload is taken: looking works where uploading does not.
    return _filled(replace(package, phase=Phase.FILLING), now)


def _stop_filling(package: Package, now: Now) -> Package:
    """It would expire before it is full: what is in it is completed, the rest goes into another."""
    return (
        forward(package, now, phase=Phase.FILLED)
        if _holds_anything(package)
        else _anew(package, now)
    )


def _settled(package: Package, now: Now) -> Package:
    return forward(package, now, phase=Phase.SETTLED)


def _commit_again(package: Package, _now: Now) -> Package:
    """The PATCH has not taken effect; its pauses go on growing."""
    return replace(package, phase=Phase.SETTLED, due=None)


def _commit_late(package: Package, now: Now) -> Package:
    """The PATCH was taken, and does not show: it is sent again, after a pause."""
    return later(package, now, poll_pause(package.tries), phase=Phase.COMMITTING)


SEEN_OPEN: dict[Phase, Callable[[Package, Now], Package]] = {
    Phase.FILLING: _stop_filling,
    Phase.PROBING: _go_on_filling,
    Phase.FILLED: _settled,
    Phase.COMMITTING: _commit_again,
    Phase.COMMITTED: _commit_late,
}
"""What follows when the service says WaitingForCompletion."""


def _reason(view: PackageView) -> Message:
    if not view.messages:
        return Message("", "The service rejected the package and gave no reason.")
    text = " ".join(message.text for message in view.messages)
    return Message(view.messages[0].code, text)


def _not_seen(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    rule = _gone if answer.status in GONE else stopped
    return rule(package, step, answer, now)


def _gone(package: Package, _step: Step, answer: Answer, now: Now) -> Learnt:
    """404: a package that was not completed has expired, and nothing of it was ever in force.

    Otherwise its results were purged; the offers tell what became of the rows.
    """
    if package.committed_at is not None and not _has_expired(
        package, answer.at or now.service_time
    ):
        text = f"The service no longer has package {package.package_id}: {answer.detail}"
        return Learnt(forward(package, now, phase=Phase.LOOKING, message=Message("", text)))
    after = _anew(package, now)
    stop = None
    if package.creations >= now.settings.creations:
        stop = Interrupted(f"The service keeps losing our packages: {answer.detail}", GO_ON)
    return Learnt(after, stop=stop)


def _has_expired(package: Package, at: datetime) -> bool:
    """Whether a package that is gone was open to its end, although its PATCH was intended.

    That is sure while it is too young to have been integrated and forgotten; and one that is
    younger than open packages live has not expired, whatever a gateway says.
    """
    was_open = STATES.get(package.state or "") is Meaning.OPEN
    if not was_open or package.created_at is None:
        return False
    return SURELY_OPEN <= at - package.created_at < SURELY_KEPT


def _anew(package: Package, now: Now) -> Package:
    """A package that is gone, and its rows as free as if they had never been sent."""
    return forward(
        package,
        now,
        phase=Phase.PLANNED,
        package_id=None,
        state=None,
        created_at=None,
        committed_at=None,
        uploads=(Stage.PLANNED,) * len(package.uploads),
    )


# COMMIT.


def _accepted(package: Package, _step: Step, _answer: Answer, now: Now) -> Learnt:
    after = forward(package, now, phase=Phase.COMMITTED, state="Ready")
    return Learnt(replace(after, due=now.time + poll_pause(0)))


def _look_again(package: Package, _step: Step, _answer: Answer, now: Now) -> Learnt:
    """A refusal is never read by its text: the package's state tells what became of it."""
    return Learnt(later(package, now, poll_pause(package.tries)))


# FETCH and CLOSE.


def _fetched(package: Package, _step: Step, answer: Answer, now: Now) -> Learnt:
    page: ResultsPage = answer.value
    pages = package.pages + 1
    # A page holds a row at least, so more pages than rows are a circle.
    is_last = page.next is None or pages > package.rows
    after = forward(package, now, link=page.next, pages=pages)
    if is_last:
        readings = package.readings + 1
        after = replace(after, phase=Phase.READ, link=None, pages=0, readings=readings)
    return Learnt(after, results=page.results)


def _not_fetched(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    if answer.status in GONE:
        return _gone(package, step, answer, now)
    # "Not yet", or a stale address: from the first page again.
    return Learnt(later(package, now, poll_pause(package.tries), link=None, pages=0))


SURE_READINGS = 2
"""So often the results are read before what was perhaps staged counts as not staged."""


def counted(package: Package, tail: Tail, now: Now) -> Learnt:
    """The end of a reading of the results.

    They are read again while some of them are missing. What is missing then is
    looked up; so is what was perhaps staged, unless all that was surely staged has its result:
    then the rest was not staged, and goes into a later package.
    """
    readings = now.settings.readings if tail.missing else SURE_READINGS
    if (tail.missing or tail.doubtful) and package.readings < readings:
        return Learnt(later(package, now, poll_pause(package.readings + 2), phase=Phase.INTEGRATED))
    if tail.missing or (tail.doubtful and not tail.answered):
        pause = now.settings.before_seeking
        return Learnt(later(package, now, pause, phase=Phase.LOOKING))
    return Learnt(closed(package, now, package.message))


# SEEK.


def _sought(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    page = answer.value
    if package.is_zip:
        fates = zips.decided(package, step.sought, page, now)
    else:
        fates = decided(package, step.sought, page)
    # Where a page is not the last, the offers that it lacks may be on the next.
    pause = timedelta(0) if fates else poll_pause(package.tries)
    after = forward(package, now) if fates else later(package, now, pause)
    return Learnt(after, fates=fates)


def _not_sought(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    text = f"The service gives no result for it, nor its offers: {answer.detail}"
    fates = [Fate(sought.row, Status.UNKNOWN, text) for sought in step.sought]
    return Learnt(forward(package, now), fates=fates)


# CLEAR.


def cleared(package: Package, now: Now) -> Package:
    """A package of which it is known which rows may be in flight."""
    if package.blocked_by:
        return later(package, now, poll_pause(package.tries))
    if not package.staged(Stage.PLANNED):
        return closed(package, now, None)
    return replace(package, phase=Phase.CLEARED, tries=0, due=None)


ASKING = (
    *(Do.CREATE, Do.UPLOAD, Do.LOOK, Do.COMMIT, Do.FETCH, Do.SEEK),
    *(Do.SUBMIT, Do.FIND, Do.REPORT, Do.SEND, Do.LOG),
)
"""The steps that ask something of the service."""

RULES: dict[tuple[Do, Kind], Callable[[Package, Step, Answer, Now], Learnt]] = {
    (Do.CREATE, Kind.DONE): _created,
    (Do.CREATE, Kind.REFUSED): _creation_refused,
    # Another one is created; the orphan is empty and expires.
    (Do.CREATE, Kind.UNKNOWN): _not_sent,
    (Do.UPLOAD, Kind.DONE): _taken,
    (Do.UPLOAD, Kind.REFUSED): _upload_refused,
    (Do.UPLOAD, Kind.UNKNOWN): _in_doubt,
    (Do.LOOK, Kind.DONE): _seen,
    (Do.LOOK, Kind.REFUSED): _not_seen,
    (Do.LOOK, Kind.UNKNOWN): _read_again,
    (Do.COMMIT, Kind.DONE): _accepted,
    (Do.COMMIT, Kind.REFUSED): _look_again,
    (Do.COMMIT, Kind.UNKNOWN): _read_again,
    (Do.FETCH, Kind.DONE): _fetched,
    (Do.FETCH, Kind.REFUSED): _not_fetched,
    (Do.FETCH, Kind.UNKNOWN): _read_again,
    (Do.SEEK, Kind.DONE): _sought,
    (Do.SEEK, Kind.REFUSED): _not_sought,
    (Do.SEEK, Kind.UNKNOWN): _read_again,
    **batches.RULES,
    **zips.RULES,
    (Do.LOG, Kind.UNKNOWN): _read_again,
    (Do.FIND, Kind.UNKNOWN): _read_again,
    (Do.REPORT, Kind.UNKNOWN): _read_again,
    **{(do, Kind.WAIT): _asked_to_wait for do in ASKING},
    **{(do, Kind.AUTH): _not_authorised for do in ASKING},
    **{(do, Kind.NOT_SENT): _not_sent for do in ASKING},
}
"""What each kind of answer to each step makes of its package."""
