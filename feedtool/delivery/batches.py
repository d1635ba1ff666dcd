"""What the answer to a step makes of a batch of products: `RULES`. Pure.

Specification, part "Catalog endpoints": one POST takes a batch in, and what becomes of each product
appears in the integration reports. There is no package to look at and no idempotency key, hence:
- after a POST of unknown outcome the reports are read, and a submission of the batch's products
  that is not older than our intent is taken for ours;
- where none appears in a while the batch is sent once more, which is harmless, since known values
  are ignored; then the reports are read until the patience ends;
- a product that is refused for nothing but a quota goes into a later batch, and none is sent
  until the quota has room again;
- a report is read again and again until it has said the last word on every product. An empty page
  and `Validated` are "not yet", and so is a word that we do not know.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from feedtool.delivery.decide import Do
from feedtool.delivery.progress import (
    Learnt,
    Now,
    closed,
    failed,
    forward,
    later,
    poll_pause,
)
from feedtool.delivery.refusals import ABOUT_THE_CONTENT, message_of, stopped
from feedtool.ledger import Fate, Phase, Stage
from feedtool.model.nouns import Severity, Status
from feedtool.service.answers import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from feedtool.areas.products.wire.submissions import ReportItem, ReportsPage
    from feedtool.delivery.answer import Answer
    from feedtool.delivery.decide import Step
    from feedtool.ledger import Awaited, Package

MOST_PAGES = 200
"""A reading of the reports ends after so many pages: what goes on is not about this batch."""

LONGEST_PAUSE = timedelta(minutes=5)
"""Between two readings of a report: there may be hundreds that are waited for."""

A_SECOND = timedelta(seconds=1)
"""A date-time may be cut to the second."""

TAKEN, REPORTED = "Submitted", "Reported"
"""The states of a batch that the service has, and of one on all of whose products a report has said
the last word. The service has no words for these; between them are those of its products."""

QUOTA = "quotaexceeded"
"""The code of an error that is none of the product's (source: the field), without its case."""

PUT_OFF = "The service's quota was used up; it is sent again later."
LOST = "The service took it, and has given no report of it."
NEVER_SEEN = "The answer to its sending was lost, and no report of the service's ever named it."


# SUBMIT.


def _submitted(package: Package, _step: Step, answer: Answer, now: Now) -> Learnt:
    after = _known(package, answer.value, now)
    sent = replace(after, created_at=answer.at or now.service_time)
    return Learnt(replace(sent, due=now.time + poll_pause(0)))


def _known(package: Package, package_id: str, now: Now) -> Package:
    """A batch that the service has, whoever says so."""
    return forward(
        package,
        now,
        phase=Phase.SUBMITTED,
        package_id=package_id,
        state=TAKEN,
        uploads=(Stage.STAGED,),
        link=None,
        pages=0,
    )


