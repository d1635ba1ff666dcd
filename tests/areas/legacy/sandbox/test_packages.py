"""Legacy zips taken in, integrated onto the shelf that the JSON packages use, and logged."""

import json
from datetime import timedelta
from typing import Any

import pytest

from feedtool.areas.legacy.sandbox.offers import LegacyBehaviour
from feedtool.areas.offers.sandbox import messages
from feedtool.areas.offers.sandbox.rules import OfferBehaviour
from feedtool.sandbox.arguments import texts
from tests.areas.legacy.sandbox.made_zips import (
    INTEGRATED,
    PACKAGES,
    TRACKED,
    document,
    offer,
    outcomes,
    post,
    read,
    submit,
    tag,
    zipped,
)
from tests.areas.offers.sandbox.records import applied_requests, stored_offers
from tests.loopback import serving_answers
from tests.sandbox.desk import Desk

CREATED = ("Integrated", ["8000"])
UPDATED = ("Integrated", ["9000"])


def mode(name: str, *charges: str | None) -> Any:
    """A delivery mode with its charges and additional charges, by default 1."""
    return dict(zip(TRACKED, (name, *charges, *("1", "1")[len(charges) :]), strict=True))


ATTRIBUTES: dict[str, dict[str | None, str]] = {
    "ProductEan": {
        None: "1001",
        **dict.fromkeys(("4006381333932", "0000000000000"), "1101"),
        "2000000000008": "1324",
    },
    "ProductCondition": {None: "1002", "3": "8000", "5": "8000", "7": "1302", "New": "1302"},
    "SellerProductId": {None: "1003", " ": "1003", "A|1": "1103", "A" * 51: "1203"},
    "Stock": {None: "1005", "7.5": "1105", "-1": "1705"},
    "Price": {"": "1006", "11,00": "1106", "11.005": "1106", "0": "1906"},
    "Vat": {None: "1007", "20%": "1107"},
    "EcoPart": {None: "1008", "x": "1108", "0.125": "1108", "11": "2906"},
    "DeaTax": {None: "1031", "x": "1131"},
    "PreparationTime": {None: "1009", "2 j": "1109"},
    "Comment": {None: "1014", "Avec notice": "8000"},
    "StrikedPrice": {"13.5": "8000", "x": "1118", "10": "2318"},
    "Other": {"1": "8000"},
}
# Beside the mandatory mode; the modes are Standard, Tracked, Registered.
FURTHER_MODES: dict[str, dict[tuple[str | None, ...], str]] = {
    "Standard": {(None,): "1011", ("1", None): "1015", ("x",): "1111", ("1", "x"): "1115"},
    "Registered": {(None,): "1013", ("1", None): "1017", ("x",): "1113", ("1", "x"): "1117"},
    "Express": {(): "4028", ("x",): "1128 4028"},
    "Pigeon": {(): "4028"},
    "Tracked": {("4.9",): "2812"},
}
OFFERS: list[tuple[dict[str, Any], str]] = [
    ({}, "8000"),
    *(({name: text}, code) for name, some in ATTRIBUTES.items() for text, code in some.items()),
    *(
        ({"modes": [TRACKED, mode(name, *charges)]}, codes)
        for name, some in FURTHER_MODES.items()
        for charges, codes in some.items()
    ),
    ({"modes": [TRACKED, mode("Standard"), mode("Registered")]}, "8000"),
    ({"modes": []}, "1012"),
    ({"modes": [mode("TrackedHomeDelivery")]}, "1012 4028"),
    ({"modes": [mode("Tracked", "x")]}, "1112"),
    *(
        ({"modes": [mode("Tracked", "1", more)]}, code)
        for more, code in ((None, "1016"), ("x", "1116"))
    ),
    # all that applies is told, and nothing of it is done
    ({"Price": "x", "Vat": None, "Stock": "x"}, "1105 1106 1007"),
]


def test_the_codes_of_an_offer(desk: Desk) -> None:
    for number, (changes, codes) in enumerate(OFFERS):
        desk.headers["SellerId"] = f"seller {number}"
        others = {name: text for name, text in changes.items() if name != "SellerProductId"}
        reference = changes.get("SellerProductId", "A-1")
        [(_, status, found)] = outcomes(desk, offer(reference, **others))
        assert (changes, found) == (changes, codes.split())
        assert status == ("Integrated" if codes == "8000" else "Rejected"), changes
        assert len(desk.offers()) == (status == "Integrated"), changes


def test_every_code_of_format_is_reached() -> None:
    known = texts(messages.__name__, "en-US")
    reached = {code for _, codes in OFFERS for code in codes.split()}
    assert reached >= {code for code in known if code.startswith("11")} - {"1124"}


