"""The body of a JSON request, laid flat into the cells of a row. Pure.

Specification, "Offer package and offer request (JSON)" and "Catalog endpoints"; the codes and the
scale of taxes are the dialect's. Whatever is not as it says there is given back as it stands.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from feedtool.areas.legacy.offers_xml import cost_keys
from feedtool.areas.products.columns import common as products
from feedtool.model.cells import Cell, Kind
from feedtool.model.settings import Dialect

HUNDRED = Decimal(100)
SEPARATOR = ";"
_MODE = {"code", "cost", "additionalCost"}
_SIMPLE = ("sellerExternalReference", "condition", "preparationTime", "quantity")
_PRODUCT_FIELDS = (
    *(products.GTIN, products.REFERENCE, products.TITLE, products.DESCRIPTION, products.BRAND),
    *(products.CATEGORY, products.LANGUAGE, products.GTIN_REFERENCE, products.MARKETING),
    products.GROUP,
)


class Read(NamedTuple):
    """A request as cells."""

    cells: dict[str, Cell]
    """By the column's key."""
    left: list[tuple[str, object]]
    """What no cell can hold: where it stands, and what."""


def offer_cells(body: Mapping[str, Any], dialect: Dialect) -> Read:
    """The request of an offer."""
    found = Read({}, [])
    for name, value in body.items():
        if name in _SIMPLE:
            _put(found, name, name, value)
        elif name in {"product", "price"} and isinstance(value, dict):
            _of_node(found, name, value, dialect)
        elif name == "deliveryModes" and isinstance(value, list):
            _of_modes(found, value)
        else:
            _leave(found, name, value)
    return found


def _of_node(found: Read, node: str, members: Mapping[str, Any], dialect: Dialect) -> None:
    known = ("gtin", "reference") if node == "product" else ("price", "originPrice")
    for name, value in members.items():
        path = f"{node}.{name}"
        if name in known:
            _put(found, path, path, value)
        elif path == "price.taxes" and isinstance(value, list):
            _of_taxes(found, value, dialect)
        else:
            _leave(found, path, value)


def _of_taxes(found: Read, taxes: list[Any], dialect: Dialect) -> None:
    names = {code.casefold(): name for name, code in dialect.tax_codes.items()}
    for place, tax in enumerate(taxes):
        path = f"price.taxes[{place}]"
        name = names.get(str(tax.get("code")).casefold()) if isinstance(tax, dict) else None
        if name is None or not tax.keys() <= {"code", "value", "type"}:
            _leave(found, path, tax)
            continue
        value = tax.get("value")
        if name == "VAT" and dialect.vat_scale == 1 and _is_number(value):
            value = (Decimal(value) * HUNDRED).normalize()
        _put(found, f"taxes.{name}", path, value)


def _of_modes(found: Read, modes: list[Any]) -> None:
    for place, mode in enumerate(modes):
        path = f"deliveryModes[{place}]"
        code = mode.get("code") if isinstance(mode, dict) else None
        if not (isinstance(code, str) and code and mode.keys() <= _MODE):
            _leave(found, path, mode)
            continue
        for key, name in zip(cost_keys(code), ("cost", "additionalCost"), strict=True):
            _put(found, key, f"{path}.{name}", mode.get(name))


def product_cells(body: Mapping[str, Any], dialect: Dialect) -> Read:
    """The request of a product."""
    del dialect
    found = Read({}, [])
    for name, value in body.items():
        if name in _PRODUCT_FIELDS:
            _put(found, name, name, value)
        elif name == "sellerPictureUrls" and isinstance(value, list):
            _of_pictures(found, value)
        elif name == "attributes" and isinstance(value, list):
            _of_attributes(found, value)
        else:
            _leave(found, name, value)
    return found


def _of_pictures(found: Read, pictures: list[Any]) -> None:
    for place, one in enumerate(pictures):
        index = one.get("index") if isinstance(one, dict) else None
        key = products.picture_key(index) if isinstance(index, int) else ""
        path = f"sellerPictureUrls[{place}]"
        if key in products.PICTURE_KEYS and one.keys() <= {"index", "url"}:
            _put(found, key, path, one.get("url"))
        else:
            _leave(found, path, one)


def _of_attributes(found: Read, attributes: list[Any]) -> None:
    for place, one in enumerate(attributes):
        path = f"attributes[{place}]"
        if not isinstance(one, dict) or not isinstance(one.get("propertyReference"), str):
            _leave(found, path, one)
            continue
        texts = list(_texts(one))
        is_plain = one.keys() <= {"propertyReference", "values", "files"} and None not in texts
        if not is_plain or (len(texts) > 1 and any(SEPARATOR in str(text) for text in texts)):
            _leave(found, path, one)
        else:
            _put(found, one["propertyReference"], path, SEPARATOR.join(map(str, texts)))


def _texts(attribute: Mapping[str, Any]) -> Iterator[str | None]:
    """The values and the addresses of the files; None for what is neither."""
    for value in attribute.get("values") or ():
        is_text = isinstance(value, str) or _is_number(value)
        yield str(value) if is_text else None
    for file in attribute.get("files") or ():
        url = file.get("url") if isinstance(file, dict) else file
        yield url if isinstance(url, str) else None


def _put(found: Read, key: str, path: str, value: object) -> None:
    """A cell; a second one of the same key, and what fits into none, is left."""
    if value is None or value == "":
        return
    cell = _cell(value)
    if cell is None or key in found.cells:
        _leave(found, path, value)
    else:
        found.cells[key] = cell


def _cell(value: object) -> Cell | None:
    if isinstance(value, bool):
        return Cell(Kind.BOOLEAN, str(value).upper())
    if isinstance(value, int | Decimal):
        return Cell(Kind.NUMBER, str(value))
    return Cell(Kind.TEXT, value) if isinstance(value, str) else None


def _leave(found: Read, path: str, value: object) -> None:
    if value not in (None, [], {}):
        found.left.append((path, value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)
