"""Products and integration reports as they are read: part "Catalog" of the specification."""

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from feedtool.areas.offers.sandbox.store import gtin_product
from feedtool.areas.products.sandbox import sheets
from feedtool.areas.products.sandbox.catalogue import LANGUAGES, find_brand, text_in
from feedtool.areas.products.sandbox.integration import INTEGRATED, outcome_of
from feedtool.areas.products.sandbox.messages import finding_document
from feedtool.areas.products.sandbox.settings import ProductBehaviour
from feedtool.areas.products.sandbox.sheets import CatalogueSheet
from feedtool.areas.products.sandbox.submission import GROUP, PICTURES, TEXTS

FOR_EVERYBODY = ("gtin", "reference", "label", "category", "language", "permissions")
"""Only the creating seller sees all fields; what it may do, everybody may know."""


def product_document(
    db: sqlite3.Connection, behaviour: ProductBehaviour, sheet: CatalogueSheet, seller: str | None
) -> dict[str, Any]:
    """A product as a seller sees it; None is an onlooker who sees all of it."""
    values, category = sheet.values, sheet.category
    brand = find_brand(db, values["brand"]) if "brand" in values else None
    is_closed = sheet.product in set(map(gtin_product, behaviour.closed))
    is_creator = bool(sheet.creator) and sheet.creator == seller
    document = {
        "gtin": sheet.gtin,
        "reference": sheet.reference,
        "label": values.get("title"),
        "description": values.get("description"),
        "marketingDescription": values.get("richMarketingDescription"),
        "language": values.get("language"),
        "brand": {"name": brand.name, "reference": brand.reference} if brand else None,
        "category": {
            "label": text_in(category.label, values["language"]),
            "reference": category.reference,
            "referencePath": "/".join([*category.parents, category.reference]),
        },
        "completeness": sheet.completeness,
        "status": "Archived" if is_closed else "Active",
        "isMarketable": sheet.is_marketable,
        "isTop": False,
        "origin": "Seller" if sheet.creator else "Catalog",
        "groupReference": values.get(GROUP),
        "createdAt": sheet.created_at,
        "updatedAt": sheet.updated_at,
        "expireAt": None,
        "pictures": _files(sheet, values.get(PICTURES, [])),
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


def _attributes(sheet: CatalogueSheet, *, is_variation: bool) -> Iterator[dict[str, Any]]:
    """The filled properties in the order of their index, in the sheet's language."""
    language = sheet.values["language"]
    for known in (use.known for use in sheet.category.uses):
        if known.is_variation is is_variation and known.reference in sheet.content:
            held = sheet.values[known.reference]
            yield {
                "reference": known.reference,
                "label": text_in(known.label, language),
                "unit": known.unit and text_in(known.unit, language),
                "values": known.translated(held["values"], LANGUAGES[0], language),
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
    body, outcome = orjson.loads(row["body"]), outcome_of(row["outcome"])
    entries: dict[str, list[Mapping[str, Any]]] = {"Error": [], "Info": [], "Warning": []}
    for finding in outcome.findings:
        document = finding_document(finding, language)
        entries[str(document["type"])].append(document)
    return {
        "packageId": row["package_id"],
        "gtin": row["gtin"],
        "sellerProductReference": row["reference"],
        "productReference": outcome.reference,
        "integratedProductId": outcome.reference if outcome.status == INTEGRATED else None,
        **{name: body.get(name) for name in TEXTS},
        "attributes": [
            {
                "propertyReference": given.get("propertyReference"),
                "values": given.get("values") or [],
                "files": given.get("files") or [],
            }
            for given in body.get("attributes") or ()
        ],
        "sellerPictureUrls": body.get(PICTURES) or [],
        "integrationPictureUrls": outcome.pictures,
        "status": outcome.status,
        "operationType": outcome.operation,
        "submissionType": "Api",
        "submissionDate": row["created_at"],
        "createdAt": row["created_at"],
        "updatedAt": row["updated_at"],
        "publicationCompleteness": outcome.completeness,
        "errors": entries["Error"],
        "infos": entries["Info"],
        "warnings": entries["Warning"],
        "wasAllowedToEdit": outcome.was_allowed_to_edit,
        "wasAllowedToEnrich": outcome.was_allowed_to_enrich,
        "wasMarketable": outcome.was_marketable,
        "sellerId": row["seller"],
    }
