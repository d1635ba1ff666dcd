"""Which single requests are held back: those of rows that a guard names, until it is released."""

from collections.abc import Callable, Collection, Sequence

from feedtool.areas.registry import load
from feedtool.feeds.delivery import Direct
from feedtool.model.nouns import Code, Issue, Item, Message, RowResult, Severity, Status
from feedtool.model.sheet import CheckedSheet
from feedtool.model.spool import Spool
from feedtool.model.text import tr

SentBefore = Callable[[Item], int | None]
"""Gives the run in which the same request was sent; None where it never was."""


def hold_single_requests(
    sheets: Sequence[CheckedSheet],
    released: Collection[str],
    sent_before: SentBefore = lambda _: None,
) -> list[CheckedSheet]:
    """Hold what guards name in sheets whose requests are single calls; returns the other sheets."""
    others = []
    for sheet in sheets:
        feed = load().feeds.get(sheet.kind or "")
        if sheet.error or feed is None or not isinstance(feed.delivery, Direct):
            others.append(sheet)
        else:
            _hold(sheet, released, sent_before)
    return others


def _hold(sheet: CheckedSheet, released: Collection[str], sent_before: SentBefore) -> None:
    """A request goes with all of its rows, or with none."""
    by_row: dict[int, list[Issue]] = {}
    for row, issue in sheet.guarded:
        by_row.setdefault(row, []).append(issue)
    sent, held = Spool(Item), list[RowResult]()
    for item in sheet.valid_items():
        rows = (item.row, *item.further_rows)
        issues = [issue for row in rows for issue in by_row.get(row, ())]
        if (again := _again(item)) and (run := sent_before(item)):
            issues.append(_sent_again(again, run))
        messages = dict.fromkeys(
            _message(issue) for issue in issues if issue.code.name not in released
        )
        if messages:
            result = RowResult(0, item.reference, Status.HELD, (*messages,), item.channel)
            held += [result._replace(row=row) for row in rows]
        else:
            sent.append(item)
    if held:
        sheet.sent, sheet.withheld, sheet.held = sent, Spool(RowResult), len(held)
        sheet.withheld.extend(sorted(held, key=lambda result: result.row), 0)


def _again(item: Item) -> Code | None:
    """The guard against a second request of its type, where there is one."""
    delivery = load().routes[item.package_type].delivery
    return delivery.again if isinstance(delivery, Direct) else None


def _sent_again(code: Code, run: int) -> Issue:
    hint = tr("if it is meant: submit it with --release {code}", code=code.name)
    return Issue(code, tr("the same was sent in run {run}", run=run), hint)


def _message(issue: Issue) -> Message:
    """The message of a row that is held; the cell is marked as one to look at."""
    text = tr("{message} ({hint})", message=issue.message, hint=issue.hint)
    return Message(issue.code.name, text, issue.field or "", Severity.WARNING)
