"""The requests of converted rows."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from feedtool.check.requests import faults, gate, item_of
from feedtool.check.rules import rules_for
from feedtool.feeds.area import Areas, loss_of
from feedtool.feeds.columns import is_error
from feedtool.feeds.feed import CHANNEL, Feed, Row, SheetColumns
from feedtool.model.cells import Value
from feedtool.model.nouns import Item, Loss, Severity
from feedtool.model.settings import AccountSettings, Context


class MadeRequest(NamedTuple):
    """The request of a row."""

    item: Item | None
    """None where it cannot be sent."""
    obstacles: list[Loss]
    """Why."""


RequestMaker = Callable[[int, Mapping[str, Value]], MadeRequest]


def request_maker(
    feed: Feed, channel: str, settings: AccountSettings, areas: Areas
) -> RequestMaker:
    """The function from the number and the values of a row to its request.

    Args:
        feed: The kind of the rows.
        channel: The salesChannelId of rows that name none.
        settings: The profile's.
        areas: Whose rules there are.
    """
    is_right = gate(feed)
    keys = frozenset(column.key for column in feed.understood(settings))
    sheet = SheetColumns(Context(settings), keys, feed.modes(settings))
    checks = [rule.check for rule in rules_for(areas, feed.kind) if rule.check]

    def make(number: int, values: Mapping[str, Value]) -> MadeRequest:
        own = str(values.get(CHANNEL) or channel)
        row = Row(number, feed, own, {**dict.fromkeys(keys), **values}, frozenset(), sheet)
        issues = [issue for check in checks for issue in check(row)]
        if not is_error(issues):
            request = feed.request(row)
            if is_right(request):
                return MadeRequest(item_of(row, request, purges=False), [])
            issues = list(faults(feed, request))
        obstacles = [
            loss_of(issue.field or "", values.get(issue.field or "", ""), issue.message)
            for issue in issues
            if issue.code.severity is Severity.ERROR
        ]
        return MadeRequest(None, obstacles)

    return make
