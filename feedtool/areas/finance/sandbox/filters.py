"""The filters of operations and payments, and the pages of their lists."""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, NamedTuple

import orjson

from feedtool.areas.finance.sandbox.events import EVENT_TYPES
from feedtool.areas.finance.sandbox.store import STATES
from feedtool.sandbox.arguments import NumberedPage, asked, asked_number, moment_stamp
from feedtool.sandbox.exchange import Exchange, bad_request
from feedtool.sandbox.state import stamp

PAGE_SIZE = 20
MOST_DIGITS = 18
LARGEST = 100
"""The largest page size and page number (part "Limits")."""


def _one_of(name: str, values: Collection[str], text: str) -> str:
    """A list as JSON, all of whose entries must be among the values."""
    entries = text.split(",")
    if not set(entries) <= set(values):
        raise bad_request(name, f"{name} must be one of {', '.join(values)}.")
    return orjson.dumps(entries).decode()


def whole(name: str, text: str) -> int:
    """The number that a parameter or a path holds, else 400."""
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise bad_request(name, f"{name} must be an integer.")
    return int(text)


Condition = tuple[str, Callable[[str], Any]]
"""SQL, and a function that converts the parameter's value."""


def _between(name: str, column: str) -> dict[str, Condition]:
    return {
        f"{name}{end}": (f"{column} {sign} :{name}{end}", partial(moment_stamp, f"{name}{end}"))
        for end, sign in (("Min", ">="), ("Max", "<="))
    }


STATE = "state IN (SELECT value FROM json_each(:{name}))"
OF_CHANNEL: dict[str, Condition] = {"salesChannelId": ("channel = :salesChannelId", str)}
OF_TYPES = """EXISTS (SELECT 1 FROM json_each(types) AS type
  WHERE type.value IN (SELECT value FROM json_each(:eventTypes)))"""
OF_OPERATIONS: Mapping[str, Condition] = {
    "orderReference": ("reference = :orderReference", str),
    # An assumption: this finds forecasts, too, by the time at which they are to be paid.
    **_between("paidAt", "paid_at"),
    **_between("changedAt", "changed_at"),
    "eventTypes": (
        OF_TYPES,
        partial(_one_of, "eventTypes", EVENT_TYPES),
    ),
    "states": (STATE.format(name="states"), partial(_one_of, "states", STATES)),
    "invoiceId": ("invoice = :invoiceId", partial(whole, "invoiceId")),
    **OF_CHANNEL,
}
OF_PAYMENTS: Mapping[str, Condition] = {
    **_between("paidAt", "due_at"),
    "paymentStates": (
        STATE.format(name="paymentStates"),
        partial(_one_of, "paymentStates", STATES),
    ),
    **OF_CHANNEL,
}
MISSPELLED = {
    "eventType": "eventTypes",
    "payedAtMin": "paidAtMin",
    "payedAtMax": "paidAtMax",
}
"""Names of the specification's examples; those of its tables are the defined ones."""


class FinanceSelection(NamedTuple):
    """The operations that a request selects."""

    where: str
    """SQL over `store.SEEN`, with the values as named parameters."""
    values: dict[str, Any]


def selection(exchange: Exchange, filters: Mapping[str, Condition]) -> FinanceSelection:
    """The operations that pass all filters; 400 for a misspelled parameter of the examples."""
    for name, defined in MISSPELLED.items():
        if name in exchange.parameters:
            raise bad_request(name, f"{name} is no parameter; it is called {defined}.")
    texts = {name: text for name in filters if (text := asked(exchange, name)) is not None}
    values = {name: filters[name][1](text) for name, text in texts.items()}
    conditions = [filters[name][0] for name in texts]
    where = " AND ".join(conditions) or "1"
    return FinanceSelection(
        where, {"seller": exchange.seller, "now": stamp(exchange.now), **values}
    )


def asked_page(exchange: Exchange) -> NumberedPage:
    """The requested page; its number and its size are at most 100."""
    index = asked_number(exchange, "pageIndex", 1)
    size = asked_number(exchange, "pageSize", PAGE_SIZE)
    for name, number in (("pageIndex", index), ("pageSize", size)):
        if number > LARGEST:
            raise bad_request(name, f"{name} must be a number from 1 to {LARGEST}.")
    return NumberedPage(index, size)