def _refused(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    """Its rows go into later batches, in halves; a row that is alone is to blame."""
    if answer.status not in ABOUT_THE_CONTENT:
        return stopped(package, step, answer, now)
    after = replace(package, uploads=(Stage.REFUSED,))
    return Learnt(closed(after, now, None), refused=(1, message_of(answer)))


def _in_doubt(package: Package, _step: Step, answer: Answer, now: Now) -> Learnt:
    return failed(replace(package, uploads=(Stage.DOUBTFUL,)), answer, now)


# FIND.


def _looked_for(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    page: ReportsPage = answer.value
    ours = _ours(package, step.awaited, page.items, now)
    if ours:
        ((package_id, _),) = Counter(ours).most_common(1)
        return Learnt(_known(package, package_id, now))
    if next_page := _next_page(package, page):
        return Learnt(next_page)
    since_sent = now.time - (package.committed_at or now.time)
    from_start = replace(package, link=None, pages=0)
    if package.creations < now.settings.submissions and since_sent >= now.settings.before_resending:
        return Learnt(forward(from_start, now, phase=Phase.CLEARED))
    if _is_forgotten(package, now):
        return _given_up(from_start, step.awaited, NEVER_SEEN, now)
    return Learnt(later(from_start, now, poll_pause(package.tries)))


def _ours(
    package: Package, awaited: Sequence[Awaited], items: Sequence[ReportItem], now: Now
) -> list[str]:
    """The packages in which products of the batch were submitted since we meant to send it.

    Each once for every product; the time is the service's.
    """
    if package.committed_at is None:
        return []
    since = package.committed_at + now.skew - A_SECOND
    return [
        item.package_id
        for _, item in _matched(awaited, items)
        if item.package_id and item.submitted_at and item.submitted_at >= since
    ]


# REPORT.


def _reported(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    page: ReportsPage = answer.value
    # The specification shows no filter, so the service may show other packages too.
    items = [item for item in page.items if item.package_id in {None, package.package_id}]
    found = list(_matched(step.awaited, items))
    put_off = {one.row for one, item in found if _is_put_off(one, item, now)}
    results = [
        (one.reference, item.status, item.messages)
        for one, item in found
        if item.status and one.row not in put_off
    ]
    news = Learnt(
        package,
        results,
        fates=tuple(Fate(row, None, PUT_OFF) for row in sorted(put_off)),
        rest=now.time + now.settings.quota_pause if put_off else None,
    )
    answered = {one.row for one, item in found if item.status}
    left = [one for one in step.awaited if one.row not in answered]
    if not left:
        after = replace(package, state=REPORTED, link=None, pages=0)
        return news._replace(package=closed(after, now, None))
    waiting = next((item.word for _, item in found if item.status is None), package.state)
    if answered or waiting != package.state:
        package = forward(package, now, state=waiting)
    if next_page := _next_page(package, page):
        return news._replace(package=next_page)
    from_start = replace(package, link=None, pages=0)
    is_seen = any(one in left for one, _ in found)
    if _is_forgotten(package, now) and not is_seen:
        lost = _given_up(from_start, left, LOST, now)
        return news._replace(package=lost.package, fates=(*news.fates, *lost.fates))
    return news._replace(package=later(from_start, now, report_pause(package.tries)))


def _is_forgotten(package: Package, now: Now) -> bool:
    """Whether no report is to be hoped for any more, counted from the last time it was sent."""
    if package.created_at is not None:
        return now.service_time - package.created_at > now.settings.forgotten
    return now.time - (package.committed_at or now.time) > now.settings.forgotten


def _is_put_off(one: Awaited, item: ReportItem, now: Now) -> bool:
    """Whether a product is refused for a quota and nothing else, and has patience left."""
    errors = [said.code.casefold() for said in item.messages if said.severity is Severity.ERROR]
    is_refused = item.status is not None and item.status is not Status.INTEGRATED
    return is_refused and set(errors) == {QUOTA} and one.sends + 1 < now.settings.put_offs


def report_pause(tries: int) -> timedelta:
    """Between two readings of a report: from 1 s, growing, to 5 minutes."""
    return min(LONGEST_PAUSE, timedelta(seconds=1.5 ** min(tries, 30)))


# Both.


def _matched(
    awaited: Iterable[Awaited], items: Iterable[ReportItem]
) -> Iterator[tuple[Awaited, ReportItem]]:
    """Products and what reports say of them, by GTIN and, where both have one, reference."""
    by_gtin: defaultdict[str, list[ReportItem]] = defaultdict(list)
    for item in items:
        by_gtin[item.gtin.lstrip("0")].append(item)
    for one in awaited:
        for item in by_gtin.get(one.product.lstrip("0"), ()):
            if item.reference in {None, one.reference} or one.reference == one.product:
                yield one, item


def _next_page(package: Package, page: ReportsPage) -> Package | None:
    """The batch as it is when a further page is to be read; that is no progress yet."""
    pages = package.pages + 1
    if page.next is None or pages >= MOST_PAGES:
        return None
    return replace(package, link=page.next, pages=pages, failures=0, due=None)


def _given_up(package: Package, rows: Iterable[Awaited], why: str, now: Now) -> Learnt:
    fates = [Fate(one.row, Status.UNKNOWN, why) for one in rows]
    return Learnt(closed(package, now, None), fates=fates)


def _read_later(package: Package, _step: Step, _answer: Answer, now: Now) -> Learnt:
    """Not yet, or a stale address: from the first page again."""
    return Learnt(later(package, now, poll_pause(package.tries), link=None, pages=0))


RULES: dict[tuple[Do, Kind], Callable[[Package, Step, Answer, Now], Learnt]] = {
    (Do.SUBMIT, Kind.DONE): _submitted,
    (Do.SUBMIT, Kind.REFUSED): _refused,
    (Do.SUBMIT, Kind.UNKNOWN): _in_doubt,
    (Do.FIND, Kind.DONE): _looked_for,
    (Do.FIND, Kind.REFUSED): _read_later,
    (Do.REPORT, Kind.DONE): _reported,
    (Do.REPORT, Kind.REFUSED): _read_later,
}
"""What each kind of answer that is about batches alone makes of one; `learn.RULES` has them all."""
