"""Files that wait for a worker, on both databases."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from feedtool.ledger import Ledger
from feedtool.ledger.claims import Claim, ClaimState, EarlierClaim, scope_of
from feedtool.ledger.parcels import FOLDER, DueSeller, Parcel, ParcelAnswer, ParcelState
from feedtool.model.text import MessageText, Translator, tr
from tests.ledger.conftest import MOSTLY_SQLITE, NOW, Process, on_both

KEY = ("https://service.example/v2", "S1")
OTHER = (KEY[0], "S2")
SOON = NOW + timedelta(hours=1)
DAY = timedelta(days=1)


def bring(ledger: Ledger, content: str = "c1", **more: Any) -> Parcel | EarlierClaim | None:
    given: dict[str, Any] = {"key": KEY, "profile": "shop", "kind": None, "name": f"{content}.csv"}
    given |= {"sha256": content, "size": 7, "origin": "anna@desk:/tmp", "now": NOW, **more}
    return ledger.parcels.add(**given)


def brought(ledger: Ledger, content: str = "c1", **more: Any) -> Parcel:
    parcel = bring(ledger, content, **more)
    assert isinstance(parcel, Parcel)
    return parcel


def claim_of(ledger: Ledger, parcel: Parcel, now: datetime = NOW) -> Claim:
    """The claim of a worker that has the parcel in hand."""
    assert ledger.parcels.begin(parcel.parcel, now)
    claim = ledger.claims.take(
        folder=FOLDER,
        lane=parcel.lane,
        scope=scope_of(FOLDER, parcel.key, parcel.kind),
        sha256=parcel.sha256,
        source=parcel.name,
        names=["a"],
        now=now,
        since=None,
    )
    assert isinstance(claim, Claim)
    return claim


def send(ledger: Ledger, parcel: Parcel, now: datetime = NOW) -> int:
    """The run of a parcel, which is answered."""
    claim = claim_of(ledger, parcel, now)
    run = ledger.start_run(now=now, seller="S1", service=KEY[0], claim=claim.claim)
    ledger.parcels.settle(claim, ParcelAnswer(1, run, None), now)
    return run


def test_a_parcel_holds_the_brought_file(ledger: Ledger) -> None:
    parcel = brought(ledger, kind="offers-upsert", priority=3, not_before=SOON)
    assert (parcel.key, parcel.profile, parcel.kind) == (KEY, "shop", "offers-upsert")
    assert (parcel.name, parcel.sha256, parcel.size) == ("c1.csv", "c1", 7)
    assert (parcel.origin, parcel.priority) == ("anna@desk:/tmp", 3)
    assert (parcel.arrived_at, parcel.not_before) == (NOW, SOON)
    assert (parcel.state, parcel.begun_at, parcel.told_at) == (ParcelState.WAITING, None, None)
    assert ledger.parcels.find(parcel.parcel) == parcel
    assert ledger.parcels.find(parcel.parcel + 1) is None
    assert ledger.parcels.listing() == [parcel]


@on_both(
    ("other", "is_same"),
    [
        ({}, True),
        ({"name": "b.csv", "origin": "elsewhere"}, True),
        ({"kind": "offers-update"}, False),
        ({"profile": "mall"}, False),
        ({"key": OTHER}, False),
        ({"sha256": "c2"}, False),
    ],
)
def test_a_content_waits_once_for_a_profile_and_a_kind(
    ledger: Ledger, other: dict[str, Any], *, is_same: bool
) -> None:
    first = brought(ledger)
    assert (bring(ledger, **other) is None) is is_same
    assert ledger.parcels.same(KEY, "shop", None, "c1") == first


@on_both("state", ["waiting", "held", "in hand"])
def test_a_content_waits_until_it_is_answered(ledger: Ledger, state: str) -> None:
    parcel = brought(ledger)
    if state == "held":
        ledger.parcels.hold(parcel.parcel)
    elif state == "in hand":
        claim_of(ledger, parcel)
    assert bring(ledger) is None
    ledger.parcels.answer(parcel.parcel, ParcelAnswer(3, None, "no rows"), NOW)
    assert ledger.parcels.same(KEY, "shop", None, "c1") is None
    assert isinstance(bring(ledger), Parcel)


@on_both(
    ("since", "kind", "is_earlier"),
    [
        (NOW - DAY, None, True),
        (NOW, None, True),
        (NOW + DAY, None, False),
        (None, None, False),
        (NOW, "offers-update", False),
    ],
)
def test_a_content_that_was_sent_is_known_again(
    ledger: Ledger, since: datetime | None, kind: str | None, *, is_earlier: bool
) -> None:
    run = send(ledger, brought(ledger))
    again = bring(ledger, since=since, kind=kind, name="b.csv")
    if is_earlier:
        assert again == EarlierClaim(run, "c1.csv", NOW)
        assert [parcel.sha256 for parcel in ledger.parcels.due(KEY, NOW, 9)] == []
    else:
        assert isinstance(again, Parcel)


@MOSTLY_SQLITE
def test_a_content_that_was_refused_is_not_known_again(ledger: Ledger) -> None:
    claim = claim_of(ledger, brought(ledger))
    ledger.parcels.settle(claim, ParcelAnswer(3, None, "no rows"), NOW)
    assert isinstance(bring(ledger, since=NOW - DAY), Parcel)


def names(parcels: list[Parcel]) -> list[str]:
    return [parcel.sha256 for parcel in parcels]


def test_parcels_are_due_by_priority_then_as_the_database_took_them(ledger: Ledger) -> None:
    """Clocks do not matter: that of the first file's machine is five minutes fast."""
    later = NOW + timedelta(minutes=5)
    brought(ledger, "first", now=later)
    brought(ledger, "second")
    brought(ledger, "urgent", now=later, priority=1)
    brought(ledger, "soon", not_before=SOON, priority=9)
    brought(ledger, "third")
    brought(ledger, "other", key=OTHER)
    listed = names(ledger.parcels.listing())
    assert listed == ["soon", "urgent", "first", "second", "third", "other"]
    assert names(ledger.parcels.due(KEY, NOW, 9)) == ["urgent", "first", "second", "third"]
    assert names(ledger.parcels.due(KEY, NOW, 2)) == ["urgent", "first"]
    assert names(ledger.parcels.due(KEY, SOON, 2)) == ["soon", "urgent"]
    assert len(ledger.parcels.listing()) == 6
    assert len(ledger.parcels.listing(4)) == 4


