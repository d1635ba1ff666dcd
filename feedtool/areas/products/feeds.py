"""Products that are created or completed (specification, "Catalog endpoints").

A row belongs to a category, and its other columns are that category's properties; the local
catalogue defines and checks them.
"""

from collections.abc import Mapping
from typing import Any

from feedtool.areas.products import categories
from feedtool.areas.products.columns import common as columns
from feedtool.areas.products.columns import properties
from feedtool.areas.products.columns.attribute import PROPERTY_UNNEEDED, SEPARATOR
from feedtool.areas.products.columns.common import CATEGORY_CODE_CUT
from feedtool.areas.products.columns.properties import details_of
from feedtool.areas.products.settings import ProductSettings
from feedtool.areas.products.wire import DELIVERY, PACKAGE_TYPE, product_names, products_body
from feedtool.feeds.feed import (
    ColumnsOfCategory,
    Feed,
    JsonRequests,
    Read,
    Recognition,
    Requests,
    Row,
    SheetColumns,
    SheetDesign,
    TemplatePage,
    Travel,
    always,
    is_number,
)
from feedtool.feeds.template import Basis, Contents
from feedtool.model.cells import STAMP_LANGUAGE
from feedtool.model.settings import AccountSettings
from feedtool.model.text import FieldName, tr

ALWAYS = (columns.GTIN, columns.CATEGORY)
"""The keys that every row needs to be checked."""

GONE = frozenset(("shortlabel", "model", "navigation"))
"""Legacy fields without a successor (specification, "Versioning" 6)."""

SIMPLE = (
    *(columns.REFERENCE, columns.TITLE, columns.DESCRIPTION, columns.BRAND, columns.CATEGORY),
    *(columns.GTIN_REFERENCE, columns.MARKETING, columns.GROUP),
)
TEXTS = (columns.GTIN, columns.LANGUAGE, *SIMPLE)


def missing(sheet: SheetColumns) -> list[str]:
    """Return missing keys: the GTIN, and the category unless the sheet was made for one."""
    keys = [columns.GTIN] if properties.only_category(sheet.stamp) else ALWAYS
    return [key for key in keys if key not in sheet.fields]


def required(row: Row) -> list[str]:
    """Return blank keys: common data, the brand if mandatory, mandatory properties."""
    settings = row.sheet.context.settings.of(ProductSettings)
    common = dict.fromkeys((*ALWAYS, *settings.product_fields))
    keys = [key for key in common if not _is_filled(row, key)]
    known = details_of(row)
    if known is None:
        return keys
    if known.category.is_brand_mandatory and row.is_blank(columns.BRAND):
        keys.append(columns.BRAND)
    return keys + row.blanks(known.mandatory)


def _is_filled(row: Row, key: str) -> bool:
    """True if a cell is filled, another picture replaces it, or the sheet has the category."""
    if key == columns.PICTURE_KEYS[0]:
        return any(not row.is_blank(item) for item in columns.PICTURE_KEYS)
    if key == columns.CATEGORY and properties.only_category(row.sheet.stamp):
        return True
    return not row.is_blank(key)


def request(row: Row) -> dict[str, object]:
    """Return the product without blank fields."""
    values, gtin = row.values, row.values[columns.GTIN]
    is_number = row.sheet.context.settings.gtin_as == "number"
    body: dict[str, object] = {columns.GTIN: int(str(gtin)) if is_number else gtin}
    body |= {key: value for key in SIMPLE if (value := values.get(key)) is not None}
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
    """Return the language of a row without one: the template's, or that of the choices' labels."""
    catalog = sheet.context.catalog(None)
    known = sheet.stamp.get(STAMP_LANGUAGE) or (catalog.language if catalog else "")
    return columns.LANGUAGE_TAGS.get(known, columns.LANGUAGE_TAGS["fr"])


# Requests as rows.


