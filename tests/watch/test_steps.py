"""What is done next, whatever was done before."""

from __future__ import annotations

from datetime import date
from itertools import islice, product
from pathlib import PurePosixPath

import pytest

from feedtool.ledger.claims import ClaimState
from feedtool.watch.steps import ClaimStep, InboxRoute, names_for, next_step, route_of

T, A, R, E = ClaimState.TAKEN, ClaimState.ANSWERED, ClaimState.REFUSED, ClaimState.ENDED
YES, NO = True, False

TABLE: dict[tuple[ClaimState, bool, bool, bool], ClaimStep | None] = {
    # state, has run, in processing, in inbox
    (T, NO, NO, YES): ClaimStep.TAKE_IN,
    (T, NO, NO, NO): ClaimStep.FORGET,
    (T, NO, YES, NO): ClaimStep.SEND,
    (T, NO, YES, YES): ClaimStep.SEND,
    (T, YES, NO, NO): ClaimStep.GO_ON,
    (T, YES, NO, YES): ClaimStep.GO_ON,
    (T, YES, YES, NO): ClaimStep.GO_ON,
    (T, YES, YES, YES): ClaimStep.GO_ON,
    (A, YES, YES, NO): ClaimStep.FILE_AWAY,
    (A, YES, YES, YES): ClaimStep.FILE_AWAY,
    (A, YES, NO, NO): ClaimStep.END,
    (A, YES, NO, YES): ClaimStep.END,
    (R, NO, YES, NO): ClaimStep.FILE_AWAY,
    (R, NO, YES, YES): ClaimStep.FILE_AWAY,
    (R, NO, NO, NO): ClaimStep.FORGET,
    (R, NO, NO, YES): ClaimStep.FORGET,
    (R, YES, YES, NO): ClaimStep.FILE_AWAY,
    (R, YES, YES, YES): ClaimStep.FILE_AWAY,
    (R, YES, NO, NO): ClaimStep.END,
    (R, YES, NO, YES): ClaimStep.END,
    **{(E, run, there, inbox): None for run, there, inbox in product((NO, YES), repeat=3)},
}


@pytest.mark.parametrize(("found", "step"), TABLE.items(), ids=str)
def test_the_next_step(found: tuple[ClaimState, bool, bool, bool], step: ClaimStep | None) -> None:
    state, run, processing, inbox = found
    told = next_step(state, has_run=run, is_in_processing=processing, is_in_inbox=inbox)
    assert told is step


@pytest.mark.parametrize(
    ("place", "route"),
    [
        ("a.csv", InboxRoute("", None, None)),
        ("shop/a.csv", InboxRoute("shop", "shop", None)),
        ("offers-delete/a.csv", InboxRoute("offers-delete", None, "offers-delete")),
        ("shop/offers-delete/a.csv", InboxRoute("shop/offers-delete", "shop", "offers-delete")),
        ("other/a.csv", None),
        ("offers-delete/shop/a.csv", None),
        ("shop/other/a.csv", None),
        ("shop/offers-delete/more/a.csv", None),
        ("Shop/OFFERS-delete/a.csv", InboxRoute("Shop/OFFERS-delete", "shop", "offers-delete")),
    ],
)
def test_a_subfolder_may_name_a_profile_and_a_kind(place: str, route: InboxRoute | None) -> None:
    assert route_of(PurePosixPath(place), {"shop", "mall"}, {"offers-delete"}) == route


def test_names_do_not_end() -> None:
    assert list(islice(names_for("a.b.csv", date(2026, 3, 2)), 4)) == [
        "a.b",
        "a.b.2026-03-02",
        "a.b.2026-03-02-2",
        "a.b.2026-03-02-3",
    ]
