import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.wire.offers import offers_page, read_offers
from feedtool.areas.offers.wire.packages import (
    commit,
    create_package,
    package_id,
    package_view,
    read_package,
    read_results,
    results_page,
    upload,
)
from feedtool.areas.registry import load
from feedtool.delivery.machine import RULES, transition
from feedtool.delivery.staged import count_results
from feedtool.delivery.steps import LOCAL, DeliverySettings, Step, StepIntent
from feedtool.delivery.transition import NO_REASON, Transition, TransitionContext, poll_pause
from feedtool.ledger import Package, Phase, ResultCounts, Stage
from feedtool.model.call import NotSent, OutcomeUnknown, Reply
from feedtool.model.errors import Interrupted, NotAuthorised, UsageProblem
from feedtool.model.nouns import Message, PendingRow, Status
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import read_answer
from tests.delivery.conftest import SECOND, START

SERVICE_TIME = datetime(2026, 3, 2, 10, 30, tzinfo=UTC)
DATE = {"date": "Mon, 02 Mar 2026 10:30:00 GMT"}
SETTINGS = DeliverySettings()
TRAVEL = load().routes[PackageType.UPSERT].travel
NOW = TransitionContext(START, 1.0, SETTINGS, TRAVEL)
P, S, T, D, R = Stage.PLANNED, Stage.SENDING, Stage.STAGED, Stage.DOUBTFUL, Stage.REFUSED

CALLS = {
    Step.CREATE: create_package("P", PackageType.UPSERT, "en"),
    Step.UPLOAD: upload("p1", []),
    Step.GET_PACKAGE: read_package("p1"),
    Step.COMMIT: commit("p1"),
    Step.GET_RESULTS: read_results("p1"),
    Step.LOOKUP: read_offers("P", ["A", "B"]),
}
READERS = {
    Step.CREATE: package_id,
    Step.GET_PACKAGE: package_view,
    Step.GET_RESULTS: results_page,
    Step.LOOKUP: offers_page,
}
UNDER_WAY = {
    Step.CREATE: Phase.CREATING,
    Step.UPLOAD: Phase.FILLING,
    Step.GET_PACKAGE: Phase.COMMITTED,
    Step.COMMIT: Phase.COMMITTING,
    Step.GET_RESULTS: Phase.INTEGRATED,
    Step.LOOKUP: Phase.LOOKING,
}
COMMITTED = {
    *(Phase.COMMITTING, Phase.COMMITTED, Phase.INTEGRATED, Phase.READ),
    *(Phase.LOOKING, Phase.CLOSED),
}
SOUGHT = (
    PendingRow(3, "A", "", body=b'{"price": {"price": 9.5}}'),
    PendingRow(4, "B", "", body=b"{}"),
)


def package(phase: Phase, **more: Any) -> Package:
    given = {
        "uploads": (T, S, P) if phase in {Phase.FILLING, Phase.PROBING} else (T, D, R),
        "rows": 5,
        "package_id": None if phase is Phase.CREATING else "p1",
        "committed_at": START if phase in COMMITTED else None,
        "creations": 0 if phase is Phase.CREATING else 1,
        **more,
    }
    return Package(1, 1, 1, "P", PackageType.UPSERT, phase=phase, **given)


def after_answer(before: Package, do: Step, reply: Any, now: TransitionContext = NOW) -> Transition:
    """The transition of a package at the answer to a step; uploads are the second one."""
    upload = 2 if do is Step.UPLOAD else 0
    sought = SOUGHT if do is Step.LOOKUP else ()
    step = StepIntent(1, do, 1, upload, before.package_id, sought)
    return transition(before, step, read_answer(CALLS[do], reply, now.time, READERS.get(do)), now)


def reply(status: int, document: Any = None, **headers: str) -> Reply:
    body = b"" if document is None else json.dumps(document).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, {**DATE, **named}, body, "https://service.example/v2/x")


PROBLEM = {"title": "No", "traceId": "t1", "errors": [{"code": "E1", "reason": "why"}]}
TOLD = "No. E1: why (HTTP {}) [traceId t1]"