def test_an_offer_is_the_one_that_the_json_routes_show(desk: Desk) -> None:
    outcomes(desk, offer("A-1", Comment="Avec notice"))
    [shown] = desk.offers(
        fields="product,condition,integrationPrice,deliveryOffers,comments,salesChannelId"
    )
    [legacy] = stored_offers(desk.sandbox)
    assert legacy["comments"] == shown["comments"] == "Avec notice"
    assert shown["product"] == {"reference": None, "gtin": Desk.gtin(1)}
    assert (shown["condition"], shown["salesChannelId"]) == ("New", "PRIMARY")
    assert shown["integrationPrice"]["price"] == 11
    taxes = {tax["code"]: tax["value"] for tax in shown["integrationPrice"]["taxes"]}
    assert taxes == {"VAT": 20, "EcoPart": 0.12, "DEA": 0}
    [delivery] = shown["deliveryOffers"]
    assert (delivery["preparationTime"], delivery["quantity"]) == (2, 7)
    modes = [(known["code"], known["cost"]) for known in delivery["deliveryModes"]]
    assert modes == [("TrackedHomeDelivery", 4.9)]


@pytest.mark.parametrize(
    ("condition", "number", "found"),
    [
        ("New", "6", UPDATED),
        ("UsedLikeNew", "1", UPDATED),
        ("RefurbishedVeryGoodState", "5", UPDATED),
        ("New", "1", ("Rejected", ["2503"])),
    ],
)
def test_a_zip_replaces_an_offer_of_json(
    desk: Desk, condition: str, number: str, found: tuple[str, list[str]]
) -> None:
    row = desk.offer("A-1", 1, condition=condition)
    desk.outcome("Upsert", row)
    assert outcomes(desk, offer("A-1", 1, ProductCondition=number, Price="9")) == [("A-1", *found)]
    [shown] = desk.offers(fields="condition,integrationPrice.price")
    price = 9 if found == UPDATED else row["price"]["price"]
    assert (shown["condition"], shown["integrationPrice"]["price"]) == (condition, price)


def test_json_changes_an_offer_of_a_zip(desk: Desk) -> None:
    outcomes(desk, offer("A-1"))
    assert desk.outcome("Update", {"sellerExternalReference": "A-1", "quantity": 1}) == UPDATED
    assert desk.outcome("Delete", {"sellerExternalReference": "A-1"}) == UPDATED
    assert desk.offers() == []


def test_a_known_reference_needs_no_gtin(desk: Desk) -> None:
    desk.outcome("Upsert", desk.offer("A-1", 1, product__reference="P-1"))
    assert outcomes(desk, offer("A-1", ProductEan=None)) == [("A-1", *UPDATED)]
    [shown] = desk.offers(fields="product")
    assert shown["product"] == {"reference": "P-1", "gtin": Desk.gtin(1)}


@pytest.mark.parametrize(
    ("attributes", "found"),
    [
        ({"Price": "9"}, UPDATED),
        ({"Stock": "0"}, UPDATED),
        ({"Price": "9", "Stock": "1", "Vat": "x", "Comment": "no"}, UPDATED),
        ({"Price": "9", "ProductEan": Desk.gtin(1)}, UPDATED),
        ({"Price": "9", "ProductEan": Desk.gtin(2)}, ("Rejected", ["2503"])),
        ({}, ("Rejected", ["1028"])),
        ({"Price": "x"}, ("Rejected", ["1106"])),
        ({"Price": "0"}, ("Rejected", ["1906"])),
        ({"Price": "9", "SellerProductId": "B"}, ("Rejected", ["3628"])),
        ({"Price": "9", "SellerProductId": None}, ("Rejected", ["1003"])),
    ],
)
def test_stock_and_price(
    desk: Desk, attributes: dict[str, str | None], found: tuple[str, list[str]]
) -> None:
    outcomes(desk, offer("A-1"))
    given = {"SellerProductId": "A-1", **attributes}
    [entry] = outcomes(desk, tag("Offer", given), PackageType="StockAndPrice")
    assert entry == (given["SellerProductId"], *found)
    [shown] = desk.offers(fields="integrationPrice.price,deliveryOffers.quantity")
    done = given if found == UPDATED else {}
    assert shown["integrationPrice"]["price"] == float(done.get("Price") or 11)
    assert shown["deliveryOffers"] == [{"quantity": int(done.get("Stock") or 7)}]


