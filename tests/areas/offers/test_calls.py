import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.offers.wire.offers import read_offers, read_packages
from feedtool.areas.offers.wire.packages import (
    UploadBody,
    commit,
    create_package,
    read_package,
    read_results,
    upload,
)
from feedtool.model.call import COMMITTED, READ, Call, comma_lists, fits_comma_list
from feedtool.model.errors import UsageProblem

JSON = ("Content-Type", "application/json")


@pytest.mark.parametrize(
    ("language", "tag"),
    [("en", "en-US"), ("fr", "fr-FR"), ("es", "es-ES"), ("fr-FR", "fr-FR"), ("ES-es", "es-ES")],
)
def test_a_creation_is_bound_to_channel_type_and_language(language: str, tag: str) -> None:
    call = create_package("PRIMARY", PackageType.UPDATE, language)
    assert (call.method, call.target) == ("POST", "/offer-packages")
    assert call.headers == (("SalesChannelId", "PRIMARY"), ("Accept-Language", tag), JSON)
    assert json.loads(call.body or b"") == {"packageType": "Update"}


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        (UploadBody.ARRAY, b'[{"a":1},{"b":2.50}]'),
        (UploadBody.OFFER_REQUESTS, b'{"offerRequests":[{"a":1},{"b":2.50}]}'),
    ],
)
def test_bodies_travel_as_they_are(shape: UploadBody, body: bytes) -> None:
    call = upload("p1", [b'{"a":1}', b'{"b":2.50}'], shape)
    assert (call.method, call.target) == ("POST", "/offer-packages/p1/offer-requests")
    assert call.body == body


def test_the_other_calls() -> None:
    assert read_package("p1") == Call("GET", "/offer-packages/p1", READ)
    assert commit("p1") == Call(
        "PATCH", "/offer-packages/p1", COMMITTED, headers=(JSON,), body=b'{"state":"Ready"}'
    )
    results = "/offer-packages/p1/offer-requests-results"
    assert read_results("p1") == Call("GET", results, READ)
    assert read_results("p1", limit=500).query == (("limit", "500"),)
    link = "https://service.example/v2/anything?cursor=%2B1"
    assert read_results("p1", link, limit=500) == Call("GET", link, READ)


def test_an_id_stays_one_segment() -> None:
    assert read_package("a/b?c").target == "/offer-packages/a%2Fb%3Fc"


@pytest.mark.parametrize("channel", ["", "ÉTÉ", "A\r\nX-Evil: 1", " A", "A\t"])
def test_a_channel_that_no_header_carries(channel: str) -> None:
    with pytest.raises(UsageProblem, match="sales channel"):
        create_package(channel, PackageType.UPSERT, "en")


def test_a_language_that_the_service_has_not() -> None:
    with pytest.raises(UsageProblem, match="“de”") as caught:
        create_package("PRIMARY", PackageType.UPSERT, "de")
    assert "en, fr, es" in caught.value.hint


# Look-ups.


@pytest.mark.parametrize(
    ("asked", "query"),
    [
        ({}, {}),
        ({"references": ["A", "b c"]}, {"sellerExternalReferences": "A,b c"}),
        ({"gtins": ["1", "2"]}, {"gtins": "1,2"}),
        ({"fields": ["product", "facialPrice.price"]}, {"fields": "product,facialPrice.price"}),
        ({"offer_ids": ["S_1", "S_2"]}, {"offerIds": "S_1,S_2"}),
        ({"states": ["active"]}, {"offerStates": "active"}),
        ({"since": "2026-11-20T09:00:00Z"}, {"updatedAtMin": "2026-11-20T09:00:00Z"}),
    ],
)
def test_offers_are_asked_for(asked: dict[str, Any], query: dict[str, str]) -> None:
    call = read_offers("PRIMARY", **asked)
    usual = {"salesChannelId": "PRIMARY", "limit": "1000"}
    fields = {"fields": "condition,product,integrationPrice,deliveryOffers"}
    assert (call.method, call.target) == ("GET", "/offers")
    assert dict(call.query) == {**usual, **fields, **query}


@pytest.mark.parametrize("key", ["", "A,1", " A", "A "])
def test_what_no_comma_list_can_hold(key: str) -> None:
    assert not fits_comma_list(key)
    with pytest.raises(ValueError, match="comma list"):
        read_offers("PRIMARY", references=["A", key])
    with pytest.raises(ValueError, match="comma list"):
        read_offers("PRIMARY", gtins=[key])


def test_links_of_lists_are_followed_as_they_are() -> None:
    link = "https://service.example/v2/anything?cursor=%2B1"
    followed = Call("GET", link, READ)
    assert read_offers("PRIMARY", ["A,1"], link=link) == followed
    assert read_packages(link, state="Ready") == followed


@pytest.mark.parametrize(
    ("asked", "query"),
    [
        ({}, ()),
        ({"state": "Ready"}, (("state", "Ready"),)),
        ({"state": "Ready", "channel": "C"}, (("state", "Ready"), ("salesChannelId", "C"))),
    ],
)
def test_packages_are_asked_for(asked: dict[str, str], query: tuple[tuple[str, str], ...]) -> None:
    assert read_packages(**asked) == Call("GET", "/offer-packages", READ, query=query)


@given(st.lists(st.text(min_size=1, max_size=50)), st.integers(1, 2000))
def test_lists_hold_every_key_in_order(keys: list[str], longest: int) -> None:
    lists = list(comma_lists(keys, longest))
    assert [key for some in lists for key in some] == keys
    assert all(lists)
    for some in lists:
        assert len(some) == 1 or len(quote(",".join(some), safe="")) <= longest