@on_both(
    ("brought_with", "expected"),
    [
        ([{"not_before": SOON, "priority": 2}, {"not_before": SOON + DAY}], (SOON, 2)),
        ([], None),
        ([{}], (None, 0)),
        ([{"not_before": SOON}], (SOON, 0)),
        ([{"not_before": SOON, "priority": 9}, {"priority": 1}], (None, 1)),
        ([{"not_before": NOW}], (None, 0)),
    ],
)
def test_the_next_due_time_of_a_seller(
    ledger: Ledger, brought_with: list[dict[str, Any]], expected: object
) -> None:
    for number, more in enumerate(brought_with):
        brought(ledger, f"c{number}", **more)
    brought(ledger, "other", key=OTHER)
    assert ledger.parcels.next_due(KEY, NOW) == expected


def test_sellers_with_waiting_or_undelivered_files_are_due(ledger: Ledger) -> None:
    assert ledger.parcels.sellers_due(NOW) == []
    brought(ledger, "a", profile="shop", priority=2)
    brought(ledger, "b", profile="mall")
    brought(ledger, "c", key=OTHER, not_before=SOON)
    first = DueSeller(*KEY, "mall", 2)
    assert ledger.parcels.sellers_due(NOW) == [first]
    assert ledger.parcels.sellers_due(SOON) == [first, DueSeller(*OTHER, "shop", 0)]
    ledger.parcels.drop(3)
    send(ledger, brought(ledger, "d", key=OTHER))
    assert ledger.parcels.sellers_due(NOW) == [first, DueSeller(*OTHER, "shop", 0)]
    (undelivered,) = ledger.parcels.undelivered(OTHER)
    ledger.parcels.mark_delivered(undelivered.parcel, NOW)
    assert ledger.parcels.undelivered(OTHER) == []
    assert ledger.parcels.sellers_due(NOW) == [first]


def test_a_parcel_and_its_claim_end_together(ledger: Ledger) -> None:
    parcel = brought(ledger)
    claim = claim_of(ledger, parcel)
    assert [it.parcel for it in ledger.parcels.begun(KEY)] == [parcel.parcel]
    assert ledger.parcels.begun(OTHER) == []
    run = ledger.start_run(now=NOW, seller="S1", service=KEY[0], claim=claim.claim)
    ledger.parcels.settle(claim, ParcelAnswer(1, run, None), SOON)
    assert ledger.parcels.begun(KEY) == []
    assert ledger.claims.read(claim.claim).state is ClaimState.ENDED
    (answered,) = ledger.parcels.undelivered(KEY)
    assert (answered.state, answered.exit_code) == (ParcelState.ANSWERED, 1)
    assert (answered.run_id, answered.answered_at) == (run, SOON)
    assert ledger.parcels.due(KEY, NOW, 9) == []


@MOSTLY_SQLITE
def test_the_reason_of_a_refusal_can_be_translated(ledger: Ledger) -> None:
    parcel = brought(ledger)
    reason = tr("{name} cannot be read.", name="c1.csv")
    ledger.parcels.answer(parcel.parcel, ParcelAnswer(3, None, reason), NOW)
    (answered,) = ledger.parcels.undelivered(KEY)
    assert isinstance(answered.message, MessageText)
    assert Translator("fr")(answered.message) == "c1.csv ne peut être lu."


