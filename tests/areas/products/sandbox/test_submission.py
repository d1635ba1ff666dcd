"""Faults that the service finds in a product."""

from typing import Any

import pytest

from feedtool.areas.products.sandbox import messages
from feedtool.areas.products.sandbox.catalogue import catalogue
from feedtool.sandbox.arguments import texts
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
    findings_of,
    integrate,
    new_gtin,
    product,
    shirt,
    use_of,
)
from tests.sandbox.desk import Desk


def test_every_active_category_takes_products(desk: Desk) -> None:
    categories = [item for item in catalogue().categories.values() if item.takes_products]
    rows = []
    for number, category in enumerate(categories):
        variations = [use for use in category.uses if use.known.is_variation]
        more: dict[str, Any] = {}
        if any(use.is_mandatory for use in variations):
            more = {f"_{use.known.reference}": [use.known.choices[0][0]] for use in variations}
            more["variantGroupReference"] = f"G-{number}"
        rows.append(product(new_gtin(desk, number), category.reference, **more))
    reports = integrate(desk, *rows)
    assert [report["gtin"] for report in reports] == [row["gtin"] for row in rows]
    assert {report["status"] for report in reports} == {"Integrated"}
    assert {report["operationType"] for report in reports} == {"Creation"}
    assert all(findings_of(report) == [] for report in reports)


# The code, the field or property, and what is given there.
FAULTS: list[tuple[str, str, Any]] = [
    # the product itself
    *(("GtinInvalid", "gtin", gtin) for gtin in ("2000000000009", "8.8E+12")),
    ("FieldMissing", "sellerProductReference", None),
    *(("ReferenceInvalid", "sellerProductReference", text) for text in ("A|1", "A" * 51)),
    *(("FieldMissing", "title", text) for text in (None, "  ")),
    ("HtmlNotAllowed", "title", "Un <b>mug</b>"),
    ("", "title", "a < b > c"),
    ("TextLong", "title", "A" * 133),
    ("FieldMissing", "description", None),
    ("", "richMarketingDescription", "<p>Mug</p>"),
    ("", "language", None),
    ("LanguageUnknown", "language", "fr"),
    ("FieldMissing", "brand", None),
    ("FieldMissing", "sellerPictureUrls", None),
    ("FieldMissing", "sellerPictureUrls", []),
    # the category
    ("FieldMissing", "categoryCode", None),
    *(("CategoryUnknown", "categoryCode", code) for code in ("XXXXXX", MUGS + "01", "011b01")),
    ("CategoryLevel", "categoryCode", MUGS[:4]),
    ("CategoryInactive", "categoryCode", "ZZ1B01"),
    # properties
    *(("MandatoryPropertyMissing", f"_{PIECES}", values) for values in (None, [" "])),
    *(("", f"_{PIECES}", [number]) for number in ("6", "-6.5")),
    *(("NumberInvalid", f"_{PIECES}", [number]) for number in ("6,5", "six")),
    ("OneValueOnly", f"_{PIECES}", ["6", "7"]),
    ("", f"_{WASHABLE}", ["Oui"]),
    *(("ChoiceUnknown", f"_{WASHABLE}", [choice]) for choice in ("oui", "Yes")),
    ("", f"_{MATERIAL}", ["Grès", "Verre"]),
    ("ChoiceUnknown", f"_{MATERIAL}", ["Grès", "Glass"]),
    ("", f"_{KEY_FEATURES}", ["Solide", "Léger"]),
    ("PropertyUnknown", "_9999", ["x"]),
    *(("PropertyRetired", key, ["x"]) for key in ("_CDAV", "_cdav")),
    ("FileNotAllowed", f"_{PIECES}", {"files": [{"index": 1, "url": "https://x.example/1.pdf"}]}),
    # variants
    ("VariantNotAllowed", "variantGroupReference", "G"),
]


@pytest.mark.parametrize(("code", "field", "value"), FAULTS)
def test_the_report_lists_faults(desk: Desk, code: str, field: str, value: Any) -> None:
    changes = {field: value}
    [report] = integrate(desk, product(new_gtin(desk, 1), **changes))
    assert findings_of(report) == ([(code, field.removeprefix("_"))] if code else [])
    assert report["status"] == ("Refused" if report["errors"] else "Integrated")
    assert (report["integratedProductId"] is None) == bool(report["errors"])


