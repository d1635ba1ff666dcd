"""The types of packages of offers: what a package does with the offers in it."""

from enum import StrEnum


class PackageType(StrEnum):
    """Case sensitive, fixed when a package is created (specification, "Offer package")."""

    UPSERT = "Upsert"
    UPDATE = "Update"
    DELETE = "Delete"
    FULL = "Full"
    """Of a legacy zip (specification, "Legacy offer routes")."""
    PURGE = "PurgeAndReplace"
    """Of a Full legacy zip that also removes all offers that are not in it."""
    STOCK_AND_PRICE = "StockAndPrice"
    """Of a legacy zip that changes these alone."""


LEGACY_TYPES = frozenset({PackageType.FULL, PackageType.PURGE, PackageType.STOCK_AND_PRICE})
"""Of legacy zips, which one POST stages and commits."""
