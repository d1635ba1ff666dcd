"""Deadlines by the service's clock, with any local clock and any headers."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from email.utils import format_datetime
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.registry import load
from feedtool.delivery.deadlines import (
    ServiceClock,
    deadline,
    end_of,
    may_be_applied,
    soon,
    warnings,
)
from feedtool.delivery.steps import DeliverySettings
from feedtool.ledger import Package, Phase, Stage
from feedtool.model.call import Call, NotSent, Reply, Sender
from feedtool.model.errors import Interrupted
from feedtool.model.nouns import Status
from tests.delivery.conftest import (
    DAY,
    HOUR,
    START,
    TWO,
    Scene,
    Script,
    When,
    holds,
    problem,
    product,
    upsert,
)
from tests.pairs import sample
from tests.service.test_answers import ABSURD

CLOCKS = {"as ours": 0 * DAY, "ours is behind": 4 * DAY, "ours is ahead": -4 * DAY}
"""The lead of the service's clock over ours."""


def package(phase: Phase, kind: str = PackageType.UPSERT, **more: Any) -> Package:
    given: dict[str, Any] = {"uploads": (Stage.STAGED,), "package_id": "p", **more}
    return Package(1, 1, 1, "PRIMARY", kind, 1, phase=phase, **given)


@pytest.mark.parametrize("skew", CLOCKS.values(), ids=CLOCKS)
@pytest.mark.parametrize(
    ("phase", "lost"),
    [(Phase.FILLING, 6 * HOUR), (Phase.COMMITTED, 3 * DAY), (Phase.READ, 3 * DAY)],
)
def test_deadlines_of_phases(phase: Phase, lost: timedelta, skew: timedelta) -> None:
    """The creation and the end are noted by the service's clock, the commit by ours."""
    ours = START - skew
    known: dict[str, Any] = {"created_at": START, "finished_at": None, "committed_at": None}
    if phase is not Phase.FILLING:
        known |= {"committed_at": ours}
    if phase is Phase.READ:
        known |= {"finished_at": START}
    found = deadline(package(phase, **known), ServiceClock(ours, skew), load().routes)
    assert found is not None
    assert found.at == START + lost
    assert soon(package(phase, **known), ServiceClock(ours, skew), load().routes) is None
    assert found.describe(ServiceClock(ours + lost, skew)).startswith(
        found.was if skew <= 0 * DAY else found.what
    )
    assert found.is_near(ServiceClock(ours + lost - HOUR, skew))


def test_a_corrected_clock_does_not_change_deadlines() -> None:
    """The skew that is known may be from the days when our clock was behind."""
    kept = package(Phase.READ, committed_at=START - 4 * DAY, finished_at=START)
    assert warnings([kept], ServiceClock(START + HOUR, 4 * DAY), load().routes) == [
        "package p: its results are deleted at 2026-03-05 09:00 UTC"
    ]


class Dated:
    """Gives every answer a Date, and puts down how the packages are lost meanwhile."""

    def __init__(self, sender: Sender, date: Callable[[], str]) -> None:
        self.sender, self.date = sender, date

    def send(self, call: Call) -> Reply:
        reply = self.sender.send(call)
        return replace(reply, headers={**reply.headers, "date": self.date()})


VIDEO = partial(product, category="VIDEO1")
EACH = [(upsert, 4), (VIDEO, -4), (VIDEO, 0), (upsert, 0), (upsert, -4), (VIDEO, 4)]


@pytest.mark.parametrize(("item", "days"), sample(EACH, 2))
def test_no_clock_makes_results_lost(scene: Scene, item: Callable[[int], Any], days: int) -> None:
    skew = days * DAY
    scene.plan([item(3)])
    dated = Dated(scene.client, lambda: format_datetime(scene.transport.now(), usegmt=True))
    early = problem(400), problem(400)
    assert len(scene.go_on(Script(dated, "commit", *early), ahead=skew)) == 1
    assert [event.text for event in scene.events if event.kind == "deadline"] == []
    assert abs(scene.ledger.skew(scene.transport.base) - skew) <= timedelta(seconds=1)


@pytest.mark.parametrize("skew", CLOCKS.values(), ids=CLOCKS)
def test_committed_packages_are_warned_of_in_time(scene: Scene, skew: timedelta) -> None:
    scene.plan([upsert(3)])
    dated = Dated(scene.client, lambda: format_datetime(scene.transport.now(), usegmt=True))
    scene.go_on(dated, ahead=skew, wait=False)
    (left,) = scene.packages
    assert (left.phase, left.finished_at) == (Phase.COMMITTED, None)
    for passed, is_warned in ((HOUR, False), (2.5 * DAY, True)):
        ours = START - skew + passed
        told = warnings(
            [left], ServiceClock(ours, scene.ledger.skew(scene.transport.base)), load().routes
        )
        assert bool(told) is is_warned, told
        assert not any("have been deleted" in line for line in told)


# How each of them is read, tests/service tests.
@pytest.mark.parametrize("date", sample([date for date in ABSURD if len(date) < 100], 1))
def test_an_absurd_date_header_changes_nothing(scene: Scene, date: str) -> None:
    scene.plan([upsert(3), upsert(4)])
    wait = problem(429, retry_after=date)
    scene.go_on(Script(Dated(scene.client, lambda: date), "fetch", wait))
    assert scene.statuses == ["Integrated"] * 2
    assert scene.transport.now() - START < timedelta(minutes=5)
    (done,) = scene.packages
    assert done.created_at is not None
    assert START <= done.created_at <= START + HOUR


