"""The filters, sorts and pages of GET /discussions and of its count."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

import orjson

from feedtool.areas.discussions.sandbox.store import CLAIM, DISCUSSION, LEVEL_1, TO_TREAT, TREATED
from feedtool.sandbox.arguments import NumberedPage, asked, asked_number, moment_stamp
from feedtool.sandbox.exchange import Exchange, bad_request
from feedtool.sandbox.state import moment_of, stamp

PAGE_SIZE = 20
LARGEST = 100
"""Of pageSize, and of pageIndex (part "Limits")."""
LONGEST_PERIOD = timedelta(days=184)
"""Six months ("Discussions", rule 6)."""


def _entries(text: str) -> str:
    return orjson.dumps(text.split(",")).decode()


def _one_of(name: str, values: Collection[str], text: str) -> str:
    if text not in values:
        raise bad_request(name, f"{name} must be one of {', '.join(values)}.")
    return text


def _boolean(name: str, text: str) -> int:
    return int(_one_of(name, ("true", "false"), text) == "true")


_STATUS = (
    "process_status = :processStatus",
    partial(_one_of, "processStatus", (TO_TREAT, TREATED)),
)
_CHANNELS = ("channel IN (SELECT value FROM json_each(:salesChannel))", _entries)
_IS_OPEN = ("is_open = :isOpen", partial(_boolean, "isOpen"))

Filters = dict[str, tuple[str, Callable[[str], Any]]]

FILTERS: Filters = {
    "discussionId": ("discussion_id IN (SELECT value FROM json_each(:discussionId))", _entries),
    "orderSellerId": ("order_id = :orderSellerId", str),
    "salesChannel": _CHANNELS,
    "isOpen": _IS_OPEN,
    "processStatus": _STATUS,
    "typologyCode": ("typology = :typologyCode", str.lower),
    "subTypologyCode": ("subtypology = :subTypologyCode", str),
    "updatedAtMin": ("updated_at >= :updatedAtMin", partial(moment_stamp, "updatedAtMin")),
    "updatedAtMax": ("updated_at <= :updatedAtMax", partial(moment_stamp, "updatedAtMax")),
}
"""Query parameter, the SQL condition that it adds, and how its value is bound to its name."""

COUNTED: Filters = {
    "salesChannel": _CHANNELS,
    "graduationCode": (
        "graduation = :graduationCode",
        partial(_one_of, "graduationCode", (DISCUSSION, CLAIM, LEVEL_1)),
    ),
    "processStatus": _STATUS,
    "isOpen": _IS_OPEN,
}


class DiscussionSelection(NamedTuple):
    """The discussions that a request asks for."""

    where: str
    """SQL, with the values as named parameters."""
    values: dict[str, Any]


def selection(exchange: Exchange, filters: Filters) -> DiscussionSelection:
    """The seller's discussions that pass all filters of the request."""
    given = {name: text for name in filters if (text := asked(exchange, name)) is not None}
    values = {name: filters[name][1](text) for name, text in given.items()}
    conditions = ["seller = :seller", "shown_at <= :now", *(filters[name][0] for name in given)]
    values |= {"seller": exchange.seller, "now": stamp(exchange.now)}
    if filters is FILTERS:
        values["from"] = _begin(values, exchange.now)
        conditions += ["updated_at >= :from"] if values["from"] else []
    return DiscussionSelection(" AND ".join(conditions), values)


def _begin(values: dict[str, Any], now: datetime) -> str:
    """The beginning of the period, which is of six months where a request does not say it."""
    end = moment_of(values["updatedAtMax"]) if "updatedAtMax" in values else now
    earliest = stamp(end - LONGEST_PERIOD)
    if values.get("updatedAtMin", earliest) < earliest:
        raise bad_request("updatedAtMin", "The search period must not exceed 6 months.")
    return "" if "discussionId" in values or "orderSellerId" in values else earliest


def order_by(exchange: Exchange) -> str:
    """SQL of the order that is asked for; else what changed last comes first."""
    way, _, name = (asked(exchange, "sort") or "desc:updatedAt").partition(":")
    columns = {"updatedAt": "updated_at", "createdAt": "created_at"}
    if way not in {"asc", "desc"} or name not in columns:
        raise bad_request("sort", "sort is asc or desc, and updatedAt or createdAt: asc:updatedAt.")
    return f"{columns[name]} {way}, id {way}"


def asked_discussion_page(exchange: Exchange) -> NumberedPage:
    """The page that `pageIndex` and `pageSize` ask for, each from 1 to 100."""
    page = NumberedPage(
        asked_number(exchange, "pageIndex", 1), asked_number(exchange, "pageSize", PAGE_SIZE)
    )
    for name, number in (("pageIndex", page.index), ("pageSize", page.size)):
        if number > LARGEST:
            raise bad_request(name, f"{name} must be a number from 1 to {LARGEST}.")
    return page
