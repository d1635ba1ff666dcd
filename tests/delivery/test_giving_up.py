from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from feedtool.areas.offers.package_types import PackageType
from feedtool.delivery.deadlines import Clock, end_of, may_be_applied
from feedtool.ledger import Package, Phase, Stage
from feedtool.model.nouns import Status

BEGUN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
P, S, T, D = Stage.PLANNED, Stage.SENDING, Stage.STAGED, Stage.DOUBTFUL
OPENED: dict[str, Any] = {"package_id": "p1", "created_at": BEGUN}
SENT: dict[str, Any] = {**OPENED, "committed_at": BEGUN, "uploads": (T, T)}
LOST: dict[str, Any] = {"committed_at": BEGUN, "created_at": BEGUN, "uploads": (D,)}


def package(phase: Phase, kind: str = PackageType.UPSERT, **more: Any) -> Package:
    return Package(1, 1, 1, "P", kind, phase=phase, **{"uploads": (P, P), "rows": 5, **more})


@pytest.mark.parametrize(
    ("one", "lasts", "status"),
    [
        # Nothing of it was ever committed, and nothing is in doubt.
        (package(Phase.PLANNED), None, Status.HELD),
        (package(Phase.CLEARED), None, Status.HELD),
        (package(Phase.CREATING), None, Status.HELD),
        (package(Phase.FILLING, **OPENED, uploads=(T, P)), None, Status.HELD),
        (package(Phase.SETTLED, **OPENED, uploads=(T, T)), None, Status.HELD),
        # An upload is in doubt while its package is open.
        (package(Phase.FILLING, **OPENED, uploads=(T, S)), 6 * HOUR, Status.HELD),
        (package(Phase.PROBING, **OPENED, uploads=(T, D)), 6 * HOUR, Status.HELD),
        # The PATCH was at least intended, and the service has not said the last word.
        (package(Phase.COMMITTING, **SENT), 3 * DAY, Status.UNKNOWN),
        (package(Phase.SETTLED, **SENT), 3 * DAY, Status.UNKNOWN),
        (package(Phase.COMMITTED, **SENT), 3 * DAY, Status.UNKNOWN),
        # It has, and not all of its answer was read.
        (package(Phase.INTEGRATED, **SENT), None, Status.UNKNOWN),
        (package(Phase.READ, **SENT), None, Status.UNKNOWN),
        (package(Phase.LOOKING, **SENT), None, Status.UNKNOWN),
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
    assert may_be_applied(one, Clock(BEGUN)) == (BEGUN + lasts if lasts else None)
    if lasts:
        assert may_be_applied(one, Clock(BEGUN + lasts - HOUR)) is not None
        assert may_be_applied(one, Clock(BEGUN + lasts)) is None


@pytest.mark.parametrize("skew", [4 * DAY, -4 * DAY], ids=["ahead", "behind"])
def test_a_package_just_committed_by_another_clock(skew: timedelta) -> None:
    one = package(Phase.COMMITTED, **{**SENT, "created_at": BEGUN + skew})
    assert may_be_applied(one, Clock(BEGUN + HOUR, skew)) is not None
