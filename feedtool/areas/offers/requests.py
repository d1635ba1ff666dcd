"""The request of an offer, laid flat into the cells of a row.

Specification, "Offer package and offer request (JSON)"; the codes and the scale of taxes are the
profile's. Whatever is not as it says there is given back as it stands.
"""

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

from feedtool.areas.offers.feeds import common as columns
from feedtool.areas.offers.feeds.common import HUNDRED
from feedtool.areas.offers.wire.packages import UploadBody, upload
from feedtool.feeds.conversion import JsonRequests, Read, is_number
from feedtool.model.settings import AccountSettings

_MODE = {"code", "cost", "additionalCost"}
_SIMPLE = (columns.REFERENCE, columns.CONDITION, columns.PREPARATION, columns.QUANTITY)
_OF_WHOLE = {columns.CONDITION, columns.GTIN, columns.PRODUCT_REFERENCE}
"""Columns that requests of whole offers alone fill."""


def offer_cells(body: Mapping[str, Any], settings: AccountSettings) -> Read:
    """The request of an offer."""
    result = Read({}, [])
    for name, value in body.items():
        if name in _SIMPLE:
            result.put(name, name, value)
        elif name in {"product", "price"} and isinstance(value, dict):
            _of_node(result, name, value, settings)
        elif name == "deliveryModes" and isinstance(value, list):
            _of_modes(result, value)
        else:
            result.leave(name, value)
    return result


def _of_node(
    result: Read, node: str, members: Mapping[str, Any], settings: AccountSettings
) -> None:
    known = ("gtin", "reference") if node == "product" else ("price", "originPrice")
    for name, value in members.items():
        path = f"{node}.{name}"
        if name in known:
            result.put(path, path, value)
        elif path == "price.taxes" and isinstance(value, list):
            _of_taxes(result, value, settings)
        else:
            result.leave(path, value)


def _of_taxes(result: Read, taxes: list[Any], settings: AccountSettings) -> None:
    names = {code.casefold(): name for name, code in settings.tax_codes.items()}
    for place, tax in enumerate(taxes):
        path = f"price.taxes[{place}]"
        name = names.get(str(tax.get("code")).casefold()) if isinstance(tax, dict) else None
        if name is None or not tax.keys() <= {"code", "value", "type"}:
            result.leave(path, tax)
            continue
        value = tax.get("value")
        if name == "VAT" and settings.vat_scale == 1 and is_number(value):
            value = (Decimal(value) * HUNDRED).normalize()
        result.put(f"taxes.{name}", path, value)


def _of_modes(result: Read, modes: list[Any]) -> None:
    for place, mode in enumerate(modes):
        path = f"deliveryModes[{place}]"
        code = mode.get("code") if isinstance(mode, dict) else None
        if not (isinstance(code, str) and code and mode.keys() <= _MODE):
            result.leave(path, mode)
            continue
        keys = columns.mode(code)
        result.put(keys.cost, f"{path}.cost", mode.get("cost"))
        result.put(keys.additional, f"{path}.additionalCost", mode.get("additionalCost"))


def kind_of(keys: Collection[str]) -> str | None:
    """The kind of requests that fill some columns; None for a reference alone."""
    if _OF_WHOLE & set(keys):
        return "offers-upsert"
    return "offers-update" if set(keys) - {columns.REFERENCE} else None


REQUESTS = JsonRequests(
    "offerRequests",
    True,
    offer_cells,
    kind_of,
    lambda bodies, dialect: upload("package", bodies, UploadBody(dialect.upload_body)).body or b"",
    lambda dialect: dialect.limits.upload,
)
