from __future__ import annotations

import json

import pytest

from feedtool.errors import UsageProblem
from feedtool.model import PackageType
from feedtool.service import wire
from feedtool.service.wire import Call, UploadBody

JSON = ("Content-Type", "application/json")


@pytest.mark.parametrize(
    ("language", "tag"),
    [("en", "en-US"), ("fr", "fr-FR"), ("es", "es-ES"), ("fr-FR", "fr-FR"), ("ES-es", "es-ES")],
)
def test_a_creation_is_bound_to_channel_type_and_language(language: str, tag: str) -> None:
    call = wire.create_package("PRIMARY", PackageType.UPDATE, language)
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
    call = wire.upload("p1", [b'{"a":1}', b'{"b":2.50}'], shape)
    assert (call.method, call.target) == ("POST", "/offer-packages/p1/offer-requests")
    assert call.body == body


def test_the_other_calls() -> None:
    assert wire.read_package("p1") == Call("GET", "/offer-packages/p1", wire.READ)
    assert wire.commit("p1") == Call(
        "PATCH", "/offer-packages/p1", wire.COMMITTED, headers=(JSON,), body=b'{"state":"Ready"}'
    )
    results = "/offer-packages/p1/offer-requests-results"
    assert wire.read_results("p1") == Call("GET", results, wire.READ)
    assert wire.read_results("p1", limit=500).query == (("limit", "500"),)
    link = "https://service.example/v2/anything?cursor=%2B1"
    assert wire.read_results("p1", link, limit=500) == Call("GET", link, wire.READ)


def test_an_id_stays_one_segment() -> None:
    assert wire.read_package("a/b?c").target == "/offer-packages/a%2Fb%3Fc"


@pytest.mark.parametrize("channel", ["", "ÉTÉ", "A\r\nX-Evil: 1", " A", "A\t"])
def test_a_channel_that_no_header_carries(channel: str) -> None:
    with pytest.raises(UsageProblem, match="sales channel"):
        wire.create_package(channel, PackageType.UPSERT, "en")


def test_a_language_that_the_service_has_not() -> None:
    with pytest.raises(UsageProblem, match="“de”") as caught:
        wire.create_package("PRIMARY", PackageType.UPSERT, "de")
    assert "en, fr, es" in caught.value.hint
