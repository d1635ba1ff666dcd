"""Packages that are staged and then committed: `NEXT` and `RULES`. Pure.

Specification, part "Offer package" (states) and "Offers (JSON packages)" (the routes). Without
failures the phases of a package are

    planned → cleared → creating → filling → filled → settled → committing → committed
            → integrated → read → closed

An upload with an unknown outcome is in doubt: it is never sent again in its package, which
continues. From the intent of the commit on nothing is undone, the state is only read again.
"""

from datetime import timedelta

from msgspec.structs import replace

from feedtool.delivery.steps import GO_ON, Step
from feedtool.delivery.transition import (
    ABOUT_THE_CONTENT,
    GONE,
    LOOKUP_RULES,
    NO_REASON,
    AnswerContext,
    Rules,
    Transition,
    TransitionContext,
    fail,
    joined,
    look_again,
    look_up,
    not_sent,
    poll_pause,
    read_from_start,
    stop_run,
    with_common,
)
from feedtool.feeds.delivery import AnswerPage, Meaning, PackageView, RequestResult
from feedtool.ledger import Package, Phase, ResultCounts, Stage
from feedtool.model.errors import Interrupted
from feedtool.model.nouns import Message
from feedtool.model.text import tr
from feedtool.service.answers import AnswerKind

SURELY_OPEN = timedelta(hours=5)
"""An open package lives for 6 hours; an hour is left for differing clocks."""
SURELY_KEPT = timedelta(days=2)
"""Results are kept for 3 days (specification, part "Limits") by the service's clock; answers
without it leave our clock, which may be hours off."""

NEXT: dict[Phase, Step | None] = {
    Phase.PLANNED: Step.CLEAR,
    Phase.CLEARED: Step.CREATE,
    Phase.CREATING: Step.CREATE,
    Phase.FILLING: Step.UPLOAD,
    Phase.PROBING: Step.GET_PACKAGE,
    Phase.FILLED: Step.GET_PACKAGE,
    Phase.SETTLED: Step.COMMIT,
    Phase.COMMITTING: Step.GET_PACKAGE,
    Phase.COMMITTED: Step.GET_PACKAGE,
    Phase.INTEGRATED: Step.GET_RESULTS,
    Phase.READ: Step.CLOSE,
    Phase.LOOKING: Step.LOOKUP,
    Phase.CLOSED: None,
}
"""The next step of each phase."""

TAKES_UPLOADS = {Phase.FILLING, Phase.PROBING}
"""Phases before the last upload."""


def _created(package: Package, context: AnswerContext) -> Transition:
    created = {"package_id": context.answer.value, "created_at": context.at}
    times = package.creations + 1
    return Transition(
        package.advance(context.time, phase=Phase.FILLING, creations=times, **created)
    )


def _creation_refused(package: Package, context: AnswerContext) -> Transition:
    if context.answer.status not in ABOUT_THE_CONTENT:
        return stop_run(package, context)
    return Transition(context.close(package, context.message))


def _taken(package: Package, context: AnswerContext) -> Transition:
    after = package.with_stage(context.intent.upload, Stage.STAGED).advance(context.time)
    return Transition(_filled(after, context))


def _in_doubt(package: Package, context: AnswerContext) -> Transition:
    return fail(_probing(package.with_stage(context.intent.upload, Stage.DOUBTFUL)), context)


def _upload_refused(package: Package, context: AnswerContext) -> Transition:
    if context.answer.status in GONE:
        return _gone(package, context)
    if context.answer.status not in ABOUT_THE_CONTENT:
        return stop_run(package, context)
    after = _probing(package.with_stage(context.intent.upload, Stage.REFUSED)).advance(context.time)
    return Transition(after, refused=(context.intent.upload, context.message))


def _probing(package: Package) -> Package:
    """Read the package's state before the next upload: the package may be at fault."""
    return replace(package, phase=Phase.PROBING) if package.phase is Phase.FILLING else package


def _filled(package: Package, context: TransitionContext) -> Package:
    """Bring the package to the next phase once every upload is answered."""
    unsent = package.staged(Stage.PLANNED) + package.staged(Stage.SENDING)
    if package.phase is not Phase.FILLING or unsent:
        return package
    if not _holds_anything(package):
        # An empty package is not committed: it expires by itself.
        return context.close(package, package.message)
    return package.advance(context.time, phase=Phase.FILLED)


def _holds_anything(package: Package) -> int:
    """The number of uploads that were, or may have been, taken."""
    return package.staged(Stage.STAGED) + package.staged(Stage.DOUBTFUL)


def _seen(package: Package, context: AnswerContext) -> Transition:
    view: PackageView = context.answer.value
    changed = view.state != package.state
    seen = replace(package, state=view.state)
    committed_at = package.committed_at or context.time  # by whomever: it cannot be undone
    if view.meaning is Meaning.REJECTED:
        reason = joined(view.messages) or Message("", NO_REASON)
        return Transition(seen.close(context.time, reason, context.at))
    if view.meaning is Meaning.INTEGRATED:
        ends = {"committed_at": committed_at, "finished_at": context.at}
        return Transition(seen.advance(context.time, phase=Phase.INTEGRATED, **ends))
    # Before the commit an unknown state counts as an open package that has not settled.
    is_settling = view.meaning in {Meaning.SETTLING, Meaning.UNKNOWN_STATE}
    if view.meaning is Meaning.OPEN or (is_settling and package.phase in TAKES_UPLOADS):
        return Transition(_seen_open(seen, context))
    if view.meaning is Meaning.WORKING and (changed or package.phase is not Phase.COMMITTED):
        after = seen.advance(context.time, phase=Phase.COMMITTED, committed_at=committed_at)
        return Transition(context.poll_soon(after))
    return look_again(seen, context)


