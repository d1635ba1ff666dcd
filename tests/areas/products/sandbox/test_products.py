"""Products taken in, and reported on."""

from typing import Any

import pytest

from feedtool.areas.products.sandbox.submission import ProductBehaviour
from tests.areas.products.sandbox.made_products import (
    INTEGRATED,
    MUGS,
    REPORTS,
    WASHABLE,
    integrate,
    new_gtin,
    product,
    submit,
)
from tests.areas.products.sandbox.records import reported_products, stored_products
from tests.sandbox.desk import Desk

GOOD = product("2000000000008")


def with_attribute(**attribute: Any) -> dict[str, Any]:
    return {**GOOD, "attributes": [attribute]}


NO_PACKAGES: list[tuple[Any, str, str]] = [
    ([{"title": "A"}, GOOD], "ER400-7480", "products[0].gtin"),
    ([GOOD, {"gtin": None}], "ER400-9250", "products[1].gtin"),
    ([{"gtin": " "}], "ER400-9250", "products[0].gtin"),
    ([], "ER400-9250", "products"),
    (None, "ER400-9250", "products"),
    ({}, "ER400", "products"),
    ([GOOD] * 4, "ER400", "products"),
    ([1], "ER400", "products[0]"),
    ([{**GOOD, "title": 1}], "ER400", "products[0].title"),
    ([{**GOOD, "attributes": {}}], "ER400", "products[0].attributes"),
    ([with_attribute(propertyReference=1)], "ER400", "products[0].attributes[0].propertyReference"),
    ([with_attribute(values=[1])], "ER400", "products[0].attributes[0].values[0]"),
]
NO_BODIES: list[tuple[Any, str, str]] = [
    *(({"products": products}, code, cause) for products, code, cause in NO_PACKAGES),
    ({"product": [GOOD]}, "ER400-7480", "products"),
    ([GOOD], "ER400", "body"),
    (b"{", "ER400", "body"),
]


@pytest.mark.parametrize(("body", "code", "cause"), NO_BODIES)
def test_bodies_that_are_no_packages_are_refused(
    new_desk: type[Desk], body: Any, code: str, cause: str
) -> None:
    with new_desk(ProductBehaviour(products_limit=3)) as desk:
        answer = desk.ask("POST", "/products-integration", body)
        assert (answer.status, answer.reasons) == (400, [(code, cause)])
        desk.wait(INTEGRATED)
        assert desk.ask("GET", REPORTS).json["items"] == []


@pytest.mark.parametrize("path", ["/products", REPORTS])
def test_a_seller_is_needed(desk: Desk, path: str) -> None:
    assert desk.ask("GET", path, headers={"SellerId": None}).status == 400
    assert desk.ask("GET", path, headers={"Authorization": None}).status == 401


# Seconds since POST: a good product and one that is refused for itself alone.
STATUSES: dict[float, str] = {
    0: "",
    0.9: "",
    1: "Validated Refused",
    1.9: "Validated Refused",
    2: "Integrated Refused",
    1_000_000: "Integrated Refused",
}


@pytest.mark.parametrize(("waited", "words"), STATUSES.items())
def test_a_package_proceeds_without_requests(desk: Desk, waited: float, words: str) -> None:
    sent = [product(new_gtin(desk, 1)), product(new_gtin(desk, 2), categoryCode="XXXXXX")]
    package_id = submit(desk, *sent)
    assert [entry.status for entry in reported_products(desk.sandbox)] == ["Received", "Received"]
    desk.wait(waited)
    reports = desk.ask("GET", REPORTS, query={"packageId": package_id}).json["items"]
    statuses = words.split()
    assert [report["status"] for report in reports] == statuses
    found = list(reported_products(desk.sandbox, package_id))
    assert [entry.body for entry in found] == sent
    assert [entry.status for entry in found] == (statuses or ["Received", "Received"])
    assert found[1].codes == (("CategoryUnknown",) if statuses else ())


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
        "updatedAt": "2026-03-02T09:00:02.000000Z",
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


def test_reports_speak_the_readers_language(desk: Desk) -> None:
    integrate(desk, product(new_gtin(desk, 1), **{f"_{WASHABLE}": ["XX"]}))
    for language, message in {
        None: "XX is not one of the choices of this property.",
        "fr-FR": "XX ne fait pas partie des choix de cette propriété.",
        "es-ES": "XX no es una de las opciones de esta propiedad.",
    }.items():
        answer = desk.ask("GET", REPORTS, headers={"Accept-Language": language})
        assert answer.json["items"][0]["errors"][0]["message"] == message
        assert answer.headers["Content-Language"] == language or language is None


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
    for path, name in ((REPORTS, "packageId"), (REPORTS, "gtin"), ("/products", "Gtin")):
        answer = desk.ask("GET", path, query={name: ""})
        assert (answer.status, answer.reasons) == (400, [("ER400-9250", name)])
    assert desk.ask("GET", REPORTS, query="pageIndex=0").status == 400
    desk.headers["SellerId"] = "S2"
    assert list(desk.pages(REPORTS)) == []


def test_a_report_may_show_only_some_of_a_package(new_desk: type[Desk]) -> None:
    with new_desk(ProductBehaviour(reported_products=2)) as desk:
        rows = [product(new_gtin(desk, number)) for number in range(5)]
        assert len(integrate(desk, *rows)) == 2
        assert len(integrate(desk, *rows[3:])) == 2
        assert len(list(stored_products(desk.sandbox))) == 5


def test_the_same_story_gets_the_same_answers(new_desk: type[Desk]) -> None:
    def story() -> bytes:
        with new_desk() as desk:
            integrate(desk, *(product(new_gtin(desk, number), brand="B") for number in range(9)))
            return desk.ask("GET", REPORTS).body + desk.ask("GET", "/products").body

    assert story() == story()
