"""What the service finds wrong with a product."""

from collections.abc import Iterator
from typing import Any

import pytest

from feedtool.areas.products.sandbox import messages
from feedtool.areas.products.sandbox.catalogue import Use, catalogue
from feedtool.sandbox.texts import texts
from tests.areas.products.sandbox.made_products import (
    COLOR,
    KEY_FEATURES,
    MATERIAL,
    MUGS,
    PIECES,
    SHIRTS,
    SIZE,
    WASHABLE,
    WINE_GLASSES,
    integrate,
    new_gtin,
    product,
    shirt,
    told,
    use_of,
)
from tests.sandbox.desk import Desk


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
    ({"brand": None}, [("FieldMissing", "brand")]),
    ({"brand": None, "categoryCode": WINE_GLASSES}, []),
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


def test_what_is_no_error_has_its_message() -> None:
    assert texts(messages.__name__, "en-US").keys() > messages.TYPES.keys()
