"""The filters and sorts of GET /orders, of its count and of what else is listed by orders."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

import orjson

from feedtool.areas.orders.sandbox.states import STATUSES
from feedtool.sandbox.arguments import NumberedPage, asked, asked_number, moment_stamp
from feedtool.sandbox.exchange import Exchange, bad_request
from feedtool.sandbox.resources import QueryFilter

PAGE_SIZE = 50
LARGEST_PAGE = 100
SUPPLY_MODES = ("Seller", "Fulfillment", "Xdock")


def _one_of(values: Collection[str], name: str, text: str) -> str:
    """A comma list as JSON, all of whose entries must be among the values."""
    entries = text.split(",")
    if not set(entries) <= set(values):
        raise bad_request(name, f"{name} must be one of {', '.join(values)}.")
    return orjson.dumps(entries).decode()


def _boolean(name: str, text: str) -> int:
    if text not in {"true", "false"}:
        raise bad_request(name, f"{name} must be true or false.")
    return int(text == "true")


FILTERS: Mapping[str, QueryFilter] = {
    "reference": QueryFilter("reference = :reference"),
    "salesChannelId": QueryFilter("channel = :salesChannelId"),
    "businessOrder": QueryFilter("business = :businessOrder", _boolean),
    "status": QueryFilter(
        "status IN (SELECT value FROM json_each(:status))", partial(_one_of, STATUSES)
    ),
    "supplyMode": QueryFilter(
        "supply_mode IN (SELECT value FROM json_each(:supplyMode))", partial(_one_of, SUPPLY_MODES)
    ),
    "shippingCountry": QueryFilter("country = :shippingCountry"),
    **{
        f"{name}{end}": QueryFilter(f"{column} {sign} :{name}{end}", moment_stamp)
        for name, column in (
            ("createdAt", "created_at"),
            ("updatedAt", "updated_at"),
            ("shippedAt", "shipped_at"),
        )
        for end, sign in (("Min", ">="), ("Max", "<="))
    },
}
"""By query parameter; its value is bound to its name."""

SORTS = {"createdAt": "created_at", "updatedAt": "updated_at", "shippedAtMax": "shipped_at"}
"""Columns by sort key."""


def selection(exchange: Exchange) -> tuple[str, dict[str, Any]]:
    """SQL for the seller's orders that pass all filters of the request, and its parameters."""
    texts = {name: text for name in FILTERS if (text := asked(exchange, name)) is not None}
    conditions = [FILTERS[name].condition for name in texts]
    where = " AND ".join(("seller = :seller", "shown IS NOT NULL", *conditions))
    values = {name: FILTERS[name].value(name, text) for name, text in texts.items()}
    return where, {"seller": exchange.seller, **values}


def order_by(exchange: Exchange) -> str:
    """SQL of the requested order, in either spelling (rule 1); else the newest first."""
    descending = set((asked(exchange, "desc") or "").split(",")) - {""}
    keys = (asked(exchange, "sort") or ",".join(sorted(descending)) or "desc:createdAt").split(",")
    terms = {name.rpartition(":")[2]: name.rpartition(":")[0] for name in keys}
    if not {*terms, *descending} <= set(SORTS) or not set(terms.values()) <= {"", "asc", "desc"}:
        raise bad_request("sort", f"sort and desc take {', '.join(SORTS)}.")
    ways = {
        SORTS[name]: "DESC" if way == "desc" or name in descending else "ASC"
        for name, way in terms.items()
    }
    last = list(ways.values())[-1]
    return ", ".join(f"{column} {way}" for column, way in {**ways, "id": last}.items())


def asked_order_page(exchange: Exchange) -> NumberedPage:
    """The page that `pageIndex` and `pageSize` ask for (part "Limits")."""
    size = asked_number(exchange, "pageSize", PAGE_SIZE)
    if size > LARGEST_PAGE:
        raise bad_request("pageSize", f"pageSize must be a number from 1 to {LARGEST_PAGE}.")
    return NumberedPage(asked_number(exchange, "pageIndex", 1), size)
