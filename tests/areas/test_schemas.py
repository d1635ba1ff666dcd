"""The validator and the explainer read each schema alike, and what is made of a row passes both."""

import copy
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from feedtool.areas.registry import load
from feedtool.check.requests import faults, schema, validator_of
from tests.areas.legacy.test_feeds import BODY

KINDS = pytest.mark.parametrize("kind", load().feeds)

REFERENCE = {"sellerExternalReference": "SKU-1"}
TAXES = [{"code": "VAT", "value": 20}, {"code": "EcoPart", "value": 0}]
MODES = [{"code": "TrackedHomeDelivery", "cost": 4.9, "additionalCost": 0}]
FILES = [{"index": 1, "url": "https://shop.example/kettle.jpg"}]
CHANGES = {
    "price": {"price": 19.99, "originPrice": 24.99, "taxes": TAXES},
    "deliveryModes": MODES,
    "preparationTime": 2,
    "quantity": 7,
}
PARCELS = [
    {
        "parcelNumber": "8R1",
        "carrierName": "UPS",
        "trackingUrl": "HTTPS://T.EXAMPLE/8R1",
        "orderLineIds": ["O1-1", "O1-2"],
    }
]
MESSAGE = {
    "body": "Good morning, it is on its way.",
    "attachments": [{"content": "JVBERi0=", "name": "label.pdf", "fileFormat": "pdf"}],
}
GOOD: dict[str, Any] = {
    "fulfillment-products": {
        "gtin": "4006381333931",
        "label": "Kettle",
        "sellerProductReference": "SKU-1",
        "productCondition": "New",
        "weight": 1.2,
        "hasExpirationDate": False,
        "originCountryCode": "FR",
        "language": "fr-FR",
    },
    "inbound-shipments": {
        "reference": "PO-1",
        "storageCountry": "FR",
        "supplyMode": "Xdock",
        "items": [{"gtin": "4006381333931", "productCondition": "New", "quantity": 5}],
    },
    "discussions": {
        "discussionId": "D-1",
        "salesChannel": "PRIMARY",
        "receivers": [{"userType": "Customer"}],
        **MESSAGE,
    },
    "discussions-open": {
        "subject": "Your order",
        "orderId": "O-1",
        "salesChannel": "PRIMARY",
        "subtypologyCode": "orderNotShipped",
        "productId": None,
        "message": {"receiver": "Customer", **MESSAGE},
    },
    "discussions-close": {"discussionId": "D-1", "after": "0" * 64},
    "discussions-read": {"discussionId": "D-1", "messageId": "M-1"},
    "invoices": {
        "orderId": "O-1",
        "fileName": "O-1.pdf",
        "mediaType": "application/pdf",
        "sha256": "0" * 64,
        "content": "JVBERi0=",
    },
    "legacy-offers": BODY | {"StrikedPrice": "24.5"},
    "legacy-stock-and-price": {
        name: BODY[name] for name in ("SellerProductId", "ProductEan", "Price", "Stock")
    },
    "orders": PARCELS,
    "shipments": PARCELS,
    "orders-accept": {"approval_status": "Accepted"},
    "orders-refuse": {"approval_status": "Refused"},
    "orders-cancel": {
        "orderSellerId": "O1",
        "lines": [{"lineId": "", "offerId": "", "reason": "r", "shippingCostRefund": True}],
    },
    "orders-gesture": {"orderId": "O1", "reason": "r", "reasonDetails": "d", "amount": 0.01},
    "offers-upsert": {
        **REFERENCE,
        "product": {"gtin": "4006381333931", "reference": "R"},
        "condition": "New",
        **CHANGES,
    },
    "offers-update": {**REFERENCE, **CHANGES},
    "offers-delete": REFERENCE,
    "outbound-shipments": {
        "reference": "OUT-1",
        "storageCountry": "FR",
        "deliveryAddress": {
            "firstName": "Anne",
            "lastName": "Martin",
            "email": "anne@example.org",
            "phone": "+33639980001",
            "city": "Bourg",
            "postalCode": "01000",
            "countryCode": "FR",
            "line": "12 rue des Lilas",
            "pickupId": "P1",
        },
        "items": [
            {
                "productId": "4006381333931",
                "productCondition": "New",
                "sellerProductReference": "KETTLE",
                "expectedQuantity": 2,
                "delivery": {"mode": "THD"},
                "unitSalesPrice": 19.9,
                "shippingCost": 0,
                "currencyCode": "EUR",
            }
        ],
    },
    "outbound-shipments-cancel": {"outboundShipmentId": "U-1", "reason": "r"},
    "returns": {
        "outboundShipmentId": "U-1",
        "reference": "RET-1",
        "reason": "Retraction",
        "comment": "c",
        "lines": [
            {"productId": "4006381333931", "quantity": 1, "productCondition": "New"},
        ],
    },
    "products": {
        "gtin": "4006381333931",
        "sellerProductReference": "SKU-1",
        "title": "Kettle",
        "description": "It boils.",
        "sellerPictureUrls": FILES,
        "brand": "Alder",
        "categoryCode": "011B01",
        "language": "fr-FR",
        "attributes": [
            {"propertyReference": "3263", "values": ["Beige", "Noir"]},
            {"propertyReference": "3349", "files": FILES},
        ],
        "richMarketingDescription": "<p>It boils.</p>",
        "gtinReference": "G",
        "variantGroupReference": "KETTLES",
    },
}

