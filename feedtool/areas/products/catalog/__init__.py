"""Brands, categories and their properties, as the service listed them last.

Specification, part "Catalog". What a product's row must hold depends on its category, and the
checks are offline: so the catalogue is brought once (`feedtool catalog sync`) and looked up here.

Reading order: `model` (the nouns), `words` (comparing names), `lookup` (the Catalog that checks
ask, and the part of it that is kept with a run), `search`, `fingerprint` (the changes since a
template was made), and `cache` (the file in which it is kept).
"""

from feedtool.areas.products.catalog.lookup import Catalog
from feedtool.areas.products.catalog.model import (
    Brand,
    Category,
    Necessity,
    Property,
    PropertyChoice,
)

__all__ = ["Brand", "Catalog", "Category", "Necessity", "Property", "PropertyChoice"]
