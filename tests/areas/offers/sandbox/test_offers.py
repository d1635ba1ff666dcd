from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.areas.offers.sandbox.offers import FIELDS, FILTERS, PATHS
from tests.sandbox.desk import Desk

ALWAYS = {"offerId", "sellerExternalReference", "offerState", "createdAt", "updatedAt"}


@pytest.fixture(scope="module")
def shop() -> Iterator[Desk]:
    """Offers A (active), B (inactive) and C (by product reference), in this order, then Z."""
    with Desk() as desk:
        desk.outcomes(
            "Upsert",
            desk.offer("A", 1, product__gtin="012345678905"),
            desk.offer("B", 2, quantity=0),
            desk.offer("C", 3, product={"reference": "P-3"}),
        )
        desk.outcome("Upsert", desk.offer("Z", 1), "SECOND")
        yield desk


def test_an_offer_in_every_detail(shop: Desk) -> None:
    offer = shop.offers(sellerExternalReferences="A", fields=",".join(FIELDS))[0]
    at = "2026-03-02T09:00:03.000000Z"
    feedback = offer.pop("salesChannelFeedback")
    assert offer == {
        "sellerId": "S1",
        "sellerExternalReference": "A",
        "offerId": "S1_012345678905_New_PRIMARY",
        "salesChannelId": "PRIMARY",
        "condition": "New",
        "offerState": "Active",
        "salesChannelAcceptanceStatus": None,
        "product": {"reference": None, "gtin": "012345678905"},
        "integrationPrice": {
            "price": 11,
            "currencyCode": "EUR",
            "taxes": [
                {"value": 20, "code": "VAT", "type": "Rate"},
                {"value": 0.12, "code": "EcoPart", "type": "Amount"},
                {"value": 0, "code": "DEA", "type": "Amount"},
            ],
        },
        "facialPrice": {"price": 11},
        "isBestOffer": None,
        "deliveryOffers": [
            {
                "preparationTime": 2,
                "supplyMode": "Seller",
                "quantity": 7,
                "isBestDelivery": None,
                "storageCountry": None,
                "deliveryModes": [
                    {
                        "code": "TrackedHomeDelivery",
                        "legacyDeliveryModeId": None,
                        "minDeliveryTime": None,
                        "maxDeliveryTime": None,
                        "cost": 4.9,
                        "additionalCost": 1.5,
                    }
                ],
            }
        ],
        "createdAt": at,
        "updatedAt": at,
        "conversionDate": None,
        "comments": None,
        "offerCompetition": None,
    }
    assert feedback["isOnline"] is True
    assert feedback["bestOfferDetails"]["bestOffer"]["price"] == 11


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, set()),
        ({"fields": "condition"}, {"condition"}),
        ({"expand": "salesChannelFeedback"}, {"salesChannelFeedback"}),
        ({"expand": "salesChannelFeedback", "fields": "condition"}, {"condition"}),
        ({"expand": "anything", "fields": "condition"}, {"condition"}),
        ({"fields": "product.gtin,facialPrice"}, {"product", "facialPrice"}),
    ],
)
def test_fields_and_expand(shop: Desk, query: dict[str, str], names: set[str]) -> None:
    assert set(shop.offers(**query)[0]) == ALWAYS | names


@pytest.mark.parametrize(
    ("fields", "name", "expected"),
    [
        ("facialPrice.price", "facialPrice", {"price": 11}),
        ("product.gtin,product", "product", {"gtin": "012345678905", "reference": None}),
        ("product,product.gtin", "product", {"gtin": "012345678905", "reference": None}),
        ("deliveryOffers.quantity", "deliveryOffers", [{"quantity": 7}]),
        (
            "deliveryOffers.deliveryModes.code,deliveryOffers.deliveryModes.cost",
            "deliveryOffers",
            [{"deliveryModes": [{"code": "TrackedHomeDelivery", "cost": 4.9}]}],
        ),
        (
            "integrationPrice.taxes.code",
            "integrationPrice",
            {"taxes": [{"code": "VAT"}, {"code": "EcoPart"}, {"code": "DEA"}]},
        ),
        ("salesChannelFeedback.competingOffers", "salesChannelFeedback", {"competingOffers": []}),
        (
            "salesChannelFeedback.offerQuality.offerScore",
            "salesChannelFeedback",
            {"offerQuality": None},
        ),
    ],
)
def test_dotted_paths(shop: Desk, fields: str, name: str, expected: Any) -> None:
    assert shop.offers(fields=fields)[0][name] == expected


