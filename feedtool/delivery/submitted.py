"""Packages that one POST stages and commits: `WITH_REPORTS`, `WITH_LOG` and `RULES`. Pure.

A package goes, when nothing goes wrong,

    planned → cleared → submitting → submitted → closed                        with reports
    planned → cleared → submitting → submitted → integrated → read → closed    with a log

- After a POST of unknown outcome reports are read, and a submission of the package's rows that is
  not older than our intent is taken for ours; where none appears in a while the package is sent
  once more, and then the reports are read until the patience ends.
- Where there is only a log, which is found by the lost id, a look-up tells.
- What may not be repeated (`Submitted.is_repeatable`) never is.
- A refused package goes on in halves, unless the package itself is to blame.
- A row that is refused for nothing but a quota goes into a later package, and none is sent until
  the quota has room again.
- A report is read until it has said the last word on every row. An empty page is "not yet", and so
  is a word that we do not know. A log is read to its last page once the package is final.
"""

from collections import Counter
from datetime import timedelta

from msgspec.structs import replace

from feedtool.delivery.steps import Step
from feedtool.delivery.transition import (
    A_SECOND,
    ABOUT_THE_CONTENT,
    GONE,
    LOOKUP_RULES,
    NO_REASON,
    AnswerContext,
    Rules,
    Transition,
    TransitionContext,
    in_doubt,
    joined,
    look_up,
    read_from_start,
    stop_run,
    unknown,
    with_common,
)
from feedtool.feeds.delivery import AnswerPage, LogPage, Meaning, ReportItem
from feedtool.ledger import Package, Phase, Resolution, Stage
from feedtool.model.nouns import Message
from feedtool.model.text import tr
from feedtool.service.answers import AnswerKind

MOST_PAGES = 200
"""A reading of the reports ends after so many pages: what goes on is not about this package."""

LONGEST_PAUSE = timedelta(minutes=5)
"""Between two readings of a report: there may be hundreds that are waited for."""

TAKEN, REPORTED = "Submitted", "Reported"
"""The states of a package that the service has, and of one on all of whose rows a report has said
the last word. The service has no words for these; between them are those of its rows."""

PUT_OFF = tr("The service's quota was used up; it is sent again later.")
LOST = tr("The service took it, and has given no report of it.")
NEVER_SEEN = tr("The answer to its sending was lost, and no report of the service's ever named it.")

WITH_REPORTS: dict[Phase, Step | None] = {
    Phase.PLANNED: Step.CLEAR,
    Phase.CLEARED: Step.SUBMIT,
    Phase.SUBMITTING: Step.FIND_REPORT,
    Phase.SUBMITTED: Step.GET_REPORT,
    Phase.CLOSED: None,
}
"""The step that each phase waits for. A package whose POST is under way is busy: what is found
SUBMITTING has had no answer, or none that says what became of it."""

WITH_LOG: dict[Phase, Step | None] = {
    Phase.PLANNED: Step.CLEAR,
    Phase.CLEARED: Step.SUBMIT,
    Phase.SUBMITTING: Step.LOOKUP,
    Phase.SUBMITTED: Step.GET_LOG,
    Phase.INTEGRATED: Step.GET_LOG,
    Phase.READ: Step.CLOSE,
    Phase.LOOKING: Step.LOOKUP,
    Phase.CLOSED: None,
}
"""The same where there is a log: where the answer is lost, a look-up tells what became of it."""


def _submitted(package: Package, context: AnswerContext) -> Transition:
    after = _known(package, context.answer.value, context)
    sent = replace(after, created_at=context.at)
    return Transition(context.poll_soon(sent))


def _known(package: Package, package_id: str, context: TransitionContext) -> Package:
    """A package that the service has, whoever says so."""
    return package.advance(
        context.time,
        phase=Phase.SUBMITTED,
        package_id=package_id,
        state=TAKEN,
        uploads=(Stage.STAGED,),
        link=None,
        pages=0,
    )


def _refused(package: Package, context: AnswerContext) -> Transition:
    """Its rows go into later packages, in halves; a row that is alone is to blame.

    All are refused at once where the package itself is to blame, which then has the message.
    """
    if context.answer.status not in ABOUT_THE_CONTENT:
        return stop_run(package, context)
    after, message = replace(package, uploads=(Stage.REFUSED,)), context.message
    causes = context.answer.refusal.causes if context.answer.refusal else frozenset()
    is_to_blame = context.protocol.blames_package(context.answer.status, causes)
    after = context.close(after, message if is_to_blame else None)
    return Transition(after, refused=(1, message))


def _looked_for(package: Package, context: AnswerContext) -> Transition:
    page: AnswerPage[ReportItem] = context.answer.value
    # Submitted since we meant to send it, by the service's clock; each once for every row.
    since = (package.committed_at or context.time) + context.skew - A_SECOND
    ours = [
        item.package_id
        for _, item in context.protocol.outcome.match(context.intent.rows, page.items)
        if item.package_id and item.submitted_at and item.submitted_at >= since
    ]
    if ours:
        ((package_id, _),) = Counter(ours).most_common(1)
        return Transition(_known(package, package_id, context))
    if next_page := _next_page(package, page):
        return Transition(next_page)
    settings = context.settings
    from_start = replace(package, link=None, pages=0)
    is_due = _since_sent(package, context) >= settings.before_resending
    if package.creations < settings.submissions and is_due:
        return Transition(from_start.advance(context.time, phase=Phase.CLEARED))
    if _is_forgotten(package, context):
        lost = unknown(context.intent.rows, NEVER_SEEN)
        return Transition(context.close(from_start), resolutions=lost)
    return Transition(context.retry(from_start))