def test_twice_the_same_reference(desk: Desk) -> None:
    found = outcomes(desk, offer("A", 1), offer("B", 2), offer("A", 3))
    doubled = ("A", "Duplicated", ["2801"])
    assert found == [doubled, ("B", *CREATED), doubled]


@pytest.mark.parametrize(
    ("pools", "channels"),
    [
        ([], ["PRIMARY"]),
        ([{"Id": "1"}], ["PRIMARY"]),
        ([{"SalesChannelId": "SECOND"}], ["SECOND"]),
        ([{"SalesChannelId": "SECOND"}, {"Id": "1"}], ["PRIMARY", "SECOND"]),
    ],
)
def test_pools(desk: Desk, pools: list[dict[str, str]], channels: list[str]) -> None:
    assert outcomes(desk, offer("A"), pools=pools) == [("A", *CREATED)]
    assert sorted(one["salesChannelId"] for one in stored_offers(desk.sandbox)) == channels
    assert [
        (request.channel, request.package_type) for request in applied_requests(desk.sandbox)
    ] == [(pool.get("SalesChannelId", "PRIMARY"), "Full") for pool in pools or [{}]]


def test_the_log_shows_the_worst_result_of_all_channels(desk: Desk) -> None:
    desk.outcome("Upsert", desk.offer("A", 2), channel="SECOND")
    pools = [{"Id": "1"}, {"SalesChannelId": "SECOND"}]
    assert outcomes(desk, offer("A", 1), pools=pools) == [("A", "Rejected", ["2503"])]


@pytest.mark.parametrize(("purges", "left"), [("false", ["A", "B", "C"]), ("true", ["B"])])
def test_a_purge_replaces_all_offers_of_the_channel(
    desk: Desk, purges: str, left: list[str]
) -> None:
    outcomes(desk, offer("A", 1), offer("B", 2))
    desk.outcome("Upsert", desk.offer("C", 3))
    desk.outcome("Upsert", desk.offer("C", 3), channel="SECOND")
    rows = [offer("B", 2, Price="9"), offer("D", 4, Price="x")]
    found = outcomes(desk, *rows, PurgeAndReplace=purges)
    assert [status for _, status, _ in found] == ["Integrated", "Rejected"]
    assert [one["sellerExternalReference"] for one in desk.offers()] == left
    assert [one["sellerExternalReference"] for one in desk.offers("SECOND")] == ["C"]


def test_the_log_is_read_page_by_page(desk: Desk) -> None:
    rows = [offer(f"A-{n}", n, Price="x" if n % 2 else "9") for n in range(5)]
    package_id = submit(desk, *rows)
    pending = read(desk, package_id)
    assert (pending["integration_state"], pending["total_logs_count"]) == ("IntegrationPending", 0)
    assert (pending["offer_log_paged_list"], pending["number_of_errors"]) == ([], 0)
    desk.wait(INTEGRATED)
    pages = [read(desk, package_id, f"page={page}&count_by_page=2") for page in (1, 2, 3, 4)]
    logs = [page.pop("offer_log_paged_list") for page in pages]
    assert pages == [
        {
            "integration_state": "Integrated",
            "total_logs_count": 5,
            "number_of_errors": 2,
            "count_by_page": 2,
            "seller_id": "S1",
            "package_id": int(package_id),
            "page": page,
        }
        for page in (1, 2, 3, 4)
    ]
    references = [[entry["seller_product_id"] for entry in log] for log in logs]
    assert references == [["A-0", "A-1"], ["A-2", "A-3"], ["A-4"], []]
    assert logs[0][1] == {
        "property_list": [
            {
                "property_code": "06",
                "property_error": "11",
                "log_message": "The price is not a number like 1.50.",
            }
        ],
        "log_date": "2026-03-02T09:00:02.000000Z",
        "offer_integration_status": "Rejected",
        "product_ean": Desk.gtin(1),
        "seller_product_id": "A-1",
    }


def test_the_log_is_in_the_language_of_the_post(desk: Desk) -> None:
    body = zipped(document(offer(Price="x")))
    answer = post(desk, body, **{"Accept-Language": "fr-FR"})
    desk.wait(INTEGRATED)
    [entry] = read(desk, answer.json["package_id"])["offer_log_paged_list"]
    assert entry["property_list"][0]["log_message"] == "Le prix n'est pas un nombre comme 1.50."


@pytest.mark.parametrize("query", ["page=0", "page=x", "count_by_page=0"])
def test_invalid_pages(desk: Desk, query: str) -> None:
    answer = desk.ask("GET", f"{PACKAGES}/{submit(desk, offer())}", query=query)
    assert answer.status == 400


