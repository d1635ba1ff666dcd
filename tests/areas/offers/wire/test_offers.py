import json
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.wire.offers import (
    DeliveryMode,
    Offer,
    OfferState,
    offers_page,
    packages_page,
    read_offers,
    read_packages,
)
from feedtool.areas.offers.wire.packages import commit, create_package, package_id, upload
from feedtool.areas.registry import sandbox_parts
from feedtool.feeds.delivery import ListedPackage, Meaning
from feedtool.model.call import READ, Call, Reply, comma_lists, fits_comma_list
from feedtool.sandbox.transport import SandboxTransport
from feedtool.service.answers import Unreadable
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from tests.sandbox.desk import Desk

URL = "https://service.example/v2/offers?salesChannelId=PRIMARY"
NOTHING = Offer(*[None] * len(Offer._fields))


def page(items: object, link: str = "") -> Reply:
    body = json.dumps({"itemsPerPage": 100, "items": items}).encode()
    return Reply(200, {"link": link} if link else {}, body, URL)


def only(item: dict[str, Any]) -> Offer:
    (found,) = offers_page(page([item])).items
    return found


def priced(**members: Any) -> dict[str, Any]:
    return {"integrationPrice": members}


def delivered(*offers: Any, **members: Any) -> dict[str, Any]:
    return {"deliveryOffers": [*offers, members] if members else [*offers]}


HALF_PAST = datetime(2026, 3, 2, 9, 0, 0, 500_000, UTC)
NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)
HALF_TAXED = [{"code": "VAT", "value": 5.5}, {"code": "DEA"}, 1]
HALF_MODES = [{"code": "A", "cost": 4.9}, {"cost": 1}]
ELSEWHERE = {"supplyMode": "Fulfillment", "quantity": 1}


@pytest.mark.parametrize(
    ("field", "item", "value"),
    [
        ("reference", {"sellerExternalReference": " A,1 "}, " A,1 "),
        ("gtin", {"product": {"gtin": "0012"}}, "0012"),
        ("gtin", {"product": {"gtin": 12}}, "12"),
        ("product_reference", {"product": {"reference": "P-1"}}, "P-1"),
        ("condition", {"condition": "New"}, "New"),
        ("state", {"offerState": "Active"}, OfferState.ACTIVE),
        ("state", {"offerState": "inactive"}, OfferState.INACTIVE),
        ("price", priced(price=0.1), Decimal("0.1")),
        ("price", priced(price="11.50"), Decimal("11.50")),
        ("taxes", priced(taxes=HALF_TAXED), {"VAT": Decimal("5.5")}),
        ("taxes", priced(taxes=[]), {}),
        ("preparation_time", delivered(preparationTime=2.0), 2),
        ("quantity", delivered(quantity=0), 0),
        ("quantity", delivered(quantity="7"), 7),
        ("quantity", delivered(ELSEWHERE, supplyMode="Seller", quantity=2), 2),
        (
            "delivery_modes",
            delivered(deliveryModes=HALF_MODES),
            {"A": DeliveryMode(Decimal("4.9"), None)},
        ),
        ("updated_at", {"updatedAt": "2026-03-02T10:00:00.5+01:00"}, HALF_PAST),
        ("updated_at", {"updatedAt": "2026-03-02T09:00:00"}, NINE),
        ("offer_id", {"offerId": "S_1_New_PRIMARY"}, "S_1_New_PRIMARY"),
        ("supply_modes", delivered({"supplyMode": "Xdock"}, {}), {"Xdock"}),
        ("supply_modes", {"deliveryOffers": None}, None),
        *(("reference", {"sellerExternalReference": value}, None) for value in ("", 12)),
        *(("gtin", {"product": {"gtin": value}}, None) for value in (12.5, True, "")),
        ("gtin", {"product": "0012"}, None),
        ("condition", {"condition": []}, None),
        ("state", {"offerState": "Asleep"}, None),
        *(
            ("price", priced(price=value), None)
            for value in ("11,50", float("nan"), 1e300, 1e-300, 10**4000, False)
        ),
        ("price", {"integrationPrice": [11]}, None),
        ("taxes", priced(taxes={"VAT": 20}), None),
        ("preparation_time", delivered(preparationTime=2.5), None),
        ("quantity", {"deliveryOffers": {"quantity": 7}}, None),
        ("quantity", delivered(), None),
        *(
            ("updated_at", {"updatedAt": value}, None)
            for value in ("yesterday", 1, "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z")
        ),
    ],
)
def test_a_field_is_read_or_none(field: str, item: dict[str, Any], value: object) -> None:
    found = only(item)
    assert getattr(found, field) == value
    empty = only({name: {} for name in item})
    others = dict.fromkeys([field, "supply_modes"])
    assert {**found._asdict(), **others} == {**empty._asdict(), **others}


def test_an_offer_without_fields_is_unknown() -> None:
    assert only({}) == NOTHING
    assert only(dict.fromkeys(["product", "integrationPrice", "deliveryOffers"])) == NOTHING


NAMES = [
    *("sellerExternalReference", "product", "gtin", "reference", "condition", "offerState"),
    *("integrationPrice", "price", "taxes", "code", "value", "deliveryOffers", "quantity"),
    *("preparationTime", "deliveryModes", "cost", "createdAt", "packageId", "submissionDate"),
]
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)