@MOSTLY_SQLITE
def test_an_answered_parcel_stays_answered(ledger: Ledger) -> None:
    parcel = brought(ledger)
    ledger.parcels.answer(parcel.parcel, ParcelAnswer(3, None, "no rows"), NOW)
    ledger.parcels.answer(parcel.parcel, ParcelAnswer(0, None, None), SOON)
    ledger.parcels.put_back(parcel.parcel)
    (answered,) = ledger.parcels.undelivered(KEY)
    assert (answered.exit_code, answered.message, answered.answered_at) == (3, "no rows", NOW)
    ledger.parcels.mark_delivered(parcel.parcel, NOW)
    ledger.parcels.mark_delivered(parcel.parcel, SOON)
    told = ledger.parcels.find(parcel.parcel)
    assert told
    assert told.told_at == NOW


def put_back(ledger: Ledger, parcel: Parcel) -> None:
    ledger.parcels.begin(parcel.parcel, NOW)
    ledger.parcels.put_back(parcel.parcel)


CHANGES = {
    "drop": lambda ledger, parcel: ledger.parcels.drop(parcel),
    "hold": lambda ledger, parcel: ledger.parcels.hold(parcel),
    "release": lambda ledger, parcel: ledger.parcels.release(parcel),
    "hurry": lambda ledger, parcel: ledger.parcels.hurry(parcel),
}
MEANWHILE: dict[str, Callable[[Ledger, Parcel], object]] = {
    "waiting": lambda *_: None,
    "held": lambda ledger, parcel: ledger.parcels.hold(parcel.parcel),
    "in hand": claim_of,
    "put back": put_back,
    "answered": send,
    "gone": lambda ledger, parcel: ledger.parcels.drop(parcel.parcel),
}
POSSIBLE = {
    ("waiting", "drop"),
    ("waiting", "hold"),
    ("waiting", "hurry"),
    ("held", "drop"),
    ("held", "hold"),
    ("held", "release"),
    ("held", "hurry"),
    ("put back", "drop"),
    ("put back", "hold"),
    ("put back", "hurry"),
}


@on_both("change", CHANGES)
def test_people_can_change_parcels_that_no_worker_has(ledger: Ledger, change: str) -> None:
    changed = set()
    for state, meanwhile in MEANWHILE.items():
        parcel = brought(ledger, state)
        meanwhile(ledger, parcel)
        if (after := CHANGES[change](ledger, parcel.parcel)) is not None:
            assert after.parcel == parcel.parcel
            changed.add((state, change))
    assert changed == {pair for pair in POSSIBLE if pair[1] == change}


@MOSTLY_SQLITE
def test_a_worker_begins_only_waiting_parcels(ledger: Ledger) -> None:
    begun = set()
    for state, meanwhile in MEANWHILE.items():
        parcel = brought(ledger, state)
        meanwhile(ledger, parcel)
        if ledger.parcels.begin(parcel.parcel, NOW):
            begun.add(state)
    assert begun == {"waiting", "in hand", "put back"}


def test_a_held_parcel_is_not_due(ledger: Ledger) -> None:
    parcel = brought(ledger)
    ledger.parcels.hold(parcel.parcel)
    assert (ledger.parcels.due(KEY, NOW, 9), ledger.parcels.next_due(KEY, NOW)) == ([], None)
    assert ledger.parcels.sellers_due(NOW) == []
    assert names(ledger.parcels.listing()) == ["c1"]
    released = ledger.parcels.release(parcel.parcel)
    assert released
    assert released.state is ParcelState.WAITING
    assert names(ledger.parcels.due(KEY, NOW, 9)) == ["c1"]


def test_a_hurried_parcel_goes_first(ledger: Ledger) -> None:
    brought(ledger, "urgent", priority=7)
    late = brought(ledger, "late", not_before=SOON)
    hurried = ledger.parcels.hurry(late.parcel)
    assert hurried
    assert (hurried.priority, hurried.not_before) == (8, None)
    assert names(ledger.parcels.due(KEY, NOW, 9)) == ["late", "urgent"]


BRING = """
from feedtool.ledger import Ledger
with Ledger(place) as ledger:
    say("ready"); listen()
    told = {"key": ("x", "S1"), "profile": "shop", "kind": None, "name": "a.csv", "now": now}
    parcels = [
        ledger.parcels.add(**told, sha256=str(number), size=1, origin="o") for number in range(12)
    ]
    say(sum(parcel is not None for parcel in parcels))
"""


def test_equal_files_brought_by_two_processes_are_taken_once(place: object, ledger: Ledger) -> None:
    with Process(BRING, str(place)) as one, Process(BRING, str(place)) as other:
        assert (one.heard(), other.heard()) == ("ready", "ready")
        one.tell()
        other.tell()
        assert int(one.heard()) + int(other.heard()) == 12
    assert len(ledger.parcels.due(("x", "S1"), NOW, 99)) == 12
