"""Rows of another kind become requests, judged by the rules and the schema of that kind. Pure."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import orjson

from feedtool.areas.offers.feeds import common as offers
from feedtool.areas.registry import load
from feedtool.check.rules import rules_for
from feedtool.check.schema_gate import faults, gate
from feedtool.feeds.export import Value
from feedtool.feeds.feed import Row, SheetColumns
from feedtool.model.nouns import Fault, Item, Severity
from feedtool.model.settings import Context, Dialect
from feedtool.runs.convert.carry import Lack, told

Make = Callable[[int, Mapping[str, Value]], "Made"]


class Made(NamedTuple):
    """What became of a row."""

    item: Item | None
    """None where it cannot be sent."""
    lacks: list[Lack]
    """Why."""


def maker(kind: str, channel: str, dialect: Dialect) -> Make:
    """How the rows of a kind become Items.

    Args:
        kind: What they are.
        channel: The salesChannelId of rows that name none.
        dialect: The profile's.
    """
    feed = load().feeds[kind]
    is_right = gate(feed)
    keys = frozenset(column.key for column in feed.understood(dialect))
    sheet = SheetColumns(Context(dialect), keys, feed.modes(dialect))
    rules = [rule.check for rule in rules_for(load(), kind) if rule.check]

    def make(number: int, values: Mapping[str, Value]) -> Made:
        own = str(values.get(offers.CHANNEL) or channel)
        row = Row(number, feed, own, {**dict.fromkeys(keys), **values}, frozenset(), sheet)
        found = [fault for check in rules for fault in check(row) if _is_error(fault)]
        if not found:
            request = feed.request(row)
            if is_right(request):
                product = "|".join([str(values.get(key) or "") for key in feed.identity])
                reference = str(values.get(feed.reference) or "")
                body = orjson.dumps(request)
                return Made(Item(number, feed.package_type, own, reference, product, body), [])
            found = list(faults(feed, request))
        return Made(None, [_lack(fault, values) for fault in found])

    return make


def _is_error(fault: Fault) -> bool:
    return fault.code.severity is Severity.ERROR


def _lack(fault: Fault, values: Mapping[str, Value]) -> Lack:
    field = fault.field or ""
    value = values.get(field)
    return Lack(field, "" if value is None else told(value), fault.message, is_needed=True)
