"""The category that a product belongs to: a code of six characters, known by the catalogue."""

import re
from dataclasses import dataclass

from feedtool.areas.products.catalog import Catalog
from feedtool.areas.products.columns import PROBLEMS
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.text import identified, trimmed, visible
from feedtool.model.cells import Cell, Kind
from feedtool.model.nouns import Issue

CATEGORY_UNKNOWN = PROBLEMS.error("category-unknown")
CATEGORY_LEVEL = PROBLEMS.error("category-level")
CATEGORY_INACTIVE = PROBLEMS.error("category-inactive")
CATEGORY_CODE_CUT = PROBLEMS.warning("category-code-cut")
CATEGORY_PADDED = PROBLEMS.warning("category-padded")
CATEGORY_NOT_SYNCED = PROBLEMS.error("category-not-synced")

LENGTH = 6
"""Characters of a level-3 code."""
LEGACY_LENGTH = 8
_LEGACY = re.compile(r"[0-9A-Z]{8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class CategoryCode:
    """A level-3 category's code, in capitals."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """The code, if products can be put there."""
        text = identified(cell)
        if not isinstance(text, str):
            return text
        catalog = column.context.catalog(None)
        if catalog is None:  # a fault of the file
            return text.upper()
        code, warnings = written_as(text, catalog, is_number=cell.kind is Kind.NUMBER)
        faults = (*trimmed(cell, text), *warnings, *faults_of(code, catalog))
        value = InvalidValue(code, faults)
        if value.is_refused:
            return value._replace(value=None)
        return value if faults else code


def written_as(text: str, catalog: Catalog, *, is_number: bool) -> tuple[str, tuple[Issue, ...]]:
    """The code that a text stands for, and warnings of how it was corrected."""
    code, warnings = text.upper(), list[Issue]()
    for length in (LENGTH, LEGACY_LENGTH) if is_number else ():
        padded = code.zfill(length)
        if len(code) < length and catalog.category(padded[:LENGTH]):
            warnings.append(Issue(CATEGORY_PADDED, f"leading zeros were put back: {padded}", ""))
            code = padded
            break
    if _LEGACY.fullmatch(code):
        message = f"{code} is a legacy code: read as {code[:LENGTH]}"
        warnings.append(Issue(CATEGORY_CODE_CUT, message))
        code = code[:LENGTH]
    return code, tuple(warnings)


def faults_of(code: str, catalog: Catalog) -> tuple[Issue, ...]:
    """The reason that no product can be put into a category, or be judged; () where it can."""
    category = catalog.category(code)
    if category is None:
        near = " or ".join(_named(item, catalog) for item in catalog.near_categories(code))
        hint = f"did you mean {near}?" if near else "look for it with `feedtool catalog search`"
        message = f"the catalogue has no category {visible(code)}"
        return (Issue(CATEGORY_UNKNOWN, message, hint),)
    name = _named(code, catalog)
    if not category.is_active:
        hint = "choose another one with `feedtool catalog search`"
        return (Issue(CATEGORY_INACTIVE, f"{name} is not active", hint),)
    if not category.takes_products:
        hint = f"choose one below it: `feedtool catalog show {code}` lists them"
        return (Issue(CATEGORY_LEVEL, f"{name} is of level {category.level}, not 3", hint),)
    if catalog.properties(code) is None:
        hint = f"bring them with `feedtool catalog sync --category {code}`"
        return (Issue(CATEGORY_NOT_SYNCED, f"the properties of {name} are not here", hint),)
    return ()


def _named(code: str, catalog: Catalog) -> str:
    category = catalog.category(code)
    return f"{code} ({category.label})" if category and category.label else code
