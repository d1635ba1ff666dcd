"""The decision table of the delivery, drawn by asking it, for docs/internals/delivery.md."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.offers.wire.offers import OffersPage
from feedtool.areas.registry import load
from feedtool.delivery import direct
from feedtool.delivery.answer import Answer
from feedtool.delivery.machine import RULES
from feedtool.delivery.staged import NEXT, count_results
from feedtool.delivery.steps import LOCAL, DeliverySettings, Step, intend
from feedtool.delivery.submitted import WITH_LOG, WITH_REPORTS
from feedtool.delivery.transition import TransitionContext, clear
from feedtool.feeds.answers import (
    LogPage,
    Meaning,
    PackageView,
    ReportItem,
    ReportsPage,
    ResultsPage,
)
from feedtool.feeds.delivery import Act, DeliveryRoute, Direct, Goal, Judgement, PackageRef
from feedtool.ledger import Package, Phase, ResultCounts, Stage
from feedtool.model.call import STAGED, Call
from feedtool.model.nouns import Message, PendingProduct, Status
from feedtool.service.answers import AnswerKind

TIME = datetime(2026, 1, 1, tzinfo=UTC)
LATER = TIME + DeliverySettings().before_resending
ROUTES = load().routes
UPSERT, ZIP, BATCH = (ROUTES[kind] for kind in ("Upsert", "Full", "Products"))
NOW = TransitionContext(TIME, 1.0, DeliverySettings(), UPSERT)
COMMITTED = {Phase.COMMITTING, Phase.COMMITTED, Phase.INTEGRATED, Phase.READ, Phase.LOOKING}

DONE: dict[Step, dict[str, Any]] = {
    Step.CREATE: {"created": "p1"},
    Step.UPLOAD: {"taken": None},
    Step.GET_PACKAGE: {
        meaning.value: PackageView(meaning.value.capitalize(), meaning)
        for meaning in (Meaning.OPEN, Meaning.WORKING, Meaning.INTEGRATED, Meaning.REJECTED)
    },
    Step.COMMIT: {"taken": None},
    Step.GET_RESULTS: {"last page": ResultsPage([], None, 0), "a page": ResultsPage([], "next", 0)},
    Step.LOOKUP: {"offers": OffersPage([], None)},
}
"""What a success may say."""

TAILS = {
    "every result there": ResultCounts(5, 0, 0),
    "some missing, read once": ResultCounts(3, 2, 0),
    "perhaps sent, and not named": ResultCounts(3, 0, 2),
    "nothing surely sent": ResultCounts(0, 0, 5),
}
READ_TWICE = ("perhaps sent, and not named", "nothing surely sent")

OTHERS = {
    AnswerKind.REFUSED: "refused (400)",
    AnswerKind.UNKNOWN: "no answer, 5xx",
    AnswerKind.NOT_SENT: "not connected",
    AnswerKind.WAIT: "429",
}
GONE = 404
PRODUCTS = "an offer's product has had no answer"


def table() -> Iterator[tuple[str, str, str]]:
    """Phase, step, and for each answer the phase that follows."""
    for phase, do in NEXT.items():
        if do is None:
            yield phase.value, "", "the end; rows that are to be sent again are in a new package"
        elif do in LOCAL:
            yield phase.value, do.value, _told(_local(phase, PRODUCTS))
        else:
            yield phase.value, do.value, _told(_asked(phase, do))


def batches() -> Iterator[tuple[str, str, str]]:
    """The same of a batch of products."""
    for phase, do in WITH_REPORTS.items():
        if do is None:
            yield (
                phase.value,
                "",
                "the end; what a quota refused, and halves, are in new ones",
            )
        elif do in LOCAL:
            yield phase.value, do.value, _told(_local(phase))
        else:
            yield phase.value, do.value, _told(_asked_of_batch(phase, do))


def zips() -> Iterator[tuple[str, str, str]]:
    """The same of a legacy zip."""
    for phase, do in WITH_LOG.items():
        if do is None:
            yield phase.value, "", "the end; rows that are to be sent again are in a new zip"
        elif do in LOCAL:
            yield phase.value, do.value, _told(_local(phase))
        else:
            yield phase.value, do.value, _told(_asked_of_zip(phase, do))


def requests() -> Iterator[tuple[str, str, str]]:
    """The same of a single request."""
    for phase, do in direct.NEXT.items():
        if do is None:
            yield phase.value, "", "the end"
        elif do in LOCAL:
            yield phase.value, do.value, _told(_local(phase))
        else:
            yield phase.value, do.value, _told(_asked_of_request(phase, do))


REQUEST = DeliveryRoute(
    Direct(
        call=lambda _: Call("POST", "/", STAGED),
        looks=lambda _: [],
        state=lambda _, replies: replies,
        judge=lambda _, state: Judgement(state, Status.INTEGRATED),
    )
)
GOALS = {
    "it is done": Goal.REACHED,
    "it is under way": Goal.WAITING,
    "nothing shows": Goal.OPEN,
    "it cannot be done": Goal.IMPOSSIBLE,
}


def _asked_of_request(phase: Phase, do: Step) -> Iterator[tuple[str, Package]]:
    if do is Step.CALL:
        yield "taken", _after_request(phase, do, Answer(AnswerKind.DONE, at=TIME))
    for said, goal in GOALS.items() if do is not Step.CALL else ():
        yield said, _after_request(phase, do, Answer(AnswerKind.DONE, value=goal, at=TIME))
    if do is Step.CONFIRM:
        open_still = Answer(AnswerKind.DONE, value=Goal.OPEN, at=TIME)
        yield "nothing shows for long", _after_request(phase, do, open_still, LATER, readings=1)
    for kind, said in OTHERS.items():
        status = 400 if kind is AnswerKind.REFUSED else None
        yield said, _after_request(phase, do, Answer(kind, "why", status))


def _after_request(
    phase: Phase, do: Step, answer: Answer, now: datetime = TIME, **more: Any
) -> Package:
    is_sent = phase in {Phase.SUBMITTING, Phase.SUBMITTED}
    given = _package(
        phase,
        uploads=(Stage.DOUBTFUL if is_sent else Stage.PLANNED,),
        package_id=None,
        creations=int(is_sent),
        created_at=TIME if is_sent else None,
        **more,
    )
    before, intent, _ = intend(given, do, 0, REQUEST, TIME)
    ref = PackageRef("Ship", "", "en", DeliverySettings().dialect)
    intent = intent._replace(act=Act(ref, 3, "A", b""))
    context = TransitionContext(now, 1.0, DeliverySettings(), REQUEST)
    return RULES[do, answer.kind](before, intent, answer, context).package


def _page(meaning: Meaning, pages: int | None) -> LogPage:
    return LogPage(meaning.value.capitalize(), meaning, [], (), pages)


LOGGED: dict[Step, dict[str, Any]] = {
    Step.SUBMIT: {"taken": "p1"},
    Step.GET_LOG: {
        "working": _page(Meaning.WORKING, 0),
        "integrated, a page": _page(Meaning.INTEGRATED, 3),
        "integrated, the last page": _page(Meaning.INTEGRATED, 1),
        "rejected": _page(Meaning.REJECTED, 1),
    },
    Step.LOOKUP: {"offers": OffersPage([], None)},
}


def _asked_of_zip(phase: Phase, do: Step) -> Iterator[tuple[str, Package]]:
    for said, value in LOGGED[do].items():
        yield said, _after_zip(phase, do, Answer(AnswerKind.DONE, value=value, at=TIME), TIME)
    for kind, said in OTHERS.items():
        status = 400 if kind is AnswerKind.REFUSED else None
        yield said, _after_zip(phase, do, Answer(kind, "why", status), TIME)
    if do is Step.GET_LOG:
        gone = Answer(AnswerKind.REFUSED, "why", GONE)
        yield "404", _after_zip(phase, do, gone, TIME)
        yield "404 ten minutes after it was sent", _after_zip(phase, do, gone, LATER)


def _after_zip(phase: Phase, do: Step, answer: Answer, now: datetime) -> Package:
    has_id = phase in {Phase.SUBMITTED, Phase.INTEGRATED, Phase.LOOKING}
    given = _package(
        phase,
        package_type=PackageType.FULL,
        uploads=(Stage.STAGED if has_id else Stage.PLANNED,),
        package_id="p1" if has_id else None,
        committed_at=None if phase is Phase.CLEARED else TIME,
    )
    before, step, _ = intend(given, do, 0, ZIP, TIME)
    return RULES[do, answer.kind](
        before, step, answer, TransitionContext(now, 1.0, DeliverySettings(), ZIP)
    ).package


AWAITED = (PendingProduct(3, "A", "1"), PendingProduct(4, "B", "2"))
ITEM = ReportItem("p1", "1", "A", "Integrated", Status.INTEGRATED, TIME)
SECOND_ITEM = ITEM._replace(gtin="2", reference="B")
FULL = ITEM._replace(status=Status.REFUSED, messages=(Message("QuotaExceeded", "Enough."),))
NO_ITEMS = ReportsPage([], None)

REPORTED: dict[Step, dict[str, tuple[Any, int, datetime]]] = {
    Step.SUBMIT: {"taken": ("p1", 0, TIME)},
    Step.FIND_REPORT: {
        "a report names it": (ReportsPage([ITEM], None), 1, TIME),
        "none so far": (NO_ITEMS, 1, TIME),
        "none for long": (NO_ITEMS, 1, LATER),
        "none after the second": (NO_ITEMS, 2, LATER),
        "none in three days": (NO_ITEMS, 2, TIME + 2 * DeliverySettings().forgotten),
    },
    Step.GET_REPORT: {
        "an empty or incomplete one": (NO_ITEMS, 1, TIME),
        "the last word on every row": (ReportsPage([ITEM, SECOND_ITEM], None), 1, TIME),
        "a quota is used up": (ReportsPage([FULL, SECOND_ITEM], None), 1, TIME),
        "no report in three days": (NO_ITEMS, 1, TIME + 2 * DeliverySettings().forgotten),
    },
}
"""What a success may say, how often the batch has been sent, and when that is."""


def _asked_of_batch(phase: Phase, do: Step) -> Iterator[tuple[str, Package]]:
    for said, (value, times, now) in REPORTED[do].items():
        answer = Answer(AnswerKind.DONE, value=value, at=TIME)
        yield said, _after_batch(phase, do, answer, times, now)
    times = 0 if do is Step.SUBMIT else 1
    for kind, said in OTHERS.items():
        status = 400 if kind is AnswerKind.REFUSED else None
        yield said, _after_batch(phase, do, Answer(kind, "why", status), times, TIME)


def _after_batch(phase: Phase, do: Step, answer: Answer, times: int, now: datetime) -> Package:
    stage = Stage.PLANNED if phase is Phase.CLEARED else Stage.DOUBTFUL
    given = _package(
        phase,
        package_type="Products",
        uploads=(stage,),
        package_id="p1" if phase is Phase.SUBMITTED else None,
        committed_at=TIME if times else None,
        creations=times,
    )
    before, step, _ = intend(given, do, 0, BATCH, TIME)
    step = step._replace(pending=AWAITED)
    then = TransitionContext(now, 1.0, DeliverySettings(), BATCH)
    return RULES[do, answer.kind](before, step, answer, then).package


def _told(answers: Iterator[tuple[str, Package]]) -> str:
    """`answer → phase`, answers with the same end together."""
    ends: dict[str, list[str]] = {}
    for answer, after in answers:
        ends.setdefault(after.phase.value, []).append(answer)
    return "; ".join(f"{', '.join(said)} → **{end}**" for end, said in ends.items())


def _asked(phase: Phase, do: Step) -> Iterator[tuple[str, Package]]:
    for said, value in DONE[do].items():
        yield said, _after(phase, do, Answer(AnswerKind.DONE, value=value, at=TIME))
    for kind, said in OTHERS.items():
        status = 400 if kind is AnswerKind.REFUSED else None
        yield said, _after(phase, do, Answer(kind, "why", status))
    if do is not Step.CREATE:
        yield "404", _after(phase, do, Answer(AnswerKind.REFUSED, "why", GONE))


def _after(phase: Phase, do: Step, answer: Answer) -> Package:
    before, step, _ = intend(_package(phase), do, 2 if do is Step.UPLOAD else 0, UPSERT, TIME)
    return RULES[do, answer.kind](before, step, answer, NOW).package


def _local(phase: Phase, *waiting: str) -> Iterator[tuple[str, Package]]:
    before = _package(phase)
    if phase is Phase.PLANNED:
        yield "free to go", clear(before, NOW)
        blocked = _package(phase, blocked_by=frozenset({2}))
        for said in ("a row is in flight elsewhere", *waiting):
            yield said, clear(blocked, NOW)
        yield "every row superseded", clear(_package(phase, uploads=(Stage.SKIPPED,)), NOW)
        return
    for said, tail in TAILS.items():
        readings = 2 if said in READ_TWICE else 1
        yield said, count_results(_package(phase, readings=readings), tail, NOW)


def _package(phase: Phase, **more: Any) -> Package:
    begun = phase not in {Phase.PLANNED, Phase.CLEARED, Phase.CREATING}
    filling = phase in {Phase.FILLING, Phase.PROBING}
    uploads = (Stage.STAGED, Stage.SENDING) if filling else (Stage.STAGED, Stage.STAGED)
    given: dict[str, Any] = {
        "uploads": uploads if begun else (Stage.PLANNED, Stage.PLANNED),
        "package_id": "p1" if begun else None,
        "created_at": TIME if begun else None,
        "committed_at": TIME if phase in COMMITTED else None,
        "package_type": PackageType.UPSERT,
        **more,
    }
    return Package(1, 1, 1, "P", rows=5, phase=phase, **given)
