"""The decision table of the delivery, drawn by asking it, for docs/internals/delivery.md."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from feedtool.areas.legacy.wire import LogPage
from feedtool.areas.offers.wire.offers import OffersPage
from feedtool.areas.offers.wire.packages import Meaning, PackageView, ResultsPage
from feedtool.areas.products.wire.submissions import ReportItem, ReportsPage
from feedtool.delivery.answer import Answer
from feedtool.delivery.decide import BATCH, LOCAL, NEXT, ZIP, Do, Settings, intended
from feedtool.delivery.learn import RULES, cleared, counted
from feedtool.delivery.progress import Now
from feedtool.ledger import Awaited, Package, Phase, Stage, Tail
from feedtool.model.nouns import Message, PackageType, Status
from feedtool.service.answers import Kind

TIME = datetime(2026, 1, 1, tzinfo=UTC)
LATER = TIME + Settings().before_resending
NOW = Now(TIME, 1.0, Settings())
COMMITTED = {Phase.COMMITTING, Phase.COMMITTED, Phase.INTEGRATED, Phase.READ, Phase.LOOKING}

DONE: dict[Do, dict[str, Any]] = {
    Do.CREATE: {"created": "p1"},
    Do.UPLOAD: {"taken": None},
    Do.LOOK: {
        meaning.value: PackageView(meaning.value.capitalize(), meaning)
        for meaning in (Meaning.OPEN, Meaning.WORKING, Meaning.INTEGRATED, Meaning.REJECTED)
    },
    Do.COMMIT: {"taken": None},
    Do.FETCH: {"last page": ResultsPage([], None, 0), "a page": ResultsPage([], "next", 0)},
    Do.SEEK: {"offers": OffersPage([], None)},
}
"""What a success may say."""

TAILS = {
    "every result there": Tail(5, 0, 0),
    "some missing, read once": Tail(3, 2, 0),
    "perhaps sent, and not named": Tail(3, 0, 2),
    "nothing surely sent": Tail(0, 0, 5),
}
READ_TWICE = ("perhaps sent, and not named", "nothing surely sent")

OTHERS = {
    Kind.REFUSED: "refused (400)",
    Kind.UNKNOWN: "no answer, 5xx",
    Kind.NOT_SENT: "not connected",
    Kind.WAIT: "429",
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
    for phase, do in BATCH.items():
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
    for phase, do in ZIP.items():
        if do is None:
            yield phase.value, "", "the end; rows that are to be sent again are in a new zip"
        elif do in LOCAL:
            yield phase.value, do.value, _told(_local(phase))
        else:
            yield phase.value, do.value, _told(_asked_of_zip(phase, do))


def _page(meaning: Meaning, pages: int | None) -> LogPage:
    return LogPage(meaning.value.capitalize(), meaning, [], (), pages)


LOGGED: dict[Do, dict[str, Any]] = {
    Do.SEND: {"taken": "p1"},
    Do.LOG: {
        "working": _page(Meaning.WORKING, 0),
        "integrated, a page": _page(Meaning.INTEGRATED, 3),
        "integrated, the last page": _page(Meaning.INTEGRATED, 1),
        "rejected": _page(Meaning.REJECTED, 1),
    },
    Do.SEEK: {"offers": OffersPage([], None)},
}


def _asked_of_zip(phase: Phase, do: Do) -> Iterator[tuple[str, Package]]:
    for said, value in LOGGED[do].items():
        yield said, _after_zip(phase, do, Answer(Kind.DONE, value=value, at=TIME), TIME)
    for kind, said in OTHERS.items():
        status = 400 if kind is Kind.REFUSED else None
        yield said, _after_zip(phase, do, Answer(kind, "why", status), TIME)
    if do is Do.LOG:
        gone = Answer(Kind.REFUSED, "why", GONE)
        yield "404", _after_zip(phase, do, gone, TIME)
        yield "404 ten minutes after it was sent", _after_zip(phase, do, gone, LATER)


def _after_zip(phase: Phase, do: Do, answer: Answer, now: datetime) -> Package:
    has_id = phase in {Phase.SUBMITTED, Phase.INTEGRATED, Phase.LOOKING}
    given = _package(
        phase,
        package_type=PackageType.FULL,
        uploads=(Stage.STAGED if has_id else Stage.PLANNED,),
        package_id="p1" if has_id else None,
        committed_at=None if phase is Phase.CLEARED else TIME,
    )
    before, step, _ = intended(given, do, 0, TIME)
    return RULES[do, answer.kind](before, step, answer, Now(now, 1.0, Settings())).package


AWAITED = (Awaited(3, "A", "1"), Awaited(4, "B", "2"))
ITEM = ReportItem("p1", "1", "A", "Integrated", Status.INTEGRATED, TIME)
SECOND_ITEM = ITEM._replace(gtin="2", reference="B")
FULL = ITEM._replace(status=Status.REFUSED, messages=(Message("QuotaExceeded", "Enough."),))
NO_ITEMS = ReportsPage([], None)

REPORTED: dict[Do, dict[str, tuple[Any, int, datetime]]] = {
    Do.SUBMIT: {"taken": ("p1", 0, TIME)},
    Do.FIND: {
        "a report names it": (ReportsPage([ITEM], None), 1, TIME),
        "none so far": (NO_ITEMS, 1, TIME),
        "none for long": (NO_ITEMS, 1, LATER),
        "none after the second": (NO_ITEMS, 2, LATER),
        "none in three days": (NO_ITEMS, 2, TIME + 2 * Settings().forgotten),
    },
    Do.REPORT: {
        "an empty or incomplete one": (NO_ITEMS, 1, TIME),
        "the last word on every row": (ReportsPage([ITEM, SECOND_ITEM], None), 1, TIME),
        "a quota is used up": (ReportsPage([FULL, SECOND_ITEM], None), 1, TIME),
        "no report in three days": (NO_ITEMS, 1, TIME + 2 * Settings().forgotten),
    },
}
"""What a success may say, how often the batch has been sent, and when that is."""


def _asked_of_batch(phase: Phase, do: Do) -> Iterator[tuple[str, Package]]:
    for said, (value, times, now) in REPORTED[do].items():
        answer = Answer(Kind.DONE, value=value, at=TIME)
        yield said, _after_batch(phase, do, answer, times, now)
    times = 0 if do is Do.SUBMIT else 1
    for kind, said in OTHERS.items():
        status = 400 if kind is Kind.REFUSED else None
        yield said, _after_batch(phase, do, Answer(kind, "why", status), times, TIME)


def _after_batch(phase: Phase, do: Do, answer: Answer, times: int, now: datetime) -> Package:
    stage = Stage.PLANNED if phase is Phase.CLEARED else Stage.DOUBTFUL
    given = _package(
        phase,
        package_type=PackageType.PRODUCTS,
        uploads=(stage,),
        package_id="p1" if phase is Phase.SUBMITTED else None,
        committed_at=TIME if times else None,
        creations=times,
    )
    before, step, _ = intended(given, do, 0, TIME)
    step = step._replace(awaited=AWAITED)
    then = Now(now, 1.0, Settings())
    return RULES[do, answer.kind](before, step, answer, then).package


def _told(answers: Iterator[tuple[str, Package]]) -> str:
    """`answer → phase`, answers with the same end together."""
    ends: dict[str, list[str]] = {}
    for answer, after in answers:
        ends.setdefault(after.phase.value, []).append(answer)
    return "; ".join(f"{', '.join(said)} → **{end}**" for end, said in ends.items())


def _asked(phase: Phase, do: Do) -> Iterator[tuple[str, Package]]:
    for said, value in DONE[do].items():
        yield said, _after(phase, do, Answer(Kind.DONE, value=value, at=TIME))
    for kind, said in OTHERS.items():
        status = 400 if kind is Kind.REFUSED else None
        yield said, _after(phase, do, Answer(kind, "why", status))
    if do is not Do.CREATE:
        yield "404", _after(phase, do, Answer(Kind.REFUSED, "why", GONE))


def _after(phase: Phase, do: Do, answer: Answer) -> Package:
    before, step, _ = intended(_package(phase), do, 2 if do is Do.UPLOAD else 0, TIME)
    return RULES[do, answer.kind](before, step, answer, NOW).package


def _local(phase: Phase, *waiting: str) -> Iterator[tuple[str, Package]]:
    before = _package(phase)
    if phase is Phase.PLANNED:
        yield "free to go", cleared(before, NOW)
        blocked = _package(phase, blocked_by=frozenset({2}))
        for said in ("a row is in flight elsewhere", *waiting):
            yield said, cleared(blocked, NOW)
        yield "every row superseded", cleared(_package(phase, uploads=(Stage.SKIPPED,)), NOW)
        return
    for said, tail in TAILS.items():
        readings = 2 if said in READ_TWICE else 1
        yield said, counted(_package(phase, readings=readings), tail, NOW).package


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