VALUES: list[object] = [
    *(None, True, False, 0, -0.0, 1, 1.0, -1, 0.01, 1e-300, 2.5, 9_999_999_999, 9_999_999_999.0),
    *(10_000_000_000, 99_999_999_999_999, 100_000_000_000_000, 2**53 + 1, 2**64, 1e22, "", " "),
    *("a", "|", "a|b", "a\nb", "a\n", "\n|", "é", "e\u0301", "😀", "1234567", "12345678"),
    *("12345678901234", "123456789012345", "1234567\n", "\u0661" * 8, "😀" * 32_767, "x" * 32_767),
    *("x" * 32_768, [], [{}], [{"code": "", "value": 0}], [{"code": "VAT", "value": -0.01}]),
    *([{"code": "VAT", "value": 0, "type": "Amount"}], [{"code": "M", "cost": 0}]),
    *([{"code": "M", "cost": 0, "additionalCost": "0"}], {}, {"gtin": "4006381333931"}),
    *({"price": 0}, {"price": 1, "taxes": []}),
]


def places(value: object, above: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of everything inside a document."""
    inside: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    paths = [above] if above else []
    return paths + [path for key, part in inside for path in places(part, (*above, key))]


def changed(document: dict[str, Any], path: tuple[str | int, ...], value: object) -> None:
    """Puts a value at a path, if it is still there; `...` takes out what stands at it."""
    target: Any = document
    try:
        for key in path[:-1]:
            target = target[key]
        if value is ...:
            del target[path[-1]]
        else:
            target[path[-1]] = copy.deepcopy(value)
    except (KeyError, IndexError, TypeError):  # an earlier change took the place away
        return


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A request of some kind with a few places changed to values near the schema's bounds."""
    kind = draw(st.sampled_from(list(GOOD)))
    request = copy.deepcopy(GOOD[kind])
    alike = "offers-upsert" if kind.startswith("offers-") else kind
    paths = [*places(GOOD[alike]), ("extra",), ("price", "extra")]
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(paths))
        changed(request, path, draw(st.sampled_from([..., *VALUES])))
    return kind, request


@KINDS
def test_the_schema_is_one_and_takes_a_good_request(kind: str) -> None:
    Draft202012Validator.check_schema(schema(load().feeds[kind]))
    assert validator_of(load().feeds[kind])(GOOD[kind])


