from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.registry import load
from feedtool.delivery import direct
from feedtool.delivery.schedule import Schedule, held_until
from feedtool.delivery.staged import NEXT
from feedtool.delivery.steps import DeliverySettings, Step, StepIntent, intend, resume
from feedtool.delivery.submitted import WITH_LOG, WITH_REPORTS
from feedtool.ledger import Attempt, Package, Phase, Stage
from tests.delivery.conftest import HOUR, MINUTE, START

P, S, T, D, R = Stage.PLANNED, Stage.SENDING, Stage.STAGED, Stage.DOUBTFUL, Stage.REFUSED
SETTINGS = DeliverySettings()
ROUTES = load().routes
TRAVEL = ROUTES[PackageType.UPSERT].travel


def package(key: int = 1, phase: Phase = Phase.PLANNED, **more: Any) -> Package:
    given: dict[str, Any] = {"uploads": (P, P, P), "rows": 5, **more}
    return Package(key, 1, key, "P", PackageType.UPSERT, phase=phase, **given)


def steps(*packages: Package, room: int = 10, wait: bool = True, busy: Any = ()) -> list[Any]:
    found = Schedule(packages, ROUTES, START, wait=wait).next_steps(busy)[:room]
    return [(one.key, do, upload) for one, do, upload in found]


def test_every_phase_has_its_step() -> None:
    assert {*NEXT, *WITH_REPORTS, *WITH_LOG, *direct.NEXT} == set(Phase)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        # Only what has never been sent; never again what may have been.
        ({"uploads": (T, P, D, R, P)}, [2, 5]),
        ({"uploads": (S, S, P)}, [3]),
        ({"uploads": (S, S, S)}, []),
        # All of its rows are superseded.
        ({"uploads": (Stage.SKIPPED, P)}, [2]),
        # One at a time while things go wrong.
        ({"failures": 1}, [1]),
        ({"tries": 1}, [1]),
        ({"tries": 1, "uploads": (S, P, P)}, []),
        ({"due": START + MINUTE}, []),
        ({"due": START}, [1, 2, 3]),
    ],
)
def test_only_unsent_uploads_are_sent(more: dict[str, Any], expected: list[int]) -> None:
    assert [upload for _, _, upload in steps(package(phase=Phase.FILLING, **more))] == expected


@pytest.mark.parametrize("phase", [Phase.CLEARED, Phase.CREATING, Phase.FILLING, Phase.PROBING])
def test_one_package_is_filled_at_a_time(phase: Phase) -> None:
    filling = package(1, phase, uploads=(S,))
    assert (2, Step.CLEAR, 0) not in steps(filling, package(2), package(3))
    assert (2, Step.CLEAR, 0) in steps(replace(filling, phase=Phase.FILLED), package(2), package(3))
    assert steps(package(2), package(3)) == [(2, Step.CLEAR, 0)]


def test_steps_are_limited_by_room() -> None:
    assert len(steps(package(phase=Phase.FILLING), room=2)) == 2
    assert steps(package(phase=Phase.FILLING), room=0) == []
    # One step at a time for a package.
    looking = package(1, Phase.COMMITTED)
    assert steps(looking, package(2, Phase.COMMITTED), busy={1}) == [(2, Step.GET_PACKAGE, 0)]


@pytest.mark.parametrize("phase", [Phase.COMMITTED, Phase.INTEGRATED, Phase.READ, Phase.LOOKING])
def test_without_waiting_a_delivery_ends_at_the_commit(phase: Phase) -> None:
    assert steps(package(phase=phase), wait=False) == []
    assert steps(package(phase=Phase.COMMITTING), wait=False) == [(1, Step.GET_PACKAGE, 0)]


@pytest.mark.parametrize(
    ("since", "due", "is_left"),
    [
        (None, None, False),
        (START - SETTINGS.patience, None, False),
        (START - SETTINGS.patience - MINUTE, None, True),
        # It would be too late by then.
        (START, START + SETTINGS.patience + MINUTE, True),
    ],
)
def test_patience_ends(since: datetime | None, due: datetime | None, is_left: bool) -> None:  # noqa: FBT001
    waiting = package(phase=Phase.COMMITTED, since=since, due=due)
    at = Schedule([waiting], ROUTES, START).wake_at()
    assert (at is None) == is_left


def test_a_package_left_alone_does_not_keep_the_next_from_being_filled() -> None:
    left = package(1, Phase.FILLING, since=START - SETTINGS.patience - MINUTE)
    assert steps(left, package(2)) == [(2, Step.CLEAR, 0)]


def test_the_time_to_wake() -> None:
    early, late = START + MINUTE, START + 2 * MINUTE
    waiting = [package(1, Phase.COMMITTED, due=late), package(2, Phase.FILLING, due=early)]
    # The third waits for the second and not for a time.
    everything = [*waiting, package(3)]
    assert Schedule(everything, ROUTES, START).wake_at() == early
    held = list(held_until(everything, START + 5 * MINUTE))
    assert Schedule(held, ROUTES, START).wake_at() == START + 5 * MINUTE
    assert Schedule([package(phase=Phase.CLOSED)], ROUTES, START).wake_at() is None


# In flight elsewhere.


