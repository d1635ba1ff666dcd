"""The types of packages of offers: the effect of a package on its offers."""

from enum import StrEnum


class PackageType(StrEnum):
    """The type of a package, case-sensitive and fixed at creation.

    Source: specification, "Offer package".
    """

    UPSERT = "Upsert"
    UPDATE = "Update"
    DELETE = "Delete"
    FULL = "Full"
    """A legacy zip (specification, "Legacy offer routes")."""
    PURGE = "PurgeAndReplace"
    """A Full legacy zip that also removes all offers that are not in it."""
    STOCK_AND_PRICE = "StockAndPrice"
    """A legacy zip that changes stock and price only."""


LEGACY_TYPES = frozenset({PackageType.FULL, PackageType.PURGE, PackageType.STOCK_AND_PRICE})
"""The types of legacy zips, which one POST stages and commits."""
