"""What is done next, whatever was done before."""

from datetime import date
from itertools import islice, product
from pathlib import PurePosixPath

import pytest

from feedtool.ledger.claims import ClaimState
from feedtool.watch.decisions import ClaimStep, InboxRoute, names_for, next_step, route_of

T, A, R, E = ClaimState.TAKEN, ClaimState.ANSWERED, ClaimState.REFUSED, ClaimState.ENDED
YES, NO = True, False

TABLE: dict[tuple[ClaimState, bool, bool, bool], ClaimStep | None] = {
    # state, has run, in processing, in inbox
    (T, NO, NO, YES): ClaimStep.TAKE_IN,
    (T, NO, NO, NO): ClaimStep.FORGET,
    **{(T, NO, YES, inbox): ClaimStep.SEND for inbox in (NO, YES)},
    **{(T, YES, there, inbox): ClaimStep.GO_ON for there, inbox in product((NO, YES), repeat=2)},
    **{(A, YES, YES, inbox): ClaimStep.FILE_AWAY for inbox in (NO, YES)},
    **{(A, YES, NO, inbox): ClaimStep.END for inbox in (NO, YES)},
    **{(R, run, YES, inbox): ClaimStep.FILE_AWAY for run, inbox in product((NO, YES), repeat=2)},
    **{(R, NO, NO, inbox): ClaimStep.FORGET for inbox in (NO, YES)},
    **{(R, YES, NO, inbox): ClaimStep.END for inbox in (NO, YES)},
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
