"""The tables of a batch of products: which step comes next, and what each answer makes of it."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.delivery.machine import transition
from feedtool.delivery.schedule import Schedule, check_all_committed, paced
from feedtool.delivery.steps import DeliverySettings, Step, StepIntent, intend
from feedtool.delivery.submitted import (
    LOST,
    MOST_PAGES,
    NEVER_SEEN,
    PUT_OFF,
    WITH_REPORTS,
    report_pause,
)
from feedtool.delivery.transition import Transition, TransitionContext
from feedtool.feeds.delivery import AnswerPage, ReportItem
from feedtool.ledger import Package, Phase, Resolution, Stage
from feedtool.model.errors import Interrupted, NotAuthorised, UsageProblem
from feedtool.model.nouns import Message, PendingRow, Severity, Status
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import Answer
from tests.delivery.conftest import HOUR, MINUTE, SECOND, START

SETTINGS = DeliverySettings()
ROUTES = load().routes
TRAVEL = ROUTES["Products"].travel
SOON = SETTINGS.before_resending - SECOND
LATE = SETTINGS.before_resending
SENT, IN_DOUBT, TAKEN = (Stage.SENDING,), (Stage.DOUBTFUL,), (Stage.STAGED,)
ROWS = (
    PendingRow(3, "A", "0000000000017"),
    PendingRow(4, "0000000000024", "0000000000024"),
)


def batch(phase: Phase = Phase.SUBMITTED, key: int = 1, **more: Any) -> Package:
    is_sent = phase not in {Phase.PLANNED, Phase.CLEARED}
    given: dict[str, Any] = {
        "uploads": {Phase.SUBMITTING: IN_DOUBT, Phase.SUBMITTED: TAKEN}.get(
            phase, (Stage.PLANNED,)
        ),
        "rows": 2,
        "package_id": "p1" if phase is Phase.SUBMITTED else None,
        "committed_at": START if is_sent else None,
        "creations": int(is_sent),
        "state": "Submitted" if phase is Phase.SUBMITTED else None,
        **more,
    }
    return Package(key, 1, key, "", "Products", phase=phase, **given)


def at(pause: timedelta, **more: Any) -> TransitionContext:
    return TransitionContext(START + pause, 1.0, SETTINGS, TRAVEL, **more)


def after_answer(before: Package, do: Step, answer: Answer, now: TransitionContext) -> Transition:
    step = StepIntent(1, do, 1, 0, before.package_id, rows=ROWS)
    return transition(before, step, answer, now)


def item(gtin: str = "17", reference: str | None = "A", **more: Any) -> ReportItem:
    plain = ReportItem("p1", gtin, reference, "Integrated", Status.INTEGRATED, START)
    return plain._replace(**more)


VALIDATED: dict[str, Any] = {"word": "Validated", "status": None}


def page(*items: ReportItem, link: str | None = None) -> Answer:
    return Answer(AnswerKind.DONE, value=AnswerPage(list(items), link), status=200)


# Which step comes next.


def steps(*packages: Package, room: int = 10, busy: Any = (), wait: bool = True) -> list[Any]:
    found = Schedule(packages, ROUTES, START, wait=wait).next_steps(busy)[:room]
    return [(one.key, do) for one, do, _ in found]


@pytest.mark.parametrize("phase", [Phase.SUBMITTED, Phase.CLOSED])
def test_without_waiting_a_delivery_ends_at_the_post(phase: Phase) -> None:
    assert steps(batch(phase), wait=False) == []


def test_one_batch_is_posted_at_a_time_and_before_any_report_is_read() -> None:
    phases = Phase.SUBMITTED, Phase.SUBMITTED, Phase.CLEARED, Phase.PLANNED
    packages = [batch(phase, key) for key, phase in enumerate(phases, 1)]
    reports = [(1, Step.GET_REPORT), (2, Step.GET_REPORT)]
    assert steps(*packages) == [(3, Step.SUBMIT), *reports]
    assert steps(*packages, room=1) == [(3, Step.SUBMIT)]
    under_way = batch(Phase.SUBMITTING, 3, uploads=SENT)
    assert steps(*packages[:2], under_way, packages[3], busy={3}) == reports


@pytest.mark.parametrize(
    ("doubts", "expected"),
    [(2, [(4, Step.CLEAR), (1, Step.FIND_REPORT), (2, Step.FIND_REPORT)]), (3, None)],
)
def test_a_batch_in_doubt_keeps_others_waiting_when_there_are_too_many(
    doubts: int, expected: Any
) -> None:
    packages = [batch(Phase.SUBMITTING, key) for key in range(1, doubts + 1)]
    expected = expected or [(key, Step.FIND_REPORT) for key in range(1, doubts + 1)]
    assert steps(*packages, batch(Phase.PLANNED, 4)) == expected


def test_the_intent_is_recorded_before_a_post() -> None:
    after, step, attempt = intend(batch(Phase.CLEARED), Step.SUBMIT, 0, TRAVEL, START)
    assert after == batch(Phase.SUBMITTING, uploads=SENT, attempts=1, since=START, created_at=START)
    assert (step, attempt.step) == (StepIntent(1, Step.SUBMIT, 1), "submit")


def test_the_second_post_keeps_the_time_of_the_first() -> None:
    before = batch(Phase.CLEARED, uploads=IN_DOUBT, committed_at=START, creations=1)
    after, _, _ = intend(before, Step.SUBMIT, 0, TRAVEL, START + MINUTE, SECOND)
    assert (after.committed_at, after.creations, after.uploads) == (START, 2, SENT)
    assert after.created_at == START + MINUTE + SECOND, "by the service's clock"


@pytest.mark.parametrize(("pause", "rest"), [(MINUTE, None), (0 * MINUTE, START + MINUTE)])
def test_only_posts_have_a_pause_between_them(pause: timedelta, rest: datetime | None) -> None:
    packages = [batch(phase, key, since=START) for key, phase in enumerate(WITH_REPORTS, 1)]
    settings, due = DeliverySettings(batch_pause=pause), START + MINUTE
    found = paced(packages, START, ROUTES, settings, rest)
    # To rest is no lack of progress: the patience does not end meanwhile.
    expected = dict.fromkeys(WITH_REPORTS, (None, START)) | {Phase.CLEARED: (due, due)}
    assert {one.phase: (one.due, one.since) for one in found} == expected
    assert list(paced(packages, None, ROUTES, settings)) == packages
    assert list(paced(packages, START, ROUTES, SETTINGS)) == packages


@pytest.mark.parametrize(
    ("package", "said"),
    [
        (batch(Phase.SUBMITTING), None),
        (batch(Phase.SUBMITTED), None),
        (batch(Phase.PLANNED), "their answers were lost"),
        (batch(Phase.PLANNED, blocked_by=frozenset({2})), "the same references"),
        (batch(Phase.CLEARED, since=START), "no progress since 09:00:00"),
    ],
)
def test_the_error_when_no_step_is_left(package: Package, said: str | None) -> None:
    if said is None:
        check_all_committed([package], ROUTES)
        return
    with pytest.raises(Interrupted, match=said):
        check_all_committed([package], ROUTES)


# SUBMIT.


UNDER_WAY = batch(Phase.SUBMITTING, uploads=SENT)


def test_taken() -> None:
    found = after_answer(
        UNDER_WAY, Step.SUBMIT, Answer(AnswerKind.DONE, value="p1", service_time=START), at(SECOND)
    )
    since, due = START + SECOND, START + 2 * SECOND
    assert found == Transition(batch(created_at=START, since=since, due=due))


def test_lost() -> None:
    found = after_answer(UNDER_WAY, Step.SUBMIT, Answer(AnswerKind.UNKNOWN, "reset"), at(SECOND))
    due = START + 3 * SECOND
    assert found == Transition(batch(Phase.SUBMITTING, failures=1, due=due), hold=due)


@pytest.mark.parametrize("status", [400, 409, 413, 415, 422])
def test_refused(status: int) -> None:
    found = after_answer(
        UNDER_WAY, Step.SUBMIT, Answer(AnswerKind.REFUSED, "No.", status), at(SECOND)
    )
    refused = batch(Phase.SUBMITTING, uploads=(Stage.REFUSED,))
    assert found == Transition(at(SECOND).close(refused), refused=(1, Message("", "No.")))


FIRST = batch(Phase.CLEARED)
AGAIN = batch(Phase.CLEARED, uploads=IN_DOUBT, committed_at=START, creations=1)
NO_EFFECT = {
    "not sent": (Answer(AnswerKind.NOT_SENT, "refused"), None),
    "asked to wait": (Answer(AnswerKind.WAIT, "", 429, wait=5.0), None),
    "not authorised": (Answer(AnswerKind.AUTH, "No.", 401), NotAuthorised),
    "no such address": (Answer(AnswerKind.REFUSED, "No.", 404), UsageProblem),
}


@pytest.mark.parametrize("before", [FIRST, AGAIN], ids=["the first", "the second"])
@pytest.mark.parametrize(("answer", "stop"), NO_EFFECT.values(), ids=NO_EFFECT)
def test_an_attempt_without_effect_is_undone(before: Package, answer: Answer, stop: Any) -> None:
    under_way, _, _ = intend(before, Step.SUBMIT, 0, TRAVEL, START)
    found = after_answer(under_way, Step.SUBMIT, answer, at(SECOND))
    after = replace(found.package, attempts=0, since=None, due=None, tries=0, failures=0)
    assert after == before
    assert isinstance(found.stop, stop) if stop else found.stop is None


# FIND.

FOUND = {
    "ours": ([item()], {}),
    "by its GTIN": ([item("24", "B")], {}),
    "by its GTIN alone": ([item(reference=None)], {}),
    "while it is validated": ([item(**VALIDATED)], {}),
    "refused": ([item(status=Status.REFUSED)], {}),
    "cut to the second": ([item(submitted_at=START - SECOND)], {}),
    "by the service's clock": ([item(submitted_at=START - HOUR)], {"skew": -HOUR}),
    "among others": ([item("99"), item(reference="B"), item()], {}),
    "the one with most": ([item(package_id="p0"), item(), item("24")], {}),
}
NOT_FOUND = {
    "nothing": ([], {}),
    "another reference": ([item(reference="B")], {}),
    "another GTIN": ([item("18")], {}),
    "older": ([item(submitted_at=START - 2 * SECOND)], {}),
    "older by the service's clock": ([item(submitted_at=START)], {"skew": HOUR}),
    "of no known time": ([item(submitted_at=None)], {}),
    "of no known package": ([item(package_id=None)], {}),
}


@pytest.mark.parametrize(("items", "clock"), (FOUND | NOT_FOUND).values(), ids=FOUND | NOT_FOUND)
def test_found(items: list[ReportItem], clock: dict[str, timedelta]) -> None:
    now = at(MINUTE, **clock)
    before = batch(Phase.SUBMITTING, link="x", pages=2)
    later = batch(Phase.SUBMITTING, tries=1, due=now.time + SECOND)
    after = batch(since=now.time) if (items, clock) in FOUND.values() else later
    assert after_answer(before, Step.FIND_REPORT, page(*items), now) == Transition(after)


@pytest.mark.parametrize(
    ("pause", "creations", "then"),
    [
        (SOON, 1, Phase.SUBMITTING),
        (LATE, 1, Phase.CLEARED),
        (LATE, 2, Phase.SUBMITTING),
        (SETTINGS.report_patience, 2, Phase.SUBMITTING),
        (SETTINGS.report_patience + SECOND, 1, Phase.CLEARED),
        (SETTINGS.report_patience + SECOND, 2, Phase.CLOSED),
    ],
)
def test_a_lost_batch_is_looked_for_with_patience(
    pause: timedelta, creations: int, then: Phase
) -> None:
    found = after_answer(
        batch(Phase.SUBMITTING, creations=creations), Step.FIND_REPORT, page(), at(pause)
    )
    assert found.package.phase is then
    assert found.package.committed_at == START
    is_end = then is Phase.CLOSED
    fates = [Resolution(row, Status.UNKNOWN, NEVER_SEEN) for row in (3, 4)]
    assert list(found.resolutions) == (fates if is_end else [])


def test_all_pages_are_read_before_it_is_sent_again() -> None:
    before = batch(Phase.SUBMITTING)
    found = after_answer(before, Step.FIND_REPORT, page(link="y"), at(LATE)).package
    assert found == replace(before, link="y", pages=1)
    last = replace(found, pages=MOST_PAGES - 1)
    assert (
        after_answer(last, Step.FIND_REPORT, page(link="z"), at(LATE)).package.phase
        is Phase.CLEARED
    )


# REPORT.


def test_the_last_word_on_every_row() -> None:
    refusal = (Message("C", "No.", "title"),)
    items = [item(), item("24", None, status=Status.REFUSED, messages=refusal)]
    now = at(MINUTE)
    found = after_answer(batch(), Step.GET_REPORT, page(*items), now)
    assert found == Transition(
        now.close(batch(state="Reported")),
        [("A", Status.INTEGRATED, ()), ("0000000000024", Status.REFUSED, refusal)],
    )


@pytest.mark.parametrize(("package_id", "is_ours"), [("p1", True), (None, True), ("p2", False)])
def test_a_report_may_show_other_packages(package_id: str | None, *, is_ours: bool) -> None:
    answer = page(item(package_id=package_id), item("24", None))
    found = after_answer(batch(), Step.GET_REPORT, answer, at(MINUTE))
    ours = [("A", Status.INTEGRATED, ())] if is_ours else []
    assert found.results == [*ours, ("0000000000024", Status.INTEGRATED, ())]
    assert found.package.phase is (Phase.CLOSED if is_ours else Phase.SUBMITTED)


def test_an_empty_page_is_still_processing() -> None:
    now = at(MINUTE)
    found = after_answer(batch(tries=3), Step.GET_REPORT, page(), now)
    assert found == Transition(batch(tries=4, due=now.time + report_pause(3)), [])


@pytest.mark.parametrize("word", ["Validated", "Thinking"])
def test_a_word_that_is_not_the_last_is_waited_on(word: str) -> None:
    now = at(MINUTE)
    items = [item(word=word, status=None), item("24", None, word=word, status=None)]
    seen = batch(state=word, tries=1, since=now.time, due=now.time + SECOND)
    found = after_answer(batch(tries=3), Step.GET_REPORT, page(*items), now)
    assert found == Transition(seen, [])
    # Seen again it is no progress: the pauses grow, the patience ends.
    later = at(2 * MINUTE)
    again = after_answer(seen, Step.GET_REPORT, page(*items), later)
    assert again == Transition(replace(seen, tries=2, due=later.time + report_pause(1)), [])


def test_the_pages_of_a_report_are_no_progress() -> None:
    before = batch(tries=3, since=START)
    found = after_answer(before, Step.GET_REPORT, page(link="y"), at(MINUTE)).package
    assert found == replace(before, link="y", pages=1)
    last = after_answer(found, Step.GET_REPORT, page(), at(MINUTE)).package
    assert (last.link, last.pages, last.tries, last.since) == (None, 0, 4, START)


def test_a_row_never_reported_ends_as_unknown() -> None:
    now = at(SETTINGS.report_patience + SECOND)
    found = after_answer(batch(), Step.GET_REPORT, page(item()), now)
    assert found.package.phase is Phase.CLOSED
    assert found.results == [("A", Status.INTEGRATED, ())]
    assert found.resolutions == (Resolution(4, Status.UNKNOWN, LOST),)


def test_a_row_still_in_progress_is_not_given_up() -> None:
    """The user returns after days, and the service still works on it."""
    now = at(SETTINGS.report_patience + SECOND)
    found = after_answer(batch(), Step.GET_REPORT, page(item(), item("24", None, **VALIDATED)), now)
    after = batch(state="Validated", tries=1, since=now.time, due=now.time + SECOND)
    assert found == Transition(after, [("A", Status.INTEGRATED, ())])


@pytest.mark.parametrize(
    ("do", "phase"), [(Step.FIND_REPORT, Phase.SUBMITTING), (Step.GET_REPORT, Phase.SUBMITTED)]
)
def test_the_three_days_count_from_the_last_sending(do: Step, phase: Phase) -> None:
    again = START + SETTINGS.report_patience
    before = batch(phase, creations=2, created_at=again)
    soon = after_answer(before, do, page(), at(SETTINGS.report_patience + MINUTE))
    assert soon.package.phase is phase
    late = after_answer(before, do, page(), at(2 * SETTINGS.report_patience + SECOND))
    assert late.package.phase is Phase.CLOSED


QUOTA = Message("QuotaExceeded", "Enough.")
FULL: dict[str, Any] = {"status": Status.REFUSED, "messages": (QUOTA,)}
PUT_BACK = [Resolution(3, None, PUT_OFF)]
WARNED = (QUOTA, Message("X", "So.", "", Severity.WARNING))
MISTAKE = Message("X", "Wrong.")
QUOTAS: dict[str, tuple[dict[str, Any], int, list[Resolution]]] = {
    "a quota": (FULL, 0, PUT_BACK),
    "a warning besides": (FULL | {"messages": WARNED}, 5, PUT_BACK),
    "a mistake besides": (FULL | {"messages": (QUOTA, MISTAKE)}, 0, []),
    "a mistake alone": (FULL | {"messages": (MISTAKE,)}, 0, []),
    "nothing said": (FULL | {"messages": ()}, 0, []),
    "integrated": (FULL | {"status": Status.INTEGRATED}, 0, []),
    "not the last word": (FULL | {"status": None}, 0, []),
    "almost too often": (FULL, SETTINGS.quota_sends - 2, PUT_BACK),
    "too often": (FULL, SETTINGS.quota_sends - 1, []),
}


@pytest.mark.parametrize(("said", "sends", "fates"), QUOTAS.values(), ids=QUOTAS)
def test_rows_refused_by_a_quota_are_sent_again_later(
    said: dict[str, Any], sends: int, fates: list[Resolution]
) -> None:
    now, before = at(MINUTE), batch()
    rows = (ROWS[0]._replace(sends=sends), ROWS[1])
    answer = Answer(AnswerKind.DONE, value=AnswerPage([item(**said), item("24", None)], None))
    found = transition(before, StepIntent(1, Step.GET_REPORT, 1, 0, "p1", rows=rows), answer, now)
    assert list(found.resolutions) == fates
    assert found.quota_until == (now.time + SETTINGS.quota_pause if fates else None)
    assert len(found.results) == (2 if said["status"] and not fates else 1)
    assert (found.package.phase is Phase.CLOSED) is (said["status"] is not None)


@pytest.mark.parametrize("do", [Step.FIND_REPORT, Step.GET_REPORT])
@pytest.mark.parametrize("status", [400, 404, 410])
def test_reports_that_are_refused_are_asked_for_later(do: Step, status: int) -> None:
    phase = Phase.SUBMITTING if do is Step.FIND_REPORT else Phase.SUBMITTED
    before = batch(phase, link="x", pages=3)
    found = after_answer(before, do, Answer(AnswerKind.REFUSED, "No.", status), at(MINUTE))
    due = START + MINUTE + SECOND
    assert found == Transition(batch(phase, tries=1, due=due))
