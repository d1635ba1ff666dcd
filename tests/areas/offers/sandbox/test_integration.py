"""Results of offer requests beside each other and beside existing offers."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.areas.offers.sandbox.rules import OfferBehaviour
from tests.sandbox.desk import Desk

DUPLICATED = ("Duplicated", ["2801"])
CREATED = ("Integrated", ["8000"])
UPDATED = ("Integrated", ["9000"])


@given(
    uploads=st.lists(
        st.lists(st.sampled_from(["A", "B", "a", "A ", None]), min_size=1, max_size=4), max_size=4
    )
)
@settings(deadline=None, max_examples=8)
def test_every_entry_of_a_doubled_reference_is_refused(
    new_desk: type[Desk], uploads: list[list[str | None]]
) -> None:
    assert_doubled_references_refused(new_desk, uploads)


@pytest.mark.long
@given(
    uploads=st.lists(
        st.lists(st.sampled_from(["A", "B", "a", "A ", None]), min_size=1, max_size=4), max_size=4
    )
)
@settings(deadline=None, max_examples=500)
def test_every_entry_of_a_doubled_reference_is_refused_in_many_more_cases(
    new_desk: type[Desk], uploads: list[list[str | None]]
) -> None:
    assert_doubled_references_refused(new_desk, uploads)


def assert_doubled_references_refused(
    new_desk: type[Desk], uploads: list[list[str | None]]
) -> None:
    references = [reference for upload in uploads for reference in upload]
    counts = Counter(references)
    with new_desk() as desk:
        numbers = iter(range(100))
        rows = [
            [desk.offer(reference, next(numbers)) for reference in upload] for upload in uploads
        ]
        package_id = desk.committed("Upsert", *rows)
        desk.wait(100)
        items = list(desk.pages(f"/offer-packages/{package_id}/offer-requests-results"))
        offers = {offer["sellerExternalReference"] for offer in desk.offers()}
    assert [item["sellerExternalReference"] for item in items] == references
    expected: dict[str | None, str] = {
        reference: "Duplicated" if count > 1 else "Integrated"
        for reference, count in counts.items()
    }
    expected[None] = "Rejected"
    assert [item["integrationStatus"] for item in items] == [expected[r] for r in references]
    assert offers == {r for r, status in expected.items() if status == "Integrated"}


def test_duplicates_do_not_change_the_existing_offer(desk: Desk) -> None:
    desk.outcome("Upsert", desk.offer("A", quantity=5))
    row = {"sellerExternalReference": "A", "quantity": 9}
    assert desk.outcomes("Update", row, row) == [("A", *DUPLICATED)] * 2
    assert stocks(desk)["A"][0] == 5


def test_an_upsert_replaces_the_whole_offer(desk: Desk) -> None:
    desk.outcome("Upsert", desk.offer("A", price__originPrice=20))
    [before] = desk.offers()
    replacement = desk.offer("A", price__price=19, price__originPrice=None)
    assert desk.outcome("Upsert", replacement) == UPDATED
    [after] = desk.offers(fields="integrationPrice.price")
    assert after["integrationPrice"] == {"price": 19}
    assert after["createdAt"] == before["createdAt"]
    assert after["updatedAt"] > before["updatedAt"]
    # The struck price of before is gone, so this is not below it.
    dearer = {"sellerExternalReference": "A", "price": {"price": 25}}
    assert desk.outcome("Update", dearer) == UPDATED


def product(**identity: Any) -> dict[str, Any]:
    return {"product": identity}


# An offer with reference A, then one that takes its place or is refused.
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({}, {}, "9000"),
        (product(gtin="012345678905"), product(gtin="0012345678905"), "9000"),
        (product(gtin="012345678905"), product(gtin="4006381333931"), "2503"),
        (product(gtin="012345678905"), product(reference="P"), "2503"),
        (product(gtin="012345678905", reference="P"), product(reference="P"), "9000"),
        (product(reference="P"), product(gtin="012345678905", reference="P"), "9000"),
        (product(reference="P"), product(gtin="012345678905"), "2503"),
        (product(reference="P"), product(reference="Q"), "2503"),
        ({}, {"condition": "UsedLikeNew"}, "2503"),
    ],
)
def test_a_reference_stays_with_its_product_and_condition(
    desk: Desk, first: dict[str, Any], second: dict[str, Any], expected: str
) -> None:
    assert desk.outcome("Upsert", desk.offer("A", 1, **first)) == CREATED
    assert desk.outcome("Upsert", desk.offer("A", 1, **second))[1] == [expected]


# An offer with reference A, then one with reference B.
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({}, {}, "2403"),
        (product(gtin="012345678905"), product(gtin="00012345678905"), "2403"),
        (product(gtin="012345678905", reference="P"), product(reference="P"), "2403"),
        (product(reference="P"), product(reference="P"), "2403"),
        (product(reference="P"), product(reference="Q"), "8000"),
        (product(gtin="012345678905"), product(gtin="4006381333931"), "8000"),
        ({}, {"condition": "UsedLikeNew"}, "8000"),
    ],
)
def test_a_product_and_condition_has_one_reference_on_a_channel(
    desk: Desk, first: dict[str, Any], second: dict[str, Any], expected: str
) -> None:
    together = desk.outcomes("Upsert", desk.offer("A", 1, **first), desk.offer("B", 1, **second))
    assert [codes for _, _, codes in together] == [["8000"], [expected]]
    again = desk.outcome("Upsert", desk.offer("B", 1, **second))[1]
    assert again == ["9000" if expected == "8000" else expected]
    assert desk.outcome("Upsert", desk.offer("C", 1, **first), "SECOND") == CREATED


def test_an_offer_that_learns_its_gtin_may_meet_another(desk: Desk) -> None:
    known = product(gtin="012345678905")
    desk.outcome("Upsert", desk.offer("A", 1, **known))
    desk.outcome("Upsert", desk.offer("B", 1, **product(reference="P")))
    both = product(gtin="012345678905", reference="P")
    assert desk.outcome("Upsert", desk.offer("B", 1, **both))[1] == ["2403"]


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        ({"gtin": "2000000000008", "reference": "P"}, "1324"),
        ({"gtin": "02000000000008"}, "1324"),
        ({"gtin": "200000000004"}, "8000"),
        ({"gtin": "20000004"}, "8000"),
        ({"reference": "2000000000008"}, "8000"),
    ],
)
def test_a_restricted_gtin_13_has_no_product_sheet(
    desk: Desk, identity: dict[str, Any], expected: str
) -> None:
    assert desk.outcome("Upsert", desk.offer("A", 1, product=identity))[1] == [expected]


def test_a_deleted_offer_frees_its_reference_and_its_product(desk: Desk) -> None:
    desk.outcome("Upsert", desk.offer("A", 1))
    assert desk.outcome("Delete", {"sellerExternalReference": "A"}) == UPDATED
    assert desk.outcome("Upsert", desk.offer("A", 2)) == CREATED
    assert desk.outcome("Upsert", desk.offer("B", 1)) == CREATED


def test_updates_replace_arrays_and_leave_the_rest(desk: Desk) -> None:
    desk.outcome("Upsert", desk.offer("A", 1))
    taxes = [("VAT", 5.5, "Rate"), ("EcoPart", 0, "Amount"), ("DEA", 1, "Amount")]
    change = {
        "sellerExternalReference": "A",
        "price": {"taxes": [{"code": code, "value": value} for code, value, _ in taxes]},
        "deliveryModes": [{"code": "FixedDateHomeDelivery", "cost": 9, "additionalCost": 1}],
        "preparationTime": 5,
    }
    assert desk.outcome("Update", change) == UPDATED
    [offer] = desk.offers(fields="integrationPrice,deliveryOffers,product,condition")
    assert offer["product"]["gtin"] == desk.gtin(1)
    assert offer["condition"] == "New"
    assert offer["integrationPrice"]["price"] == 11
    shown = offer["integrationPrice"]["taxes"]
    assert [(tax["code"], tax["value"], tax["type"]) for tax in shown] == taxes
    [delivery] = offer["deliveryOffers"]
    assert (delivery["preparationTime"], delivery["quantity"]) == (5, 7)
    assert [mode["code"] for mode in delivery["deliveryModes"]] == ["FixedDateHomeDelivery"]


def stocks(desk: Desk, channel: str = "PRIMARY") -> dict[str, tuple[int, str, str]]:
    """The quantity, the state and the time of change of each offer."""
    return {
        offer["sellerExternalReference"]: (
            offer["deliveryOffers"][0]["quantity"],
            *(offer["offerState"], offer["updatedAt"]),
        )
        for offer in desk.offers(channel, fields="deliveryOffers")
    }


def test_stock_is_shared_across_channels(desk: Desk) -> None:
    used = desk.offer("U", 1, condition="UsedLikeNew", quantity=2)
    desk.outcomes("Upsert", desk.offer("A", 1, quantity=5), used)
    before = stocks(desk)
    assert desk.outcome("Upsert", desk.offer("Z", 1, quantity=0), "SECOND") == CREATED
    after = stocks(desk)
    assert after["A"][:2] == (0, "Inactive")
    assert after["A"][2] > before["A"][2]
    assert after["U"] == before["U"]
    desk.outcome("Upsert", desk.offer("Z", 1, quantity=0), "SECOND")
    assert stocks(desk) == after  # a quantity that stays leaves the other channels alone
    desk.outcome("Update", {"sellerExternalReference": "A", "quantity": 8})
    assert stocks(desk, "SECOND")["Z"][:2] == (8, "Active")


def test_stock_is_the_sellers_own(desk: Desk) -> None:
    desk.outcome("Upsert", desk.offer("A", 1, quantity=5))
    desk.headers["SellerId"] = "S2"
    desk.outcome("Upsert", desk.offer("A", 1, quantity=9))
    assert stocks(desk)["A"][0] == 9
    desk.headers["SellerId"] = "S1"
    assert stocks(desk)["A"][0] == 5


def test_a_package_of_several_batches_is_counted(desk: Desk) -> None:
    offers = [desk.offer(f"A-{number}", number) for number in range(1100)]
    uploads = [offers[start : start + 100] for start in range(0, 1100, 100)]
    uploads.append([desk.offer("A-0", 9999), desk.offer("B", 9998, quantity=-1)])
    package_id = desk.committed("Upsert", *uploads)
    desk.wait(100)
    package = desk.read(package_id).json
    counts = [package[f"{name}Count"] for name in ("integrated", "rejected", "duplicated")]
    assert counts == [1099, 1, 2]


@pytest.mark.parametrize(
    ("language", "text"),
    [("", "The offer has been created."), ("es-ES", "La oferta se ha creado.")],
)
def test_messages_are_in_the_language_of_the_creation(desk: Desk, language: str, text: str) -> None:
    package_id = desk.create(language=language)
    desk.upload(package_id, desk.offer("A", 1))
    desk.wait(40)
    desk.complete(package_id)
    desk.wait(100)
    answer = desk.results(package_id)
    assert answer.headers["Content-Language"] == (language or "en-US")
    assert [item["results"][0]["message"] for item in answer.json["items"]] == [text]


def test_packages_are_integrated_out_of_order_where_some_are_delayed(new_desk: type[Desk]) -> None:
    delays = (timedelta(0), timedelta(minutes=5))
    with new_desk(OfferBehaviour(delays=delays)) as desk:
        slow = desk.committed("Upsert", [desk.offer("A", quantity=1)])
        quick = desk.committed("Upsert", [desk.offer("A", quantity=2)])
        desk.wait(100)
        assert (desk.state(slow), desk.state(quick)) == ("IntegrationPending", "Integrated")
        desk.wait(300)
        assert desk.state(slow) == "Integrated"
        assert stocks(desk)["A"][0] == 1