@given(requests())
def test_both_validators_agree_and_a_refusal_has_a_message(
    request_: tuple[str, dict[str, Any]],
) -> None:
    kind, request = request_
    feed, explainer = load().feeds[kind], Draft202012Validator(schema(load().feeds[kind]))
    accepted = validator_of(feed)(request)
    assert accepted is explainer.is_valid(request)
    assert accepted is explainer.is_valid(json.loads(json.dumps(request)))
    if not accepted:
        found = list(faults(feed, request))
        assert found
        assert all(fault.code.name == "schema-mismatch" and fault.message for fault in found)


SAMPLE = 4
"""In the usual run each place gets every fourth value, shifted by one from place to place."""


@pytest.mark.parametrize("kind", ["offers-upsert", "products"])
def test_both_validators_agree_about_each_place(kind: str) -> None:
    for number, path in enumerate(places(GOOD[kind])):
        assert_validators_agree(kind, path, VALUES[number % SAMPLE :: SAMPLE])


@pytest.mark.long
@pytest.mark.parametrize("kind", ["offers-upsert", "products"])
def test_both_validators_agree_about_each_value_in_each_place(kind: str) -> None:
    for path in places(GOOD[kind]):
        assert_validators_agree(kind, path, VALUES)


def assert_validators_agree(
    kind: str, path: tuple[str | int, ...], values: Sequence[object]
) -> None:
    explainer = Draft202012Validator(schema(load().feeds[kind]))
    for value in values:
        request = copy.deepcopy(GOOD[kind])
        changed(request, path, value)
        accepted = validator_of(load().feeds[kind])(request)
        assert accepted is explainer.is_valid(request), (path, value)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("offers-upsert", {"product": {}}),
        ("offers-upsert", {"product": {"gtin": "12345"}}),
        ("offers-upsert", {"quantity": -1}),
        ("offers-upsert", {"quantity": 1.5}),
        ("offers-upsert", {"price": {"price": 0, "taxes": TAXES}}),
        ("offers-upsert", {"price": {"price": 1, "taxes": []}}),
        ("offers-upsert", {"sellerExternalReference": ""}),
        ("offers-upsert", {"sellerExternalReference": "a|b"}),
        ("offers-upsert", {"unknown": 1}),
        *(("offers-upsert", {field: ...}) for field in GOOD["offers-upsert"]),
        ("offers-update", dict.fromkeys(CHANGES, ...)),
        ("offers-update", {"preparationTime": ...}),
        ("offers-update", {"condition": "New"}),
        ("offers-update", {"product": {"gtin": "4006381333931"}}),
        ("offers-update", {"deliveryModes": []}),
        ("offers-delete", {"quantity": 0}),
        ("products", {"gtin": "12345"}),
        ("products", {"categoryCode": "01010155"}),
        ("products", {"categoryCode": "0101"}),
        ("products", {"language": "fr"}),
        ("products", {"sellerPictureUrls": []}),
        ("products", {"sellerPictureUrls": [{"index": 0, "url": "https://a.example/b"}]}),
        ("products", {"sellerPictureUrls": [{"index": 1, "url": "file:///b.jpg"}]}),
        ("products", {"attributes": [{"propertyReference": "3263"}]}),
        ("products", {"attributes": [{"propertyReference": "3263", "values": []}]}),
        ("products", {"attributes": [{"propertyReference": "CDAV", "values": ["1"]}]}),
        ("products", {"shortLabel": "Kettle"}),
    ],
    ids=str,
)
def test_the_gate_refuses(kind: str, change: dict[str, Any]) -> None:
    request = {name: value for name, value in (GOOD[kind] | change).items() if value is not ...}
    assert not validator_of(load().feeds[kind])(request)


def test_an_update_needs_no_more_than_one_change() -> None:
    assert validator_of(load().feeds["offers-update"])({**REFERENCE, "quantity": 0})
