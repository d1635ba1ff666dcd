"""Brands, categories and their properties, as the service listed them last.

Specification, part "Catalog". What a product's row must hold depends on its category, and the
checks are offline: so the catalogue is brought once (`feedtool catalog sync`) and looked up here.

Reading order: `model` (the nouns, their names and fingerprints), `lookup` (the Catalog that checks
ask and people search, and the part of it that is kept with a run), `cache` (its file), `wire` and
`sync` (how it is brought), `report`.
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