def test_every_step_has_a_rule_for_every_kind_of_answer() -> None:
    assert set(RULES) == {(do, kind) for do in set(Step) - LOCAL for kind in AnswerKind}


# What every step has in common.


UNDONE: dict[Step, dict[str, Any]] = {
    **{do: {} for do in UNDER_WAY},
    Step.CREATE: {"phase": Phase.CLEARED},
    Step.UPLOAD: {"uploads": (T, P, P)},
}


@pytest.mark.parametrize("do", UNDONE)
class TestNoEffect:
    def test_not_sent(self, do: Step) -> None:
        before = package(UNDER_WAY[do])
        found = after_answer(before, do, NotSent("refused"))
        due = START + 2 * SECOND
        assert found == Transition(replace(before, failures=1, due=due, **UNDONE[do]), hold=due)

    def test_failures_at_the_same_time_count_once(self, do: Step) -> None:
        before = package(UNDER_WAY[do], failures=1, due=START + SECOND)
        assert after_answer(before, do, NotSent("refused")) == Transition(
            replace(before, **UNDONE[do])
        )

    def test_not_sent_too_often(self, do: Step) -> None:
        found = after_answer(package(UNDER_WAY[do], failures=5), do, NotSent("refused"))
        assert isinstance(found.stop, Interrupted)
        assert found.stop.message == "The service cannot be reached: refused"

    @pytest.mark.parametrize(("asked", "seconds"), [("30", 30), (None, 2)])
    def test_asked_to_wait(self, do: Step, asked: str | None, seconds: int) -> None:
        before = package(UNDER_WAY[do])
        headers = {"retry_after": asked} if asked else {}
        due = START + seconds * SECOND
        expected = Transition(replace(before, tries=1, due=due, **UNDONE[do]), hold=due)
        assert after_answer(before, do, reply(429, **headers)) == expected

    @pytest.mark.parametrize(
        ("status", "message"), [(401, "does not accept the token"), (403, "does not allow")]
    )
    def test_not_authorised(self, do: Step, status: int, message: str) -> None:
        before = package(UNDER_WAY[do])
        found = after_answer(before, do, reply(status, PROBLEM))
        assert found.package == replace(before, **UNDONE[do])
        assert isinstance(found.stop, NotAuthorised)
        assert message in found.stop.message
        assert found.stop.message.endswith(TOLD.format(status))

    def test_a_usage_problem_undoes_the_step(self, do: Step) -> None:
        before = package(UNDER_WAY[do])
        problem = UsageProblem("no")
        expected = Transition(replace(before, **UNDONE[do]), stop=problem)
        assert after_answer(before, do, problem) == expected

    def test_about_a_package_given_up(self, do: Step) -> None:
        step = StepIntent(1, do, 1, 2, "p0")
        before = package(UNDER_WAY[do], uploads=(P, P, P))
        answer = read_answer(CALLS[do], NotSent("refused"), START)
        assert transition(before, step, answer, NOW) == Transition(before)


DOUBTED = UNDONE | {Step.UPLOAD: {"phase": Phase.PROBING, "uploads": (T, D, P)}}


@pytest.mark.parametrize(("do", "then"), DOUBTED.items())
@pytest.mark.parametrize(
    "answer", [OutcomeUnknown("ReadTimeout"), reply(500), reply(302), reply(408), reply(299)]
)
def test_unknown(do: Step, then: dict[str, Any], answer: Any) -> None:
    before = package(UNDER_WAY[do])
    found = after_answer(before, do, answer)
    assert found.package == replace(before, failures=1, due=START + 2 * SECOND, **then)


# What each answer makes of a package.

WAITING, READY = "WaitingForCompletion", "Ready"
FORWARD = {"tries": 0, "failures": 0, "since": START, "due": None}
AGAIN = {"tries": 3, "failures": 0, "due": START + poll_pause(2)}
SOON = {**FORWARD, "due": START + poll_pause(0)}
TAKEN = {"phase": Phase.COMMITTED, **SOON}
FILLED = {"phase": Phase.FILLED, **FORWARD}
EMPTY = {"phase": Phase.PLANNED, "package_id": None, "state": None, **FORWARD, "uploads": (P, P, P)}
ITEM = {"sellerExternalReference": "A", "integrationStatus": "Integrated"}
PAGE = reply(200, {"items": [ITEM]}, link='<?cursor=2>; rel="next"')


