"""Packages that one POST stages and commits: `WITH_REPORTS`, `WITH_LOG` and `RULES`. Pure.

Without failures the phases of a package are

    planned → cleared → submitting → submitted → closed                        with reports
    planned → cleared → submitting → submitted → integrated → read → closed    with a log

- After a POST of unknown outcome reports are read. A submission of the package's rows that is not
  older than our intent counts as ours; if none appears in a while the package is sent once more,
  and then the reports are read until the patience ends.
- If there is only a log, which is found by the lost id, a look-up decides.
- Requests that may not be repeated (`Submitted.is_repeatable`) never are.
- A refused package is sent again in halves, unless the package itself is at fault.
- A row that is refused only for a quota goes into a later package, and none is sent until the
  quota has room again.
- A report is read until it has a final answer on every row. An empty page means "not yet", and so
  does an unknown word. A log is read to its last page once the package is final.
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
"""The most pages in a reading of the reports: further ones are not about this package."""

LONGEST_PAUSE = timedelta(minutes=5)
"""The longest pause between two readings of a report: hundreds may be waited for."""

TAKEN, REPORTED = "Submitted", "Reported"
"""The states of a package that the service has, and of one whose reports have a final answer on all
rows. The service has no words for these; in between a package has those of its rows."""

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
"""The next step of each phase. A package with its POST under way is busy: one that is found in
SUBMITTING had no answer, or none that decides."""

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
"""The next step of each phase with a log: after a lost answer a look-up decides."""


def _submitted(package: Package, context: AnswerContext) -> Transition:
    after = _known(package, context.answer.value, context)
    sent = replace(after, created_at=context.at)
    return Transition(context.poll_soon(sent))


def _known(package: Package, package_id: str, context: TransitionContext) -> Package:
    """The package after the service has shown that it has it."""
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
    """Close a refused package; its rows go into later ones, in halves until the wrong row is alone.

    All rows are refused at once if the package itself is at fault, which then has the message.
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
    # Submitted since our intent, by the service's clock; an id occurs once for every row.
    since = (package.committed_at or context.time) + context.skew - A_SECOND
    package_ids = [
        item.package_id
        for _, item in context.protocol.outcome.match(context.intent.rows, page.items)
        if item.package_id and item.submitted_at and item.submitted_at >= since
    ]
    if package_ids:
        ((package_id, _),) = Counter(package_ids).most_common(1)
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
    # Rows that are refused only for a quota, with patience left.
    put_off = {
        row
        for row, item in matches
        if row.sends + 1 < context.settings.quota_sends and context.protocol.outcome.is_quota(item)
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
        quota_until=context.time + context.settings.quota_pause if put_off else None,
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
    """True if no report is expected any more, counted from the last sending."""
    if package.created_at is not None:
        return context.service_time - package.created_at > context.settings.report_patience
    return _since_sent(package, context) > context.settings.report_patience


def report_pause(tries: int) -> timedelta:
    """The pause between two readings of a report: from 1 s, growing, to 5 minutes."""
    return min(LONGEST_PAUSE, timedelta(seconds=1.5 ** min(tries, 30)))


def _next_page(package: Package, page: AnswerPage[ReportItem]) -> Package | None:
    """The package with a further page to read, which is no progress yet; None at the end."""
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
    """Wait for the log; or look up the rows once it must have been integrated and deleted."""
    is_early = _since_sent(package, context) < context.settings.before_resending
    if context.answer.status not in GONE or is_early:
        return Transition(context.retry(package, pages=0))
    return look_up(package, context)


def _since_sent(package: Package, context: TransitionContext) -> timedelta:
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