@pytest.mark.parametrize("asked", sample(["86400", "9" * 40, "Fri, 31 Dec 2099 23:59:59 GMT"], 1))
def test_no_wait_is_longer_than_the_patience(scene: Scene, asked: str) -> None:
    """A package that was not begun yet does not wait for it either."""
    scene.plan([upsert(3), upsert(4, "OTHER")])
    wait = Script(scene.client, "fetch", problem(429, retry_after=asked), forever=True)
    assert "Pending" in scene.go_on(wait)[0].status
    assert scene.transport.now() - START < 2 * HOUR


# Over a whole delivery.

PATIENT = DeliverySettings(patience=10 * HOUR)


def napping(scene: Scene, when: When) -> Script:
    """Let five and a half hours pass before the first such call."""
    return Script(scene.client, when, lambda _: scene.transport.sleep(5.5 * 3600))


def test_a_near_deadline_is_warned_of_once(scene: Scene) -> None:
    scene.plan([upsert(3)])
    scene.go_on(
        Script(napping(scene, "look"), "commit", problem(400), problem(400)), settings=PATIENT
    )
    assert scene.statuses == ["Integrated"]
    told = [event.text for event in scene.events if event.kind == "deadline"]
    package = f"package 1 (Upsert, PRIMARY): {scene.packages[0].package_id}"
    assert told == [f"{package}: what was uploaded expires at 2026-03-02 15:00 UTC"]


def test_filling_stops_an_hour_before_a_package_expires(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 11)), TWO)
    scene.go_on(napping(scene, holds("R5")), settings=PATIENT)
    assert scene.statuses == ["Integrated"] * 8
    assert [(package.rows, package.creations) for package in scene.packages] == [(4, 1), (4, 1)]
    assert len(scene.applied) == 8


def test_a_refused_upload_of_a_package_that_expired_is_sent_in_halves(scene: Scene) -> None:
    scene.plan([upsert(3), upsert(4, quantity="x")])
    with pytest.raises(Interrupted):
        scene.go_on(Script(scene.client, "look", NotSent("refused"), forever=True))
    scene.transport.sleep(7 * 3600)
    scene.go_on()
    assert scene.statuses == ["Integrated", "Rejected"]


def test_another_runs_package_that_expired_is_left_to_that_run(scene: Scene) -> None:
    scene.plan([upsert(3)])
    with pytest.raises(Interrupted):
        scene.go_on(Script(scene.client, "commit", "reset", NotSent("refused"), forever=True))
    scene.transport.sleep(7 * 3600)
    newer = scene.another([upsert(4)])
    newer.go_on()
    assert (scene.statuses, newer.statuses) == (["Pending"], ["Integrated"])
    scene.go_on()
    assert scene.statuses == ["Integrated"]
    assert Counter(applied.reference for applied in scene.applied) == {"R3": 1, "R4": 1}


# Giving up.

P, S, T, D = Stage.PLANNED, Stage.SENDING, Stage.STAGED, Stage.DOUBTFUL
OPENED: dict[str, Any] = {"package_id": "p1", "created_at": START}
SENT: dict[str, Any] = {**OPENED, "committed_at": START, "uploads": (T, T)}
UNSENT = Phase.PLANNED, Phase.CLEARED, Phase.CREATING
COMMITTED = Phase.COMMITTING, Phase.SETTLED, Phase.COMMITTED
ANSWERED = Phase.INTEGRATED, Phase.READ, Phase.LOOKING
LOST: dict[str, Any] = {"committed_at": START, "created_at": START, "uploads": (D,)}


@pytest.mark.parametrize(
    ("one", "lasts", "status"),
    [
        # Nothing of it was ever committed, and nothing is in doubt.
        *((package(phase), None, Status.HELD) for phase in UNSENT),
        (package(Phase.FILLING, **OPENED, uploads=(T, P)), None, Status.HELD),
        (package(Phase.SETTLED, **OPENED, uploads=(T, T)), None, Status.HELD),
        # An upload is in doubt while its package is open.
        (package(Phase.FILLING, **OPENED, uploads=(T, S)), 6 * HOUR, Status.HELD),
        (package(Phase.PROBING, **OPENED, uploads=(T, D)), 6 * HOUR, Status.HELD),
        # The PATCH was at least intended, and the service has not said the last word.
        *((package(phase, **SENT), 3 * DAY, Status.UNKNOWN) for phase in COMMITTED),
        # It has, and not all of its answer was read.
        *((package(phase, **SENT), None, Status.UNKNOWN) for phase in ANSWERED),
        # Batches and zips: one POST stages and commits.
        (package(Phase.SUBMITTING, "Products", **LOST), 3 * DAY, Status.UNKNOWN),
        (package(Phase.CLEARED, "Products", **LOST), 3 * DAY, Status.UNKNOWN),
        (package(Phase.SUBMITTED, "Products", **SENT), 3 * DAY, Status.UNKNOWN),
        (package(Phase.SUBMITTING, PackageType.FULL, **LOST), 3 * DAY, Status.UNKNOWN),
    ],
)
def test_until_when_it_may_be_applied(
    one: Package, lasts: timedelta | None, status: Status
) -> None:
    assert end_of(one)[0] is status
    assert may_be_applied(one, ServiceClock(START)) == (START + lasts if lasts else None)
    if lasts:
        assert may_be_applied(one, ServiceClock(START + lasts - HOUR)) is not None
        assert may_be_applied(one, ServiceClock(START + lasts)) is None


@pytest.mark.parametrize("skew", [4 * DAY, -4 * DAY], ids=["ahead", "behind"])
def test_a_package_just_committed_by_another_clock(skew: timedelta) -> None:
    one = package(Phase.COMMITTED, **{**SENT, "created_at": START + skew})
    assert may_be_applied(one, ServiceClock(START + HOUR, skew)) is not None
