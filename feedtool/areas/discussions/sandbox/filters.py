"""The filters, sorts and pages of GET /discussions and of its count."""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import timedelta
from typing import Any

from feedtool.areas.discussions.sandbox.store import (
    CLAIM,
    DISCUSSION,
    DISCUSSIONS,
    LEVEL_1,
    TO_TREAT,
    TREATED,
)
from feedtool.sandbox.arguments import NumberedPage, asked, asked_number, moment_stamp
from feedtool.sandbox.exchange import Exchange, bad_request
from feedtool.sandbox.resources import StoredThing
from feedtool.sandbox.state import moment_of, stamp

PAGE_SIZE = 20
LARGEST = 100
"""The largest pageSize and pageIndex (part "Limits")."""
LONGEST_PERIOD = timedelta(days=184)
"""Six months ("Discussions", rule 6)."""
FIRST, LAST = "", "~"
"""Before, and after, all times as `stamp` writes them."""

Values = Callable[[str, str], Collection[Any]]
"""From a parameter's name and text: the values of a member that pass."""


def _entries(_: str, text: str) -> Collection[Any]:
    return text.split(",")


def _text(_: str, text: str) -> Collection[Any]:
    return (text,)


def _one_of(*values: str) -> Values:
    def known(name: str, text: str) -> Collection[Any]:
        if text not in values:
            raise bad_request(name, f"{name} must be one of {', '.join(values)}.")
        return (text,)

    return known


def _boolean(name: str, text: str) -> Collection[Any]:
    return (_one_of("true", "false")(name, text) == ("true",),)


FILTERS: Mapping[str, Values] = {
    "discussionId": _entries,
    "orderSellerId": _text,
    "salesChannel": _entries,
    "isOpen": _boolean,
    "processStatus": _one_of(TO_TREAT, TREATED),
    "typologyCode": lambda _, text: (text.lower(),),
    "subTypologyCode": _text,
}
"""By query parameter."""
MEMBERS = {"graduationCode": "graduation"}
"""Members whose names differ from their parameters."""
COUNTED: Mapping[str, Values] = {
    "salesChannel": _entries,
    "graduationCode": _one_of(DISCUSSION, CLAIM, LEVEL_1),
    "processStatus": _one_of(TO_TREAT, TREATED),
    "isOpen": _boolean,
}
"""Filters of the count."""


def passing(exchange: Exchange, filters: Mapping[str, Values]) -> list[StoredThing]:
    """The seller's discussions that pass all of these filters."""
    values_of = {
        MEMBERS.get(name, name): values(name, text)
        for name, values in filters.items()
        if (text := asked(exchange, name)) is not None
    }
    return [
        discussion
        for discussion in DISCUSSIONS.every(exchange.db, exchange.seller)
        if discussion.shows_at <= stamp(exchange.now)
        and all(discussion.document[member] in values_of[member] for member in values_of)
    ]


def selected(exchange: Exchange) -> list[StoredThing]:
    """The seller's discussions that pass all filters of the list.

    The period has six months unless the request names its beginning.
    """
    discussions = passing(exchange, FILTERS)
    bounds = {
        name: moment_stamp(name, text)
        for name in ("updatedAtMin", "updatedAtMax")
        if (text := asked(exchange, name)) is not None
    }
    end = bounds.get("updatedAtMax", LAST)
    latest = exchange.now if end == LAST else moment_of(end)
    earliest = stamp(latest - LONGEST_PERIOD)
    is_of_some = {"discussionId", "orderSellerId"} & exchange.parameters.keys()
    begin = bounds.get("updatedAtMin", FIRST if is_of_some else earliest)
    if "updatedAtMin" in bounds and begin < earliest:
        raise bad_request("updatedAtMin", "The search period must not exceed 6 months.")
    return [
        discussion for discussion in discussions if begin <= discussion.document["updatedAt"] <= end
    ]


def in_order(exchange: Exchange, discussions: Iterable[StoredThing]) -> list[StoredThing]:
    """Discussions in the requested order; else the last changed comes first."""
    way, _, name = (asked(exchange, "sort") or "desc:updatedAt").partition(":")
    if way not in {"asc", "desc"} or name not in {"updatedAt", "createdAt"}:
        raise bad_request("sort", "sort is asc or desc, and updatedAt or createdAt: asc:updatedAt.")
    return sorted(
        discussions,
        key=lambda discussion: (discussion.document[name], discussion.number),
        reverse=way == "desc",
    )


def asked_discussion_page(exchange: Exchange) -> NumberedPage:
    """The page that `pageIndex` and `pageSize` ask for, each from 1 to 100."""
    page = NumberedPage(
        asked_number(exchange, "pageIndex", 1), asked_number(exchange, "pageSize", PAGE_SIZE)
    )
    for name, number in (("pageIndex", page.index), ("pageSize", page.size)):
        if number > LARGEST:
            raise bad_request(name, f"{name} must be a number from 1 to {LARGEST}.")
    return page