def test_packages_of_another_seller_are_not_found(desk: Desk) -> None:
    package_id = submit(desk, offer())
    for headers, path in (({"SellerId": "S2"}, package_id), ({}, "1"), ({}, "x")):
        assert desk.ask("GET", f"{PACKAGES}/{path}", headers=headers).status == 404


@pytest.mark.parametrize(
    ("rows", "code"), [((), "1023"), ((offer("A", 1), offer("B", 2), offer("C", 3)), "1723")]
)
def test_a_package_that_is_rejected_as_a_whole(
    new_desk: type[Desk], rows: tuple[str, ...], code: str
) -> None:
    with new_desk(LegacyBehaviour(limit=2)) as desk:
        package_id = submit(desk, *rows)
        desk.wait(INTEGRATED)
        reading = read(desk, package_id)
        assert (reading["integration_state"], reading["number_of_errors"]) == ("Rejected", 1)
        [entry] = reading["offer_log_paged_list"]
        assert (entry["seller_product_id"], entry["product_ean"]) == (None, None)
        [said] = entry["property_list"]
        assert said["property_error"] + said["property_code"] == code
        assert desk.offers() == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"PK no zip",
        zipped(document(offer()), "Offers.xml"),
        zipped(b"<OfferPackage"),
        zipped(document(offer()), "Content/Offers.xml", "content/offers.xml"),
        zipped(document().replace(b"<OfferCollection>", offer().encode() + b"<OfferCollection>")),
        zipped(b"<Offers/>"),
        zipped(document(offer(), PackageType="full")),
        zipped(document(offer(), PurgeAndReplace="True")),
        zipped(document(offer(), PurgeAndReplace="true", PackageType="StockAndPrice")),
        zipped(document(offer(), Name=None)),
        zipped(document(offer(), Name=" ")),
        zipped(document(offer(), pools=[{"Id": "1"}], PackageType="StockAndPrice")),
        zipped(document(offer(), pools=[{"Id": "2"}])),
        zipped(document(offer(), pools=[{"SalesChannelId": "THIRD"}])),
    ],
)
def test_bodies_that_are_no_packages_are_refused(desk: Desk, body: bytes) -> None:
    assert post(desk, body).status == 400
    assert not list(applied_requests(desk.sandbox))


def test_a_package_is_read_no_further_than_its_limit(new_desk: type[Desk]) -> None:
    content = document(*(offer(f"A-{number}", number) for number in range(4)))
    unreadable = content.replace(b'"A-3"', b"<")
    for limit, status in ((2, 200), (3, 400)):
        with new_desk(LegacyBehaviour(limit=limit)) as desk:
            assert post(desk, zipped(unreadable)).status == status


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("application/zip", "content/offers.xml"),
        ("application/octet-stream", "CONTENT/OFFERS.XML"),
        ("text/xml", "Content/Offers.xml"),
    ],
)
def test_media_types_and_a_member_in_any_case(desk: Desk, name: str, kind: str) -> None:
    answer = post(desk, zipped(document(offer()), name), **{"Content-Type": kind})
    assert answer.status == (415 if kind == "text/xml" else 200)


def test_delays_make_packages_overtake_one_another(new_desk: type[Desk]) -> None:
    with new_desk(OfferBehaviour(delays=(timedelta(0), timedelta(seconds=5)))) as desk:
        first, second = submit(desk, offer("A", 1)), submit(desk, offer("B", 2))
        desk.wait(INTEGRATED)
        states = [read(desk, one)["integration_state"] for one in (first, second)]
        assert states == ["IntegrationPending", "Integrated"]


JSON = {"Content-Type": "application/json"}


def test_a_zip_by_its_public_address(desk: Desk) -> None:
    body = zipped(document(offer("A")))
    with serving_answers(lambda path: (200 if path == "/offers.zip" else 404, {}, body)) as served:
        absent = post(desk, json.dumps(f"{served.url}/none.zip").encode(), **JSON)
        answer = post(desk, json.dumps(f"{served.url}/offers.zip").encode(), **JSON)
    assert (absent.status, absent.reasons) == (400, [("ER400", "body")])
    assert answer.status == 200
    desk.wait(INTEGRATED)
    [entry] = read(desk, answer.json["package_id"])["offer_log_paged_list"]
    assert entry["offer_integration_status"] == "Integrated"


@pytest.mark.parametrize(
    "body", [b"{", b"{}", b'"ftp://127.0.0.1/x.zip"', b'"file:///etc/hostname"', b'"http://[/"']
)
def test_addresses_that_are_not_public_are_refused(desk: Desk, body: bytes) -> None:
    assert post(desk, body, **JSON).status == 400
