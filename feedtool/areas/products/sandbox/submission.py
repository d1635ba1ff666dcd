"""A product as a seller submits it, laid flat: POST /products-integration ("Catalog endpoints").

A sheet and a submission both map the names of common fields and propertyReferences to values, so
that a message's `field` is such a name. The value of a property is `{"values": […], "files": […]}`,
that of the pictures a list of `{"index", "url"}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PICTURES = "sellerPictureUrls"
GROUP = "variantGroupReference"
CATEGORY = "categoryCode"

TEXTS = (
    "title",
    "description",
    "richMarketingDescription",
    "brand",
    CATEGORY,
    "language",
    "gtinReference",
    GROUP,
)
COMMON = (*TEXTS, PICTURES)


@dataclass(frozen=True, slots=True)
class SubmittedProduct:
    """One product of a package; what was absent, null or blank is not in it."""

    gtin: str
    reference: str
    """sellerProductReference."""
    values: dict[str, Any]
    """By name, common fields only."""
    properties: dict[str, Any]
    """By propertyReference."""


def submission_of(body: Mapping[str, Any]) -> SubmittedProduct:
    """Lay a product flat; unknown names are ignored."""
    values: dict[str, Any] = {
        name: text for name in TEXTS if (text := (body.get(name) or "").strip())
    }
    if pictures := _files(body.get(PICTURES)):
        values[PICTURES] = pictures
    return SubmittedProduct(
        gtin=str(body.get("gtin") or ""),
        reference=body.get("sellerProductReference") or "",
        values=values,
        properties=_properties(body.get("attributes") or ()),
    )


def _properties(attributes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Values and files by propertyReference; a property named twice has what both say."""
    found: dict[str, dict[str, Any]] = {}
    for attribute in attributes:
        values = [text.strip() for text in attribute.get("values") or () if text.strip()]
        files = _files(attribute.get("files"))
        if values or files:
            entry = found.setdefault(
                attribute.get("propertyReference") or "", {"values": [], "files": []}
            )
            entry["values"] += values
            entry["files"] += files
    return found


def _files(given: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """Files in the order of their index; one without an index takes its place's."""
    files = [
        {
            "index": place if (index := file.get("index")) is None else index,
            "url": (file.get("url") or "").strip(),
        }
        for place, file in enumerate(given or (), 1)
    ]
    return sorted(files, key=lambda file: int(file["index"]))
