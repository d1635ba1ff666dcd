"""The request of a product, laid flat into the cells of a row. Pure.

Specification, "Catalog endpoints". Whatever is not as it says there is given back as it stands.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from feedtool.areas.products.columns import common as products
from feedtool.areas.products.columns.attribute import SEPARATOR
from feedtool.areas.products.wire import products_body
from feedtool.feeds.conversion import JsonRequests, Read, is_number
from feedtool.model.settings import AccountSettings

_PRODUCT_FIELDS = (
    *(products.GTIN, products.REFERENCE, products.TITLE, products.DESCRIPTION, products.BRAND),
    *(products.CATEGORY, products.LANGUAGE, products.GTIN_REFERENCE, products.MARKETING),
    products.GROUP,
)


def product_cells(body: Mapping[str, Any], dialect: AccountSettings) -> Read:
    """The request of a product."""
    del dialect
    found = Read({}, [])
    for name, value in body.items():
        if name in _PRODUCT_FIELDS:
            found.put(name, name, value)
        elif name == "sellerPictureUrls" and isinstance(value, list):
            _of_pictures(found, value)
        elif name == "attributes" and isinstance(value, list):
            _of_attributes(found, value)
        else:
            found.leave(name, value)
    return found


def _of_pictures(found: Read, pictures: list[Any]) -> None:
    for place, one in enumerate(pictures):
        index = one.get("index") if isinstance(one, dict) else None
        key = products.picture_key(index) if isinstance(index, int) else ""
        path = f"sellerPictureUrls[{place}]"
        if key in products.PICTURE_KEYS and one.keys() <= {"index", "url"}:
            found.put(key, path, one.get("url"))
        else:
            found.leave(path, one)


def _of_attributes(found: Read, attributes: list[Any]) -> None:
    for place, one in enumerate(attributes):
        path = f"attributes[{place}]"
        if not isinstance(one, dict) or not isinstance(one.get("propertyReference"), str):
            found.leave(path, one)
            continue
        texts = list(_texts(one))
        is_plain = one.keys() <= {"propertyReference", "values", "files"} and None not in texts
        if not is_plain or (len(texts) > 1 and any(SEPARATOR in str(text) for text in texts)):
            found.leave(path, one)
        else:
            found.put(one["propertyReference"], path, SEPARATOR.join(map(str, texts)))


def _texts(attribute: Mapping[str, Any]) -> Iterator[str | None]:
    """The values and the addresses of the files; None for what is neither."""
    for value in attribute.get("values") or ():
        is_text = isinstance(value, str) or is_number(value)
        yield str(value) if is_text else None
    for file in attribute.get("files") or ():
        url = file.get("url") if isinstance(file, dict) else file
        yield url if isinstance(url, str) else None


REQUESTS = JsonRequests(
    "products",
    False,
    product_cells,
    lambda _: "products",
    lambda bodies, _: products_body(bodies),
    lambda dialect: dialect.limits.products,
)