def objects(values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(NAMES), values, max_size=6)


INNER = LEAVES | objects(LEAVES) | st.lists(LEAVES | objects(LEAVES), max_size=3)
NODES = INNER | objects(INNER) | st.lists(objects(INNER), max_size=2)


@settings(max_examples=12)
@given(st.lists(objects(NODES), max_size=3))
def test_no_shape_is_too_much(items: list[dict[str, Any]]) -> None:
    assert len(offers_page(page(items)).items) == len(items)
    assert len(packages_page(page(items)).items) <= len(items)


@pytest.mark.parametrize("body", [b"", b"{}", b"<html>", b'{"items":{}}', b'"items"', b"[" * 99])
def test_bodies_that_are_no_pages_are_unreadable(body: bytes) -> None:
    for read in (offers_page, packages_page):
        with pytest.raises(Unreadable):
            read(Reply(200, {}, body, URL))


def test_an_item_that_is_no_offer_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="not an offer"):
        offers_page(page([{}, None]))


def test_links_of_pages_stay_on_the_same_origin() -> None:
    for read in (offers_page, packages_page):
        assert read(page([], f'<{URL}&cursor=2>; rel="next"')).next == f"{URL}&cursor=2"
        with pytest.raises(Unreadable, match="another host"):
            read(page([], '<https://evil.example/v2/offers>; rel="next"'))


@pytest.mark.parametrize(
    ("item", "found"),
    [
        (
            {"packageId": "p1", "state": "Ready", "submissionDate": "2026-03-02T09:00:00Z"},
            ListedPackage("p1", "Ready", Meaning.WORKING, datetime(2026, 3, 2, 9, tzinfo=UTC)),
        ),
        (
            {"packageId": 12, "createdAt": "2026-03-02T09:00:00Z"},
            ListedPackage("12", "", Meaning.UNKNOWN_STATE, datetime(2026, 3, 2, 9, tzinfo=UTC)),
        ),
        ({"packageId": "p1", "state": None}, ListedPackage("p1", "", Meaning.UNKNOWN_STATE, None)),
        ({"state": "Ready"}, None),
        ({"packageId": "p" * 201}, None),
        ("p1", None),
    ],
)
def test_a_package_in_the_list(item: object, found: ListedPackage | None) -> None:
    assert packages_page(page([item])).items == ([found] if found else [])


@pytest.mark.parametrize("key", ["", "A,1", " A", "A "])
def test_keys_that_no_comma_list_can_hold(key: str) -> None:
    assert not fits_comma_list(key)
    for references, gtins in ((["A", key], []), ([], [key])):
        with pytest.raises(ValueError, match="comma list"):
            read_offers("PRIMARY", references, gtins)


def test_links_of_lists_are_followed_unchanged() -> None:
    link = "https://service.example/v2/anything?cursor=%2B1"
    followed = Call("GET", link, READ)
    assert read_offers("PRIMARY", ["A,1"], link=link) == followed
    assert read_packages(link) == read_packages(link, "Ready") == followed
    assert read_packages(state="Ready").query == (("state", "Ready"),)


@given(st.lists(st.text(min_size=1, max_size=50)), st.integers(1, 2000))
def test_lists_hold_every_key_in_order(keys: list[str], longest: int) -> None:
    lists = list(comma_lists(keys, longest))
    assert [key for some in lists for key in some] == keys
    assert all(lists)
    for some in lists:
        assert len(some) == 1 or len(quote(",".join(some), safe="")) <= longest


@pytest.fixture
def service() -> Iterator[tuple[Client, SandboxTransport]]:
    transport = SandboxTransport(sandbox_parts())
    with Client(transport.base, "S1", StaticToken("sandbox"), transport=transport) as client:
        yield client, transport


def test_an_offer_as_the_service_gives_it(service: tuple[Client, SandboxTransport]) -> None:
    client, transport = service
    offer_request = Desk.offer("A", product={"gtin": "0012345678905", "reference": "P-1"})
    name = package_id(client.send(create_package("PRIMARY", PackageType.UPSERT, "en")))
    client.send(upload(name, [json.dumps(offer_request).encode()]))
    transport.sleep(60)
    client.send(commit(name))
    transport.sleep(200)
    (package,) = packages_page(client.send(read_packages())).items
    assert (package.package_id, package.state) == (name, "Integrated")
    assert package.created_at is not None
    assert package.created_at < transport.now()
    (offer,) = offers_page(client.send(read_offers("PRIMARY", ["A"]))).items
    assert offer.created_at is not None
    assert offer._replace(created_at=None) == Offer(
        reference="A",
        gtin="0012345678905",
        product_reference="P-1",
        condition="New",
        state=OfferState.ACTIVE,
        price=Decimal(11),
        taxes={"VAT": Decimal(20), "EcoPart": Decimal("0.12"), "DEA": Decimal(0)},
        preparation_time=2,
        delivery_modes={"TrackedHomeDelivery": DeliveryMode(Decimal("4.9"), Decimal("1.5"))},
        quantity=7,
        updated_at=offer.updated_at,
        offer_id="S1_0012345678905_New_PRIMARY",
        supply_modes=frozenset({"Seller"}),
    )
    assert offer.updated_at is not None
    assert offer.updated_at < transport.now()
