"""Products as the service shows them: every shape is checked, none is trusted."""

import json
from typing import Any

import pytest

from feedtool.areas.products.catalog.wire import CatalogPage
from feedtool.areas.products.wire import ProductSheet, SheetsPage, read_products, sheets_page
from feedtool.model.call import Reply
from feedtool.service.bodies import Unreadable

URL = "https://service.example/v2/products?pageIndex=1"
WHOLE = {
    "gtin": "3760452700039",
    "reference": "P0001",
    "label": "Kettle ",
    "description": "Boils.\nQuickly.",
    "marketingDescription": "<p>Boils</p>",
    "language": "fr-FR",
    "brand": {"name": "Alder", "reference": "7"},
    "category": {"label": "Kettles", "reference": "010101", "referencePath": "01/0101/010101"},
    "groupReference": "G-1",
    "pictures": [
        {"index": 2, "url": "https://a.example/2.jpg"},
        {"index": 1, "url": "https://a.example/1.jpg"},
        {"url": "https://a.example/3.jpg"},
    ],
    "attributes": [
        {"reference": "3001", "label": "Energy", "values": ["A", 7, None], "files": []},
        {
            "reference": 3006,
            "values": [],
            "files": [{"index": 1, "url": "https://a.example/m.pdf"}],
        },
        {"reference": "3002", "values": []},
    ],
    "variantAttributes": [{"reference": "4001", "values": ["M"]}],
    "sellers": [
        {"reference": 12, "productReference": " A,1", "gtinReference": None, "isCreator": True},
        {"reference": "13", "isCreator": False},
        {"productReference": "B"},
    ],
}


def page(items: object, link: str = "") -> SheetsPage:
    body = json.dumps({"itemsPerPage": 2, "items": items}).encode()
    return sheets_page(Reply(200, {"link": link} if link else {}, body, URL), CatalogPage(1), "12")


def only(item: dict[str, Any]) -> ProductSheet:
    (sheet,) = page([item]).sheets
    return sheet


def test_all_that_a_creator_sees() -> None:
    row, is_creator = only(WHOLE)
    assert is_creator
    assert {name: value for name, value in row.items() if value is not None} == {
        "gtin": "3760452700039",
        "sellerProductReference": " A,1",
        "title": "Kettle ",
        "description": "Boils.\nQuickly.",
        "richMarketingDescription": "<p>Boils</p>",
        "language": "fr-FR",
        "brand": "Alder",
        "categoryCode": "010101",
        "variantGroupReference": "G-1",
        **{f"sellerPictureUrls_{n}": f"https://a.example/{n}.jpg" for n in (1, 2, 3)},
        "values:3001": "A\0007",
        "urls:3006": "https://a.example/m.pdf",
        "values:4001": "M",
    }


@pytest.mark.parametrize("sellers", [[{"reference": "12", "isCreator": "yes"}], [], None])
def test_what_others_created(sellers: object) -> None:
    assert not only({**WHOLE, "sellers": sellers}).is_creator


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [1], [{}], {"name": 1}])
def test_fields_of_another_shape_are_blank(value: object) -> None:
    names = [name for name in WHOLE if name not in {"gtin", "reference", "label"}]
    for name in (name for name in names if not (isinstance(value, str) and name != "pictures")):
        assert only({"gtin": "12", name: value}) == only({"gtin": "12"}), name


STRANGE = [None, 1, {}, {"gtin": None}, {"label": "x"}]


def test_what_is_no_product_is_counted() -> None:
    found = page([*STRANGE, {"gtin": "12"}])
    assert (len(found.sheets), found.strange) == (1, 5)


def test_a_page_of_nothing_else_is_no_page() -> None:
    with pytest.raises(Unreadable, match="5 products and none"):
        page(STRANGE)


NEXT = {
    "a link": (["12"], '<?pageIndex=2>; rel="next"', (2, f"{URL[:-1]}2")),
    "a full page": (["12", "13"], "", (2, None)),
    "the last page": (["12"], "", None),
    "an empty page": ([], "", None),
}


@pytest.mark.parametrize(("gtins", "link", "expected"), NEXT.values(), ids=NEXT)
def test_the_page_after(
    gtins: list[str], link: str, expected: tuple[int, str | None] | None
) -> None:
    assert page([{"gtin": gtin} for gtin in gtins], link).next == expected


def test_pages_are_asked_for() -> None:
    call = read_products(CatalogPage(3))
    assert (call.target, call.query) == ("/products", (("pageIndex", "3"), ("pageSize", "100")))
    assert read_products(CatalogPage(4, URL)).target == URL