@pytest.mark.parametrize(
    ("fields", "causes"),
    [
        ("nothing", ["Fields[0]"]),
        ("condition,nothing,product.nothing", ["Fields[1]", "Fields[2]"]),
        ("Condition", ["Fields[0]"]),
        ("condition,", ["Fields[1]"]),
        ("condition.code", ["Fields[0]"]),
        ("product.gtin.digit", ["Fields[0]"]),
    ],
)
def test_unknown_fields(shop: Desk, fields: str, causes: list[str]) -> None:
    answer = shop.ask("GET", "/offers", query={"salesChannelId": "PRIMARY", "fields": fields})
    assert answer.status == 400
    assert answer.reasons == [("ER400-179", cause) for cause in causes]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, "ABC"),
        ({"offerStates": "active"}, "AC"),
        ({"offerStates": "inactive"}, "B"),
        ({"gtins": "012345678905"}, "A"),
        ({"gtins": "00012345678905,4000000000020"}, "AB"),
        ({"gtins": "P-3"}, ""),
        ({"sellerExternalReferences": "C,A,X"}, "AC"),
        ({"sellerExternalReferences": "a"}, ""),
        ({"offerIds": "S1_P-3_New_PRIMARY,S1_012345678905_New_PRIMARY"}, "AC"),
        ({"offerIds": "S1_P-3_New_SECOND"}, ""),
        ({"sellerExternalReferences": "A,B", "offerStates": "inactive"}, "B"),
        ({"updatedAtMin": "2026-03-02T09:00:03Z"}, "ABC"),
        ({"updatedAtMin": "2026-03-02T10:00:03+01:00"}, "ABC"),
        ({"updatedAtMin": "2026-03-02t09:00:03.000z"}, "ABC"),
        ({"updatedAtMin": "2026-03-02T09:00:03.000001Z"}, ""),
    ],
)
def test_filters(shop: Desk, query: dict[str, str], found: str) -> None:
    assert "".join(offer["sellerExternalReference"] for offer in shop.offers(**query)) == found


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("", ("ER400-7480", "salesChannelId")),
        ("salesChannelId=", ("ER400-7480", "salesChannelId")),
        ("salesChannelId=THIRD", ("ER400", "salesChannelId")),
        *(
            (f"salesChannelId=PRIMARY&{name}={value}", ("ER400", name))
            for name, values in {
                "limit": ("1001", "0"),
                "cursor": ("abc",),
                "offerStates": ("sleeping", "Active"),
                "expand": ("product",),
                # a plus that is not percent-encoded is a blank
                "updatedAtMin": (
                    *("2026-03-02", "2026-02-30T00:00:00Z", "0001-01-01T00:00:00%2B01:00"),
                    "2026-03-02T10:02:21+01:00",
                ),
            }.items()
            for value in values
        ),
        # a filter that says nothing must not let everything through
        *(
            (f"salesChannelId=PRIMARY&{name}=", ("ER400-9250", name))
            for name in (*FILTERS, "expand")
        ),
        ("salesChannelId=PRIMARY&gtins=4000000000013,,", ("ER400-9250", "gtins")),
        ("salesChannelId=PRIMARY&offerIds=%20", ("ER400-9250", "offerIds")),
    ],
)
def test_invalid_queries(shop: Desk, query: str, error: tuple[str, str]) -> None:
    answer = shop.ask("GET", "/offers", query=query)
    assert (answer.status, answer.reasons) == (400, [error])


