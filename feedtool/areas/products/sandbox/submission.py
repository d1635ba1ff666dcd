"""The products of a POST /products-integration, flattened, and the service's rules for them.

Specification, parts "Catalog" and "Catalog endpoints". A fault is not an HTTP error but an entry of
the report (part "Errors", 9). `submitted_findings` and `property_findings` need only the
submission, the others the merged sheet.

A sheet and a submission both map the names of common fields and propertyReferences to values, so
a message's `field` is such a name. The value of a property is `{"values": […], "files": […]}`, the
value of the pictures a list of `{"index", "url"}`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import jsonschema_rs
from msgspec import Struct

from feedtool.areas.offers.sandbox.rules import UNWANTED, is_gtin
from feedtool.areas.offers.sandbox.store import gtin_product
from feedtool.areas.products.sandbox.catalogue import (
    DEEPEST,
    LANGUAGES,
    CatalogueCategory,
    CatalogueProperty,
    catalogue,
    text_in,
)
from feedtool.areas.products.sandbox.messages import Finding
from feedtool.sandbox.arguments import DRAFT, TEXT, WHOLE, check_structure, json_body, records
from feedtool.sandbox.exchange import (
    FIELD_EMPTY,
    FIELD_MISSING,
    ErrorEntry,
    HttpRequest,
    Quota,
    RequestRefused,
)

PICTURES = "sellerPictureUrls"
GROUP = "variantGroupReference"
CATEGORY = "categoryCode"

TEXTS = (
    *("title", "description", "richMarketingDescription", "brand", CATEGORY, "language"),
    *("gtinReference", GROUP),
)
COMMON = (*TEXTS, PICTURES)

_FILES = records(index=WHOLE, url=TEXT)
PRODUCT = {
    "type": "object",
    "properties": {
        "gtin": {"type": ["string", "integer", "null"]},
        **dict.fromkeys(("sellerProductReference", *TEXTS), TEXT),
        PICTURES: _FILES,
        "attributes": records(
            propertyReference=TEXT,
            values={"type": ["array", "null"], "items": {"type": "string"}},
            files=_FILES,
        ),
    },
}
PRODUCTS = {
    "$schema": DRAFT,
    "type": "object",
    "required": ["products"],
    "properties": {"products": {"type": "array", "minItems": 1, "items": PRODUCT}},
}
_PRODUCTS = jsonschema_rs.Draft202012Validator(PRODUCTS)


def submitted_products(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the submitted products; one without a GTIN is refused with 400 (part "Errors")."""
    document = json_body(request)
    check_structure(_PRODUCTS, document, "a package of products")
    products: list[dict[str, Any]] = document["products"]
    faults = [
        ErrorEntry(f"products[{place}].gtin", "gtin is null or empty.", FIELD_EMPTY)
        if "gtin" in row
        else ErrorEntry(f"products[{place}].gtin", "gtin is required.", FIELD_MISSING)
        for place, row in enumerate(products)
        if row.get("gtin") is None or not str(row["gtin"]).strip()
    ]
    if faults:
        raise RequestRefused(400, "Some products have no gtin.", *faults)
    return products


class SubmittedProduct(Struct, frozen=True):
    """One product of a package, without absent, null or blank values."""

    gtin: str
    reference: str
    """sellerProductReference."""
    values: dict[str, Any]
    """Values of common fields by name."""
    properties: dict[str, Any]
    """Values of properties by propertyReference."""

    @property
    def product(self) -> str:
        return gtin_product(self.gtin)


def submission_of(body: Mapping[str, Any]) -> SubmittedProduct:
    """Flatten a product; unknown names are ignored."""
    values: dict[str, Any] = {
        name: text for name in TEXTS if (text := (body.get(name) or "").strip())
    }
    if pictures := _files(body.get(PICTURES)):
        values[PICTURES] = pictures
    # A repeated property has the values of both entries.
    properties: dict[str, dict[str, Any]] = {}
    for attribute in body.get("attributes") or ():
        texts = [text.strip() for text in attribute.get("values") or () if text.strip()]
        files = _files(attribute.get("files"))
        if texts or files:
            reference = attribute.get("propertyReference") or ""
            entry = properties.setdefault(reference, {"values": [], "files": []})
            entry["values"] += texts
            entry["files"] += files
    gtin, reference = str(body.get("gtin") or ""), body.get("sellerProductReference") or ""
    return SubmittedProduct(gtin, reference, values, properties)


