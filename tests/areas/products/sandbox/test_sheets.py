"""A sheet for each GTIN: created, completed, read, and used by offers."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.products.sandbox.submission import ProductBehaviour
from feedtool.sandbox import Quota
from tests.areas.products.sandbox.made_products import (
    COLOR,
    MATERIAL,
    MUGS,
    SHIRTS,
    SIZE,
    WINE_GLASSES,
    findings_of,
    integrate,
    new_gtin,
    product,
    shirt,
    use_of,
)
from tests.areas.products.sandbox.records import stored_products
from tests.sandbox.desk import Desk


@pytest.fixture
def gtin(desk: Desk) -> str:
    """The GTIN of a mug, whose sheet S1 has created."""
    gtin = new_gtin(desk, 1)
    integrate(desk, product(gtin))
    return gtin


EDITS: list[tuple[dict[str, Any], str]] = [
    ({}, "Identical"),
    ({"title": "Mug vert"}, "Modification"),
    ({f"_{MATERIAL}": ["Verre"]}, "Modification"),
    ({"brand": "maison  ALDER"}, "Identical"),
    ({"sellerProductReference": "OTHER"}, "Identical"),
]


@pytest.mark.parametrize(("changes", "operation"), EDITS)
def test_a_creator_edits_its_sheet(
    desk: Desk, gtin: str, changes: dict[str, Any], operation: str
) -> None:
    [report] = integrate(desk, product(gtin, **changes))
    assert (report["status"], report["operationType"]) == ("Integrated", operation)
    assert report["infos"] == []
    [sheet] = stored_products(desk.sandbox)
    assert sheet["label"] == changes.get("title", "Mug bleu")
    (seller,) = sheet["sellers"]
    assert seller["productReference"] == changes.get("sellerProductReference", f"R-{gtin}")


@pytest.mark.parametrize(
    ("category", "status", "codes"),
    [
        (WINE_GLASSES, "Integrated", set()),
        (SHIRTS, "Refused", {"MandatoryPropertyMissing"}),
        (MUGS[:4], "Refused", {"CategoryLevel"}),
    ],
)
def test_a_creator_moves_its_product(
    desk: Desk, gtin: str, category: str, status: str, codes: set[str]
) -> None:
    sent = {"gtin": gtin, "sellerProductReference": "R", "categoryCode": category}
    [report] = integrate(desk, sent)
    assert report["status"] == status
    assert {code for code, _ in findings_of(report)} == codes
    [sheet] = stored_products(desk.sandbox)
    assert sheet["category"]["reference"] == (category if status == "Integrated" else MUGS)


def test_properties_of_another_category_are_left_out(desk: Desk, gtin: str) -> None:
    desk.headers["SellerId"] = "S2"
    fit = use_of(SHIRTS, "Coupe").known.reference
    [report] = integrate(desk, product(gtin, SHIRTS, **{f"_{fit}": ["Droite"]}))
    assert report["status"] == "Integrated"
    assert ("ValueAlreadyKnown", "categoryCode") in findings_of(report)
    assert ("PropertyUnknown", fit) in findings_of(report)


def test_a_gtin_is_equal_in_all_its_forms(desk: Desk) -> None:
    gtin = new_gtin(desk, 1)
    sent = {**product(gtin), "gtin": int(gtin)}
    [first] = integrate(desk, sent)
    [again] = integrate(desk, {**sent, "gtin": "0" + gtin})
    assert (first["operationType"], again["operationType"]) == ("Creation", "Identical")


def known(field: str) -> list[tuple[str, str]]:
    return [("ValueAlreadyKnown", field)]


def test_a_contributor_adds_unknown_properties(desk: Desk, gtin: str) -> None:
    desk.headers["SellerId"] = "S2"
    more = {f"_{MATERIAL}": ["Verre"], "title": "Autre titre", "richMarketingDescription": "<p/>"}
    [report] = integrate(desk, product(gtin, **more))
    assert (report["status"], report["operationType"]) == ("Integrated", "Modification")
    assert findings_of(report) == known("title")
    assert (report["wasAllowedToEdit"], report["wasAllowedToEnrich"]) == (False, True)
    [again] = integrate(desk, product(gtin, **{f"_{MATERIAL}": ["Grès"]}))
    assert (again["operationType"], findings_of(again)) == ("Modification", [])
    desk.headers["SellerId"] = "S3"
    [third] = integrate(desk, product(gtin, **{f"_{MATERIAL}": ["Bois"]}))
    assert (third["operationType"], findings_of(third)) == ("Identical", known(MATERIAL))
    [sheet] = stored_products(desk.sandbox, "S2")
    assert sheet["label"] == "Mug bleu"
    values = {entry["reference"]: entry["values"] for entry in sheet["attributes"]}
    assert values[MATERIAL] == ["Grès"]
    creators = {seller["reference"]: seller["isCreator"] for seller in sheet["sellers"]}
    assert creators == {"S1": True, "S2": False, "S3": False}


def test_every_other_gtin_has_a_sheet_of_somebody_else(desk: Desk) -> None:
    [before] = desk.pages("/products", {"Gtin": desk.gtin(1)})
    assert set(before) == {"gtin", "reference", "label", "category", "language", "permissions"}
    assert before["permissions"] == {"edit": False, "enrich": True}
    [report] = integrate(desk, {"gtin": desk.gtin(1), "sellerProductReference": "R"})
    assert (report["status"], report["operationType"]) == ("Integrated", "Identical")
    assert report["productReference"] == before["reference"]
    sent = {"gtin": desk.gtin(1), "sellerProductReference": "R", "title": "Mug"}
    [report] = integrate(desk, sent | {"richMarketingDescription": "<p>Mug</p>"})
    assert (report["operationType"], findings_of(report)) == ("Modification", known("title"))
    assert list(desk.pages("/products", {"Gtin": desk.gtin(1)})) == [before]


def test_sheets_that_exist_are_sound(desk: Desk) -> None:
    gtins = [desk.gtin(number) for number in range(200)]
    reports = integrate(desk, *({"gtin": gtin, "sellerProductReference": gtin} for gtin in gtins))
    assert {report["status"] for report in reports} == {"Integrated"}
    assert {report["wasMarketable"] for report in reports} == {True, False}
    assert all(findings_of(report) == [] for report in reports)


def test_only_its_creator_can_change_a_closed_sheet(new_desk: type[Desk]) -> None:
    with new_desk() as desk:
        gtin = new_gtin(desk, 1)
    outcomes = {"S2": ("Identical", ["EnrichmentDenied"]), "S1": ("Modification", [])}
    with new_desk(ProductBehaviour(closed_products=(gtin,))) as desk:
        integrate(desk, product(gtin))
        for seller, (operation, codes) in outcomes.items():
            desk.headers["SellerId"] = seller
            [report] = integrate(desk, product(gtin, **{f"_{MATERIAL}": ["Verre"]}))
            assert report["operationType"] == operation
            assert [code for code, _ in findings_of(report)] == codes
            assert report["wasAllowedToEnrich"] is (seller == "S1")
            [read] = desk.pages("/products", {"Gtin": gtin})
            assert set(read["permissions"].values()) == {seller == "S1"}


def test_a_reference_is_one_products(desk: Desk) -> None:
    one, other = new_gtin(desk, 1), new_gtin(desk, 2)
    rows = [product(gtin, sellerProductReference="R") for gtin in (one, other)]
    first, second = integrate(desk, *rows)
    assert (findings_of(first), findings_of(second)) == (
        [],
        [("ReferenceUsed", "sellerProductReference")],
    )
    desk.headers["SellerId"] = "S2"
    [report] = integrate(desk, product(other, sellerProductReference="R"))
    assert findings_of(report) == []


def test_an_added_brand_is_published_once_it_is_validated(desk: Desk) -> None:
    def brands() -> set[str]:
        return {one["name"] for one in desk.pages("/brands", {"fields": "name", "pageSize": 1000})}

    rows = [product(new_gtin(desk, number), brand="Zèbre") for number in range(2)]
    assert [len(report["infos"]) for report in integrate(desk, *rows)] == [1, 0]
    assert "Zèbre" not in brands()
    desk.wait(24 * 3600)
    assert "Zèbre" in brands()


def test_a_quota_of_creations(new_desk: type[Desk]) -> None:
    with new_desk(ProductBehaviour(creations=Quota(requests=2, seconds=3600))) as desk:
        rows = [product(new_gtin(desk, number)) for number in range(3)]
        reports = integrate(desk, *rows)
        assert [findings_of(report) for report in reports] == [[], [], [("QuotaExceeded", None)]]
        assert [findings_of(report) for report in integrate(desk, rows[0])] == [[]]
        desk.wait(3600)
        assert [findings_of(report) for report in integrate(desk, rows[2])] == [[]]


PICTURE = "https://pictures.example/1.jpg"
SELLER = {"reference": "S1", "gtinReference": None, "isCreator": True}


def test_a_creator_reads_a_product_in_full(desk: Desk) -> None:
    gtin = new_gtin(desk, 1)
    integrate(desk, shirt(gtin, "M", "Bleu", "G"))
    [read] = desk.pages("/products", {"Gtin": gtin})
    at = "2026-03-02T09:00:02.000000Z"
    variant = {entry["reference"]: entry["values"] for entry in read.pop("variantAttributes")}
    assert variant == {SIZE: ["M"], COLOR: ["Bleu"]}
    assert read.pop("attributes")
    assert read.pop("completeness") > 0
    assert read == {
        "gtin": gtin,
        "reference": read["reference"],
        "label": "Mug bleu",
        "description": "Un mug.",
        "marketingDescription": None,
        "language": "fr-FR",
        "brand": {"name": "Maison Alder", "reference": "1001"},
        "category": {"label": "Chemises", "reference": SHIRTS, "referencePath": "1E/1E01/1E0101"},
        "status": "Active",
        "isMarketable": True,
        "isTop": False,
        "origin": "Seller",
        "groupReference": "G",
        "createdAt": at,
        "updatedAt": at,
        "expireAt": None,
        "pictures": [{"index": 1, "url": PICTURE, "mimeType": "image/jpeg", "updatedAt": at}],
        "sellers": [{**SELLER, "productReference": f"R-{gtin}"}],
        "permissions": {"edit": True, "enrich": True},
    }


def test_reading_products(desk: Desk) -> None:
    rows = [product(new_gtin(desk, number)) for number in range(3)]
    integrate(desk, *rows, {"gtin": desk.gtin(9), "sellerProductReference": "R"})

    def gtins(**query: Any) -> list[str]:
        return [one["gtin"] for one in desk.pages("/products", query)]

    assert gtins() == [*(row["gtin"] for row in rows), desk.gtin(9)]
    assert gtins(pageSize=1) == gtins()
    assert gtins(Gtin=f"{desk.gtin(5)},{new_gtin(desk, 1)}") == [desk.gtin(5), new_gtin(desk, 1)]
    assert gtins(Gtin=new_gtin(desk, 7)) == []
    assert gtins(Gtin="4006381333932") == []
    assert gtins(Gtin="0" + desk.gtin(5)) == [desk.gtin(5)]
    desk.headers["SellerId"] = "S2"
    assert gtins() == []


def test_an_offer_waits_for_its_product(desk: Desk) -> None:
    gtin = new_gtin(desk, 1)
    offer = desk.offer("A", product__gtin=gtin)
    integrate(desk, product(gtin, title=None))
    assert desk.outcome("Upsert", offer) == ("Rejected", ["1324"])
    integrate(desk, product(gtin))
    assert desk.outcome("Upsert", offer) == ("Integrated", ["8000"])
    desk.headers["SellerId"] = "S2"
    assert desk.outcome("Upsert", offer) == ("Integrated", ["8000"])


def test_a_state_file_without_products_still_opens(tmp_path: Path, new_desk: type[Desk]) -> None:
    path = tmp_path / "state.db"
    with new_desk(state=path) as desk:
        desk.outcome("Upsert", desk.offer("A"))
    db = sqlite3.connect(path)
    for table in ("added_brand", "sheet", "sheet_seller", "product_package", "product_report"):
        db.execute(f"DROP TABLE {table}")
    db.close()
    with new_desk(state=path) as desk:
        desk.wait(1000)
        assert len(desk.offers()) == 1
        [report] = integrate(desk, product(new_gtin(desk, 1)))
        assert report["status"] == "Integrated"
