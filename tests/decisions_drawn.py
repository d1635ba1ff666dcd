"""The decisions of the delivery as tables, made by calling it, for docs/internals/delivery.md."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.registry import load
from feedtool.delivery import direct
from feedtool.delivery.machine import transition
from feedtool.delivery.staged import NEXT, count_results
from feedtool.delivery.steps import LOCAL, DeliverySettings, Step, intend
from feedtool.delivery.submitted import WITH_LOG, WITH_REPORTS
from feedtool.delivery.transition import TransitionContext, clear
from feedtool.feeds.delivery import AnswerPage, LogPage, Meaning, PackageView, ReportItem
from feedtool.feeds.direct import Direct, Goal, Judgement, RequestAttempt
from feedtool.feeds.feed import Travel
from feedtool.feeds.package_ref import PackageRef
from feedtool.ledger import Package, Phase, ResultCounts, Stage
from feedtool.model.call import STAGED, Call
from feedtool.model.nouns import Message, PendingRow, Status
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import Answer

TIME = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = DeliverySettings()
LATER = TIME + SETTINGS.before_resending
DAYS_LATER = TIME + 2 * SETTINGS.report_patience
ROUTES = load().routes
GONE = Answer(AnswerKind.REFUSED, "why", 404)


class Case(NamedTuple):
    """An answer, its time, and fields of its package that are not the usual ones."""

    answer: Answer
    now: datetime = TIME
    package: Mapping[str, Any] = {}


def done(value: Any = None, now: datetime = TIME, **package: Any) -> Case:
    return Case(Answer(AnswerKind.DONE, value=value, service_time=TIME), now, package)


OTHERS = {
    "refused (400)": Case(Answer(AnswerKind.REFUSED, "why", 400)),
    "no answer, 5xx": Case(Answer(AnswerKind.UNKNOWN, "why")),
    "not connected": Case(Answer(AnswerKind.NOT_SENT, "why")),
    "429": Case(Answer(AnswerKind.WAIT, "why")),
}


class Machine(NamedTuple):
    """A protocol's table of phases and steps, with the cases of each step."""

    steps: Mapping[Phase, Step | None]
    travel: Travel
    package_type: str
    cases: Mapping[Step, Mapping[str, Case]]
    end: str
    uploads: int = 1
    blocked: tuple[str, ...] = ("a row is in flight elsewhere",)


def table(machine: Machine) -> Iterator[tuple[str, str, str]]:
    """The rows of the table: phase, step, and the next phase after each answer."""
    for phase, step in machine.steps.items():
        if step is None:
            yield phase.value, "", machine.end
            continue
        ends: dict[str, list[str]] = {}
        answers = _local(machine, phase) if step in LOCAL else _answers(machine, phase, step)
        for answer, after in answers:
            ends.setdefault(after.phase.value, []).append(answer)
        text = "; ".join(f"{', '.join(names)} → **{end}**" for end, names in ends.items())
        yield phase.value, step.value, text


def _answers(machine: Machine, phase: Phase, step: Step) -> Iterator[tuple[str, Package]]:
    cases = machine.cases[step]
    successes = {name: case for name, case in cases.items() if case.answer.kind is AnswerKind.DONE}
    for name, case in {**successes, **OTHERS, **cases}.items():
        package = _package(machine, phase, **case.package)
        upload = 2 if step is Step.UPLOAD else 0
        before, intent, _ = intend(package, step, upload, machine.travel, TIME)
        ref = PackageRef("Ship", "", "en", SETTINGS.calls.dialect)
        intent = intent._replace(act=RequestAttempt(ref, 3, "A", b""), rows=AWAITED)
        context = TransitionContext(case.now, 1.0, SETTINGS, machine.travel)
        yield name, transition(before, intent, case.answer, context).package


READINGS = {
    "every result is there": (ResultCounts(5, 0, 0), 1),
    "some results are missing after the first reading": (ResultCounts(3, 2, 0), 1),
    "only rows that were perhaps sent have no result": (ResultCounts(3, 0, 2), 2),
    "no row was surely sent, and none has a result": (ResultCounts(0, 0, 5), 2),
}


def _local(machine: Machine, phase: Phase) -> Iterator[tuple[str, Package]]:
    context = TransitionContext(TIME, 1.0, SETTINGS, machine.travel)
    if phase is not Phase.PLANNED:
        for name, (counts, readings) in READINGS.items():
            package = _package(machine, phase, readings=readings)
            yield name, count_results(package, counts, context)
        return
    yield "free to go", clear(_package(machine, phase), context)
    for name in machine.blocked:
        yield name, clear(_package(machine, phase, blocked_by=frozenset({2})), context)
    yield "every row superseded", clear(_package(machine, phase, uploads=(Stage.SKIPPED,)), context)