def seen(word: str, **more: Any) -> Reply:
    return reply(200, {"state": word, **more})


ANSWERS: list[tuple[Package, Step, Reply, dict[str, Any]]] = [
    (
        package(Phase.CREATING),
        Step.CREATE,
        reply(201, content_location="/offer-packages/p9"),
        {
            "phase": Phase.FILLING,
            "package_id": "p9",
            "created_at": SERVICE_TIME,
            "creations": 1,
            **FORWARD,
        },
    ),
    *(
        (before, Step.UPLOAD, reply(201), {**FORWARD, **then})
        for before, then in (
            (package(Phase.FILLING), {"uploads": (T, T, P)}),
            (package(Phase.FILLING, uploads=(S, S, T)), {"uploads": (S, T, T)}),
            (
                package(Phase.FILLING, uploads=(D, S, R)),
                {"uploads": (D, T, R), "phase": Phase.FILLED},
            ),
            (package(Phase.PROBING), {"uploads": (T, T, P)}),
            (package(Phase.COMMITTED, uploads=(T, S)), {"uploads": (T, T)}),
        )
    ),
    *(
        (package(phase), Step.GET_PACKAGE, seen(word), {"state": word, **then})
        for phase, word, then in (
            # The uploads go on, carefully until one is taken.
            (Phase.PROBING, WAITING, {"phase": Phase.FILLING}),
            (Phase.PROBING, "Importing", {"phase": Phase.FILLING}),
            (Phase.PROBING, "Parked", {"phase": Phase.FILLING}),
            (Phase.PROBING, READY, {"committed_at": START, **TAKEN}),
            (Phase.FILLED, WAITING, {"phase": Phase.SETTLED, **FORWARD}),
            (Phase.FILLED, READY, {"committed_at": START, **TAKEN}),
            # The commit waits until the package has settled.
            (Phase.FILLED, "Importing", AGAIN),
            (Phase.FILLED, "Parked", AGAIN),
            # The PATCH is sent again, its pauses growing on.
            (Phase.COMMITTING, WAITING, {"phase": Phase.SETTLED, "due": None}),
            (Phase.COMMITTING, READY, TAKEN),
            (Phase.COMMITTING, "Importing", AGAIN),
            (Phase.COMMITTING, "Parked", AGAIN),
            (Phase.COMMITTED, READY, TAKEN),
            (Phase.COMMITTED, WAITING, {"phase": Phase.COMMITTING, **AGAIN}),
            (
                *(Phase.COMMITTED, "Integrated"),
                {"phase": Phase.INTEGRATED, "finished_at": SERVICE_TIME, **FORWARD},
            ),
        )
    ),
    # The same state again is no progress.
    (package(Phase.COMMITTED, state=READY), Step.GET_PACKAGE, seen(READY), AGAIN),
    # A commit refused is looked at, whatever it says.
    *(
        (package(Phase.COMMITTING), Step.COMMIT, reply(status, PROBLEM), AGAIN)
        for status in (400, 404, 409)
    ),
    (
        *(package(Phase.INTEGRATED, link="https://x/y", pages=3), Step.GET_RESULTS),
        *(reply(400, PROBLEM), {"link": None, "pages": 0, **AGAIN}),
    ),
    # Filling stops. What is in it is completed; what has never been sent is left out of it.
    # Where nothing is in it another one takes all.
    *(
        (
            package(Phase.FILLING, uploads=(first, P, P), state=word),
            Step.GET_PACKAGE,
            seen(word),
            then,
        )
        for word, first, then in (
            *((WAITING, T, FILLED), (WAITING, D, FILLED), (WAITING, R, EMPTY), (WAITING, P, EMPTY)),
            *(("Importing", T, FILLED), ("Parked", T, FILLED)),
        )
    ),
]


