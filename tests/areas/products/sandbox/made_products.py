"""Products to submit, good ones and others, and what becomes of them."""

from typing import Any

from feedtool.areas.products.sandbox.catalogue import CatalogueProperty, Use, catalogue
from tests.sandbox.desk import Desk

MUGS = "010201"
"""Brand mandatory; its sisters have the same mandatory properties."""
WINE_GLASSES = "010203"
"""Brand not mandatory."""
SHIRTS = "1E0101"
INTEGRATED = 2
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


def attribute(known: CatalogueProperty) -> dict[str, Any]:
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


def shirt(gtin: str, size: str | None, color: str | None, group: str | None) -> dict[str, Any]:
    return product(
        gtin,
        SHIRTS,
        variantGroupReference=group,
        **{f"_{SIZE}": size and [size], f"_{COLOR}": color and [color]},
    )


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


def findings_of(report: Any) -> list[tuple[str, str | None]]:
    return [
        (finding["code"], finding["field"])
        for kind in ("errors", "infos", "warnings")
        for finding in report[kind]
    ]