def _seen_open(package: Package, context: TransitionContext) -> Package:
    """The package after the service's state shows that it waits for the commit."""
    if package.phase is Phase.PROBING:
        # Failures stay counted until an upload is taken: reading may work while uploading fails.
        return _filled(replace(package, phase=Phase.FILLING), context)
    if package.phase is Phase.FILLING:
        # It would expire before it is full: it is committed so, the rest goes into another one.
        if not _holds_anything(package):
            return _anew(package, context)
        return package.advance(context.time, phase=Phase.FILLED)
    if package.phase is Phase.FILLED:
        return package.advance(context.time, phase=Phase.SETTLED)
    if package.phase is Phase.COMMITTING:
        # The commit has not taken effect; its pauses keep growing.
        return replace(package, phase=Phase.SETTLED, due=None)
    # The commit was taken, but the state does not show it: it is sent again, after a pause.
    return context.retry(package, phase=Phase.COMMITTING)


def _not_seen(package: Package, context: AnswerContext) -> Transition:
    return (_gone if context.answer.status in GONE else stop_run)(package, context)


def _gone(package: Package, context: AnswerContext) -> Transition:
    """Handle 404: an uncompleted package has expired, and nothing of it was ever in force.

    Otherwise its results were purged, and a look-up decides on the rows. A package that was last
    seen open has certainly expired while it is too young to have been integrated and purged;
    and one that is younger than open packages live has not, even if a gateway answers so.
    """
    age = context.at - (package.created_at or context.at)
    was_open = context.protocol.meaning(package.state or "") in {Meaning.OPEN, Meaning.SETTLING}
    has_expired = was_open and SURELY_OPEN <= age < SURELY_KEPT
    if package.committed_at is not None and not has_expired:
        return look_up(package, context)
    is_enough = package.creations >= context.settings.creations
    text = tr("The service keeps losing our packages: {detail}", detail=context.answer.detail)
    return Transition(_anew(package, context), stop=Interrupted(text, GO_ON) if is_enough else None)


def _anew(package: Package, context: TransitionContext) -> Package:
    """Reset an expired package; its rows are as free as if they had never been sent."""
    free = dict.fromkeys(("package_id", "state", "created_at", "committed_at"))
    uploads = (Stage.PLANNED,) * len(package.uploads)
    return package.advance(context.time, phase=Phase.PLANNED, uploads=uploads, **free)


def _accepted(package: Package, context: AnswerContext) -> Transition:
    after = package.advance(context.time, phase=Phase.COMMITTED, state=context.protocol.ready)
    return Transition(context.poll_soon(after))


def _read(package: Package, context: AnswerContext) -> Transition:
    page: AnswerPage[RequestResult] = context.answer.value
    pages = package.pages + 1
    # A page has at least one row, so more pages than rows are a circle.
    is_last = page.next is None or pages > package.rows
    after = package.advance(context.time, link=page.next, pages=pages)
    if is_last:
        readings = package.readings + 1
        after = replace(after, phase=Phase.READ, link=None, pages=0, readings=readings)
    return Transition(after, results=page.items)


def _not_read(package: Package, context: AnswerContext) -> Transition:
    return (_gone if context.answer.status in GONE else read_from_start)(package, context)


SURE_READINGS = 2
"""Readings of the results before rows that were perhaps staged count as not staged."""


def count_results(package: Package, counts: ResultCounts, context: TransitionContext) -> Package:
    """The package after a reading of its results, which is repeated while some are missing.

    Then missing rows are looked up. So are rows that were perhaps staged, unless all that were
    certainly staged have their results: then they were not staged, and go into a later package.
    """
    readings = context.settings.readings if counts.missing else SURE_READINGS
    if (counts.missing or counts.doubtful) and package.readings < readings:
        pause = poll_pause(package.readings + 2)
        return context.retry(package, pause, phase=Phase.INTEGRATED)
    if counts.missing or (counts.doubtful and not counts.answered):
        return context.retry(package, context.settings.before_lookup, phase=Phase.LOOKING)
    return context.close(package, package.message)


RULES: Rules = with_common(
    {
        (Step.CREATE, AnswerKind.DONE): _created,
        (Step.CREATE, AnswerKind.REFUSED): _creation_refused,
        # Another package is created; the orphan is empty and expires.
        (Step.CREATE, AnswerKind.UNKNOWN): not_sent,
        (Step.UPLOAD, AnswerKind.DONE): _taken,
        (Step.UPLOAD, AnswerKind.REFUSED): _upload_refused,
        (Step.UPLOAD, AnswerKind.UNKNOWN): _in_doubt,
        (Step.GET_PACKAGE, AnswerKind.DONE): _seen,
        (Step.GET_PACKAGE, AnswerKind.REFUSED): _not_seen,
        (Step.COMMIT, AnswerKind.DONE): _accepted,
        # A refusal's text is never interpreted: the package's state decides.
        (Step.COMMIT, AnswerKind.REFUSED): look_again,
        (Step.GET_RESULTS, AnswerKind.DONE): _read,
        (Step.GET_RESULTS, AnswerKind.REFUSED): _not_read,
        **LOOKUP_RULES,
    }
)
