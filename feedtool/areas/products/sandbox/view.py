"""Products and integration reports as they are read: part "Catalog" of the specification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from feedtool.areas.offers.sandbox.store import gtin_product
from feedtool.areas.products.sandbox import brands, sheets
from feedtool.areas.products.sandbox.catalogue import text_in
from feedtool.areas.products.sandbox.integration import (
    INTEGRATED,
    completeness,
    is_marketable,
    outcome_of,
)
from feedtool.areas.products.sandbox.messages import finding_document
from feedtool.areas.products.sandbox.submission import GROUP, PICTURES, TEXTS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    from feedtool.areas.products.sandbox.settings import ProductBehaviour
    from feedtool.areas.products.sandbox.sheets import CatalogueSheet

FOR_EVERYBODY = ("gtin", "reference", "label", "category", "language", "permissions")
"""Only the creating seller sees all fields; what it may do, everybody may know."""


def product_document(
    db: sqlite3.Connection, behaviour: ProductBehaviour, sheet: CatalogueSheet, seller: str | None
) -> dict[str, Any]:
    """A product as a seller sees it; None is an onlooker who sees all of it."""
    is_closed = sheet.product in {gtin_product(gtin) for gtin in behaviour.closed}
    is_creator = bool(sheet.creator) and sheet.creator == seller
    document = {
        "gtin": sheet.gtin,
        "reference": sheet.reference,
        **_texts(sheet),
        "brand": _brand(db, sheet),
        "category": _category(sheet),
        "completeness": completeness(sheet),
        "status": "Archived" if is_closed else "Active",
        "isMarketable": is_marketable(sheet),
        "isTop": False,
        "origin": "Seller" if sheet.creator else "Catalog",
        "groupReference": sheet.values.get(GROUP),
        "createdAt": sheet.created_at,
        "updatedAt": sheet.updated_at,
        "expireAt": None,
        "pictures": _files(sheet, sheet.values.get(PICTURES, [])),
        "attributes": list(_attributes(sheet, is_variation=False)),
        "variantAttributes": list(_attributes(sheet, is_variation=True)),
        "sellers": [
            {
                "reference": row["seller"],
                "productReference": row["reference"],
                "gtinReference": row["gtin_reference"],
                "isCreator": row["seller"] == sheet.creator,
            }
            for row in sheets.sellers(db, sheet.product)
        ],
        "permissions": {"edit": is_creator, "enrich": is_creator or not is_closed},
    }
    if is_creator or seller is None:
        return document
    return {name: document[name] for name in FOR_EVERYBODY}


def _texts(sheet: CatalogueSheet) -> dict[str, str | None]:
    values = sheet.values
    return {
        "label": values.get("title"),
        "description": values.get("description"),
        "marketingDescription": values.get("richMarketingDescription"),
        "language": values.get("language"),
    }


def _brand(db: sqlite3.Connection, sheet: CatalogueSheet) -> dict[str, str] | None:
    name = sheet.values.get("brand")
    brand = name and brands.find(db, name)
    return {"name": brand.name, "reference": brand.reference} if brand else None


def _category(sheet: CatalogueSheet) -> dict[str, str]:
    category = sheet.category
    return {
        "label": text_in(category.label, sheet.values["language"]),
        "reference": category.reference,
        "referencePath": "/".join([*category.parents, category.reference]),
    }


def _attributes(sheet: CatalogueSheet, *, is_variation: bool) -> Iterator[dict[str, Any]]:
    """The filled properties in the order of their index, in the sheet's language."""
    language = sheet.values["language"]
    for use in sheet.category.uses:
        known = use.known
        if known.is_variation is not is_variation or known.reference not in sheet.content:
            continue
        held = sheet.values[known.reference]
        yield {
            "reference": known.reference,
            "label": text_in(known.label, language),
            "unit": known.unit and text_in(known.unit, language),
            "values": known.shown(held, language),
            "files": _files(sheet, held["files"]),
        }


def _files(sheet: CatalogueSheet, files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {**file, "mimeType": _mime_type(file["url"]), "updatedAt": sheet.updated_at}
        for file in files
    ]


def _mime_type(url: str) -> str:
    kind = url.rpartition(".")[2].partition("?")[0].lower()
    if kind == "pdf":
        return "application/pdf"
    return f"image/{'jpeg' if kind == 'jpg' else kind}"


def report_document(row: sqlite3.Row, language: str) -> dict[str, Any]:
    """A product integration report item."""
    body = orjson.loads(row["body"])
    outcome = outcome_of(row["outcome"])
    told: dict[str, list[Mapping[str, Any]]] = {"Error": [], "Info": [], "Warning": []}
    for finding in outcome.findings:
        document = finding_document(finding, language)
        told[str(document["type"])].append(document)
    return {
        "packageId": row["package_id"],
        "gtin": row["gtin"],
        "sellerProductReference": row["reference"],
        "productReference": outcome.reference,
        "integratedProductId": outcome.reference if outcome.status == INTEGRATED else None,
        **{name: body.get(name) for name in TEXTS},
        "attributes": [_attribute(given) for given in body.get("attributes") or ()],
        "sellerPictureUrls": body.get(PICTURES) or [],
        "integrationPictureUrls": outcome.pictures,
        "status": outcome.status,
        "operationType": outcome.operation,
        "submissionType": "Api",
        "submissionDate": row["created_at"],
        "createdAt": row["created_at"],
        "updatedAt": row["updated_at"],
        "publicationCompleteness": outcome.completeness,
        "errors": told["Error"],
        "infos": told["Info"],
        "warnings": told["Warning"],
        "wasAllowedToEdit": outcome.was_allowed_to_edit,
        "wasAllowedToEnrich": outcome.was_allowed_to_enrich,
        "wasMarketable": outcome.was_marketable,
        "sellerId": row["seller"],
    }


def _attribute(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "propertyReference": given.get("propertyReference"),
        "values": given.get("values") or [],
        "files": given.get("files") or [],
    }