def test_feedback_is_for_the_primary_channel_only(shop: Desk) -> None:
    [offer] = shop.offers(
        "SECOND", fields="salesChannelFeedback.isOnline,salesChannelAcceptanceStatus"
    )
    assert offer["salesChannelFeedback"] is None
    assert offer["salesChannelAcceptanceStatus"] == "Accepted"


def test_an_offer_without_stock_is_offline(shop: Desk) -> None:
    [offer] = shop.offers(sellerExternalReferences="B", expand="salesChannelFeedback")
    feedback = offer["salesChannelFeedback"]
    assert (feedback["isOnline"], feedback["bestOfferDetails"]) == (False, None)
    assert feedback["offlineReason"]["reason"] == "OutOfStock"


def test_the_names_of_fields_are_those_of_the_offer(shop: Desk) -> None:
    leaves = [path for path in PATHS if not any(it.startswith(f"{path}.") for it in PATHS)]
    offer = shop.offers(fields=",".join(leaves))[0]
    whole = shop.offers(fields=",".join(FIELDS))[0]
    assert offer == whole
    assert whole.keys() == FIELDS.keys()


@given(limit=st.integers(1, 12), count=st.integers(0, 10))
@settings(deadline=None, max_examples=10)
def test_pages_hold_every_item_once_and_in_order(
    new_desk: type[Desk], limit: int, count: int
) -> None:
    assert_every_item_in_order(new_desk, limit, count)


@pytest.mark.long
@given(limit=st.integers(1, 12), count=st.integers(0, 10))
@settings(deadline=None, max_examples=400)
def test_pages_hold_every_item_once_and_in_order_in_many_more_cases(
    new_desk: type[Desk], limit: int, count: int
) -> None:
    assert_every_item_in_order(new_desk, limit, count)


def assert_every_item_in_order(new_desk: type[Desk], limit: int, count: int) -> None:
    references = [f"A-{number}" for number in range(count)]
    with new_desk() as desk:
        rows = [desk.offer(reference, n) for n, reference in enumerate(references)]
        package_id = desk.committed("Upsert", *([rows] if rows else []))
        desk.wait(100)
        path = f"/offer-packages/{package_id}/offer-requests-results"
        for items in (
            desk.offers(limit=limit, offerStates="active"),
            desk.pages(path, {"limit": limit}) if count else [],
        ):
            assert [item["sellerExternalReference"] for item in items] == references
        first = desk.ask("GET", "/offers", query=f"salesChannelId=PRIMARY&limit={limit}")
        assert first.json["itemsPerPage"] == limit
        assert (first.next_query is not None) == (count > limit)


def test_a_cursor_survives_changes_between_two_pages(desk: Desk) -> None:
    desk.outcomes("Upsert", *(desk.offer(f"A-{n}", n) for n in range(4)))
    first = desk.ask("GET", "/offers", query="salesChannelId=PRIMARY&limit=2")
    desk.outcomes("Delete", *({"sellerExternalReference": f"A-{n}"} for n in (1, 2)))
    desk.outcome("Upsert", desk.offer("A-4", 4))
    assert first.next_query is not None
    rest = desk.pages("/offers", first.next_query)
    assert [offer["sellerExternalReference"] for offer in rest] == ["A-3", "A-4"]


def test_the_link_is_whole_and_keeps_the_query(shop: Desk) -> None:
    query = "salesChannelId=PRIMARY&limit=1&fields=product.gtin,condition"
    link = shop.ask("GET", "/offers", query=query).headers["Link"]
    assert link == (
        "<http://sandbox.invalid/v2/offers?salesChannelId=PRIMARY&limit=1"
        '&fields=product.gtin%2Ccondition&cursor=after-1>; rel="next"'
    )