@pytest.mark.parametrize(("before", "do", "answer", "then"), ANSWERS)
def test_answers(before: Package, do: Step, answer: Reply, then: dict[str, Any]) -> None:
    tried = replace(before, tries=2, failures=1, since=START - 9 * SECOND, due=START)
    assert after_answer(tried, do, answer) == Transition(replace(tried, **then))


def test_a_creation_refused_closes_the_package() -> None:
    found = after_answer(package(Phase.CREATING), Step.CREATE, reply(400, PROBLEM)).package
    assert (found.phase, found.message) == (Phase.CLOSED, Message("E1", TOLD.format(400)))
    assert found.finished_at == START


@pytest.mark.parametrize("status", [400, 409, 413, 415, 422])
def test_an_upload_refused(status: int) -> None:
    before = package(Phase.FILLING)
    found = after_answer(before, Step.UPLOAD, reply(status, PROBLEM))
    assert found.package == replace(before, phase=Phase.PROBING, uploads=(T, R, P), since=START)
    assert found.refused == (2, Message("E1", TOLD.format(status)))


@pytest.mark.parametrize("status", [402, 405, 407, 451])
def test_a_refusal_that_no_row_can_help(status: int) -> None:
    found = after_answer(package(Phase.FILLING), Step.UPLOAD, reply(status, PROBLEM))
    assert found.package.uploads == (T, P, P)
    assert isinstance(found.stop, Interrupted)


@pytest.mark.parametrize("status", [404, 410])
@pytest.mark.parametrize(
    ("do", "phase"), [(Step.UPLOAD, Phase.FILLING), (Step.GET_PACKAGE, Phase.FILLED)]
)
def test_gone_before_the_commit(do: Step, phase: Phase, status: int) -> None:
    before = package(phase, uploads=(T, S, D, R, P), state=WAITING)
    found = after_answer(before, do, reply(status, PROBLEM))
    planned = package(Phase.PLANNED, uploads=(P, P, P, P, P), package_id=None, since=START)
    assert found == Transition(planned)
    often = after_answer(replace(before, creations=3), do, reply(status, PROBLEM))
    assert isinstance(often.stop, Interrupted)


@pytest.mark.parametrize("status", [404, 410])
@pytest.mark.parametrize("do", [Step.GET_PACKAGE, Step.GET_RESULTS])
def test_gone_after_the_commit(do: Step, status: int) -> None:
    found = after_answer(package(UNDER_WAY[do]), do, reply(status, PROBLEM)).package
    # The offers decide, and its rows stay in flight until they have.
    assert (found.phase, found.due, found.committed_at) == (Phase.LOOKING, None, START)
    text = f"The service no longer has package p1: {TOLD.format(status)}"
    assert found.message == Message("", text)


@pytest.mark.parametrize(
    ("state", "hours", "then"),
    [
        # Too young to have expired, whatever a gateway says.
        (WAITING, 3, Phase.LOOKING),
        (WAITING, 4, Phase.PLANNED),
        (WAITING, 24, Phase.PLANNED),
        ("Importing", 24, Phase.PLANNED),
        # It may have been integrated, and forgotten since.
        (WAITING, 72, Phase.LOOKING),
        (READY, 24, Phase.LOOKING),
        (None, 24, Phase.LOOKING),
    ],
)
def test_gone_too_soon_to_be_forgotten(state: str | None, hours: int, then: Phase) -> None:
    created = START - timedelta(hours=hours)  # the service's clock is 1.5 hours ahead
    before = package(Phase.COMMITTING, state=state, created_at=created)
    found = after_answer(before, Step.GET_PACKAGE, reply(404, PROBLEM)).package
    is_free = then is Phase.PLANNED
    assert (found.phase, found.committed_at) == (then, None if is_free else START)
    assert found.package_id == (None if is_free else "p1")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ([{"resultCode": "1", "message": "a"}, {"message": "b"}], Message("1", "a b")),
        ([], Message("", NO_REASON)),
    ],
)
def test_rejected(said: list[dict[str, str]], message: Message) -> None:
    answer = seen("Rejected", messages=said)
    found = after_answer(package(Phase.COMMITTED), Step.GET_PACKAGE, answer).package
    assert (found.phase, found.message, found.state) == (Phase.CLOSED, message, "Rejected")
    assert found.finished_at == SERVICE_TIME