def product_cells(body: Mapping[str, Any], dialect: AccountSettings) -> Read:
    """Return a product as the cells of a row; parts that break the specification are left."""
    del dialect
    cells = Read({}, [])
    for name, value in body.items():
        if name in TEXTS:
            cells.put(name, name, value)
        elif name == "sellerPictureUrls" and isinstance(value, list):
            _put_pictures(cells, value)
        elif name == "attributes" and isinstance(value, list):
            _put_attributes(cells, value)
        else:
            cells.leave(name, value)
    return cells


def _put_pictures(cells: Read, pictures: list[Any]) -> None:
    for place, item in enumerate(pictures):
        index = item.get("index") if isinstance(item, dict) else None
        key = columns.picture_key(index) if isinstance(index, int) else ""
        path = f"sellerPictureUrls[{place}]"
        if key in columns.PICTURE_KEYS and item.keys() <= {"index", "url"}:
            cells.put(key, path, item.get("url"))
        else:
            cells.leave(path, item)


def _put_attributes(cells: Read, attributes: list[Any]) -> None:
    """Add attributes of values and files, unless a cell would be read differently."""
    for place, item in enumerate(attributes):
        known = item if isinstance(item, dict) else {}
        values: list[Any] = [
            str(value) if is_number(value) else value for value in known.get("values") or ()
        ]
        values += [
            file.get("url") if isinstance(file, dict) else file for file in known.get("files") or ()
        ]
        texts = [value for value in values if isinstance(value, str)]
        is_plain = known.keys() <= {"propertyReference", "values", "files"} and texts == values
        is_clear = len(texts) <= 1 or not any(SEPARATOR in text for text in texts)
        reference = known.get("propertyReference")
        if isinstance(reference, str) and is_plain and is_clear:
            cells.put(reference, f"attributes[{place}]", SEPARATOR.join(texts))
        else:
            cells.leave(f"attributes[{place}]", item)


REQUESTS = JsonRequests(
    "products",
    False,
    product_cells,
    lambda _: "products",
    lambda bodies, _: products_body(bodies),
    lambda dialect: dialect.limits.products,
)


# The feed.


def name_of(row: Row, key: str) -> str:
    """Return a property's label with its key."""
    known = details_of(row)
    result = known.properties.get(key) if known else None
    return f"{result.label} ({key})" if result and result.label else FieldName(key)


def stamped(stamp: Mapping[str, str]) -> Mapping[str, str]:
    """Return the category of a sheet that was made for exactly one."""
    category = properties.only_category(stamp)
    return {columns.CATEGORY: category} if category else {}


def template(basis: Basis) -> Contents:
    from feedtool.areas.products.template import contents  # only templates need it

    return contents(FEED, basis)


FEED = Feed(
    kind="products",
    area="feedtool.areas.products",
    summary=tr("Products that are created, or completed."),
    sheet=SheetDesign(
        name="Products",
        columns=always(*columns.TEMPLATE_COLUMNS),
        every_column=always(*columns.UNDERSTOOD_COLUMNS),
        key_column=columns.GTIN,
        extra_columns=properties.extra_columns,
        by_category=ColumnsOfCategory(
            columns.CATEGORY, properties.may_be_property, stamped, properties.layout
        ),
        has_channel=False,
        takes_several=True,
        name_of=name_of,
    ),
    recognition=Recognition(needs=missing),
    requests=Requests(
        make=request,
        reference=columns.REFERENCE,
        required=required,
        identity=(columns.GTIN,),
        enrich=categories.enrich,
    ),
    travel=Travel(package_type=PACKAGE_TYPE, protocol=DELIVERY, provides=product_names),
    template=TemplatePage(
        "Create or complete products",
        "Each row creates a product, or completes the one that has this GTIN already. What is "
        "known of it may be kept instead of what the row says.",
        template,
    ),
    json=REQUESTS,
    is_for_sale=True,
    losing=frozenset((CATEGORY_CODE_CUT.name, PROPERTY_UNNEEDED.name)),
    gone=GONE,
)
