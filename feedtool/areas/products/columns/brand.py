"""A product's brand: free text that the service matches to its list of brands."""

from dataclasses import dataclass

from feedtool.areas.products.columns import PROBLEMS
from feedtool.feeds.columns import ColumnReader, InvalidValue, is_error
from feedtool.feeds.columns.text import Text
from feedtool.model.cells import Cell
from feedtool.model.nouns import Issue

BRAND_UNKNOWN = PROBLEMS.warning("brand-unknown")


@dataclass(frozen=True, slots=True)
class BrandName(Text):
    """A brand's name as the catalogue writes it, where it knows it."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """A str."""
        result = Text.read(self, cell, column)
        value, faults, _ = result if isinstance(result, InvalidValue) else (result, (), "")
        catalog = column.context.catalog(None)
        if not isinstance(value, str) or catalog is None or is_error(faults):
            return result
        known = catalog.brand(value)
        if known:
            value = known.name
        elif any(True for _ in catalog.brands()):  # some catalogues were brought without brands
            near = catalog.near_brands(value)
            hint = f"did you mean {' or '.join(near)}?" if near else "nothing needs to be done"
            faults += (Issue(BRAND_UNKNOWN, f"the catalogue has no brand “{value}”", hint),)
        return InvalidValue(value, faults) if faults else value