def _reported(package: Package, context: AnswerContext) -> Transition:
    page: AnswerPage[ReportItem] = context.answer.value
    # The specification shows no filter, so the service may show other packages too.
    items = [item for item in page.items if item.package_id in {None, package.package_id}]
    matches = list(context.protocol.outcome.match(context.intent.rows, items))
    # Refused for a quota and nothing else, with patience left.
    put_off = {
        row
        for row, item in matches
        if row.sends + 1 < context.settings.put_offs and context.protocol.outcome.is_quota(item)
    }
    transition = Transition(
        package,
        [
            (row.reference, item.status, item.messages)
            for row, item in matches
            if item.status and row not in put_off
        ],
        resolutions=tuple(
            Resolution(row.row, None, PUT_OFF, row.number) for row in sorted(put_off)
        ),
        rest=context.time + context.settings.quota_pause if put_off else None,
    )
    answered = {row for row, item in matches if item.status}
    left = [row for row in context.intent.rows if row not in answered]
    if not left:
        after = replace(package, state=REPORTED, link=None, pages=0)
        return transition._replace(package=context.close(after))
    waiting = next((item.word for _, item in matches if item.status is None), package.state)
    if answered or waiting != package.state:
        package = package.advance(context.time, state=waiting)
    if next_page := _next_page(package, page):
        return transition._replace(package=next_page)
    from_start = replace(package, link=None, pages=0)
    is_seen = any(row in left for row, _ in matches)
    if _is_forgotten(package, context) and not is_seen:
        resolved = (*transition.resolutions, *unknown(left, LOST))
        return transition._replace(package=context.close(from_start), resolutions=resolved)
    after = context.retry(from_start, report_pause(package.tries))
    return transition._replace(package=after)


def _is_forgotten(package: Package, context: TransitionContext) -> bool:
    """True if no report is to be hoped for any more, counted from the last time it was sent."""
    if package.created_at is not None:
        return context.service_time - package.created_at > context.settings.forgotten
    return _since_sent(package, context) > context.settings.forgotten


def report_pause(tries: int) -> timedelta:
    """Between two readings of a report: from 1 s, growing, to 5 minutes."""
    return min(LONGEST_PAUSE, timedelta(seconds=1.5 ** min(tries, 30)))


def _next_page(package: Package, page: AnswerPage[ReportItem]) -> Package | None:
    """The package as it is when a further page is to be read; that is no progress yet."""
    pages = package.pages + 1
    if page.next is None or pages >= MOST_PAGES:
        return None
    return replace(package, link=page.next, pages=pages, failures=0, due=None)


def _logged(package: Package, context: AnswerContext) -> Transition:
    page: LogPage = context.answer.value
    seen = replace(package, state=page.state)
    if page.meaning not in {Meaning.INTEGRATED, Meaning.REJECTED}:
        is_same = page.state == package.state
        after = context.retry(seen) if is_same else context.poll_soon(seen.advance(context.time))
        return Transition(after)
    results = [(entry.reference, entry.status, entry.messages) for entry in page.entries]
    pages = package.pages + 1
    after = seen.advance(
        context.time,
        phase=Phase.INTEGRATED,
        pages=pages,
        finished_at=package.finished_at or context.at,
        message=joined(page.about_all) or package.message,
    )
    is_last = pages >= page.pages if page.pages is not None else not page.entries
    is_last = is_last or page.is_other(pages)
    if not is_last and pages <= package.rows:  # more pages than rows are a circle
        return Transition(after, results)
    if page.meaning is Meaning.REJECTED:
        return Transition(context.close(after, after.message or Message("", NO_REASON)), results)
    read = replace(after, phase=Phase.READ, pages=0, readings=package.readings + 1)
    return Transition(read, results)


def _not_logged(package: Package, context: AnswerContext) -> Transition:
    """Not yet; or, once it must have been integrated, no longer: then a look-up tells."""
    is_early = _since_sent(package, context) < context.settings.before_resending
    if context.answer.status not in GONE or is_early:
        return Transition(context.retry(package, pages=0))
    return look_up(package, context)


def _since_sent(package: Package, context: TransitionContext) -> timedelta:
    """The time since it was sent."""
    return context.time - (package.committed_at or context.time)


RULES: Rules = with_common(
    {
        (Step.SUBMIT, AnswerKind.DONE): _submitted,
        (Step.SUBMIT, AnswerKind.REFUSED): _refused,
        (Step.SUBMIT, AnswerKind.UNKNOWN): in_doubt,
        (Step.FIND_REPORT, AnswerKind.DONE): _looked_for,
        (Step.FIND_REPORT, AnswerKind.REFUSED): read_from_start,
        (Step.GET_REPORT, AnswerKind.DONE): _reported,
        (Step.GET_REPORT, AnswerKind.REFUSED): read_from_start,
        (Step.GET_LOG, AnswerKind.DONE): _logged,
        (Step.GET_LOG, AnswerKind.REFUSED): _not_logged,
        **LOOKUP_RULES,
    }
)