def test_a_page_and_the_next() -> None:
    before = package(Phase.INTEGRATED, tries=1)
    link = "https://service.example/v2/x?cursor=2"
    after = replace(before, link=link, pages=1, tries=0, since=START)
    found = after_answer(before, Step.GET_RESULTS, PAGE)
    assert found == Transition(after, [("A", Status.INTEGRATED, ())])


@pytest.mark.parametrize(
    ("tail", "readings", "phase", "pause"),
    [
        # All has its result.
        (ResultCounts(5, 0, 0), 1, Phase.CLOSED, None),
        (ResultCounts(0, 0, 0), 1, Phase.CLOSED, None),
        # What was surely staged is waited for, then looked up.
        (ResultCounts(4, 1, 0), 1, Phase.INTEGRATED, poll_pause(3)),
        (ResultCounts(4, 1, 0), 2, Phase.INTEGRATED, poll_pause(4)),
        (ResultCounts(4, 1, 0), 3, Phase.LOOKING, SETTINGS.before_lookup),
        (ResultCounts(0, 5, 0), 3, Phase.LOOKING, SETTINGS.before_lookup),
        (ResultCounts(3, 1, 1), 1, Phase.INTEGRATED, poll_pause(3)),
        (ResultCounts(3, 1, 1), 3, Phase.LOOKING, SETTINGS.before_lookup),
        # All that was surely staged has its result, so what was perhaps staged was not.
        (ResultCounts(4, 0, 1), 1, Phase.INTEGRATED, poll_pause(3)),
        (ResultCounts(4, 0, 1), 2, Phase.CLOSED, None),
        # Nothing was surely staged: no result proves nothing.
        (ResultCounts(0, 0, 5), 2, Phase.LOOKING, SETTINGS.before_lookup),
    ],
)
def test_the_end_of_a_reading(
    tail: ResultCounts, readings: int, phase: Phase, pause: timedelta | None
) -> None:
    found = count_results(package(Phase.READ, readings=readings), tail, NOW)
    assert (found.phase, found.due) == (phase, pause and START + pause)


# Look-ups.


def offer_of(reference: str, **more: Any) -> dict[str, Any]:
    return {"sellerExternalReference": reference, "updatedAt": "2026-03-02T10:00:00Z", **more}


def looking(**more: Any) -> Package:
    return package(Phase.LOOKING, created_at=START, tries=1, failures=2, **more)


def test_offers_decide() -> None:
    priced = offer_of("A", integrationPrice={"price": 9.5})
    old = offer_of("B", updatedAt="2026-03-02T08:00:00Z")
    found = after_answer(looking(), Step.LOOKUP, reply(200, {"items": [priced, old]}))
    assert [fate[:2] for fate in found.resolutions] == [(3, Status.INTEGRATED), (4, None)]
    assert found.package == replace(looking(), tries=0, failures=0, since=START)


def test_a_page_without_the_rows_is_fetched_again() -> None:
    answer = reply(200, {"items": [offer_of("C")]}, link='<?cursor=2>; rel="next"')
    found = after_answer(looking(), Step.LOOKUP, answer)
    assert list(found.resolutions) == []
    assert found.package == replace(looking(), tries=2, failures=0, due=START + poll_pause(1))


@pytest.mark.parametrize("status", [400, 404, 405, 422])
def test_hidden_offers_decide_no_row(status: int) -> None:
    found = after_answer(looking(), Step.LOOKUP, reply(status, PROBLEM))
    assert [fate[:2] for fate in found.resolutions] == [(3, Status.UNKNOWN), (4, Status.UNKNOWN)]
    assert found.resolutions[0].text.endswith(TOLD.format(status))
    assert (found.package.phase, found.stop) == (Phase.LOOKING, None)
