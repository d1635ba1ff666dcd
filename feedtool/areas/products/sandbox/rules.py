"""What the service demands of a product: part "Catalog" of the specification.

A fault is no HTTP error but an entry of the report (part "Errors", 9). What can be told from the
submission alone is told by `submitted_findings`; the rest needs the sheet that it would lead to.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from feedtool.areas.offers.sandbox.rules import UNWANTED, is_gtin
from feedtool.areas.products.sandbox.catalogue import (
    DEEPEST,
    LANGUAGES,
    CatalogueCategory,
    CatalogueProperty,
    catalogue,
    text_in,
)
from feedtool.areas.products.sandbox.messages import Finding
from feedtool.areas.products.sandbox.submission import CATEGORY, GROUP, PICTURES, SubmittedProduct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from feedtool.areas.products.sandbox.settings import ProductBehaviour

RETIRED = "CDAV"
"""The property that can no longer be submitted (part "Versioning", 4)."""

LENGTHS = {"title": 132, "description": 2000, "richMarketingDescription": 5000, "brand": 50}
MOST_PICTURES = 6
PICTURE_TYPES = ("jpg", "jpeg", "png", "gif", "bmp", "webp")

TAG = re.compile(r"</?[A-Za-z][^<>]*>")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")

COMMON_DATA = ("title", "description", PICTURES, CATEGORY)
"""What a product sheet has in common with all others, beside its GTIN and its brand."""


def submitted_findings(submission: SubmittedProduct, behaviour: ProductBehaviour) -> list[Finding]:
    """What is to be said of all but the properties, whatever the catalogue holds."""
    values = submission.values
    return [
        *([] if is_gtin(submission.gtin) else [Finding("GtinInvalid", "gtin", submission.gtin)]),
        *_reference_findings(submission.reference, behaviour),
        *_language_findings(values.get("language", LANGUAGES[0])),
        *_category_findings(values.get(CATEGORY)),
        *_text_findings(values),
        *_picture_findings(values.get(PICTURES, [])),
    ]


def _reference_findings(reference: str, behaviour: ProductBehaviour) -> Iterator[Finding]:
    field = "sellerProductReference"
    if not reference.strip():
        yield Finding("FieldMissing", field)
    elif len(reference) > behaviour.reference_length or UNWANTED.search(reference):
        yield Finding("ReferenceInvalid", field)


def _language_findings(language: str) -> Iterator[Finding]:
    if language not in LANGUAGES:
        yield Finding("LanguageUnknown", "language", language)


def _category_findings(reference: str | None) -> Iterator[Finding]:
    if reference is None:
        return
    category = catalogue().categories.get(reference)
    if category is None:
        yield Finding("CategoryUnknown", CATEGORY, reference)
    elif category.level != DEEPEST:
        yield Finding("CategoryLevel", CATEGORY, reference)
    elif not category.is_active:
        yield Finding("CategoryInactive", CATEGORY, reference)


def _text_findings(values: Mapping[str, Any]) -> Iterator[Finding]:
    for field in ("title", "description"):
        if TAG.search(values.get(field, "")):
            yield Finding("HtmlNotAllowed", field)
    for field, length in LENGTHS.items():
        if len(values.get(field, "")) > length:
            yield Finding("TextLong", field, str(length))


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
    submission: SubmittedProduct, category: CatalogueCategory | None, language: str
) -> Iterator[Finding]:
    """What is wrong with the values of properties, as far as the category is known."""
    for reference, given in submission.properties.items():
        if reference.upper() == RETIRED:
            yield Finding("PropertyRetired", reference, reference)
        elif category is None:
            continue
        elif use := category.use_of.get(reference):
            yield from _value_findings(use.known, given, language)
        elif category.level == DEEPEST:
            yield Finding("PropertyUnknown", reference, category.reference)


def _value_findings(
    known: CatalogueProperty, given: Mapping[str, Any], language: str
) -> Iterator[Finding]:
    values, files = given["values"], given["files"]
    if len(values) + len(files) > 1 and not known.is_multiple:
        yield Finding("OneValueOnly", known.reference)
    if known.file_types:
        if values or not all(_is_file(file["url"], known.file_types) for file in files):
            yield Finding("FileExpected", known.reference, ", ".join(known.file_types))
        return
    if files:
        yield Finding("FileNotAllowed", known.reference)
    for value in values:
        if known.is_ranged and language in LANGUAGES and known.choice(value, language) is None:
            yield Finding("ChoiceUnknown", known.reference, value)
        elif known.is_numeric and not NUMBER.fullmatch(value):
            yield Finding("NumberInvalid", known.reference, value)


def creation_findings(values: Mapping[str, Any]) -> Iterator[Finding]:
    """The common data that a new sheet lacks."""
    for field in COMMON_DATA:
        if field not in values:
            yield Finding("FieldMissing", field)
    category = catalogue().categories.get(values.get(CATEGORY, ""))
    if category and category.is_brand_mandatory and "brand" not in values:
        yield Finding("FieldMissing", "brand")


def mandatory_findings(
    values: Mapping[str, Any], category: CatalogueCategory, language: str
) -> Iterator[Finding]:
    """The mandatory properties that a sheet with these values lacks."""
    for use in category.uses:
        if use.is_mandatory and use.known.reference not in values:
            label = text_in(use.known.label, language)
            yield Finding("MandatoryPropertyMissing", use.known.reference, label)


def variant_findings(values: Mapping[str, Any], category: CatalogueCategory) -> Iterator[Finding]:
    """Whether a sheet with these values is a standard product or a whole variant.

    Size, color and group make a variant: all three or none of them.
    """
    if GROUP in values and not category.is_variant:
        yield Finding("VariantNotAllowed", GROUP, category.reference)
        return
    fields = [use.known.reference for use in category.uses if use.known.is_variation]
    given = [field for field in (GROUP, *fields) if field in values]
    if given:
        for field in (GROUP, *fields):
            if field not in values:
                yield Finding("VariantIncomplete", field)