def _package(machine: Machine, phase: Phase, **more: Any) -> Package:
    is_begun = phase not in {Phase.PLANNED, Phase.CLEARED, Phase.CREATING, Phase.CHECKED}
    is_open = phase in {Phase.FILLING, Phase.PROBING, Phase.FILLED, Phase.SETTLED}
    uploads = [Stage.STAGED if is_begun else Stage.PLANNED] * machine.uploads
    if phase in {Phase.FILLING, Phase.PROBING}:
        uploads[-1] = Stage.SENDING
    if phase is Phase.SUBMITTING:
        uploads = [Stage.DOUBTFUL]
    fields: dict[str, Any] = {
        "uploads": tuple(uploads),
        "package_id": "p1" if is_begun and phase is not Phase.SUBMITTING else None,
        "created_at": TIME if is_begun else None,
        "committed_at": TIME if is_begun and not is_open else None,
        "creations": int(is_begun),
        **more,
    }
    return Package(1, 1, 1, "P", machine.package_type, rows=5, phase=phase, **fields)


LOOKED_UP = {"offers": done(AnswerPage([], None))}
STATES = {
    meaning.value: done(PackageView(meaning.value.capitalize(), meaning))
    for meaning in (Meaning.OPEN, Meaning.WORKING, Meaning.INTEGRATED, Meaning.REJECTED)
}
NOT_FOUND = {"404": Case(GONE)}

PACKAGES = Machine(
    NEXT,
    ROUTES[PackageType.UPSERT].travel,
    PackageType.UPSERT,
    {
        Step.CREATE: {"created": done("p1")},
        Step.UPLOAD: {"taken": done(), **NOT_FOUND},
        Step.GET_PACKAGE: {**STATES, **NOT_FOUND},
        Step.COMMIT: {"taken": done(), **NOT_FOUND},
        Step.GET_RESULTS: {
            "last page": done(AnswerPage([], None, 0)),
            "a page": done(AnswerPage([], "next", 0)),
            **NOT_FOUND,
        },
        Step.LOOKUP: {**LOOKED_UP, **NOT_FOUND},
    },
    "the end; rows that are to be sent again are in a new package",
    uploads=2,
    blocked=("a row is in flight elsewhere", "an offer's product has had no answer"),
)

AWAITED = (PendingRow(3, "A", "1"), PendingRow(4, "B", "2"))
ITEM = ReportItem("p1", "1", "A", "Integrated", Status.INTEGRATED, TIME)
OTHER_ITEM = ITEM._replace(gtin="2", reference="B")
NO_ROOM = ITEM._replace(status=Status.REFUSED, messages=(Message("QuotaExceeded", "Enough."),))


def reports(*items: ReportItem, now: datetime = TIME, **package: Any) -> Case:
    return done(AnswerPage([*items], None), now, **package)


BATCHES = Machine(
    WITH_REPORTS,
    ROUTES["Products"].travel,
    "Products",
    {
        Step.SUBMIT: {"taken": done("p1")},
        Step.FIND_REPORT: {
            "a report names it": reports(ITEM),
            "no report yet": reports(),
            "no report for long": reports(now=LATER),
            "no report after a second sending": reports(now=LATER, creations=2),
            "no report in three days": reports(now=DAYS_LATER, creations=2),
        },
        Step.GET_REPORT: {
            "no report yet, or an incomplete one": reports(),
            "the last word on every row": reports(ITEM, OTHER_ITEM),
            "a quota is used up": reports(NO_ROOM, OTHER_ITEM),
            "no report in three days": reports(now=DAYS_LATER),
        },
    },
    "the end; products over a quota, and the halves of a refused batch, are in new batches",
)


def log_page(meaning: Meaning, pages: int) -> Case:
    return done(LogPage(meaning.value.capitalize(), meaning, [], (), pages))


ZIPS = Machine(
    WITH_LOG,
    ROUTES[PackageType.FULL].travel,
    PackageType.FULL,
    {
        Step.SUBMIT: {"taken": done("p1")},
        Step.GET_LOG: {
            "working": log_page(Meaning.WORKING, 0),
            "integrated, a page": log_page(Meaning.INTEGRATED, 3),
            "integrated, the last page": log_page(Meaning.INTEGRATED, 1),
            "rejected": log_page(Meaning.REJECTED, 1),
            **NOT_FOUND,
            "404 ten minutes after it was sent": Case(GONE, LATER),
        },
        Step.LOOKUP: LOOKED_UP,
    },
    "the end; rows that are to be sent again are in a new zip",
)

GOALS = {
    "it is done": done(Goal.REACHED),
    "it is under way": done(Goal.WAITING),
    "nothing shows": done(Goal.OPEN),
    "it cannot be done": done(Goal.IMPOSSIBLE),
}
REQUESTS = Machine(
    direct.NEXT,
    Travel(
        package_type="Ship",
        protocol=Direct(
            call=lambda _: Call("POST", "/", STAGED),
            looks=lambda _: [],
            state=lambda _, replies: replies,
            judge=lambda _, state: Judgement(state, Status.INTEGRATED),
        ),
    ),
    "Ship",
    {
        Step.CHECK: GOALS,
        Step.CALL: {"taken": done()},
        Step.CONFIRM: {**GOALS, "nothing shows for long": done(Goal.OPEN, LATER, readings=1)},
        Step.FOLLOW: GOALS,
    },
    "the end",
)
