"""The time of the next pass."""

from datetime import datetime, timedelta

import pytest

from feedtool.ledger.lock import Held
from feedtool.model.errors import FeedtoolError, Interrupted, Stopped
from feedtool.worker.passes import NextPass, PassEnd, next_pass, rest_after
from tests.ledger.conftest import NOW

AWAY, HELD = Interrupted("away"), Held("ledger", "S1", None)
SOON = NOW + timedelta(hours=1)


@pytest.mark.parametrize(
    ("end", "failures", "tries", "rest"),
    [
        (PassEnd(), 0, 0, 1),
        (PassEnd(), 9, 3, 8),
        (PassEnd(has_answered=True), 5, 5, 0),
        (PassEnd(AWAY), 0, 5, 1),
        (PassEnd(AWAY), 3, 0, 8),
        (PassEnd(AWAY), 10_000, 0, 300),
        (PassEnd(AWAY, has_answered=True), 3, 0, 0),
        (PassEnd(HELD), 7, 0, 0.5),
        (PassEnd(HELD), 0, 10_000, 10),
        (PassEnd(AWAY, is_stopped=True), 3, 3, 0),
        (PassEnd(Stopped("Ctrl-C"), is_stopped=True), 0, 0, 0),
    ],
)
def test_a_seller_rests(end: PassEnd, failures: int, tries: int, rest: float) -> None:
    assert rest_after(end, failures, tries) == rest


@pytest.mark.parametrize(
    ("trouble", "waiting", "rest", "expected"),
    [
        (None, None, 0, None),
        (AWAY, None, 8, None),
        (None, (None, 3), 0, NextPass(None, 3, 5)),
        (None, (SOON, 3), 0, NextPass(SOON, 3, 5)),
        (AWAY, (None, 0), 8, NextPass(NOW + timedelta(seconds=8), 0, 5)),
        (AWAY, (SOON, 0), 8, NextPass(SOON, 0, 5)),
        (AWAY, (NOW + timedelta(seconds=5), 0), 8, NextPass(NOW + timedelta(seconds=8), 0, 5)),
    ],
)
def test_the_next_pass(
    trouble: FeedtoolError | None,
    waiting: tuple[datetime | None, int] | None,
    rest: float,
    expected: NextPass | None,
) -> None:
    assert next_pass(PassEnd(trouble), waiting, rest, NOW, 4) == expected


@pytest.mark.parametrize("end", [PassEnd(has_answered=True), PassEnd(AWAY, is_stopped=True)])
def test_a_successful_pass_resets_the_tries(end: PassEnd) -> None:
    assert next_pass(end, (None, 0), 0, NOW, 4) == NextPass(None, 0, 0)
