"""Pages and the Link header that leads from one to the next: parts "Endpoints" and "Limits".

A cursor names the last row shown, so that rows which come or go meanwhile are neither shown
twice nor make others be left out.
"""

import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

from feedtool.sandbox.message import HttpResponse, json_answer
from feedtool.sandbox.problem import bad_request
from feedtool.sandbox.route import Exchange

LIMIT = 100
PAGE_SIZE = 25
HIGHEST = 1000

Item = TypeVar("Item")


class CursorPage(NamedTuple):
    """The rows that a list is asked for."""

    limit: int
    after: int
    """The row number after which the page begins."""


def asked_page(exchange: Exchange) -> CursorPage:
    """The page that `limit` and `cursor` ask for; invalid values are 400 ("Errors", rule 1).

    Without a check of the route's own no limit is too high, but no page is longer than HIGHEST.
    """
    cursor = exchange.parameters.get("cursor", "after-0")
    if not (after := re.fullmatch(r"after-([0-9]{1,18})", cursor)):
        raise bad_request("cursor", "cursor is not one that a Link header gave.")
    return CursorPage(min(asked_limit(exchange), HIGHEST), int(after[1]))


def asked_limit(exchange: Exchange) -> int:
    """The `limit` as it was asked for, 100 by default."""
    return asked_number(exchange, "limit", LIMIT)


def page_answer(
    exchange: Exchange,
    page: CursorPage,
    rows: Sequence[sqlite3.Row],
    show: Callable[[sqlite3.Row], Any],
) -> HttpResponse:
    """Show at most `page.limit` rows; one more than that in `rows` means a next page.

    Each row's number, the one that cursors name, is its column `id`.
    """
    shown = rows[: page.limit]
    document = {"itemsPerPage": page.limit, "items": [show(row) for row in shown]}
    more = len(rows) > page.limit
    link = _link(exchange, "cursor", f"after-{shown[-1]['id']}") if more else None
    return json_answer(200, document, link)


def _link(exchange: Exchange, name: str, value: object) -> dict[str, str]:
    """The Link header to the same query with another value under `name`."""
    query = urlencode({**exchange.parameters, name: value})
    return {"Link": f'<{exchange.request.base}{exchange.request.path}?{query}>; rel="next"'}


@dataclass(frozen=True, slots=True)
class NumberedPage:
    """A page by its number."""

    index: int
    """From 1."""
    size: int

    @property
    def start(self) -> int:
        """The number of items on the pages before it."""
        return (self.index - 1) * self.size

    def of(self, items: Sequence[Item]) -> Sequence[Item]:
        """The items on this page; none behind the last one."""
        return items[self.start : self.start + self.size]


def asked_numbered_page(exchange: Exchange) -> NumberedPage:
    """The page that `pageIndex` and `pageSize` ask for; invalid values are 400 ("Errors", rule 1).

    A highest size is not documented; no page is ever longer than HIGHEST.
    """
    size = asked_number(exchange, "pageSize", PAGE_SIZE)
    return NumberedPage(asked_number(exchange, "pageIndex", 1), min(size, HIGHEST))


def asked_number(exchange: Exchange, name: str, default: int) -> int:
    """The number under `name`, from 1; anything else is 400 ("Errors", rule 1)."""
    text = exchange.parameters.get(name, str(default))
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) == 0:
        raise bad_request(name, f"{name} must be a number from 1.")
    return int(text)


def next_page_link(exchange: Exchange, page: NumberedPage, total: int) -> dict[str, str]:
    """The Link header to the page after this one, while there is one."""
    if page.start + page.size >= total:
        return {}
    return _link(exchange, "pageIndex", page.index + 1)