X = "https://x.example"
PICTURES: list[tuple[list[tuple[int, str]], str]] = [
    ([(1, f"{X}/1.JPEG?w=1"), (3, f"{X}/2.webp")], ""),
    *((pictures, "PictureIndex") for pictures in ([(0, f"{X}/1.jpg")], [(1, f"{X}/1.jpg")] * 2)),
    *(
        ([(1, url)], "PictureInvalid")
        for url in ("http://x.example/1.jpg", f"{X}/1.tiff", "https://[/1.jpg", "")
    ),
    ([(index, f"{X}/1.jpg") for index in range(1, 8)], "PictureIgnored"),
]
GUIDE = f"_{use_of(SHIRTS, 'Guide des tailles').known.reference}"
FILES: list[tuple[dict[str, Any], str]] = [
    ({"files": [{"index": 1, "url": f"{X}/1.pdf"}]}, ""),
    ({"files": [{"url": f"{X}/1.PNG"}]}, ""),
    ({"files": [{"index": 1, "url": f"{X}/1.docx"}]}, "FileExpected"),
    ({"values": [f"{X}/1.pdf"]}, "FileExpected"),
]
ADDRESSES: list[tuple[str, dict[str, Any], str]] = [
    *(
        (MUGS, {"sellerPictureUrls": [{"index": index, "url": url} for index, url in given]}, code)
        for given, code in PICTURES
    ),
    *((SHIRTS, {GUIDE: given}, code) for given, code in FILES),
    (WINE_GLASSES, {"brand": None}, ""),
]


@pytest.mark.parametrize(("category", "changes", "code"), ADDRESSES)
def test_addresses(desk: Desk, category: str, changes: dict[str, Any], code: str) -> None:
    [report] = integrate(desk, product(new_gtin(desk, 1), category, **changes))
    assert [found for found, _ in findings_of(report)] == code.split()


GROUP = "variantGroupReference"


@pytest.mark.parametrize(
    ("variant", "code", "fields"),
    [
        ((None, None, None), "", []),
        (("M", "Bleu", "G"), "", []),
        (("M", "Bleu", None), "VariantIncomplete", [GROUP]),
        (("M", None, "G"), "VariantIncomplete", [COLOR]),
        ((None, "Bleu", "G"), "VariantIncomplete", [SIZE]),
        ((None, None, "G"), "VariantIncomplete", [SIZE, COLOR]),
        # a group that has a blue one in S, and one of trousers
        (("S", "Bleu", "USED"), "VariantDouble", [GROUP]),
        (("M", "Bleu", "USED"), "", []),
        (("M", "Bleu", "OTHER"), "VariantGroupCategory", [GROUP]),
    ],
)
def test_variants(
    desk: Desk, variant: tuple[str | None, str | None, str | None], code: str, fields: list[str]
) -> None:
    trousers = shirt(new_gtin(desk, 8), "S", "Bleu", "OTHER")
    first = integrate(
        desk, shirt(new_gtin(desk, 7), "S", "Bleu", "USED"), {**trousers, "categoryCode": "1E0103"}
    )
    assert [report["status"] for report in first] == ["Integrated", "Integrated"]
    [report] = integrate(desk, shirt(new_gtin(desk, 1), *variant))
    assert sorted(findings_of(report)) == sorted((code, field) for field in fields)


def test_choices_are_those_of_the_products_language(desk: Desk) -> None:
    gtin = new_gtin(desk, 1)
    english = {"language": "en-US", f"_{WASHABLE}": ["Yes"], f"_{MATERIAL}": ["Stoneware"]}
    [report] = integrate(desk, product(gtin, **english))
    assert findings_of(report) == []
    [again] = integrate(desk, product(gtin, language="fr-FR", **{f"_{MATERIAL}": ["Grès"]}))
    assert again["operationType"] == "Modification"
    [read] = desk.pages("/products", {"Gtin": gtin})
    shown = {entry["reference"]: entry["values"] for entry in read["attributes"]}
    assert (read["language"], shown[MATERIAL]) == ("fr-FR", ["Grès"])


def test_infos_and_warnings_have_texts() -> None:
    assert texts(messages.__name__, "en-US").keys() > messages.TYPES.keys()
