"""Makes requests of converted rows, and writes them: as JSON, in a folder, as an area's own form.

The same rows give the same bytes, and every file takes its place whole or not at all.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from feedtool.check.requests import faults, gate
from feedtool.check.rules import rules_for
from feedtool.feeds.area import Areas
from feedtool.feeds.conversion import CarryLoss, shown
from feedtool.feeds.feed import CHANNEL, Feed, Row, SheetColumns
from feedtool.model.cells import Value
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Issue, Item, Severity
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.sheet import VALID, CheckedSheet
from feedtool.model.spool import Spool
from feedtool.runs.convert.forms import FOLDER, Form
from feedtool.runs.request_files import write_requests
from feedtool.sheets.atomic_write import atomic_write
from feedtool.sheets.read_back import NotAsWritten

Make = Callable[[int, Mapping[str, Value]], "MadeRequest"]


class MadeRequest(NamedTuple):
    """What became of a row."""

    item: Item | None
    """None where it cannot be sent."""
    lacks: list[CarryLoss]
    """Why."""


def maker(feed: Feed, channel: str, dialect: AccountSettings, areas: Areas) -> Make:
    """How the rows of a kind become Items.

    Args:
        feed: What they are.
        channel: The salesChannelId of rows that name none.
        dialect: The profile's.
        areas: Whose rules there are.
    """
    is_right = gate(feed)
    keys = frozenset(column.key for column in feed.understood(dialect))
    sheet = SheetColumns(Context(dialect), keys, feed.modes(dialect))
    rules = [rule.check for rule in rules_for(areas, feed.kind) if rule.check]

    def make(number: int, values: Mapping[str, Value]) -> MadeRequest:
        own = str(values.get(CHANNEL) or channel)
        row = Row(number, feed, own, {**dict.fromkeys(keys), **values}, frozenset(), sheet)
        found = [fault for check in rules for fault in check(row) if _is_error(fault)]
        if not found:
            request = feed.request(row)
            if is_right(request):
                product = "|".join([str(values.get(key) or "") for key in feed.identity])
                reference = str(values.get(feed.reference) or "")
                body = orjson.dumps(request)
                return MadeRequest(
                    Item(number, feed.package_type, own, reference, product, body), []
                )
            found = list(faults(feed, request))
        return MadeRequest(None, [_lack(fault, values) for fault in found])

    return make


def _is_error(fault: Issue) -> bool:
    return fault.code.severity is Severity.ERROR


def _lack(fault: Issue, values: Mapping[str, Value]) -> CarryLoss:
    field = fault.field or ""
    value = values.get(field)
    return CarryLoss(field, "" if value is None else shown(value), fault.message, is_needed=True)


BY_HAND = "give OUT no ending: a folder takes as many packages as there are"


def write_items(
    target: Path,
    form: Form,
    sheets: Sequence[CheckedSheet],
    about: object,
    dialect: AccountSettings,
    areas: Areas,
) -> None:
    """Requests as they travel: in one file, or in a folder of packages.

    Raises:
        UsageProblem: one file cannot hold them, or cannot be written.
        NotAsWritten: it does not read back as it was written.
    """
    if form.ending == FOLDER:
        write_requests(target, sheets, dialect)
        return
    (sheet,) = sheets
    groups = {(item.package_type, item.channel) for item in sheet.items}
    if len(groups) > 1:
        listed = ", ".join(sorted(f"{kind} for {channel}" for kind, channel in groups))
        raise UsageProblem(f"{target.name} would hold several packages: {listed}", BY_HAND)
    requests = areas.feeds[str(sheet.kind)].json
    with atomic_write(target) as place:
        if form.output:
            if not form.output.write(place, sheet.items, about, dialect):
                raise NotAsWritten(
                    f"{target} was written, and does not read back like that",
                    "run it again; if it stays so, look at the disk",
                )
        elif requests:
            place.write_bytes(requests.bundle([item.body for item in sheet.items], dialect))


def valid_sheet(checked: CheckedSheet, kind: str, items: Spool[Item]) -> CheckedSheet:
    """A sheet of nothing but rows that can be sent."""
    sheet = CheckedSheet(checked.file, checked.sheet, kind, checked.header, items=items)
    for item in items:
        sheet.marks[item.row] = VALID
    return sheet