def _files(submitted: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """Return files in the order of their index; a missing index is the file's place."""
    files: list[dict[str, Any]] = [
        {
            "index": place if (index := file.get("index")) is None else index,
            "url": (file.get("url") or "").strip(),
        }
        for place, file in enumerate(submitted or (), 1)
    ]
    return sorted(files, key=lambda file: int(file["index"]))


class ProductBehaviour(Struct, frozen=True):
    """Settings of packages of products, and of their sheets. All durations are sandbox time."""

    validate: timedelta = timedelta(seconds=1)
    """The time after POST /products-integration in which its report is empty."""
    integrate: timedelta = timedelta(seconds=2)
    """The time from this POST to the end; valid products are Validated in between."""
    products_limit: int = 10_000
    """The most products of one POST."""
    reported_products: int | None = None
    """The most products in a package's report, as seen in the field; None for all."""
    creations: Quota | None = None
    """The most sheets that a seller can create in a window; the report refuses more."""
    closed_products: tuple[str, ...] = ()
    """GTINs of sheets that are Archived: only their creator may add anything to them."""
    reference_length: int = 50
    """The longest sellerProductReference, in characters."""


# The rules.

RETIRED = "CDAV"
"""The property that can no longer be submitted (part "Versioning", 4)."""

LENGTHS = {"title": 132, "description": 2000, "richMarketingDescription": 5000, "brand": 50}
MOST_PICTURES = 6
PICTURE_TYPES = ("jpg", "jpeg", "png", "gif", "bmp", "webp")

TAG = re.compile(r"</?[A-Za-z][^<>]*>")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")

COMMON_DATA = ("title", "description", PICTURES, CATEGORY)
"""The required data of every product sheet, beside its GTIN and its brand."""


def submitted_findings(
    submission: SubmittedProduct, behaviour: ProductBehaviour
) -> Iterator[Finding]:
    """Yield the findings on everything but properties; they do not depend on known sheets."""
    values, reference = submission.values, submission.reference
    if not is_gtin(submission.gtin):
        yield Finding("GtinInvalid", "gtin", submission.gtin)
    if not reference.strip():
        yield Finding("FieldMissing", "sellerProductReference")
    elif len(reference) > behaviour.reference_length or UNWANTED.search(reference):
        yield Finding("ReferenceInvalid", "sellerProductReference")
    if (language := values.get("language", LANGUAGES[0])) not in LANGUAGES:
        yield Finding("LanguageUnknown", "language", language)
    category = catalogue().categories.get(code := values.get(CATEGORY, ""))
    if code and not (category and category.takes_products):
        fault = "CategoryLevel" if category else "CategoryUnknown"
        is_closed = category and category.level == DEEPEST
        yield Finding("CategoryInactive" if is_closed else fault, CATEGORY, code)
    for field in ("title", "description"):
        if TAG.search(values.get(field, "")):
            yield Finding("HtmlNotAllowed", field)
    for field, length in LENGTHS.items():
        if len(values.get(field, "")) > length:
            yield Finding("TextLong", field, str(length))
    yield from _picture_findings(values.get(PICTURES, []))


def _picture_findings(pictures: list[dict[str, Any]]) -> Iterator[Finding]:
    indexes = [picture["index"] for picture in pictures]
    if len(set(indexes)) < len(indexes) or any(index < 1 for index in indexes):
        yield Finding("PictureIndex", PICTURES)
    for picture in pictures:
        if not _is_file(picture["url"], PICTURE_TYPES):
            yield Finding("PictureInvalid", PICTURES, picture["url"])
    if len(pictures) > MOST_PICTURES:
        yield Finding("PictureIgnored", PICTURES, str(MOST_PICTURES))


def _is_file(url: str, types: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    kind = PurePosixPath(parts.path).suffix.removeprefix(".").lower()
    return parts.scheme == "https" and bool(parts.netloc) and kind in types


def property_findings(
    submission: SubmittedProduct, category: CatalogueCategory | None
) -> Iterator[Finding]:
    """Yield the faults of the properties' values, if the category is known."""
    language = submission.values.get("language", LANGUAGES[0])
    for reference, submitted in submission.properties.items():
        if reference.upper() == RETIRED:
            yield Finding("PropertyRetired", reference, reference)
        elif category is None:
            continue
        elif use := category.use_of.get(reference):
            yield from _value_findings(use.known, submitted, language)
        elif category.level == DEEPEST:
            yield Finding("PropertyUnknown", reference, category.reference)


def _value_findings(
    known: CatalogueProperty, submitted: Mapping[str, Any], language: str
) -> Iterator[Finding]:
    values, files = submitted["values"], submitted["files"]
    if len(values) + len(files) > 1 and not known.is_multiple:
        yield Finding("OneValueOnly", known.reference)
    if known.file_types:
        if values or not all(_is_file(file["url"], known.file_types) for file in files):
            yield Finding("FileExpected", known.reference, ", ".join(known.file_types))
        return
    if files:
        yield Finding("FileNotAllowed", known.reference)
    choices = known.choices_in(language) if language in LANGUAGES else None
    for value in values:
        if known.choices and choices is not None and value not in choices:
            yield Finding("ChoiceUnknown", known.reference, value)
        elif known.is_numeric and not NUMBER.fullmatch(value):
            yield Finding("NumberInvalid", known.reference, value)


def creation_findings(values: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the common data that a new sheet lacks."""
    category = catalogue().categories.get(values.get(CATEGORY, ""))
    needs_brand = category is not None and category.is_brand_mandatory
    for field in (*COMMON_DATA, *(["brand"] if needs_brand else [])):
        if field not in values:
            yield Finding("FieldMissing", field)


def mandatory_findings(
    values: Mapping[str, Any], category: CatalogueCategory, language: str
) -> Iterator[Finding]:
    """Yield the mandatory properties that a sheet with these values lacks."""
    for use in category.uses:
        if use.is_mandatory and use.known.reference not in values:
            label = text_in(use.known.label, language)
            yield Finding("MandatoryPropertyMissing", use.known.reference, label)


def variant_findings(values: Mapping[str, Any], category: CatalogueCategory) -> Iterator[Finding]:
    """Yield the faults of a sheet that is neither a standard product nor a variant.

    A variant has size, color and group: all three or none.
    """
    if GROUP in values and not category.is_variant:
        yield Finding("VariantNotAllowed", GROUP, category.reference)
        return
    missing = [field for field in (GROUP, *category.variations) if field not in values]
    if len(missing) <= len(category.variations):
        for field in missing:
            yield Finding("VariantIncomplete", field)
