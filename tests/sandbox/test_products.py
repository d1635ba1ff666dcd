"""Products: taken in, validated, integrated, reported and read."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from feedtool.sandbox import Quota, Settings
from feedtool.sandbox.catalogue import catalogue
from feedtool.sandbox.product_messages import MEANINGS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from feedtool.sandbox.catalogue import Property, Use
    from tests.sandbox.conftest import Desk

MUGS = "010201"
SHIRTS = "1E0101"
VALIDATED = 40
INTEGRATED = 100
REPORTS = "/products-integration-reports"


def use_of(category: str, label: str) -> Use:
    """A property of a category by its French label."""
    [use] = [use for use in catalogue().categories[category].uses if use.known.label[0] == label]
    return use


SIZE = use_of(SHIRTS, "Taille").known.reference
COLOR = use_of(SHIRTS, "Couleur de la variante").known.reference
PIECES = use_of(MUGS, "Nombre de pièces").known.reference
WASHABLE = use_of(MUGS, "Compatible lave-vaisselle").known.reference
MATERIAL = use_of(MUGS, "Matière").known.reference
KEY_FEATURES = use_of(MUGS, "Points forts").known.reference


def new_gtin(desk: Desk, number: int) -> str:
    """A GTIN-13 of the range that has no sheets."""
    return desk.gtin(number - 200_000_000_000)


def attribute(known: Property) -> dict[str, Any]:
    """A good value."""
    if known.file_types:
        file = {"index": 1, "url": f"https://files.example/1.{known.file_types[0]}"}
        return {"propertyReference": known.reference, "files": [file]}
    value = known.choices[0][0] if known.choices else "12.5" if known.is_numeric else "Texte"
    return {"propertyReference": known.reference, "values": [value]}


def product(gtin: str, category: str = MUGS, /, **changes: Any) -> dict[str, Any]:
    """A good product; an attribute changes by `_<propertyReference>`, None takes away."""
    attributes = {
        use.known.reference: attribute(use.known)
        for use in catalogue().categories[category].uses
        if use.is_mandatory
    }
    for name in [name for name in changes if name.startswith("_")]:
        values = changes.pop(name)
        entry = values if isinstance(values, dict) else {"values": values}
        attributes[name[1:]] = {"propertyReference": name[1:], **entry}
        if values is None:
            del attributes[name[1:]]
    good = {
        "gtin": gtin,
        "sellerProductReference": f"R-{gtin}",
        "title": "Mug bleu",
        "description": "Un mug.",
        "sellerPictureUrls": [{"index": 1, "url": "https://pictures.example/1.jpg"}],
        "brand": "Maison Alder",
        "categoryCode": category,
        "language": "fr-FR",
        "attributes": list(attributes.values()),
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not None}


def submit(desk: Desk, *products: Any) -> str:
    answer = desk.ask("POST", "/products-integration", {"products": list(products)})
    assert answer.status == 200, answer.body
    assert set(answer.json) == {"packageId"}
    return str(answer.json["packageId"])


def integrate(desk: Desk, *products: Any) -> list[Any]:
    """The reports of these products once all is done."""
    package_id = submit(desk, *products)
    desk.wait(INTEGRATED)
    return list(desk.pages(REPORTS, {"packageId": package_id, "pageSize": 1000}))


def told(report: Any) -> list[tuple[str, str | None]]:
    return [
        (finding["code"], finding["field"])
        for kind in ("errors", "infos", "warnings")
        for finding in report[kind]
    ]


def test_every_active_category_takes_products(desk: Desk) -> None:
    categories = [one for one in catalogue().categories.values() if one.takes_products]

    def changes(uses: Iterator[Use]) -> dict[str, Any]:
        variation = [use for use in uses if use.known.is_variation and not use.is_mandatory]
        return {f"_{use.known.reference}": [use.known.choices[0][0]] for use in variation}

    rows = []
    for number, one in enumerate(categories):
        is_always_variant = any(use.is_mandatory and use.known.is_variation for use in one.uses)
        more = changes(iter(one.uses)) if is_always_variant else {}
        group = f"G-{number}" if is_always_variant else None
        gtin = new_gtin(desk, number)
        rows.append(product(gtin, one.reference, variantGroupReference=group, **more))
    reports = integrate(desk, *rows)
    assert [report["gtin"] for report in reports] == [row["gtin"] for row in rows]
    assert {report["status"] for report in reports} == {"Integrated"}
    assert {report["operationType"] for report in reports} == {"Creation"}
    assert all(told(report) == [] for report in reports)


GOOD = product("2000000000008")


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({"products": [{"title": "A"}, GOOD]}, [("ER400-7480", "products[0].gtin")]),
        ({"products": [GOOD, {"gtin": None}]}, [("ER400-9250", "products[1].gtin")]),
        ({"products": [{"gtin": ""}, {}]}, None),
        ({"products": []}, [("ER400", "products")]),
        ({"products": [1]}, [("ER400", "products[0]")]),
        ({"products": {}}, [("ER400", "products")]),
        ({"products": [{**GOOD, "title": 1}]}, [("ER400", "products[0].title")]),
        ({"products": [{**GOOD, "attributes": {}}]}, [("ER400", "products[0].attributes")]),
        (
            {"products": [{**GOOD, "attributes": [{"propertyReference": 1}]}]},
            [("ER400", "products[0].attributes[0].propertyReference")],
        ),
        (
            {"products": [{**GOOD, "attributes": [{"propertyReference": "1", "values": [1]}]}]},
            [("ER400", "products[0].attributes[0].values[0]")],
        ),
        ({"product": [GOOD]}, [("ER400", "body")]),
        ([GOOD], [("ER400", "body")]),
        (b"{", [("ER400", "body")]),
        ({"products": [GOOD] * 4}, [("ER400", "products")]),
    ],
)
def test_what_is_no_package(
    new_desk: type[Desk], body: Any, errors: list[tuple[str, str]] | None
) -> None:
    with new_desk(Settings(products_limit=3)) as desk:
        answer = desk.ask("POST", "/products-integration", body)
        assert answer.status == 400
        assert errors is None or answer.reasons == errors
        desk.wait(INTEGRATED)
        assert desk.ask("GET", REPORTS).json["items"] == []


@pytest.mark.parametrize("path", ["/products", REPORTS])
def test_a_seller_is_needed(desk: Desk, path: str) -> None:
    assert desk.ask("GET", path, headers={"SellerId": None}).status == 400
    assert desk.ask("GET", path, headers={"Authorization": None}).status == 401


# Seconds since POST: a good product and one that is refused for itself alone.
@pytest.mark.parametrize(
    ("waited", "statuses"),
    [
        (0, []),
        (39.9, []),
        (40, ["Validated", "Refused"]),
        (99.9, ["Validated", "Refused"]),
        (100, ["Integrated", "Refused"]),
        (1_000_000, ["Integrated", "Refused"]),
    ],
)
def test_a_package_goes_on_by_itself(desk: Desk, waited: float, statuses: list[str]) -> None:
    rows = (product(new_gtin(desk, 1)), product(new_gtin(desk, 2), categoryCode="XXXXXX"))
    package_id = submit(desk, *rows)
    desk.wait(waited)
    reports = desk.ask("GET", REPORTS, query={"packageId": package_id}).json["items"]
    assert [report["status"] for report in reports] == statuses


def test_a_report_in_full(desk: Desk) -> None:
    gtin = new_gtin(desk, 1)
    sent = product(gtin, brand="Nouvelle  marque", gtinReference="Standard")
    [report] = integrate(desk, sent)
    assert report.pop("publicationCompleteness") > 20
    reference = report.pop("productReference")
    assert report == {
        "packageId": report["packageId"],
        "gtin": gtin,
        "gtinReference": "Standard",
        "sellerProductReference": f"R-{gtin}",
        "integratedProductId": reference,
        "title": "Mug bleu",
        "description": "Un mug.",
        "richMarketingDescription": None,
        "brand": "Nouvelle  marque",
        "categoryCode": MUGS,
        "language": "fr-FR",
        "variantGroupReference": None,
        "attributes": [{"files": [], **given} for given in sent["attributes"]],
        "sellerPictureUrls": sent["sellerPictureUrls"],
        "integrationPictureUrls": sent["sellerPictureUrls"],
        "status": "Integrated",
        "operationType": "Creation",
        "submissionType": "Api",
        "submissionDate": "2026-03-02T09:00:00.000000Z",
        "createdAt": "2026-03-02T09:00:00.000000Z",
        "updatedAt": "2026-03-02T09:01:40.000000Z",
        "errors": [],
        "infos": [
            {
                "code": "BrandAdded",
                "field": "brand",
                "message": "The brand Nouvelle marque was unknown and has been added.",
                "type": "Info",
            }
        ],
        "warnings": [],
        "wasAllowedToEdit": True,
        "wasAllowedToEnrich": True,
        "wasMarketable": True,
        "sellerId": "S1",
    }


FAULTS: list[tuple[dict[str, Any], list[tuple[str, str | None]]]] = [
    # the product itself
    ({"gtin": "2000000000009"}, [("GtinInvalid", "gtin")]),
    ({"gtin": "8.8E+12"}, [("GtinInvalid", "gtin")]),
    ({"sellerProductReference": None}, [("FieldMissing", "sellerProductReference")]),
    ({"sellerProductReference": "A|1"}, [("ReferenceInvalid", "sellerProductReference")]),
    ({"sellerProductReference": "A" * 51}, [("ReferenceInvalid", "sellerProductReference")]),
    ({"title": None}, [("FieldMissing", "title")]),
    ({"title": "  "}, [("FieldMissing", "title")]),
    ({"title": "Un <b>mug</b>"}, [("HtmlNotAllowed", "title")]),
    ({"title": "a < b > c"}, []),
    ({"title": "A" * 133}, [("TextLong", "title")]),
    ({"description": None}, [("FieldMissing", "description")]),
    ({"richMarketingDescription": "<p>Mug</p>"}, []),
    ({"language": None}, []),
    ({"language": "fr"}, [("LanguageUnknown", "language")]),
    ({"sellerPictureUrls": None}, [("FieldMissing", "sellerPictureUrls")]),
    ({"sellerPictureUrls": []}, [("FieldMissing", "sellerPictureUrls")]),
    # the category
    ({"categoryCode": None}, [("FieldMissing", "categoryCode")]),
    ({"categoryCode": "XXXXXX"}, [("CategoryUnknown", "categoryCode")]),
    ({"categoryCode": MUGS + "01"}, [("CategoryUnknown", "categoryCode")]),
    ({"categoryCode": "011b01"}, [("CategoryUnknown", "categoryCode")]),
    ({"categoryCode": MUGS[:4]}, [("CategoryLevel", "categoryCode")]),
    ({"categoryCode": "ZZ1B01"}, [("CategoryInactive", "categoryCode")]),
    # properties
    ({f"_{PIECES}": None}, [("MandatoryPropertyMissing", PIECES)]),
    ({f"_{PIECES}": [" "]}, [("MandatoryPropertyMissing", PIECES)]),
    ({f"_{PIECES}": ["6"]}, []),
    ({f"_{PIECES}": ["-6.5"]}, []),
    ({f"_{PIECES}": ["6,5"]}, [("NumberInvalid", PIECES)]),
    ({f"_{PIECES}": ["six"]}, [("NumberInvalid", PIECES)]),
    ({f"_{PIECES}": ["6", "7"]}, [("OneValueOnly", PIECES)]),
    ({f"_{WASHABLE}": ["Oui"]}, []),
    ({f"_{WASHABLE}": ["oui"]}, [("ChoiceUnknown", WASHABLE)]),
    ({f"_{WASHABLE}": ["Yes"]}, [("ChoiceUnknown", WASHABLE)]),
    ({f"_{MATERIAL}": ["Grès", "Verre"]}, []),
    ({f"_{MATERIAL}": ["Grès", "Glass"]}, [("ChoiceUnknown", MATERIAL)]),
    ({f"_{KEY_FEATURES}": ["Solide", "Léger"]}, []),
    ({"_9999": ["x"]}, [("PropertyUnknown", "9999")]),
    ({"_CDAV": ["x"]}, [("PropertyRetired", "CDAV")]),
    ({"_cdav": ["x"]}, [("PropertyRetired", "cdav")]),
    (
        {f"_{PIECES}": {"files": [{"index": 1, "url": "https://x.example/1.pdf"}]}},
        [("FileNotAllowed", PIECES)],
    ),
    # variants
    ({"variantGroupReference": "G"}, [("VariantNotAllowed", "variantGroupReference")]),
]


@pytest.mark.parametrize(("changes", "expected"), FAULTS)
def test_faults_are_told_by_the_report(
    desk: Desk, changes: dict[str, Any], expected: list[tuple[str, str | None]]
) -> None:
    [report] = integrate(desk, product(new_gtin(desk, 1), **changes))
    assert told(report) == expected
    assert report["status"] == ("Refused" if report["errors"] else "Integrated")
    assert (report["integratedProductId"] is None) == bool(report["errors"])


@pytest.mark.parametrize(
    ("pictures", "expected"),
    [
        ([(1, "https://x.example/1.JPEG?w=1"), (3, "https://x.example/2.webp")], []),
        ([(0, "https://x.example/1.jpg")], ["PictureIndex"]),
        ([(1, "https://x.example/1.jpg"), (1, "https://x.example/2.jpg")], ["PictureIndex"]),
        ([(1, "http://x.example/1.jpg")], ["PictureInvalid"]),
        ([(1, "https://x.example/1.tiff")], ["PictureInvalid"]),
        ([(1, "https://[/1.jpg")], ["PictureInvalid"]),
        ([(1, "")], ["PictureInvalid"]),
        ([(index, "https://x.example/1.jpg") for index in range(1, 8)], ["PictureIgnored"]),
    ],
)
def test_pictures(desk: Desk, pictures: list[tuple[int, str]], expected: list[str]) -> None:
    given = [{"index": index, "url": url} for index, url in pictures]
    [report] = integrate(desk, product(new_gtin(desk, 1), sellerPictureUrls=given))
    assert [code for code, _ in told(report)] == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"files": [{"index": 1, "url": "https://x.example/1.pdf"}]}, []),
        ({"files": [{"url": "https://x.example/1.PNG"}]}, []),
        ({"files": [{"index": 1, "url": "https://x.example/1.docx"}]}, ["FileExpected"]),
        ({"values": ["https://x.example/1.pdf"]}, ["FileExpected"]),
    ],
)
def test_files(desk: Desk, given: dict[str, Any], expected: list[str]) -> None:
    guide = use_of(SHIRTS, "Guide des tailles").known.reference
    [report] = integrate(desk, product(new_gtin(desk, 1), SHIRTS, **{f"_{guide}": given}))
    assert [code for code, _ in told(report)] == expected


def shirt(gtin: str, size: str | None, color: str | None, group: str | None) -> dict[str, Any]:
    return product(
        gtin,
        SHIRTS,
        variantGroupReference=group,
        **{f"_{SIZE}": size and [size], f"_{COLOR}": color and [color]},
    )


@pytest.mark.parametrize(
    ("size", "color", "group", "expected"),
    [
        (None, None, None, []),
        ("M", "Bleu", "G", []),
        ("M", "Bleu", None, [("VariantIncomplete", "variantGroupReference")]),
        ("M", None, "G", [("VariantIncomplete", COLOR)]),
        (None, "Bleu", "G", [("VariantIncomplete", SIZE)]),
        (None, None, "G", [("VariantIncomplete", SIZE), ("VariantIncomplete", COLOR)]),
        # a group that has a blue one in S, and one of trousers
        ("S", "Bleu", "USED", [("VariantDouble", "variantGroupReference")]),
        ("M", "Bleu", "USED", []),
        ("M", "Bleu", "OTHER", [("VariantGroupCategory", "variantGroupReference")]),
    ],
)
def test_variants(
    desk: Desk,
    size: str | None,
    color: str | None,
    group: str | None,
    expected: list[tuple[str, str]],
) -> None:
    trousers = shirt(new_gtin(desk, 8), "S", "Bleu", "OTHER")
    first = integrate(
        desk, shirt(new_gtin(desk, 7), "S", "Bleu", "USED"), {**trousers, "categoryCode": "1E0103"}
    )
    assert [report["status"] for report in first] == ["Integrated", "Integrated"]
    [report] = integrate(desk, shirt(new_gtin(desk, 1), size, color, group))
    assert sorted(told(report)) == sorted(expected)


def test_choices_are_those_of_the_products_language(desk: Desk) -> None:
    gtin = new_gtin(desk, 1)
    english = {"language": "en-US", f"_{WASHABLE}": ["Yes"], f"_{MATERIAL}": ["Stoneware"]}
    [report] = integrate(desk, product(gtin, **english))
    assert told(report) == []
    [again] = integrate(desk, product(gtin, language="fr-FR", **{f"_{MATERIAL}": ["Grès"]}))
    assert again["operationType"] == "Modification"
    [read] = desk.pages("/products", {"Gtin": gtin})
    shown = {entry["reference"]: entry["values"] for entry in read["attributes"]}
    assert (read["language"], shown[MATERIAL]) == ("fr-FR", ["Grès"])


@pytest.mark.parametrize(
    ("changes", "operation", "infos"),
    [
        ({}, "Identical", []),
        ({"title": "Mug vert"}, "Modification", []),
        ({f"_{MATERIAL}": ["Verre"]}, "Modification", []),
        ({"brand": "maison  ALDER"}, "Identical", []),
        ({"sellerProductReference": "OTHER"}, "Identical", []),
    ],
)
def test_a_creator_edits_its_sheet(
    desk: Desk, changes: dict[str, Any], operation: str, infos: list[Any]
) -> None:
    gtin = new_gtin(desk, 1)
    integrate(desk, product(gtin))
    [report] = integrate(desk, product(gtin, **changes))
    assert (report["status"], report["operationType"]) == ("Integrated", operation)
    assert report["infos"] == infos
    [sheet] = desk.sandbox.products()
    assert sheet["label"] == changes.get("title", "Mug bleu")
    assert [seller["productReference"] for seller in sheet["sellers"]] == [
        changes.get("sellerProductReference", f"R-{gtin}")
    ]


def test_a_contributor_adds_what_is_not_known(desk: Desk) -> None:
    gtin = new_gtin(desk, 1)
    integrate(desk, product(gtin))
    desk.headers["SellerId"] = "S2"
    more = {f"_{MATERIAL}": ["Verre"], "title": "Autre titre", "richMarketingDescription": "<p/>"}
    [report] = integrate(desk, product(gtin, **more))
    assert (report["status"], report["operationType"]) == ("Integrated", "Modification")
    assert told(report) == [("ValueAlreadyKnown", "title")]
    assert (report["wasAllowedToEdit"], report["wasAllowedToEnrich"]) == (False, True)
    [again] = integrate(desk, product(gtin, **{f"_{MATERIAL}": ["Grès"]}))
    assert (again["operationType"], told(again)) == ("Modification", [])
    desk.headers["SellerId"] = "S3"
    [third] = integrate(desk, product(gtin, **{f"_{MATERIAL}": ["Bois"]}))
    assert (third["operationType"], told(third)) == (
        "Identical",
        [("ValueAlreadyKnown", MATERIAL)],
    )
    [sheet] = desk.sandbox.products("S2")
    assert sheet["label"] == "Mug bleu"
    values = {entry["reference"]: entry["values"] for entry in sheet["attributes"]}
    assert values[MATERIAL] == ["Grès"]
    assert [(one["reference"], one["isCreator"]) for one in sheet["sellers"]] == [
        ("S1", True),
        ("S2", False),
        ("S3", False),
    ]


def test_every_other_gtin_has_a_sheet_of_somebody_else(desk: Desk) -> None:
    [before] = desk.pages("/products", {"Gtin": desk.gtin(1)})
    assert set(before) == {"gtin", "reference", "label", "category", "language", "permissions"}
    assert before["permissions"] == {"edit": False, "enrich": True}
    [report] = integrate(desk, {"gtin": desk.gtin(1), "sellerProductReference": "R"})
    assert (report["status"], report["operationType"]) == ("Integrated", "Identical")
    assert report["productReference"] == before["reference"]
    sent = {"gtin": desk.gtin(1), "sellerProductReference": "R", "title": "Mug"}
    [report] = integrate(desk, sent | {"richMarketingDescription": "<p>Mug</p>"})
    assert (report["operationType"], told(report)) == (
        "Modification",
        [("ValueAlreadyKnown", "title")],
    )
    assert list(desk.pages("/products", {"Gtin": desk.gtin(1)})) == [before]


def test_sheets_that_exist_are_sound(desk: Desk) -> None:
    rows = [
        {"gtin": desk.gtin(number), "sellerProductReference": f"R-{number}"}
        for number in range(200)
    ]
    reports = integrate(desk, *rows)
    assert {report["status"] for report in reports} == {"Integrated"}
    assert {report["wasMarketable"] for report in reports} == {True, False}
    assert all(told(report) == [] for report in reports)


@pytest.mark.parametrize(
    ("seller", "operation", "codes", "permissions"),
    [
        ("S1", "Modification", [], {"edit": True, "enrich": True}),
        ("S2", "Identical", ["EnrichmentDenied"], {"edit": False, "enrich": False}),
    ],
)
def test_a_closed_sheet_is_its_creators_alone(
    new_desk: type[Desk],
    seller: str,
    operation: str,
    codes: list[str],
    permissions: dict[str, bool],
) -> None:
    gtin = new_gtin(new_desk(), 1)
    with new_desk(Settings(closed_products=(gtin,))) as desk:
        integrate(desk, product(gtin))
        desk.headers["SellerId"] = seller
        [report] = integrate(desk, product(gtin, **{f"_{MATERIAL}": ["Verre"]}))
        assert report["operationType"] == operation
        assert [code for code, _ in told(report)] == codes
        assert report["wasAllowedToEnrich"] == permissions["enrich"]
        [read] = desk.pages("/products", {"Gtin": gtin})
        assert read["permissions"] == permissions


def test_a_reference_is_one_products(desk: Desk) -> None:
    one, other = new_gtin(desk, 1), new_gtin(desk, 2)
    reports = integrate(
        desk,
        product(one, sellerProductReference="R"),
        product(other, sellerProductReference="R"),
    )
    assert [told(report) for report in reports] == [
        [],
        [("ReferenceUsed", "sellerProductReference")],
    ]
    desk.headers["SellerId"] = "S2"
    [report] = integrate(desk, product(other, sellerProductReference="R"))
    assert told(report) == []


def test_an_added_brand_is_published_once_it_is_validated(desk: Desk) -> None:
    def brands() -> set[str]:
        return {one["name"] for one in desk.pages("/brands", {"fields": "name", "pageSize": 1000})}

    rows = [product(new_gtin(desk, number), brand="Zèbre") for number in range(2)]
    assert [len(report["infos"]) for report in integrate(desk, *rows)] == [1, 0]
    assert "Zèbre" not in brands()
    desk.wait(24 * 3600)
    assert "Zèbre" in brands()


def test_a_quota_of_creations(new_desk: type[Desk]) -> None:
    with new_desk(Settings(creations=Quota(requests=2, seconds=3600))) as desk:
        rows = [product(new_gtin(desk, number)) for number in range(3)]
        reports = integrate(desk, *rows)
        assert [told(report) for report in reports] == [[], [], [("QuotaExceeded", None)]]
        assert [told(report) for report in integrate(desk, rows[0])] == [[]]
        desk.wait(3600)
        assert [told(report) for report in integrate(desk, rows[2])] == [[]]


@pytest.mark.parametrize(
    ("language", "message"),
    [
        (None, "XX is not one of the choices of this property."),
        ("fr-FR", "XX ne fait pas partie des choix de cette propriété."),
        ("es-ES", "XX no es una de las opciones de esta propiedad."),
    ],
)
def test_reports_speak_the_readers_language(desk: Desk, language: str | None, message: str) -> None:
    integrate(desk, product(new_gtin(desk, 1), **{f"_{WASHABLE}": ["XX"]}))
    answer = desk.ask("GET", REPORTS, headers={"Accept-Language": language})
    [report] = answer.json["items"]
    assert report["errors"][0]["message"] == message
    assert answer.headers["Content-Language"] == language or language is None


def test_messages_are_in_every_language() -> None:
    for meaning in MEANINGS.values():
        assert meaning.type in {"Error", "Info", "Warning"}
        assert len({text.count("{}") for text in meaning.texts}) == 1
        assert len(set(meaning.texts)) == 3


def test_reports_in_pages(desk: Desk) -> None:
    one = submit(desk, *(product(new_gtin(desk, number)) for number in range(30)))
    two = submit(desk, product(new_gtin(desk, 40)))
    desk.wait(INTEGRATED)
    first = desk.ask("GET", REPORTS)
    assert (first.json["itemsPerPage"], len(first.json["items"])) == (25, 25)
    assert len(list(desk.pages(REPORTS))) == 31
    assert len(list(desk.pages(REPORTS, {"packageId": one, "pageSize": 7}))) == 30
    assert len(list(desk.pages(REPORTS, {"packageId": f"{one},{two}"}))) == 31
    assert len(list(desk.pages(REPORTS, {"gtin": new_gtin(desk, 3)}))) == 1
    assert list(desk.pages(REPORTS, {"packageId": "unknown"})) == []
    assert desk.ask("GET", REPORTS, query="pageIndex=0").status == 400
    desk.headers["SellerId"] = "S2"
    assert list(desk.pages(REPORTS)) == []


def test_a_creator_reads_a_product_in_full(desk: Desk) -> None:
    gtin = new_gtin(desk, 1)
    integrate(desk, shirt(gtin, "M", "Bleu", "G"))
    [read] = desk.pages("/products", {"Gtin": gtin})
    at = "2026-03-02T09:01:40.000000Z"
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
        "pictures": [
            {
                "index": 1,
                "url": "https://pictures.example/1.jpg",
                "mimeType": "image/jpeg",
                "updatedAt": at,
            }
        ],
        "sellers": [
            {
                "reference": "S1",
                "productReference": f"R-{gtin}",
                "gtinReference": None,
                "isCreator": True,
            }
        ],
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
    assert desk.outcome("Upsert", offer) == ("Rejected", ["1324"])
    integrate(desk, product(gtin, title=None))
    assert desk.outcome("Upsert", offer) == ("Rejected", ["1324"])
    integrate(desk, product(gtin))
    assert desk.outcome("Upsert", offer) == ("Integrated", ["8000"])
    desk.headers["SellerId"] = "S2"
    assert desk.outcome("Upsert", offer) == ("Integrated", ["8000"])


def test_what_was_submitted_is_remembered(desk: Desk) -> None:
    sent = [product(new_gtin(desk, 1)), product(new_gtin(desk, 2), title=None)]
    package_id = submit(desk, *sent)
    assert [entry.status for entry in desk.sandbox.reported()] == ["Received", "Received"]
    desk.wait(INTEGRATED)
    desk.ask("GET", REPORTS)
    found = list(desk.sandbox.reported(package_id))
    assert [entry.body for entry in found] == sent
    assert [(entry.status, entry.operation, entry.codes) for entry in found] == [
        ("Integrated", "Creation", ()),
        ("Refused", "Creation", ("FieldMissing",)),
    ]


NEW_TABLES = ("added_brand", "sheet", "sheet_seller", "product_package", "product_report")


def test_a_state_from_before_there_were_products_still_opens(
    tmp_path: Path, new_desk: type[Desk]
) -> None:
    path = tmp_path / "state.db"
    with new_desk(state=path) as desk:
        desk.outcome("Upsert", desk.offer("A"))
    db = sqlite3.connect(path)
    for table in NEW_TABLES:
        db.execute(f"DROP TABLE {table}")
    db.close()
    with new_desk(state=path) as desk:
        desk.wait(1000)
        assert len(desk.offers()) == 1
        [report] = integrate(desk, product(new_gtin(desk, 1)))
        assert report["status"] == "Integrated"


def test_the_same_story_gets_the_same_answers(new_desk: type[Desk]) -> None:
    def story() -> bytes:
        with new_desk() as desk:
            integrate(desk, *(product(new_gtin(desk, number), brand="B") for number in range(9)))
            return desk.ask("GET", REPORTS).body + desk.ask("GET", "/products").body

    assert story() == story()
