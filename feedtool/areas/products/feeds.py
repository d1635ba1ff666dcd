"""Products that are created, or completed (specification, "Catalog endpoints").

A row is of one category, and its further columns are that category's properties: which they are,
and what is right in them, the local catalogue says.
"""

from collections.abc import Mapping

from feedtool.areas.products.columns import common as columns
from feedtool.areas.products.columns import properties
from feedtool.areas.products.columns.attribute import PROPERTY_UNNEEDED
from feedtool.areas.products.columns.category import CATEGORY_CODE_CUT
from feedtool.areas.products.columns.common import GROUP, LANGUAGE_TAGS
from feedtool.areas.products.columns.properties import (
    STAMP_FINGERPRINT,
    STAMP_LANGUAGE,
    STAMP_TRAITS,
    categories_of,
    details_of,
)
from feedtool.areas.products.delivery import DELIVERY, PACKAGE_TYPE, product_names
from feedtool.areas.products.requests import REQUESTS
from feedtool.feeds.feed import Feed, Row, SheetColumns
from feedtool.feeds.template import Basis, Contents
from feedtool.model.header import Column
from feedtool.model.settings import AccountSettings

__all__ = [
    "FEED",
    "GROUP",
    "LANGUAGE_TAGS",
    "STAMP_FINGERPRINT",
    "STAMP_LANGUAGE",
    "STAMP_TRAITS",
    "categories_of",
    "details_of",
    "is_common",
    "name_of",
]

_COMMON = frozenset(column.key for column in columns.UNDERSTOOD_COLUMNS)

ALWAYS = (columns.GTIN, columns.CATEGORY)
"""What a row cannot be judged without."""

GONE = frozenset(("shortlabel", "model", "navigation"))
"""Fields of a legacy product that nothing stands for (specification, "Versioning" 6)."""

SIMPLE = (
    *(columns.REFERENCE, columns.TITLE, columns.DESCRIPTION, columns.BRAND, columns.CATEGORY),
    *(columns.GTIN_REFERENCE, columns.MARKETING, columns.GROUP),
)
"""Fields that travel as they are."""


def is_common(key: str) -> bool:
    """Whether a key is of every products sheet, and no property's reference."""
    return key in _COMMON


def template_columns(dialect: AccountSettings) -> tuple[Column, ...]:
    """The common data; a category's properties come behind them."""
    del dialect
    return columns.TEMPLATE_COLUMNS


def understood(dialect: AccountSettings) -> tuple[Column, ...]:
    """The same, more pictures, and what is retired."""
    del dialect
    return columns.UNDERSTOOD_COLUMNS


def missing(sheet: SheetColumns) -> list[str]:
    """The GTIN; and the category, where the sheet was not made for one."""
    keys = [] if columns.GTIN in sheet.fields else [columns.GTIN]
    if columns.CATEGORY not in sheet.fields and not properties.only_category(sheet.stamp):
        keys.append(columns.CATEGORY)
    return keys


def required(row: Row) -> list[str]:
    """The common data, the brand where the category asks for it, its mandatory properties."""
    common = dict.fromkeys((*ALWAYS, *row.sheet.dialect.product_fields))
    keys = [key for key in common if not _is_filled(row, key)]
    known = details_of(row)
    if known is None:
        return keys
    if known.category.is_brand_mandatory and row.is_blank(columns.BRAND):
        keys.append(columns.BRAND)
    return keys + row.blanks(known.mandatory)


def _is_filled(row: Row, key: str) -> bool:
    """Any picture will do for the first; a category that was told otherwise needs no cell."""
    if key == columns.PICTURE_KEYS[0]:
        return any(not row.is_blank(item) for item in columns.PICTURE_KEYS)
    if key == columns.CATEGORY and properties.only_category(row.sheet.stamp):
        return True
    return not row.is_blank(key)


def request(row: Row) -> dict[str, object]:
    """The product; a blank field is left out."""
    values, dialect = row.values, row.sheet.dialect
    gtin = values[columns.GTIN]
    body: dict[str, object] = {
        columns.GTIN: int(str(gtin)) if dialect.gtin_as == "number" else gtin
    }
    for key in SIMPLE:
        value = values.get(key)
        if value is not None:
            body[key] = value
    body[columns.LANGUAGE] = values.get(columns.LANGUAGE) or _language(row.sheet)
    pictures = [
        {"index": index, "url": url}
        for index, key in enumerate(columns.PICTURE_KEYS, start=1)
        if (url := values.get(key)) is not None
    ]
    if pictures:
        body["sellerPictureUrls"] = pictures
    attributes = values.get(properties.ATTRIBUTES)
    if attributes:
        body["attributes"] = attributes
    return body


def _language(sheet: SheetColumns) -> str:
    """Of a row that names none: the template's, or that of the choices' labels."""
    catalog = sheet.context.catalog(None)
    known = sheet.stamp.get(STAMP_LANGUAGE) or (catalog.language if catalog else "")
    return columns.LANGUAGE_TAGS.get(known, columns.LANGUAGE_TAGS["fr"])


def name_of(row: Row, key: str) -> str:
    """A property by its label, which people know it by."""
    known = details_of(row)
    result = known.properties.get(key) if known else None
    return f"{result.label} ({key})" if result and result.label else key


def stamped(stamp: Mapping[str, str]) -> Mapping[str, str]:
    """The category, where the sheet was made for one alone."""
    category = properties.only_category(stamp)
    return {columns.CATEGORY: category} if category else {}


def template(basis: Basis) -> Contents:
    """The template of some categories."""
    from feedtool.areas.products.template import contents  # which needs no more than a template

    return contents(basis)


FEED = Feed(
    kind="products",
    area="feedtool.areas.products",
    sheet="Products",
    package_type=PACKAGE_TYPE,
    summary="Products that are created, or completed.",
    columns=template_columns,
    understood=understood,
    modes=lambda _: (),
    missing=missing,
    required=required,
    request=request,
    delivery=DELIVERY,
    provides=product_names,
    reference=columns.REFERENCE,
    identity=(columns.GTIN,),
    has_channel=False,
    takes_several=True,
    key_column=columns.GTIN,
    layout=properties.layout,
    extra_columns=properties.extra_columns,
    may_have=properties.may_have,
    enrich=properties.enrich,
    name_of=name_of,
    title="Create or complete products",
    about=(
        "Each row creates a product, or completes the one that has this GTIN already. What is "
        "known of it may be kept instead of what the row says."
    ),
    category_key=columns.CATEGORY,
    stamped=stamped,
    template=template,
    json=REQUESTS,
    losing=frozenset((CATEGORY_CODE_CUT.name, PROPERTY_UNNEEDED.name)),
    gone=GONE,
)
