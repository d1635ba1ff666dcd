from collections.abc import Mapping

import pytest

from tests.conftest import offer, update
from tests.rules.conftest import Find

CODE = "delivery-incomplete"

TRACKED = "deliveryModes.TrackedHomeDelivery"
SIGNED = "deliveryModes.SignedHomeDelivery"
FIXED = "deliveryModes.FixedDateHomeDelivery"


def signed(cost: str, additional: str) -> dict[str, str]:
    return {f"{SIGNED}.cost": cost, f"{SIGNED}.additionalCost": additional}


PASSES = {
    "both amounts": offer() | signed("5.00", "1.00"),
    "free": offer() | signed("0", "0"),
    "neither": offer() | signed("", ""),
    "the other amount is refused, not missing": offer() | signed("5.00", "cheap"),
    "an Update of both": update(preparationTime="2") | signed("5.00", "0"),
    "the mandatory mode, which required-missing tells": offer() | {f"{TRACKED}.additionalCost": ""},
}
FAILS = {
    "no additional cost": (offer() | signed("5.00", ""), f"{SIGNED}.additionalCost"),
    "no cost": (offer() | signed("", "1.00"), f"{SIGNED}.cost"),
    "a large-parcel mode": (
        offer() | {f"{FIXED}.cost": "30", f"{FIXED}.additionalCost": ""},
        f"{FIXED}.additionalCost",
    ),
    "half of the mandatory mode beside a large-parcel mode": (
        offer() | {f"{TRACKED}.cost": "", f"{FIXED}.cost": "30", f"{FIXED}.additionalCost": "5"},
        f"{TRACKED}.cost",
    ),
    "an Update": (update(preparationTime="2") | signed("5.00", ""), f"{SIGNED}.additionalCost"),
    "an Update of the mandatory mode": (
        update(preparationTime="2") | {f"{TRACKED}.cost": "4.90", f"{TRACKED}.additionalCost": ""},
        f"{TRACKED}.additionalCost",
    ),
    "the other amount has no column": (
        update(preparationTime="2") | {f"{SIGNED}.cost": "5.00"},
        f"{SIGNED}.additionalCost",
    ),
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: Mapping[str, str]) -> None:
    assert find(CODE, row) == []


@pytest.mark.parametrize(("row", "missing"), FAILS.values(), ids=FAILS)
def test_fails_on_the_missing_amount(find: Find, row: Mapping[str, str], missing: str) -> None:
    (problem,) = find(CODE, row)
    assert (problem.field, problem.severity, problem.value) == (missing, "error", None)
    assert (problem.column is None) is (missing not in row)


def test_both_modes_of_a_row_are_told(find: Find) -> None:
    row = offer() | signed("5.00", "") | {f"{FIXED}.cost": "30", f"{FIXED}.additionalCost": ""}
    assert {problem.field for problem in find(CODE, row)} == {
        f"{SIGNED}.additionalCost",
        f"{FIXED}.additionalCost",
    }
