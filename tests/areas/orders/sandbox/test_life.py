"""Changes of orders without requests, and their times."""

from datetime import timedelta
from typing import Any

import pytest

from feedtool.areas.orders.sandbox import states
from tests.areas.orders.sandbox.counter import (
    QUIET,
    line_statuses,
    placed,
    quiet_but,
    read,
    ship,
    status,
)
from tests.sandbox.desk import START, Desk

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
FULFILLED = {"supply": "Fulfillment"}

CHANGES: list[tuple[dict[str, Any], float, str]] = [
    ({"status": "Processing"}, 2 * MINUTE, "WaitingAcceptance"),
    ({"status": "Processing", "channel": "SECOND"}, 2 * MINUTE, "Accepted"),
    ({"status": "Processing", **FULFILLED}, 2 * MINUTE, "Accepted"),
    ({"status": "WaitingAcceptance"}, 48 * HOUR, "Cancelled"),
    ({"status": "Accepted"}, 10 * MINUTE, "InPreparation"),
    ({"status": "Accepted", "fate": states.FAILS_CONTROLS}, 10 * MINUTE, "Rejected"),
    ({"status": "InPreparation", **FULFILLED}, DAY, "Shipped"),
    ({"status": "Shipped"}, 2 * DAY, "Delivered"),
    ({"status": "Shipped", **FULFILLED}, 2 * DAY, "Delivered"),
]


@pytest.mark.parametrize(("wish", "after", "becomes"), CHANGES)
def test_a_change_comes_at_its_time(
    quiet: Desk, wish: dict[str, Any], after: float, becomes: str
) -> None:
    order = placed(quiet, lines=2, **wish)
    quiet.wait(after - 1)
    assert status(quiet, order) == wish["status"]
    quiet.wait(1)
    assert status(quiet, order) == becomes
    assert line_statuses(quiet, order) == [becomes, becomes]


@pytest.mark.parametrize("name", ["InPreparation", "Refused", "Delivered", "Cancelled", "Rejected"])
def test_the_rest_stays(quiet: Desk, name: str) -> None:
    order = placed(quiet, status=name)
    before = read(quiet, order)
    quiet.wait(60 * DAY)
    assert read(quiet, order) == before


def test_a_change_has_its_due_time_however_late_it_is_read(quiet: Desk) -> None:
    order = placed(quiet, status="Processing", **FULFILLED)
    quiet.wait(30 * DAY)
    shown = read(quiet, order)
    assert (shown["status"], shown["shippedAt"], shown["updatedAt"]) == (
        "Delivered",
        "2026-03-03T09:12:00.000000Z",
        "2026-03-05T09:12:00.000000Z",
    )
    [parcel] = shown["lines"][0]["parcels"]
    assert set(parcel) == {"parcelNumber", "carrierName", "trackingUrl", "trackingId"}


def test_the_status_of_an_expired_order_is_a_setting(new_desk: type[Desk]) -> None:
    with new_desk(quiet_but(accept_within=START - START, expired_as="Expired")) as desk:
        assert status(desk, placed(desk, status="WaitingAcceptance")) == "Expired"


def test_an_unanswered_cancellation_request_succeeds(quiet: Desk) -> None:
    order = placed(quiet, lines=2, fate=states.CUSTOMER_CANCELS)
    for wait, words in [
        (3 * HOUR - 1, ["InPreparation", "InPreparation"]),
        (1, ["CancelRequest", "InPreparation"]),
        (2 * DAY - 1, ["CancelRequest", "InPreparation"]),
        (1, ["Cancelled", "InPreparation"]),
        (30 * DAY, ["Cancelled", "InPreparation"]),
    ]:
        quiet.wait(wait)
        assert (line_statuses(quiet, order), status(quiet, order)) == (words, "InPreparation")


def test_a_shipped_order_is_not_cancelled_any_more(quiet: Desk) -> None:
    order = placed(quiet, fate=states.CUSTOMER_CANCELS)
    assert ship(quiet, order).status == 201
    quiet.wait(30 * DAY)
    assert status(quiet, order) == "Delivered"


@pytest.mark.parametrize(
    ("mode", "wait"), [("TrackedHomeDelivery", states.CARRIED), ("NotTrackedHomeDelivery", None)]
)
def test_only_tracked_parcels_are_delivered(quiet: Desk, mode: str, wait: timedelta | None) -> None:
    order = placed(quiet, status="Shipped")
    order.lines[0]["delivery"]["mode"] = mode
    assert states.next_change(order, QUIET) == wait


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["Processing"], "Processing"),
        (["Refused", "Refused"], "Refused"),
        (["Cancelled", "Cancelled"], "Cancelled"),
        (["Cancelled", "Shipped"], "Shipped"),
        (["Cancelled", "WaitingAcceptance"], "WaitingAcceptance"),
        (["CancelRequest", "InPreparation"], "InPreparation"),
        (["CancelRequest", "Shipped"], "InPreparation"),
        (["InPreparation", "Shipped"], "InPreparation"),
        (["Delivered", "Shipped"], "Shipped"),
    ],
)
def test_an_order_is_as_far_as_its_last_line(words: list[str], status: str) -> None:
    assert states.status_of([{"status": word} for word in words]) == status
