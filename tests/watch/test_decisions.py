"""The account of each file of the inbox, and the next step after any earlier one."""

from itertools import product
from pathlib import PurePosixPath

import pytest

from feedtool.ledger.claims import ClaimState
from feedtool.watch.folder import ClaimStep, InboxRoute, next_step, route_of

TAKEN, ANSWERED, REFUSED, ENDED = ClaimState
Flags = tuple[bool, ...]
YES, NO, ANY = (True,), (False,), (True, False)
STEPS: list[tuple[ClaimState, Flags, Flags, Flags, ClaimStep | None]] = [
    # state, has run, in processing, in inbox
    (TAKEN, NO, NO, YES, ClaimStep.TAKE_IN),
    (TAKEN, NO, NO, NO, ClaimStep.FORGET),
    (TAKEN, NO, YES, ANY, ClaimStep.SEND),
    (TAKEN, YES, ANY, ANY, ClaimStep.GO_ON),
    (ANSWERED, YES, YES, ANY, ClaimStep.FILE_AWAY),
    (ANSWERED, YES, NO, ANY, ClaimStep.END),
    (REFUSED, ANY, YES, ANY, ClaimStep.FILE_AWAY),
    (REFUSED, NO, NO, ANY, ClaimStep.FORGET),
    (REFUSED, YES, NO, ANY, ClaimStep.END),
    (ENDED, ANY, ANY, ANY, None),
]


@pytest.mark.parametrize(("state", "run", "processing", "inbox", "step"), STEPS)
def test_the_next_step(
    state: ClaimState, run: Flags, processing: Flags, inbox: Flags, step: ClaimStep | None
) -> None:
    for has_run, there, here in product(run, processing, inbox):
        found = next_step(state, has_run=has_run, is_in_processing=there, is_in_inbox=here)
        assert found is step


@pytest.mark.parametrize(
    ("place", "route"),
    [
        ("a.csv", InboxRoute("", None, None)),
        ("shop/a.csv", InboxRoute("shop", "shop", None)),
        ("offers-delete/a.csv", InboxRoute("offers-delete", None, "offers-delete")),
        ("shop/offers-delete/a.csv", InboxRoute("shop/offers-delete", "shop", "offers-delete")),
        *((f"{of}/a.csv", None) for of in ("other", "offers-delete/shop", "shop/other")),
        ("shop/offers-delete/more/a.csv", None),
        ("Shop/OFFERS-delete/a.csv", InboxRoute("Shop/OFFERS-delete", "shop", "offers-delete")),
    ],
)
def test_a_subfolder_may_name_a_profile_and_a_kind(place: str, route: InboxRoute | None) -> None:
    assert route_of(PurePosixPath(place), {"shop", "mall"}, {"offers-delete"}) == route


def test_an_exact_name_wins_over_one_with_other_capitals() -> None:
    for name in ("shop", "Shop"):
        route = InboxRoute(name, name, None)
        assert route_of(PurePosixPath(f"{name}/a.csv"), {"shop", "Shop"}, set()) == route
