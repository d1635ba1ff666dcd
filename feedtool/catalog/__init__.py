"""Brands, categories and their properties, as the service last listed them.

Specification, part "Catalog". The content of a product's row depends on its category, and checks
work offline: so the catalogue is downloaded once (`feedtool catalog sync`) and read here.

Reading order: `model` (the nouns, their names and fingerprints), `lookup` (the Catalog that checks
read and people search, and its excerpt for a run), `cache` (its file), `wire` and `sync` (the
download), `report`.
"""

from feedtool.catalog.lookup import Catalog
from feedtool.catalog.model import Brand, Category, Necessity, Property, PropertyChoice

__all__ = ["Brand", "Catalog", "Category", "Necessity", "Property", "PropertyChoice"]
