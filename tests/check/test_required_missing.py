from collections.abc import Mapping

import pytest

from feedtool.model.settings import AccountSettings
from tests.conftest import Find, offer, update

CODE = "required-missing"

COST = "deliveryModes.TrackedHomeDelivery.cost"
ADDITIONAL = "deliveryModes.TrackedHomeDelivery.additionalCost"
FIXED = "deliveryModes.FixedDateHomeDelivery"
LARGE = {f"{FIXED}.cost": "30", f"{FIXED}.additionalCost": "5"}
NO_TRACKED = {COST: "", ADDITIONAL: ""}
SIGNED = {
    "deliveryModes.SignedHomeDelivery.cost": "5",
    "deliveryModes.SignedHomeDelivery.additionalCost": "1",
}
SIGNED_BLANK = dict.fromkeys(SIGNED, "")

PASSES = {
    "all that an Upsert needs": offer(),
    "blank EcoPart, DEA and struck price": offer(
        taxes__EcoPart="", taxes__DEA="", price__originPrice=""
    ),
    "a product reference instead of the GTIN": offer(product__gtin="", product__reference="REF-1"),
    "a large-parcel mode lifts the mandatory mode": offer() | NO_TRACKED | LARGE,
    "zeros are values": offer(taxes__VAT="0", preparationTime="0", quantity="0")
    | {COST: "0", ADDITIONAL: "0"},
    "an Update needs its reference": update(quantity="1", price__price=""),
    "an Update without any delivery mode": update(quantity="1") | NO_TRACKED | SIGNED_BLANK,
    "an Update with the mandatory mode and another one": update(preparationTime="1")
    | {COST: "0", ADDITIONAL: "0"}
    | SIGNED,
    "an Update with a large-parcel mode": update(preparationTime="1") | NO_TRACKED | LARGE,
    "a Delete row, the other cells blank": offer(action="Upsert")
    | dict.fromkeys(offer(), "")
    | {"sellerExternalReference": "SKU-1", "action": "Delete"},
}
FAILS = {
    "reference": (offer(sellerExternalReference=""), ["sellerExternalReference"]),
    "condition": (offer(condition=""), ["condition"]),
    "price": (offer(price__price=""), ["price.price"]),
    "VAT": (offer(taxes__VAT=""), ["taxes.VAT"]),
    "preparation time": (offer(preparationTime=""), ["preparationTime"]),
    "quantity": (offer(quantity=""), ["quantity"]),
    "only blanks": (offer(condition=" \u00a0\u200b"), ["condition"]),
    "neither GTIN nor product reference": (offer(product__gtin=""), ["product.gtin"]),
    "neither of both columns": (offer(product__gtin="", product__reference=""), ["product.gtin"]),
    "no GTIN column": (offer(product__gtin=None, product__reference=""), ["product.gtin"]),
    "both amounts of the mandatory mode": (offer() | NO_TRACKED, [COST, ADDITIONAL]),
    "one amount of the mandatory mode": (offer() | {ADDITIONAL: ""}, [ADDITIONAL]),
    "a sheet with large parcels, a row without": (
        offer() | NO_TRACKED | dict.fromkeys(LARGE, ""),
        [COST, ADDITIONAL],
    ),
    "another small-parcel mode lifts nothing": (offer() | NO_TRACKED | SIGNED, [COST, ADDITIONAL]),
    "an Update whose delivery modes leave the mandatory one out": (
        update(preparationTime="1") | NO_TRACKED | SIGNED,
        [COST, ADDITIONAL],
    ),
    "an Update without a column of the mandatory mode": (
        update(preparationTime="1") | SIGNED,
        [COST, ADDITIONAL],
    ),
    "an Update's reference": (
        update(quantity="1", sellerExternalReference=""),
        ["sellerExternalReference"],
    ),
    "an Upsert by action in a sheet of Updates": (
        update(price__price="1.00", action="Upsert"),
        [
            *("condition", "taxes.VAT", "preparationTime", "quantity", "product.gtin", COST),
            ADDITIONAL,
        ],
    ),
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: Mapping[str, str]) -> None:
    assert find(CODE, row) == []


@pytest.mark.parametrize(("row", "missing"), FAILS.values(), ids=FAILS)
def test_fails(find: Find, row: Mapping[str, str], missing: list[str]) -> None:
    problems = find(CODE, row)
    assert {problem.field for problem in problems} == set(missing)
    assert len(problems) == len(missing)
    assert {(problem.row, problem.severity) for problem in problems} == {(2, "error")}


def test_it_stands_on_the_missing_cell_itself(find: Find) -> None:
    (problem,) = find(CODE, offer() | {ADDITIONAL: ""})
    assert (problem.column, problem.header) == ("G", ADDITIONAL)


@pytest.mark.parametrize(
    "refused",
    [
        offer(sellerExternalReference="SKU|1"),
        offer(product__gtin="12345"),
        offer(condition="As new"),
        offer(price__price="cheap"),
        offer(taxes__VAT="120"),
        offer(preparationTime="1.5"),
        offer(quantity="#N/A"),
        offer() | {COST: "1,234"},
    ],
    ids=lambda row: next(value for key, value in row.items() if value != offer()[key]),
)
def test_a_refused_cell_is_not_also_missing(find: Find, refused: Mapping[str, str]) -> None:
    assert find(CODE, refused) == []


def test_which_mode_is_mandatory_is_a_setting(find: Find) -> None:
    signed = "deliveryModes.SignedHomeDelivery"
    row = offer() | {f"{signed}.cost": "", f"{signed}.additionalCost": ""}
    assert find(CODE, row | NO_TRACKED, dialect=AccountSettings(mandatory_mode=None)) == []
    problems = find(CODE, row, dialect=AccountSettings(mandatory_mode="SignedHomeDelivery"))
    assert {problem.field for problem in problems} == {f"{signed}.cost", f"{signed}.additionalCost"}


def test_a_delete_sheet_needs_an_action_or_a_stamp_in_every_row(find: Find) -> None:
    rows = [update(1, action="Delete"), update(2, action="")]
    (problem,) = find(CODE, *rows)
    assert (problem.row, problem.field) == (3, "action")
    assert find(CODE, *rows, kind="offers-delete") == []