@pytest.mark.parametrize("phase", [phase for phase, do in NEXT.items() if do])
def test_a_blocked_package_waits_until_the_other_is_closed(phase: Phase) -> None:
    filled = package(7, phase, uploads=(T,), package_id="p7")
    blocked = package(8, blocked_by=frozenset({7}))
    assert 8 not in {key for key, _, _ in steps(filled, blocked)}
    assert (8, Step.CLEAR, 0) in steps(replace(filled, phase=Phase.CLOSED), blocked)


def test_a_foreign_blocking_package_is_checked_again_and_again() -> None:
    blocked = package(8, blocked_by=frozenset({99}), due=START + MINUTE)
    assert steps(blocked) == []
    assert Schedule([blocked], ROUTES, START).wake_at() == START + MINUTE
    assert steps(replace(blocked, due=START)) == [(8, Step.CLEAR, 0)]


def test_a_blocking_package_past_patience_ends_the_waiting() -> None:
    stuck = package(7, Phase.COMMITTED, since=START - SETTINGS.patience - MINUTE)
    blocked = package(8, blocked_by=frozenset({7}))
    assert Schedule([stuck, blocked], ROUTES, START).wake_at() is None


# Five hours.


@pytest.mark.parametrize(
    ("age", "skew", "more", "expected"),
    [
        (5 * HOUR, timedelta(0), {}, [Step.UPLOAD] * 2),
        (5 * HOUR + MINUTE, timedelta(0), {}, [Step.GET_PACKAGE]),
        # The service's clock counts: ahead of ours, and behind.
        (5 * HOUR, MINUTE, {}, [Step.GET_PACKAGE]),
        (5 * HOUR + MINUTE, -2 * MINUTE, {}, [Step.UPLOAD] * 2),
        # What is under way is waited for; one look at a time.
        (6 * HOUR, timedelta(0), {"uploads": (T, S, P)}, []),
        (6 * HOUR, timedelta(0), {"due": START + MINUTE}, []),
    ],
)
def test_filling_stops_before_it_expires(
    age: timedelta, skew: timedelta, more: dict[str, Any], expected: list[Step]
) -> None:
    given: dict[str, Any] = {"uploads": (T, P, P), "created_at": START - age, **more}
    late = package(1, Phase.FILLING, **given)
    found = Schedule([late], ROUTES, START).next_steps(skew=skew)
    assert [do for _, do, _ in found] == expected


# Intents.


def test_an_upload_is_intended() -> None:
    filling = package(phase=Phase.FILLING, package_id="p1", since=START - MINUTE)
    after, step, attempt = intend(filling, Step.UPLOAD, 2, TRAVEL, START)
    assert (after.uploads, after.phase, after.since) == ((P, S, P), Phase.FILLING, START - MINUTE)
    assert step == StepIntent(1, Step.UPLOAD, 1, 2, "p1")
    assert attempt == Attempt(1, "upload", START, 2)


def test_the_intent_of_a_commit_is_final() -> None:
    settled = package(phase=Phase.SETTLED, uploads=(T, D, R))
    after, _, _ = intend(settled, Step.COMMIT, 0, TRAVEL, START)
    assert (after.phase, after.committed_at) == (Phase.COMMITTING, START)
    again, _, _ = intend(
        replace(after, phase=Phase.SETTLED), Step.COMMIT, 0, TRAVEL, START + MINUTE
    )
    assert again.committed_at == START


# A new process.


@pytest.mark.parametrize("phase", [phase for phase in NEXT if phase is not Phase.CLOSED])
def test_a_new_process_resumes_each_phase(phase: Phase) -> None:
    then = Phase.PROBING if phase is Phase.FILLING else phase
    counting: dict[str, Any] = {"tries": 3, "failures": 2, "since": START, "due": START}
    counting |= {"link": "x", "pages": 2, "blocked_by": frozenset({9})}
    before = package(phase=phase, uploads=(S, T, D, R, P), **counting)
    assert resume(before) == package(phase=then, uploads=(D, T, D, R, P))


def test_a_closed_package_stays_unchanged() -> None:
    closed = package(phase=Phase.CLOSED, since=START, tries=1)
    assert resume(closed) is closed


def a_zip(phase: Phase, **more: Any) -> Package:
    given = package(phase=phase, **{"uploads": (D,), "rows": 3, **more})
    return replace(given, package_type=PackageType.FULL)


@pytest.mark.parametrize(
    ("ago", "due", "wakes"),
    [
        (0 * MINUTE, None, 1 * MINUTE),
        (0.4 * MINUTE, None, 0.6 * MINUTE),
        (0.4 * MINUTE, 0.1 * MINUTE, 0.6 * MINUTE),
        (0.4 * MINUTE, 8 * MINUTE, 8 * MINUTE),
        (1 * MINUTE, None, 0 * MINUTE),
        (4 * MINUTE, 2 * MINUTE, 2 * MINUTE),
    ],
)
def test_a_zip_in_doubt_is_looked_for_once_it_may_be_there(
    ago: timedelta, due: timedelta | None, wakes: timedelta
) -> None:
    at = START - ago
    one = a_zip(Phase.SUBMITTING, committed_at=at, since=at, due=due and START + due, creations=1)
    assert steps(one) == ([(1, Step.LOOKUP, 0)] if wakes == 0 * MINUTE else [])
    assert Schedule([one], ROUTES, START).wake_at() == START + wakes
